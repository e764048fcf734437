//! `run`: derives the sandbox, builds the box, runs the command in it, and says at the end what was denied and why.

mod place;
mod tell;

use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::{InputArgs, Scope, Workspace, evaluation};
use crate::output::{Format, Output};
use crate::report;
use ringfence_policy::derive::Context;
use ringfence_policy::scale::Tier;
use ringfence_sandbox::{Ending, Request, SandboxError, Unchanged};
use std::ffi::OsString;
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// The policy where there is none.
pub(super) const DEFAULT: &str = include_str!("default.yaml");

/// What to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The working repo; the current folder when absent
    #[arg(long, value_name = "DIR")]
    repo: Option<PathBuf>,
    /// The strongest tier to try
    #[arg(long, value_name = "TIER", value_parser = tier, default_value = "A")]
    tier: Tier,
    /// Give up what this machine cannot enforce: network, exec, extensions; repeatable
    #[arg(long, value_name = "WHAT", value_parser = ["network", "exec", "extensions"])]
    allow_degraded: Vec<String>,
    /// What to do when something was denied; fail where there is no terminal or CI is set
    #[arg(long, value_name = "WHAT", value_enum)]
    on_denial: Option<OnDenial>,
    /// Watch for file and exec denials; costs time on every file call
    #[arg(long)]
    observe: bool,
    /// Address of a name, as NAME=ADDRESS; the policy still has to allow it; repeatable
    #[arg(long, value_name = "NAME=ADDRESS", value_parser = resolved)]
    resolve: Vec<(String, IpAddr)>,
    /// Set proxy variables for programs that insist on them
    #[arg(long)]
    proxy_env: bool,
    /// No banner and no summary
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    input: InputArgs,
    /// The command
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<OsString>,
}

/// What a denial means for the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum OnDenial {
    Fail,
    Report,
}

pub(super) fn tier(text: &str) -> Result<Tier, String> {
    match text {
        "A" | "a" => Ok(Tier::A),
        "B" | "b" => Ok(Tier::B),
        "C" | "c" => Ok(Tier::C),
        _ => Err("one of A, B and C".into()),
    }
}

fn resolved(text: &str) -> Result<(String, IpAddr), String> {
    let (name, address) = text.split_once('=').ok_or("write it as NAME=ADDRESS")?;
    Ok((name.to_owned(), address.parse().map_err(|_| format!("`{address}` is not an address"))?))
}

/// Runs one command.
pub(crate) fn run(args: &Args, output: &Output) -> Result<ExitCode, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let place = place::find(args.repo.as_deref())?;
    let mut workspace = Workspace::load_or(&args.input, "built-in", DEFAULT)?;
    let sets = workspace.sandboxes(&args.input.select, Scope::One);
    let issued_at = clock::at(None)?;
    let derived = workspace.derive(&sets, |set| Context { issued_at, ..evaluation(set) });
    let problems = workspace.settle()?;
    report::warnings(output, &problems);
    let Some(derivation) = derived.first() else { return Err(Failure::Io("there is no sandbox to run in".into())) };
    let request = Request {
        slice: derivation
            .config
            .layer_1_kernel
            .clone()
            .ok_or_else(|| Failure::Io("the sandbox has no kernel layer".into()))?,
        place,
        command: args.command.clone(),
        environment: std::env::vars_os().collect(),
        extra_environment: Vec::new(),
        resolve: args.resolve.iter().map(|(name, address)| (name.clone(), vec![*address])).collect(),
        proxy_variables: args.proxy_env,
        strongest: args.tier,
        degraded: args.allow_degraded.iter().cloned().collect(),
        observe: args.observe,
        session: false,
    };
    let teller = Arc::new(tell::Teller::new(args.quiet));
    let ending = match ringfence_sandbox::run(&request, teller.clone(), &mut Unchanged) {
        Ok(ending) => ending,
        Err(e) => return Err(failure(e)),
    };
    let denied = teller.summary();
    match ending {
        Ending::Exited(code) if denied && code == 0 && args.on_denial == Some(OnDenial::Fail) => {
            Ok(Exit::Denied.into())
        }
        Ending::Exited(code) => Ok(ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX))),
        Ending::Signaled(signal) => ringfence_sandbox::die_by(signal),
        Ending::Aborted(_) | Ending::Lost => Ok(Exit::Aborted.into()),
    }
}

fn failure(e: SandboxError) -> Failure {
    match e {
        SandboxError::Unavailable { ref help, .. } => Failure::Unavailable(e.to_string(), help.clone()),
        SandboxError::NotFound { .. } => Failure::NotFound(e.to_string()),
        e => Failure::Io(e.to_string()),
    }
}
