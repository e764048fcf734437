//! `log verify`: needs the file and the public key, nothing else; names the first broken link.

use super::{broken_lines, failure, state};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Format, Output, count, shown_path};
use clap::builder::styling::{AnsiColor, Style};
use ringfence_seal::run_id::RunId;
use ringfence_seal::verify::{Summary, Trust, Verdict};
use ringfence_store::keys;
use ringfence_store::runs::{LogFile, Runs};
use serde_json::{Value as Json, json};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Exit codes:
  0    every link holds, up to the signed end
  125  a link is broken, or the signed end is missing

Examples:
  ringfence log verify
  ringfence log verify r-20260131T0900
  ringfence log verify ./log.jsonl --key log.pub";

/// What to check, and with which keys.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Run id, the start of one, `last`, or a file: anything with a `/` or ending in `.jsonl`
    #[arg(value_name = "RUN|FILE", default_value = "last")]
    what: String,
    /// File with the public keys to trust, one a line; those of this machine when absent
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Exit with 0 for a log without its end, if every link in it holds: a run that goes on, or was killed
    #[arg(long)]
    allow_unfinished: bool,
}

/// Checks one log.
pub(crate) fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let (log, run_id) = open(&args.what)?;
    let key = match &args.key {
        Some(key) => key.clone(),
        None => keys::public_path(&state()?),
    };
    let trusted = match (args.key.is_none() && !key.exists(), &run_id) {
        // A run that has not come to its first checkpoint may be the first on this machine.
        (true, Some(_)) => Vec::new(),
        (true, None) => return Err(Failure::Usage("there are no public keys here; name a file with `--key`".into())),
        (false, _) => keys::public_keys(&key).map_err(failure)?,
    };
    let verdict = log.verify(Trust::Keys(trusted), run_id).map_err(failure)?;
    let written = matches!(verdict, Verdict::Unfinished { .. }) && log.is_written();
    match output.format {
        Format::Json => output.json(&machine(&log, &verdict, written))?,
        _ => output.result(&human(&log, &verdict, written))?,
    }
    Ok(match verdict {
        Verdict::Intact(_) => Exit::Done,
        Verdict::Unfinished { .. } if args.allow_unfinished => Exit::Done,
        Verdict::Unfinished { .. } | Verdict::Broken(_) => Exit::Tampered,
    })
}

/// What looks like a file is one; what lies on the disk plays no part in that.
fn open(what: &str) -> Result<(LogFile, Option<RunId>), Failure> {
    if what.contains('/') || what.ends_with(".jsonl") {
        return Ok((LogFile::at(what.as_ref()).map_err(failure)?, None));
    }
    let runs = Runs::new(&state()?);
    let id = runs.resolve(what).map_err(failure)?;
    Ok((runs.open(&id).map_err(failure)?, Some(id)))
}

fn machine(log: &LogFile, verdict: &Verdict, written: bool) -> Json {
    let (status, summary, torn_bytes, broken) = match verdict {
        Verdict::Intact(summary) => ("intact", Some(summary), 0, None),
        Verdict::Unfinished { summary, torn_bytes } => ("unfinished", Some(summary), *torn_bytes, None),
        Verdict::Broken(found) => ("broken", None, 0, Some(found)),
    };
    json!({
        "file": log.path().display().to_string(), "status": status, "being_written": written,
        "summary": summary, "torn_bytes": torn_bytes, "broken": broken,
    })
}

fn human(log: &LogFile, verdict: &Verdict, written: bool) -> String {
    let path = shown_path(log.path());
    match verdict {
        Verdict::Intact(summary) => {
            let checkpoints = count(number(summary.checkpoints), "signed checkpoint");
            format!("{}: {path}\n  {}, {checkpoints}\n", painted(AnsiColor::Green, "intact"), events(summary))
        }
        Verdict::Unfinished { summary, torn_bytes } => {
            let word = painted(AnsiColor::Yellow, "unfinished or cut short");
            let why = if written { "a run that goes on writes to it" } else { "its signed end is missing" };
            let torn = if *torn_bytes == 0 { String::new() } else { format!(", {torn_bytes} bytes of a torn line") };
            let signed = summary.signed_events;
            format!("{word}: {path}\n  {why}\n  {}, the first {signed} signed{torn}\n", events(summary))
        }
        Verdict::Broken(found) => {
            format!("{}: {path}\n{}", painted(AnsiColor::Red, "broken"), broken_lines(found))
        }
    }
}

fn events(summary: &Summary) -> String {
    let run = summary.run_id.as_ref().map(|id| format!("run {id}, ")).unwrap_or_default();
    run + &count(number(summary.events), "event")
}

fn number(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

fn painted(color: AnsiColor, word: &str) -> String {
    let style = Style::new().bold().fg_color(Some(color.into()));
    format!("{style}{word}{style:#}")
}
