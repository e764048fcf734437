//! `log list`: one line a run, newest first.

use super::{failure, state};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Format, Output, count, shown};
use ringfence_seal::event::Event;
use ringfence_seal::run_id::RunId;
use ringfence_seal::snippet::clip;
use ringfence_store::runs::{Glance, Runs, Status};
use serde::Serialize;
use serde_json::Value;

/// How many.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Runs to list at most
    #[arg(long, short = 'n', value_name = "COUNT", default_value_t = 20)]
    limit: usize,
}

/// One run. What the log says is not verified here.
#[derive(Debug, Serialize)]
struct Row {
    run_id: RunId,
    started_at: String,
    /// Null where the log cannot be read.
    status: Option<Status>,
    events: Option<u64>,
    bytes: Option<u64>,
    command: Option<String>,
}

/// Lists runs.
pub(crate) fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let runs = Runs::new(&state()?);
    let ids = runs.ids().map_err(failure)?;
    let rows: Vec<Row> = ids.iter().take(args.limit).map(|id| row(&runs, id)).collect();
    if output.format == Format::Json {
        output.json(&serde_json::json!({ "runs": rows, "total": ids.len() }))?;
        return Ok(Exit::Done);
    }
    let mut text: String = rows.iter().map(line).collect();
    match ids.len().saturating_sub(rows.len()) {
        _ if ids.is_empty() => text.push_str("no runs yet\n"),
        0 => {}
        more => text.push_str(&format!("… and {more} more; `--limit {}` lists them all\n", ids.len())),
    }
    output.result(&text)?;
    Ok(Exit::Done)
}

fn row(runs: &Runs, id: &RunId) -> Row {
    let glance: Option<Glance> = runs.open(id).and_then(|log| log.glance()).ok();
    Row {
        run_id: id.clone(),
        started_at: id.started_at(),
        status: glance.as_ref().map(|g| g.status),
        events: glance.as_ref().and_then(|g| g.events),
        bytes: glance.as_ref().map(|g| g.bytes),
        command: glance.and_then(|g| g.first).and_then(|e| command(&e)),
    }
}

/// The command of `run_started`: a list of words.
fn command(event: &Event) -> Option<String> {
    let words = event.payload.get("command")?.as_array()?;
    let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
    Some(clip(&words.join(" ")))
}

fn line(row: &Row) -> String {
    let status = match row.status {
        Some(Status::Finished) => "finished",
        Some(Status::Running) => "running",
        Some(Status::Unfinished) => "unfinished",
        None => "unreadable",
    };
    let events = row.events.map_or("-".into(), |n| count(usize::try_from(n).unwrap_or(usize::MAX), "event"));
    let command = row.command.as_deref().map(shown).unwrap_or_default();
    format!("{}  {}  {status:<10}  {events:>12}  {command}", row.run_id, row.started_at).trim_end().to_owned() + "\n"
}
