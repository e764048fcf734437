//! The whole `derive` command: this very program, started on files in a folder of its own, beside a program that
//! does nothing, so that the cost of starting a process can be told from the rest.

use super::installed::installed;
use super::measure::{Spread, timed};
use crate::failure::Failure;
use ringfence_workload::Workload;
use serde::Serialize;
use std::path::Path;
use std::process::{Command, Stdio};

/// A program that does nothing.
const NOTHING: &str = "/bin/true";

/// What the command costs.
#[derive(Debug, Serialize)]
pub(super) struct Whole {
    pub(super) derive: Spread,
    /// A process that does nothing; absent where there is no such program.
    pub(super) nothing: Option<Spread>,
    /// Median of the one minus median of the other.
    pub(super) beyond_start_ns: Option<u64>,
}

/// Runs it so many times, the two programs in turn: what disturbs the machine disturbs both.
pub(super) fn measure(workload: &Workload, runs: usize) -> Result<Whole, Failure> {
    let folder = tempfile::tempdir().map_err(|e| Failure::Io(format!("cannot make a folder: {e}")))?;
    let policies = folder.path().join("policies");
    write(workload, &policies)?;
    let program = installed(folder.path())?;
    let has_nothing = Path::new(NOTHING).exists();
    let (mut derive, mut nothing) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        derive.push(start(Command::new(&program).args(["derive", "--format", "json", "-C"]).arg(&policies))?);
        if has_nothing {
            nothing.push(start(&mut Command::new(NOTHING))?);
        }
    }
    let derive = Spread::of(derive);
    let nothing = has_nothing.then(|| Spread::of(nothing));
    Ok(Whole { derive, nothing, beyond_start_ns: nothing.map(|n| derive.p50_ns.saturating_sub(n.p50_ns)) })
}

/// Writes the workload as a policy folder.
fn write(workload: &Workload, folder: &Path) -> Result<(), Failure> {
    let names = ["org.json", "projects/project.json", "agents/agent.json"];
    let documents = workload.documents();
    let catalog = workload.catalog();
    for (name, text) in names.into_iter().zip(&documents).chain([("tools.json", &catalog)]) {
        let path = folder.join(name);
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&path, text));
        made.map_err(|e| Failure::io("write", &path, e))?;
    }
    Ok(())
}

fn start(command: &mut Command) -> Result<u64, Failure> {
    let run = || command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).output();
    let (ns, done) = timed(run).map_err(|e| Failure::Io(format!("cannot start a process: {e}")))?;
    if done.status.success() {
        return Ok(ns);
    }
    let said = String::from_utf8_lossy(&done.stderr).lines().next().unwrap_or_default().to_owned();
    Err(Failure::Io(format!("the measured command ended with {}: {said}", done.status)))
}
