//! `bench guards`: what the output scanner finds, what it flags for nothing, and what it costs.
//!
//! With a corpus: figures by leaving one source out, then those of the scanner as it is shipped, then speed. Without one:
//! speed alone, on texts made by the project's grammar. No figure is kept anywhere: each run prints its own.

mod held_out;
mod hostile;
mod kind;
mod peers;
mod shipped;
mod show;
mod speed;
mod tally;

use crate::command::train::corpus::{self, Item};
use crate::command::train::samples::{VARIATION, is_tool_like, ordinary};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Format, Output};
use ringfence_guard::{Scanner, UrlAllowlist};
use serde::Serialize;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  ringfence bench guards --quick
  ringfence bench guards --corpus texts --format json
  ringfence bench guards --corpus texts --no-loso --peers --peers-python venv/bin/python";

/// What to measure.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The folder of labelled texts, *.jsonl and *.jsonl.gz; without it only speed is measured
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
    /// A short look: every fourth text, short timings
    #[arg(long)]
    quick: bool,
    /// Leave out the figures by leave-one-source-out, which take the longest
    #[arg(long)]
    no_loso: bool,
    /// How many texts to make with the built-in grammars, to learn from beside those of the corpus
    #[arg(long, value_name = "COUNT", default_value_t = VARIATION, value_parser = clap::value_parser!(u64).range(..=1_000_000))]
    variation: u64,
    /// Run other scanners on some of the same texts, where they are installed
    #[arg(long, requires = "corpus")]
    peers: bool,
    /// The Python that has other scanners
    #[arg(long, value_name = "FILE", default_value = "python3")]
    peers_python: PathBuf,
    /// The folder whose node_modules has other scanners
    #[arg(long, value_name = "DIR", default_value = ".")]
    peers_node: PathBuf,
}

/// Everything that was measured.
#[derive(Debug, Serialize)]
struct Report {
    #[serde(skip_serializing_if = "Option::is_none")]
    corpus: Option<Texts>,
    /// By models that never saw the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    held_out: Option<held_out::HeldOut>,
    /// By the scanner as shipped, in sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    shipped: Option<shipped::Shipped>,
    speed: speed::Speed,
    #[serde(skip_serializing_if = "Option::is_none")]
    peers: Option<peers::Peers>,
}

#[derive(Debug, Serialize)]
struct Texts {
    texts: usize,
    sources: usize,
    /// Whether only some of the corpus was used.
    sampled: bool,
}

/// How many texts of a corpus a short look takes: each so many'th.
const EVERY: usize = 4;
/// A smaller corpus is always taken whole.
const LARGE: usize = 2_000;
/// How much text speed is measured on, at most.
const TIMED_BYTES: usize = 8 << 20;
const TIMED_BYTES_QUICK: usize = 1 << 20;

/// Measures and prints.
pub(super) fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let scanner = Scanner::new(UrlAllowlist::default())
        .map_err(|e| Failure::Io(format!("the compiled-in model is damaged: {e}")))?;
    let mut items = match &args.corpus {
        Some(dir) => corpus::read(dir, output)?.items,
        None => Vec::new(),
    };
    let sampled = args.quick && items.len() > LARGE;
    if sampled {
        items = items.into_iter().step_by(EVERY).collect();
    }
    let has_corpus = args.corpus.is_some();
    let looks = has_corpus.then(|| shipped::look(&scanner, &items, output));
    let held_out = match &looks {
        Some(looks) if !args.no_loso => Some(held_out::measure(&items, looks, args.variation, output)?),
        _ => None,
    };
    let shipped = looks.as_ref().map(|looks| shipped::figures(&items, looks));
    let peers = args.peers.then(|| peers::measure(args, &scanner, &items, output)).transpose()?;
    let bytes = if args.quick { TIMED_BYTES_QUICK } else { TIMED_BYTES };
    let speed = speed::measure(&scanner, &timed(&items, bytes)?, args.quick, output);
    let corpus = has_corpus.then(|| Texts {
        texts: items.len(),
        sources: items.iter().map(|i| &i.source).collect::<std::collections::BTreeSet<_>>().len(),
        sampled,
    });
    let report = Report { corpus, held_out, shipped, speed, peers };
    match output.format {
        Format::Json => output.json(&report)?,
        _ => output.result(&show::human(&report))?,
    }
    Ok(Exit::Done)
}

/// Benign texts to time: those of the corpus, spread over all sources, or made ones.
fn timed(items: &[Item], bytes: usize) -> Result<String, Failure> {
    let all: usize = items.iter().filter(|i| is_tool_like(i)).map(|i| i.text.len()).sum();
    let mut out = String::new();
    for item in items.iter().filter(|i| is_tool_like(i)).step_by(all / bytes + 1) {
        out.push_str(&item.text);
        out.push('\n');
    }
    if out.len() < bytes / 8 {
        out.push_str(&ordinary(bytes / 2)?);
    }
    Ok(out)
}
