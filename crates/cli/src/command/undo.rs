//! `ringfence undo`: puts the files of a repo back to what they were before a run that was started with
//! `--snapshot`.
//!
//! In: the snapshot in the run's folder. Out: what differs, and after a yes the files as they were; what the run
//! made is moved to a folder that is named at the end. Never asks where there is no terminal.

mod runs;
mod show;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Format, Output, shown, shown_path};
use ringfence_snapshot::{Changes, Snapshot, SnapshotError};
use std::io::{BufRead, IsTerminal};

/// Arguments of `ringfence undo`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The run, as `--list` names it; `last` is the latest one
    #[arg(value_name = "RUN", default_value = "last")]
    run: String,
    /// Only show what would be restored
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Restore without asking
    #[arg(long, short)]
    yes: bool,
    /// List the runs that can be undone
    #[arg(long, conflicts_with_all = ["run", "dry_run", "yes"])]
    list: bool,
}

/// Lists, shows or restores.
pub(crate) fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let state = runs::state()?;
    if args.list {
        return list(&state, output);
    }
    let run = runs::find(&state, &args.run)?;
    if !args.dry_run && run.goes_on(&state) {
        // What was put back would be written over again.
        return Err(Failure::Usage(format!(
            "run `{}` is still going; let it end or stop it, then undo it, or look with `--dry-run`; nothing was changed",
            run.id
        )));
    }
    let snapshot = Snapshot::open(&run.snapshot()).map_err(failed)?;
    let repo = snapshot.header().repo.clone();
    let changes = snapshot.compare(&repo).map_err(failed)?;
    let human = output.format == Format::Human;
    if human {
        output.result(&show::plan(&run.id, &repo, &changes))?;
    }
    if changes.is_empty() || args.dry_run {
        if !human {
            output.json(&show::json(&run.id, &repo, &changes, None, false))?;
        }
        return Ok(Exit::Done);
    }
    if !args.yes && !agreed(output)? {
        output.note("nothing was changed\n");
        return Ok(Exit::Done);
    }
    let restored = snapshot.restore(&repo, &mut |_| {}).map_err(failed)?;
    if human {
        output.result(&show::outcome(&restored))?;
    } else {
        output.json(&show::json(&run.id, &repo, &restored.changes, restored.kept_in.as_deref(), true))?;
    }
    Ok(outcome(&restored.changes))
}

/// A file that could not be restored must not pass for one that was.
fn outcome(changes: &Changes) -> Exit {
    if changes.failures == 0 { Exit::Done } else { Exit::Internal }
}

fn failed(e: SnapshotError) -> Failure {
    Failure::Io(shown(&e.to_string()))
}

/// Asks on a terminal, and refuses where there is none.
fn agreed(output: &Output) -> Result<bool, Failure> {
    let terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    if !terminal || output.format != Format::Human {
        return Err(Failure::Usage(
            "there is no terminal to ask on; pass `--yes` to restore or `--dry-run` to only look; nothing was changed"
                .to_owned(),
        ));
    }
    output.note("\nrestore these files? [y/N] ");
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.map_err(|e| Failure::Io(format!("cannot read the answer: {e}")))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes" | "Yes"))
}

fn list(state: &std::path::Path, output: &Output) -> Result<Exit, Failure> {
    let listed = runs::undoable(state)?;
    if output.format == Format::Json {
        output.json(&show::list_json(&listed))?;
    } else if listed.is_empty() {
        output.result("no run can be undone; start one with `ringfence run --snapshot`\n")?;
    } else {
        for (run, header) in &listed {
            let repo = shown_path(&header.repo);
            output.result(&format!(
                "{}  {:>7} files  {:>10}  {repo}\n",
                run.id,
                header.files,
                show::size(header.bytes)
            ))?;
        }
    }
    Ok(Exit::Done)
}
