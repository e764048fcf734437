//! `--jsonl`: lines `{id, text}` in, lines `{id, score, verdict, findings}` out, in order, on all cores.
//!
//! Lines are worked on in batches; a batch ends where no further line has come yet, so that whoever writes a line and
//! waits gets an answer. A line that cannot be read is told and does not stop the others.

use super::json::{Entry, score};
use super::ordered::ordered;
use super::{target, verdict};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, count, shown};
use crate::report::human;
use memchr::memchr;
use ringfence_guard::{Scanner, Severity, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::PathBuf;

/// The longest line, in bytes.
const LINE_MAX: usize = 16 << 20;
/// The most of a batch.
const BATCH_LINES: usize = 64;
const BATCH_BYTES: usize = 256 << 10;
/// Bad lines that are told one by one.
const TOLD: usize = 20;
const BUFFER: usize = 256 << 10;

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    text: Cow<'a, str>,
}

#[derive(Serialize)]
struct Answer<'a> {
    id: Option<&'a RawValue>,
    score: Option<Box<RawValue>>,
    verdict: Verdict,
    findings: Vec<Entry<'a>>,
    /// Findings that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    left_out: usize,
    /// Whether something encoded was not opened.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    left_closed: bool,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

#[derive(Serialize)]
struct Bad<'a> {
    id: Option<()>,
    file: &'a str,
    line: u64,
    error: &'a str,
}

/// One line as it was read: its bytes, or why there are none.
type Raw = Result<Vec<u8>, &'static str>;

/// Lines that were read together.
enum Job {
    Lines { file: std::sync::Arc<str>, first: u64, lines: Vec<Raw> },
    Failed(String),
}

/// What a batch came to.
#[derive(Default)]
struct Batch {
    out: String,
    blocked: u64,
    bad: Vec<String>,
    failed: Option<String>,
}

/// Scans every line.
pub(super) fn run(
    paths: &[PathBuf],
    scanner: &Scanner,
    threshold: Severity,
    fail: bool,
    output: &Output,
) -> Result<Exit, Failure> {
    let found = target::find(paths)?;
    let jobs = found.targets.into_iter().flat_map(Reader::open);
    let (mut blocked, mut bad) = (0, 0);
    let mut failed = found.left_out;
    ordered(
        jobs,
        |job| work(job, scanner, threshold),
        |batch: Batch| {
            blocked += batch.blocked;
            for why in batch.bad {
                bad += 1;
                if bad <= TOLD {
                    output.note(&human::line("warning", &why));
                }
            }
            failed.extend(batch.failed);
            output.raw(&batch.out)
        },
    )?;
    if bad > TOLD {
        output.note(&human::line("warning", &format!("{} in all could not be read", count(bad, "line"))));
    }
    if !failed.is_empty() {
        return Err(Failure::Io(failed.join("; ")));
    }
    Ok(match () {
        () if fail && bad > 0 => Exit::Internal,
        () if fail && blocked > 0 => Exit::Findings,
        () => Exit::Done,
    })
}

fn work(job: Job, scanner: &Scanner, threshold: Severity) -> Batch {
    let mut batch = Batch::default();
    match job {
        Job::Failed(why) => batch.failed = Some(why),
        Job::Lines { file, first, lines } => {
            for (number, raw) in (first..).zip(lines) {
                if let Err(why) = answer(&raw, scanner, threshold, &mut batch) {
                    batch.bad.push(format!("{}:{number}: {why}", shown(&file)));
                    let bad = Bad { id: None, file: &file, line: number, error: &why };
                    batch.out.push_str(&serde_json::to_string(&bad).unwrap_or_default());
                    batch.out.push('\n');
                }
            }
        }
    }
    batch
}

fn answer(raw: &Raw, scanner: &Scanner, threshold: Severity, batch: &mut Batch) -> Result<(), String> {
    let bytes = raw.as_ref().map_err(|why| (*why).to_owned())?;
    if bytes.trim_ascii().is_empty() {
        return Ok(());
    }
    let line: Line<'_> = serde_json::from_slice(bytes).map_err(|e| reason(&e))?;
    let report = scanner.scan(&line.text);
    let verdict = verdict(&report, threshold);
    let answer = Answer {
        id: line.id,
        score: score(report.score),
        verdict,
        findings: report.findings.iter().map(Entry::new).collect(),
        left_out: report.left_out,
        left_closed: report.left_closed,
    };
    batch.out.push_str(&serde_json::to_string(&answer).map_err(|e| e.to_string())?);
    batch.out.push('\n');
    batch.blocked += u64::from(verdict == Verdict::Block);
    Ok(())
}

/// Why a line is none, by its column: it has no lines of its own.
fn reason(e: &serde_json::Error) -> String {
    let text = e.to_string();
    let text = text.split(" at line ").next().unwrap_or_default();
    format!("column {}: {text}", e.column())
}

/// Reads one source in batches.
struct Reader {
    input: Option<BufReader<Box<dyn Read + Send>>>,
    file: std::sync::Arc<str>,
    /// The number of the next line.
    next: u64,
    failed: Option<String>,
}

impl Reader {
    fn open(target: target::Target) -> Self {
        let file: std::sync::Arc<str> = target.name().into();
        let input: std::io::Result<Box<dyn Read + Send>> = match &target {
            target::Target::Stdin => Ok(Box::new(std::io::stdin())),
            target::Target::Named(path) | target::Target::Walked(path) => {
                File::open(path).map(|file| Box::new(file) as Box<dyn Read + Send>)
            }
        };
        let (input, failed) = match input {
            Ok(input) => (Some(BufReader::with_capacity(BUFFER, input)), None),
            Err(e) => (None, Some(format!("cannot read `{}`: {e}", shown(&file)))),
        };
        Self { input, file, next: 1, failed }
    }
}

impl Iterator for Reader {
    type Item = Job;

    fn next(&mut self) -> Option<Job> {
        let first = self.next;
        let mut lines = Vec::new();
        let mut bytes = 0;
        while let Some(input) = self.input.as_mut() {
            match line(input) {
                Ok(None) => self.input = None,
                Err(e) => {
                    self.failed = Some(format!("cannot read `{}`: {e}", shown(&self.file)));
                    self.input = None;
                }
                Ok(Some(raw)) => {
                    self.next += 1;
                    bytes += raw.as_ref().map_or(0, Vec::len);
                    lines.push(raw);
                    let more = memchr(b'\n', input.buffer()).is_some();
                    if !more || lines.len() == BATCH_LINES || bytes >= BATCH_BYTES {
                        break;
                    }
                }
            }
        }
        match lines.is_empty() {
            false => Some(Job::Lines { file: self.file.clone(), first, lines }),
            true => self.failed.take().map(Job::Failed),
        }
    }
}

/// The next line without its end; what is too long is read past and not kept.
fn line(input: &mut impl BufRead) -> std::io::Result<Option<Raw>> {
    let mut line = Vec::new();
    let mut long = false;
    let mut any = false;
    loop {
        let buffer = match input.fill_buf() {
            Ok(buffer) => buffer,
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        if buffer.is_empty() {
            break;
        }
        any = true;
        let end = memchr(b'\n', buffer);
        let part = buffer.get(..end.unwrap_or(buffer.len())).unwrap_or_default();
        long |= line.len() + part.len() > LINE_MAX;
        match long {
            true => line = Vec::new(),
            false => line.extend_from_slice(part),
        }
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            break;
        }
    }
    Ok(match (any, long) {
        (false, _) => None,
        (true, true) => Some(Err("the line is longer than 16 MiB")),
        (true, false) => Some(Ok(line)),
    })
}
