//! `log show`: the events of a run, one line each, with the reason under what was refused.
//!
//! Links are checked while reading and nothing is shown behind a broken one. Signatures are the work of `log verify`.

use super::{broken_lines, failure, state};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Format, Output, shown};
use clap::builder::styling::{AnsiColor, Style};
use ringfence_seal::event::{Actor, Event};
use ringfence_seal::fault::Break;
use ringfence_seal::kind::{EventKind, Weight};
use ringfence_seal::verify::{Record, Trust, Verifier};
use ringfence_store::lines::Next;
use ringfence_store::runs::{LogFile, Runs};
use serde_json::{Value as Json, json};
use std::time::Duration;

const FORMATS: &str = "\
With --format json each event is one line, byte for byte as it stands in the log.

Exit codes:
  0    shown
  125  a link is broken; what comes before it is shown";

/// Which run and which events.
#[derive(Debug, clap::Args)]
#[command(after_help = FORMATS)]
pub(crate) struct Args {
    /// Run id, the start of one, or `last`
    #[arg(value_name = "RUN", default_value = "last")]
    run: String,
    /// Only events of this kind; repeatable
    #[arg(long, value_name = "KIND", value_parser = kind)]
    kind: Vec<EventKind>,
    /// Go on showing events until the run ends
    #[arg(long, short)]
    follow: bool,
}

fn kind(word: &str) -> Result<EventKind, String> {
    let known = || EventKind::ALL.iter().map(|k| k.as_str()).collect::<Vec<_>>().join(", ");
    EventKind::parse(word).ok_or_else(|| format!("no such kind; there are {}", known()))
}

/// Shows events.
pub(crate) fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let runs = Runs::new(&state()?);
    let id = runs.resolve(&args.run).map_err(failure)?;
    let log = runs.open(&id).map_err(failure)?;
    let mut verifier = Verifier::new(Trust::LinksOnly, Some(id));
    match show(args, &log, &mut verifier, output)? {
        Some(found) => {
            broken(&found, output)?;
            Ok(Exit::Tampered)
        }
        None => {
            if !verifier.ended() && !log.is_written() {
                output.note("note: the log has no signed end: the run was killed, or the log was cut short\n");
            }
            Ok(Exit::Done)
        }
    }
}

/// Shows what there is, and where that was asked for what comes, up to the first broken link.
fn show(args: &Args, log: &LogFile, verifier: &mut Verifier, output: &Output) -> Result<Option<Box<Break>>, Failure> {
    const BATCH: usize = 64 * 1024;
    let mut lines = log.lines();
    let mut text = String::new();
    loop {
        // Asked before reading: what a writer wrote before it ended is read after.
        let goes_on = args.follow && !verifier.ended() && log.is_written();
        let found = loop {
            match lines.advance().map_err(|e| Failure::io("read", log.path(), e))? {
                Next::Line(line) => match verifier.line(line) {
                    Ok(Record::Event(event)) if args.kind.is_empty() || args.kind.contains(&event.kind) => {
                        match output.format {
                            Format::Json => text.push_str(&(String::from_utf8_lossy(line) + "\n")),
                            _ => text.push_str(&human(&event)),
                        }
                    }
                    Ok(_) => {}
                    Err(found) => break Some(found),
                },
                Next::TooLong => break Some(verifier.too_long()),
                Next::End { .. } => break None,
            }
            if text.len() > BATCH {
                print(&mut text, output)?;
            }
        };
        print(&mut text, output)?;
        if found.is_some() || !goes_on {
            return Ok(found);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn print(text: &mut String, output: &Output) -> Result<(), Failure> {
    match output.format {
        Format::Json => output.raw(text)?,
        _ => output.result(text)?,
    }
    text.clear();
    Ok(())
}

fn broken(found: &Break, output: &Output) -> Result<(), Failure> {
    if output.format == Format::Json {
        return output.raw(&format!("{}\n", json!({ "broken": found })));
    }
    let style = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    output.note(&format!("{style}the log is broken{style:#}; nothing behind this is shown\n{}", broken_lines(found)));
    Ok(())
}

/// One line, and the reasons below it where something was refused.
fn human(event: &Event) -> String {
    let time = event.at.get(11..23).unwrap_or(&event.at);
    let layer = event.layer.as_deref().map_or("-".into(), shown);
    let style = style(event.kind);
    let kind = format!("{style}{:<22}{style:#}", event.kind.as_str());
    let said = [facts(&event.payload), actor(&event.actor)].into_iter().filter(|t| !t.is_empty()).collect::<Vec<_>>();
    let line = format!("{:>6}  {}  {layer:<8}  {kind}  {}", event.seq, shown(time), said.join("  "));
    let mut out = line.trim_end().to_owned() + "\n";
    if event.kind.is_denial() {
        event.because.iter().for_each(|entry| out.push_str(&because(entry)));
    }
    out
}

fn style(kind: EventKind) -> Style {
    let color = match (kind.weight(), kind) {
        (Weight::Denial, _) | (_, EventKind::RunAborted) => AnsiColor::Red,
        (Weight::Decision, _) | (_, EventKind::GuardHit | EventKind::LayerUnavailable) => AnsiColor::Yellow,
        (_, EventKind::NetAllowed) => AnsiColor::Green,
        _ => AnsiColor::Cyan,
    };
    Style::new().fg_color(Some(color.into()))
}

/// `host=evil.test port=443`
fn facts(payload: &Json) -> String {
    const LONGEST: usize = 120;
    let plain = |value: &Json| match value {
        Json::String(text) if !text.is_empty() && !text.contains([' ', '=', '"']) => text.clone(),
        value => value.to_string(),
    };
    let clipped = |text: String| match text.char_indices().nth(LONGEST) {
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned() + "…",
        None => text,
    };
    match payload {
        Json::Object(members) => members
            .iter()
            .map(|(k, v)| format!("{}={}", shown(k), shown(&clipped(plain(v)))))
            .collect::<Vec<_>>()
            .join(" "),
        Json::Null => String::new(),
        value => shown(&clipped(plain(value))),
    }
}

/// `(coder > bash > curl)`
fn actor(actor: &Actor) -> String {
    let names: Vec<String> =
        [&actor.agent, &actor.tool, &actor.process].into_iter().flatten().map(|n| shown(n)).collect();
    if names.is_empty() { String::new() } else { format!("({})", names.join(" > ")) }
}

/// Who stated the rule, and where.
fn because(entry: &Json) -> String {
    let text = |key: &str| entry.get(key).and_then(Json::as_str).filter(|t| !t.is_empty());
    let mut parts: Vec<String> = text("rule_id").map(str::to_owned).into_iter().collect();
    let level = text("via_cascade_level").map(|l| format!(" ({l} level)")).unwrap_or_default();
    parts.extend(text("document").map(|d| format!("`{d}`{level}")));
    let line = entry.get("line").and_then(Json::as_u64).filter(|l| *l > 0);
    parts.extend(text("file").zip(line).map(|(file, line)| format!("{file}:{line}")));
    parts.extend(text("because").map(str::to_owned));
    let parts = if parts.is_empty() { entry.to_string() } else { parts.join(", ") };
    format!("{:>24}because {}\n", "", shown(&parts))
}
