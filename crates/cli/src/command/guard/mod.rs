//! `guard`: a filter. What a tool returned on stdin; what the model should see on stdout; events beside it.
//!
//! INVARIANT: events are written before anything is shown; where they cannot be, nothing is.

mod events;
mod settings;
mod summarise;
mod token;

use super::scan::text::{Decoder, Invalid};
use super::scan::word;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::InputArgs;
use crate::output::{Format, Output};
use crate::report::human;
use events::Events;
use ringfence_guard::inspect::{Outcome, Policy, Verdict, mask};
use ringfence_seal::Hasher;
use serde_json::{Value as Json, json};
use settings::SettingArgs;
pub(crate) use settings::mirrored;
use std::io::{ErrorKind, Read};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  curl -s https://example.com | ringfence guard --tool web_fetch
  cat page.html | ringfence guard --tool read_file -C examples/acme --agent researcher --events 3 3>events.jsonl
  ringfence guard --preamble --token-file session.token

Exit codes:
  0    shown: as it is, or as a summary
  119  internal or I/O error, or bad usage; nothing is shown
  120  the policy is invalid; nothing is shown
  121  withheld: a notice is shown instead";

/// What to filter, and how.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Tool that the output is of
    #[arg(long, value_name = "NAME", default_value = "tool")]
    tool: String,
    /// Add events as lines of JSON to a file, or to an open descriptor by its number; - for stderr
    #[arg(long, value_name = "FD|FILE")]
    events: Option<PathBuf>,
    /// Keep the events in a log of their own, as `run` does
    #[arg(long)]
    log: bool,
    /// File with the session's token, 32 hex digits; a token for this call alone when absent
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Print what the system prompt must say about the marks of this token, and read nothing
    #[arg(long, requires = "token_file")]
    preamble: bool,
    /// File that says which model summarises what is quarantined, as JSON
    #[arg(long, value_name = "FILE")]
    summariser: Option<PathBuf>,
    #[command(flatten)]
    settings: SettingArgs,
    #[command(flatten)]
    input: InputArgs,
}

/// Filters stdin.
pub(crate) fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let settings = settings::settings(args, output)?;
    let token = token::token(args.token_file.as_deref())?;
    let mut policy = Policy::new(settings, token)
        .map_err(|e| Failure::Io(format!("the compiled-in model is damaged, so nothing is shown: {e}")))?;
    if let Some(path) = &args.summariser {
        policy = policy.with_quarantine(summarise::summariser(path)?);
    }
    if args.preamble {
        let text = policy.session().preamble(policy.settings().spotlighting.mode);
        output.raw(&format!("{text}\n"))?;
        return Ok(Exit::Done);
    }
    let mut events = Events::open(args)?;
    let (outcome, read) = inspect(args, &policy)?;
    events.tell(args, &outcome, &read)?;
    if outcome.verdict == Verdict::NotScanned {
        output.note(&human::line("warning", "the policy has the scanner off: this output was not scanned"));
    }
    match output.format {
        Format::Json => output.json(&report(&outcome, &read))?,
        _ => output.raw(&ended(&outcome.shown))?,
    }
    Ok(if outcome.verdict == Verdict::Block { Exit::Findings } else { Exit::Done })
}

/// What was read.
#[derive(Debug)]
struct Taken {
    bytes: u64,
    hash: String,
    /// Bytes that are no UTF-8.
    bad: u64,
}

fn inspect(args: &Args, policy: &Policy) -> Result<(Outcome, Taken), Failure> {
    let mut inspection = policy.stream(&args.tool);
    let mut decoder = Decoder::new(Invalid::Replaced);
    let mut hasher = Hasher::default();
    let mut bytes = 0;
    let mut piece = vec![0; 64 << 10];
    let mut input = std::io::stdin().lock();
    loop {
        let n = match input.read(&mut piece) {
            Ok(0) => break,
            Ok(n) => n,
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(e) => return Err(Failure::Io(format!("cannot read stdin: {e}"))),
        };
        let read = piece.get(..n).unwrap_or_default();
        bytes += n as u64;
        hasher.update(read);
        inspection.push(&decoder.feed(read));
    }
    inspection.push(&decoder.finish());
    Ok((inspection.finish(), Taken { bytes, hash: hasher.finish(), bad: decoder.bad }))
}

/// A text with a line end, so that a shell's prompt or the next output begins a line of its own.
fn ended(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

fn report(outcome: &Outcome, read: &Taken) -> Json {
    let findings = outcome.findings.iter().map(|f| {
        json!({
            "evidence": mask(&f.evidence), "rule": f.rule.id, "severity": word(f.severity), "span": f.span, "via": f.via,
        })
    });
    json!({
        "bytes": read.bytes,
        "events": outcome.events,
        "findings": findings.collect::<Vec<_>>(),
        "invalid_bytes": read.bad,
        "score": outcome.score.map(|score| (score * 1e6).round() / 1e6),
        "shown": outcome.shown,
        "verdict": outcome.verdict,
    })
}
