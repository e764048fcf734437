//! `log`: lists runs, shows what happened in one, checks that nobody changed the record of it.

mod list;
mod show;
mod verify;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use clap::Subcommand;
use ringfence_seal::fault::Break;
use ringfence_store::StoreError;
use ringfence_store::state::state_dir;
use std::path::PathBuf;

/// Which part of the log.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    part: Part,
}

#[derive(Debug, Subcommand)]
enum Part {
    /// List the runs, newest first
    List(list::Args),
    /// Show the events of a run
    Show(show::Args),
    /// Check that every event of a run is there, unchanged and in order
    Verify(verify::Args),
}

/// Lists, shows or checks.
pub(crate) fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    match &args.part {
        Part::List(args) => list::run(args, output),
        Part::Show(args) => show::run(args, output),
        Part::Verify(args) => verify::run(args, output),
    }
}

/// Where logs and keys are kept.
fn state() -> Result<PathBuf, Failure> {
    state_dir(|name| std::env::var_os(name)).map_err(failure)
}

/// A run that is not there is bad usage; anything else is the machine.
fn failure(e: StoreError) -> Failure {
    match e {
        StoreError::NoSuchRun(_) | StoreError::NoRuns(_) | StoreError::Ambiguous { .. } => {
            Failure::Usage(e.to_string())
        }
        e => Failure::Io(e.to_string()),
    }
}

/// The first broken link for people: where, what, and what had to be there.
fn broken_lines(found: &Break) -> String {
    use crate::output::shown;
    let seq = found.seq.map(|n| format!(", event {n}")).unwrap_or_default();
    let mut out = format!("  line {}{seq}: {}\n", found.line, found.fault.words());
    out.push_str(&format!("  expected  {}\n", shown(&found.expected)));
    out + &format!("  found     {}\n", shown(&found.found))
}
