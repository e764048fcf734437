//! `train guards`: a folder of labelled texts in, the scanner's model out, with thresholds from texts of sources that the
//! model had not seen.

use super::corpus::{self, Item};
use super::folds::Folds;
use super::samples::{self, VARIATION, is_tool_like};
use super::threshold::Thresholds;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Format, Output, count, shown_path};
use ringfence_guard::Model;
use ringfence_guard::train::{Label, Settings, Thresholds as Calibrated, fit, prepare};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  ringfence train guards --corpus texts --out model.bin
  ringfence train guards --corpus texts --check";

/// The fewest tool-like benign texts that thresholds mean something with.
const FEW: usize = 1_000;

/// What to learn from, and where to put it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The folder of labelled texts, *.jsonl and *.jsonl.gz
    #[arg(long, value_name = "DIR")]
    corpus: PathBuf,
    /// Where to write the model
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Compare with the model that is compiled in; 121 where it differs
    #[arg(long)]
    check: bool,
    /// How many texts to make with the built-in grammars, beside those of the corpus
    #[arg(long, value_name = "COUNT", default_value_t = VARIATION, value_parser = clap::value_parser!(u64).range(..=1_000_000))]
    variation: u64,
}

/// What was learnt.
#[derive(Debug, Serialize)]
struct Summary {
    files: usize,
    items: usize,
    repeated: usize,
    inject: usize,
    benign: usize,
    mention: usize,
    /// Texts made by the grammars, and those written for the project.
    made: usize,
    sources: usize,
    /// Sources of attacks: one fold each.
    folds: usize,
    /// What thresholds were taken from.
    tool_like: usize,
    keys: usize,
    /// Weights that found no room in the table.
    dropped: usize,
    bytes: usize,
    sha256: String,
    thresholds: Thresholds,
    #[serde(skip_serializing_if = "Option::is_none")]
    same_as_compiled_in: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<String>,
}

/// Learns, and writes or compares.
pub(super) fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let start = Instant::now();
    let say = |what: &str| output.note(&format!("{what} ({:.1} s)\n", start.elapsed().as_secs_f32()));
    let corpus = corpus::read(&args.corpus, output)?;
    let items = &corpus.items;
    say(&format!("read {} from {}", count(items.len(), "text"), count(corpus.files, "file")));
    let made = samples::samples(items, args.variation)?;
    let prepared = prepare(&made.list);
    let samples = made.list.len();
    drop(made.list);
    say(&format!("prepared {}", count(samples, "text")));
    let settings = Settings::default();
    let folds = Folds::new(&prepared, items)?;
    let scores = folds.scores(&prepared, &settings, items.len(), output);
    let thresholds = thresholds(items, &scores)?;
    say("calibrated");
    let fitted = fit(&prepared, &settings, &|_| true);
    if fitted.is_empty() {
        return Err(Failure::Usage("no words occur in attacks of two sources: there is nothing to learn".to_owned()));
    }
    let Thresholds { warn, error, critical, slope } = thresholds;
    let (bytes, dropped) = fitted.pack(&prepared, &Calibrated { warn, error, critical, slope });
    say("learnt");
    let labelled = |label: Label| items.iter().filter(|i| i.label == label).count();
    let mut summary = Summary {
        files: corpus.files,
        items: items.len(),
        repeated: corpus.repeated,
        inject: labelled(Label::Inject),
        benign: labelled(Label::Benign),
        mention: labelled(Label::Mention),
        made: made.made,
        sources: items.iter().map(|i| &i.source).collect::<BTreeSet<_>>().len(),
        folds: folds.names.len(),
        tool_like: items.iter().filter(|i| is_tool_like(i)).count(),
        keys: fitted.len(),
        dropped,
        bytes: bytes.len(),
        sha256: ringfence_seal::hash_bytes(&bytes),
        thresholds,
        same_as_compiled_in: args.check.then(|| bytes == Model::embedded_bytes()),
        written: None,
    };
    if let Some(out) = &args.out {
        write(out, &bytes)?;
        summary.written = Some(shown_path(out));
    }
    match output.format {
        Format::Json => output.json(&summary)?,
        _ => output.result(&summary.human())?,
    }
    Ok(if summary.same_as_compiled_in == Some(false) { Exit::Findings } else { Exit::Done })
}

fn thresholds(items: &[Item], scores: &[f32]) -> Result<Thresholds, Failure> {
    let benign = items.iter().zip(scores).filter(|(i, _)| is_tool_like(i)).map(|(_, s)| *s);
    Thresholds::of(benign.collect())
        .ok_or_else(|| Failure::Usage("the corpus has no benign text like tool output to set thresholds by".to_owned()))
}

/// Writes beside the target and puts it in place: whoever reads sees the old model or the new one.
fn write(target: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let failed = |e: &dyn std::fmt::Display| Failure::io("write", target, e);
    let mut file = tempfile::Builder::new().prefix(".model-").tempfile_in(folder).map_err(|e| failed(&e))?;
    file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(|e| failed(&e))?;
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    file.as_file().set_permissions(mode).map_err(|e| failed(&e))?;
    file.persist(target).map_err(|e| failed(&e.error))?;
    Ok(())
}

impl Summary {
    fn human(&self) -> String {
        let mut out = String::new();
        let mut line = |name: &str, value: String| {
            // Writing to a String cannot fail.
            let _ = writeln!(out, "  {name:<12}{value}");
        };
        let repeated = if self.repeated > 0 { format!(", {} repeated", self.repeated) } else { String::new() };
        line("texts", format!("{} in {}{repeated}", self.items, count(self.files, "file")));
        line("", format!("{} inject, {} benign, {} mention", self.inject, self.benign, self.mention));
        line("made", format!("{} by the grammars and by hand", self.made));
        line("sources", format!("{}, {} of them with attacks", self.sources, self.folds));
        line("keys", format!("{}, {} without room in the table", self.keys, self.dropped));
        line("size", format!("{} bytes", self.bytes));
        line("sha256", self.sha256.clone());
        let Thresholds { warn, error, critical, slope } = self.thresholds;
        line("thresholds", format!("warn {warn:.3}, error {error:.3}, critical {critical:.3}, slope {slope:.3}"));
        line("", format!("by {} tool-like benign texts of sources left out", self.tool_like));
        if self.tool_like < FEW {
            line("", format!("fewer than {FEW}: the thresholds are a guess"));
        }
        match self.same_as_compiled_in {
            Some(true) => line("check", "the same as the model that is compiled in".to_owned()),
            Some(false) => line("check", "differs from the model that is compiled in".to_owned()),
            None => {}
        }
        match &self.written {
            Some(path) => line("written", path.clone()),
            None => line("written", "nowhere; `--out FILE` writes it".to_owned()),
        }
        out
    }
}
