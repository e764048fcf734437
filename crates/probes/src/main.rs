//! The program: `list`, `run`, and the small parts that probes and fixtures start.

use ringfence_probes::context::Context;
use ringfence_probes::outcome::Outcome;
use ringfence_probes::probe::{Control, Group, Needs, Network, Probe};
use ringfence_probes::table::{GROUPS, bombs};
use ringfence_probes::{child, raw, victim};
use serde_json::{Value, json};
use std::error::Error;
use std::fs;
use std::process::ExitCode;

const USAGE: &str = "usage: ringfence-probe list [--json] | run --context FILE [NAME…] | bomb NAME --context FILE";

fn main() -> ExitCode {
    // Before anything is opened: what is open now came from outside.
    let inherited = inherited();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["list"] => list(false),
        ["list", "--json"] => list(true),
        ["run", "--context", file, names @ ..] => run(file, names, inherited),
        ["bomb", name, "--context", file] => bomb(name, file),
        ["victim", canary, file] => victim::wait(canary, file).map_err(Into::into),
        ["identity"] => identity(),
        _ => Err(USAGE.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ringfence-probe: {error}");
            ExitCode::from(2)
        }
    }
}

fn list(as_json: bool) -> Result<(), Box<dyn Error>> {
    for group in GROUPS {
        for probe in group.probes {
            if as_json {
                println!("{}", described(group, probe));
            } else {
                println!("{:<12} {:<32} {}\n{:<45} twin: {}", group.name, probe.name, probe.what, "", probe.twin.what);
            }
        }
    }
    Ok(())
}

fn described(group: &Group, probe: &Probe) -> Value {
    json!({
        "probe": probe.name, "group": group.name, "what": probe.what, "lesson": probe.lesson,
        "needs": needs(&probe.needs), "twin": probe.twin.what, "twin_needs": needs(&probe.twin.needs),
        "control": match probe.control {
            Control::Works => "works",
            Control::WorksAsRoot => "works as root",
            Control::Unproven(_) => "unproven",
        },
        "unproven_because": match probe.control { Control::Unproven(why) => Some(why), _ => None },
    })
}

fn needs(needs: &Needs) -> Value {
    json!({
        "network": if needs.network == Network::Any { "any" } else { "allowlist" },
        "tiers": needs.tiers,
        "because": needs.because,
    })
}

fn run(file: &str, names: &[&str], inherited: Vec<String>) -> Result<(), Box<dyn Error>> {
    let mut context: Context = serde_json::from_slice(&fs::read(file)?)?;
    context.inherited = inherited;
    context.parent = i32::try_from(raw::call(libc::SYS_getppid, [])?)?;
    raw::ignore(libc::SIGUSR1);
    for group in GROUPS {
        for probe in group.probes.iter().filter(|p| names.is_empty() || names.contains(&p.name)) {
            for (side, needs, act) in
                [("forbidden", probe.needs, probe.forbidden), ("twin", probe.twin.needs, probe.twin.act)]
            {
                if !needs.met(&context) {
                    continue;
                }
                let outcome = child::run(act, &context);
                println!("{}", line(group, probe, side, &outcome)?);
            }
        }
    }
    println!("{}", json!({ "end": true }));
    Ok(())
}

fn line(group: &Group, probe: &Probe, side: &str, outcome: &Outcome) -> Result<Value, serde_json::Error> {
    let mut line = serde_json::to_value(outcome)?;
    if let Some(object) = line.as_object_mut() {
        object.insert("probe".to_owned(), probe.name.into());
        object.insert("group".to_owned(), group.name.into());
        object.insert("side".to_owned(), side.into());
    }
    Ok(line)
}

/// One of the attempts that end the run they are made in.
fn bomb(name: &str, file: &str) -> Result<(), Box<dyn Error>> {
    let context: Context = serde_json::from_slice(&fs::read(file)?)?;
    let bomb = bombs::BOMBS.iter().find(|b| b.name == name).ok_or("no such bomb")?;
    println!("{}", serde_json::to_value((bomb.act)(&context))?);
    Ok(())
}

/// Who a program is once it runs: what set-uid bits and file capabilities made of it.
fn identity() -> Result<(), Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    for name in ["Uid", "Gid", "CapEff", "CapPrm"] {
        if let Some(line) = status.lines().find(|l| l.starts_with(name)) {
            println!("{}", line.replace('\t', " "));
        }
    }
    println!("Preloaded: {}", std::env::var("LD_PRELOAD").is_ok());
    Ok(())
}

fn inherited() -> Vec<String> {
    let open = |fd: &i32| raw::call(libc::SYS_fcntl, [*fd as usize, libc::F_GETFD as usize]).is_ok();
    let shown = |fd: i32| {
        let target = fs::read_link(format!("/proc/self/fd/{fd}"));
        format!("{fd} -> {}", target.map_or_else(|_| "?".to_owned(), |t| t.display().to_string()))
    };
    (3..1024).filter(open).map(shown).collect()
}
