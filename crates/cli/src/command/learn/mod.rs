//! `learn`: runs a command with the network as open as the ceiling leaves it, records what it needed, and proposes
//! narrow rules.
//!
//! In: a command. Out: its own exit code, and on stdout a policy diff. What the baseline hides and protects stays
//! shut while learning, and is never proposed; neither is an address, nor anything that a level above forbids.

mod edit;
mod needs;

use crate::command::run::{self, fact::Fact, place, trail::Trails};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::InputArgs;
use crate::output::{Format, Output, shown};
use edit::{Edit, List};
use needs::Needs;
use ringfence_policy::scale::{ExecMode, NetworkMode, Tier};
use ringfence_sandbox::Ending;
use std::borrow::Cow;
use std::ffi::OsString;
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// What to learn from.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The working repo; the current folder when absent
    #[arg(long, value_name = "DIR")]
    repo: Option<PathBuf>,
    /// The strongest tier to try
    #[arg(long, value_name = "TIER", value_parser = run::tier, default_value = "A")]
    tier: Tier,
    /// Address of a name, as NAME=ADDRESS; repeatable
    #[arg(long, value_name = "NAME=ADDRESS", value_parser = run::resolved)]
    resolve: Vec<(String, IpAddr)>,
    /// Apply the proposed change to the policy file
    #[arg(long)]
    write: bool,
    #[command(flatten)]
    input: InputArgs,
    /// The command
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<OsString>,
}

/// Runs, records and proposes.
pub(crate) fn run(args: &Args, output: &Output) -> Result<ExitCode, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let place = place::find(args.repo.as_deref())?;
    let (trails, _) = Trails::derive(&args.input, &place)?;
    let watched = run::Args {
        tier: args.tier,
        resolve: args.resolve.clone(),
        ..run::Args::watched(args.command.clone(), args.repo.clone(), args.input.clone())
    };
    let ended = run::execute(&watched, output, &|prepared| {
        open(prepared, &trails);
        Ok(())
    })?;
    let facts: Vec<Fact> = ended.record.told().into_iter().map(|(fact, _)| fact).collect();
    let needs = Needs::new(&facts, &trails);
    let edits = Edit::all(&needs, &trails)?;
    match output.format {
        Format::Json => {
            eprintln!("{}", serde_json::json!({ "diff": diff(&edits), "needs": needs, "run_id": ended.run_id }))
        }
        _ => output.note(&tell(&needs, &edits, args.write)),
    }
    if args.write && !edits.is_empty() {
        edit::apply(&edits, &args.input, &place)?;
        for edit in &edits {
            output.note(&format!("ringfence: changed {}\n", shown(&edit.path.display().to_string())));
        }
    }
    match ended.ending {
        Ending::Exited(code) => Ok(ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX))),
        Ending::Signaled(signal) => ringfence_sandbox::die_by(signal),
        Ending::Aborted(_) | Ending::Lost => Ok(Exit::Aborted.into()),
    }
}

/// Opens what the ceiling leaves open: hosts on the web ports, and programs. Files stay as the policy has them.
fn open(prepared: &mut run::prepare::Prepared, trails: &Trails) {
    let slice = &mut prepared.slice;
    if slice.network_mode != NetworkMode::Host && !trails.open.hosts.is_empty() {
        slice.network_mode = NetworkMode::Allowlist;
        slice.seccomp.socket_families = ["unix", "inet", "inet6"].map(Cow::Borrowed).to_vec();
        Arc::make_mut(&mut slice.network_egress_allowlist).extend(trails.open.hosts.iter().cloned());
        prepared.allowlist = slice.network_egress_allowlist.to_vec();
    }
    if trails.open.exec {
        slice.exec.mode = ExecMode::Any;
        slice.exec.allowlist = None;
    }
}

fn diff(edits: &[Edit]) -> Option<String> {
    (!edits.is_empty()).then(|| edits.iter().map(Edit::diff).collect())
}

fn tell(needs: &Needs, edits: &[Edit], written: bool) -> String {
    if needs.is_empty() {
        return "\nringfence: the policy has all that the command needed\n".to_owned();
    }
    let mut out = "\nringfence: what the command needed beyond the policy\n".to_owned();
    let mut part = |title: &str, lines: &[String]| {
        if !lines.is_empty() {
            out.push_str(&format!("\n{title}\n"));
            lines.iter().for_each(|l| out.push_str(&format!("  {}\n", shown(l))));
        }
    };
    part("hosts it asked for", &needs.hosts);
    part("programs it started", &needs.programs);
    part("files outside what the policy gives; a policy cannot name them, a timed grant can", &needs.grants);
    part("kept shut, and never proposed", &needs.kept);
    if let Some(diff) = diff(edits) {
        out.push_str(&format!("\nproposed{}\n{diff}", if written { "" } else { " (`--write` applies it)" }));
    }
    for list in [List::Hosts, List::Programs] {
        if !list.items(needs).is_empty() && !edits.iter().any(|e| e.changes(list)) {
            let (what, field) = (list.what(), list.field());
            out.push_str(&format!("\nadd the {what} to `{field}` of the project by hand\n"));
        }
    }
    out
}
