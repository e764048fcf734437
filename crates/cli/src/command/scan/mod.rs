//! `scan`: looks for instructions to the model in files, folders and streams; with `--jsonl` in a corpus, line by line.
//!
//! ```text
//! paths → targets → examine (all cores, one pass, bounded memory) → human | json | sarif
//! lines → jsonl (all cores, in order) → lines
//! ```

mod examine;
mod human;
mod json;
mod jsonl;
mod ordered;
mod progress;
mod sarif;
mod target;
pub(crate) mod text;
mod track;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Format, Output, count, shown};
use crate::report;
use clap::ValueEnum;
use examine::{Scanned, State, examine};
use ordered::ordered;
use progress::Progress;
use ringfence_guard::{Report, Scanner, Severity, UrlAllowlist, Verdict};
use std::net::IpAddr;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  ringfence scan page.html notes/
  curl -s https://example.com | ringfence scan --url-allow example.com -
  ringfence scan --jsonl < corpus.jsonl > findings.jsonl

Exit codes:
  0    nothing at or above the threshold
  119  something could not be read, or bad usage
  121  findings at or above the threshold (with --jsonl only where --fail is given)";

/// What to scan.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files and folders; - or nothing for stdin
    #[arg(value_name = "FILE")]
    paths: Vec<PathBuf>,
    /// From which severity a finding fails the scan
    #[arg(long, value_enum, default_value_t = Level::Error, value_name = "SEVERITY")]
    threshold: Level,
    /// Domain whose links are harmless; once one is given, links elsewhere are findings; repeatable
    #[arg(long, value_name = "DOMAIN")]
    url_allow: Vec<String>,
    /// Read lines of JSON with `id` and `text`; write a line with `id`, `score`, `verdict` and `findings` for each
    #[arg(long)]
    jsonl: bool,
    /// Exit with 121 where a line is blocked, with 119 where one could not be read
    #[arg(long, requires = "jsonl")]
    fail: bool,
}

/// A severity, as a word on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Level {
    Info,
    Warn,
    Error,
    Critical,
}

impl From<Level> for Severity {
    fn from(level: Level) -> Self {
        match level {
            Level::Info => Self::Info,
            Level::Warn => Self::Warn,
            Level::Error => Self::Error,
            Level::Critical => Self::Critical,
        }
    }
}

/// The word for a severity.
pub(crate) fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "info",
        Severity::Warn => "warn",
        Severity::Error => "error",
        Severity::Critical => "critical",
    }
}

/// Scans everything that was named.
pub(crate) fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    let scanner = scanner(&args.url_allow)?;
    let threshold = args.threshold.into();
    if args.jsonl {
        output.only(&[Format::Human, Format::Json])?;
        return jsonl::run(&args.paths, &scanner, threshold, args.fail, output);
    }
    output.only(&[Format::Human, Format::Json, Format::Sarif])?;
    let found = target::find(&args.paths)?;
    let progress = Progress::start();
    let mut tally = Tally::new(threshold);
    let mut kept = Vec::new();
    let work = |target| examine(&target, &scanner, &progress);
    ordered(found.targets.into_iter(), work, |scanned: Scanned| {
        tally.add(&scanned);
        if output.format != Format::Human {
            kept.push(scanned);
            return Ok(());
        }
        let text = human::file(&scanned, threshold);
        if text.is_empty() {
            return Ok(());
        }
        progress.hide();
        match scanned.state {
            State::Failed(_) => output.note(&text),
            _ => output.result(&text)?,
        }
        Ok(())
    })?;
    progress.end();
    tally.failed.extend(found.left_out);
    match output.format {
        Format::Json => output.json(&json::report(&kept, &tally))?,
        Format::Sarif => output.json(&sarif::report(&kept, &tally))?,
        _ => {
            let unread = tally.failed.iter().skip(tally.told);
            unread.for_each(|why| output.note(&report::human::line("error", why)));
            output.result(&human::summary(&tally))?;
        }
    }
    Ok(tally.exit())
}

fn scanner(urls: &[String]) -> Result<Scanner, Failure> {
    check_domains(urls)?;
    Scanner::new(UrlAllowlist::new(urls)).map_err(|e| Failure::Io(format!("the compiled-in model is damaged: {e}")))
}

/// Refuses what can be no domain: it would match nothing and look as if it did.
pub(crate) fn check_domains(urls: &[String]) -> Result<(), Failure> {
    let is_domain = |url: &String| url.parse::<IpAddr>().is_ok() || !(url.is_empty() || url.contains(['/', ':', ' ']));
    match urls.iter().find(|url| !is_domain(url)) {
        Some(bad) => Err(Failure::Usage(format!("`{}` is no domain: write it as `example.com`", shown(bad)))),
        None => Ok(()),
    }
}

/// The verdict on a text. What was left closed is no pass.
fn verdict(report: &Report, threshold: Severity) -> Verdict {
    match report.worst() {
        Some(worst) if worst >= threshold => Verdict::Block,
        Some(worst) if worst >= Severity::Warn => Verdict::Hit,
        _ if report.left_closed => Verdict::Hit,
        _ => Verdict::Pass,
    }
}

/// What was scanned and found in all.
#[derive(Debug)]
pub(super) struct Tally {
    pub(super) threshold: Severity,
    pub(super) files: usize,
    pub(super) bytes: u64,
    /// Files of folders that are not text.
    pub(super) binary: usize,
    /// Findings by severity, from info to critical.
    pub(super) found: [usize; 4],
    /// Files at or above the threshold.
    pub(super) blocked: usize,
    /// Why something could not be read.
    pub(super) failed: Vec<String>,
    /// How many of them belong to a file, and were told with it.
    pub(super) told: usize,
}

impl Tally {
    fn new(threshold: Severity) -> Self {
        Self { threshold, files: 0, bytes: 0, binary: 0, found: [0; 4], blocked: 0, failed: Vec::new(), told: 0 }
    }

    fn add(&mut self, scanned: &Scanned) {
        match &scanned.state {
            State::Binary => self.binary += 1,
            State::Failed(why) => {
                self.failed.push(why.clone());
                self.told += 1;
            }
            State::Done(report, _) => {
                self.files += 1;
                self.bytes += scanned.bytes;
                for finding in &report.findings {
                    if let Some(count) = self.found.get_mut(finding.severity as usize) {
                        *count += 1;
                    }
                }
                self.blocked += usize::from(verdict(report, self.threshold) == Verdict::Block);
            }
        }
    }

    /// Findings from a severity on.
    pub(super) fn from(&self, severity: Severity) -> usize {
        self.found.iter().skip(severity as usize).sum()
    }

    /// What was not read was not scanned, which is worse than a finding.
    fn exit(&self) -> Exit {
        match () {
            () if !self.failed.is_empty() => Exit::Internal,
            () if self.blocked > 0 => Exit::Findings,
            () => Exit::Done,
        }
    }

    /// `2 errors, 1 warning`-like words for what was found, worst first.
    pub(super) fn in_words(&self) -> String {
        let words = ["info", "warn", "error", "critical"];
        let each = self.found.iter().zip(words).rev().filter(|(n, _)| **n > 0);
        let each: Vec<String> = each.map(|(n, word)| format!("{n} {word}")).collect();
        match each.is_empty() {
            true => "nothing found".to_owned(),
            false => format!("{} ({})", count(self.from(Severity::Info), "finding"), each.join(", ")),
        }
    }
}
