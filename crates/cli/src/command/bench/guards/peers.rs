//! Other scanners on some of the same texts: their own verdict, and their time beside ours in the same run.
//!
//! A driver in the scanner's own language is handed to its interpreter on standard input; it reads the texts from a file and
//! prints a line for each scanner. What is not installed is named and left out.

use super::Args;
use super::tally::percent;
use crate::command::train::corpus::Item;
use crate::command::train::samples::is_tool_like;
use crate::failure::Failure;
use crate::output::Output;
use ringfence_guard::train::Label;
use ringfence_guard::{Scanner, Severity, Verdict};
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PYTHON: &str = include_str!("../../../../../../bench/peers/driver.py");
const NODE: &str = include_str!("../../../../../../bench/peers/driver.js");
/// How many texts of each kind.
const TEXTS: usize = 400;
/// How long one language's scanners may take together.
const LONGEST: Duration = Duration::from_secs(240);
/// The most a driver may print, in bytes.
const PRINTED: u64 = 4 << 20;

/// Scanners side by side.
#[derive(Debug, Serialize)]
pub(super) struct Peers {
    pub(super) attacks: usize,
    pub(super) benign: usize,
    pub(super) scanners: Vec<Peer>,
    /// Those that are not installed, or failed, and why.
    pub(super) absent: Vec<String>,
}

/// One scanner.
#[derive(Debug, Serialize)]
pub(super) struct Peer {
    pub(super) name: String,
    pub(super) version: String,
    /// How many texts it got through in its time.
    pub(super) texts: usize,
    pub(super) recall_percent: f64,
    pub(super) false_positive_percent: f64,
    pub(super) us_per_text: f64,
    /// Its time per text as a multiple of ours, on the texts it got through.
    pub(super) times_ours: f64,
}

/// A line of a driver.
#[derive(Debug, Deserialize)]
struct Line {
    name: String,
    #[serde(default)]
    version: String,
    #[serde(default)]
    absent: Option<String>,
    #[serde(default)]
    ns: Vec<u64>,
    #[serde(default)]
    flagged: Vec<bool>,
}

/// Runs everybody.
pub(super) fn measure(args: &Args, scanner: &Scanner, items: &[Item], output: &Output) -> Result<Peers, Failure> {
    let many = if args.quick { TEXTS / 4 } else { TEXTS };
    let texts = chosen(items, many);
    let attacks = texts.iter().filter(|i| i.label == Label::Inject).count();
    let mut peers = Peers { attacks, benign: texts.len() - attacks, scanners: Vec::new(), absent: Vec::new() };
    let ours = ours(scanner, &texts);
    let mut file = tempfile::NamedTempFile::new().map_err(|e| Failure::Io(format!("cannot make a file: {e}")))?;
    let plain: Vec<&str> = texts.iter().map(|i| i.text.as_str()).collect();
    serde_json::to_writer(&mut file, &plain).map_err(|e| Failure::io("write", file.path(), e))?;
    file.flush().map_err(|e| Failure::io("write", file.path(), e))?;
    peers.add(&ours, &ours, &texts);
    let mut python = Command::new(&args.peers_python);
    let mut node = Command::new("node");
    node.current_dir(&args.peers_node);
    for (command, driver) in [(&mut python, PYTHON), (&mut node, NODE)] {
        let name = command.get_program().to_string_lossy().into_owned();
        output.note(&format!("other scanners, by {}\n", crate::output::shown(&name)));
        match driven(command.arg("-").arg(file.path()), driver) {
            Ok(printed) => {
                for line in printed.lines().filter_map(|l| serde_json::from_str::<Line>(l).ok()) {
                    peers.add(&line, &ours, &texts);
                }
            }
            Err(why) => peers.absent.push(format!("{name}: {why}")),
        }
    }
    Ok(peers)
}

/// Attacks that are not encoded and tool-like texts in turn, spread over the corpus.
fn chosen(items: &[Item], many: usize) -> Vec<&Item> {
    let spread = |wanted: &dyn Fn(&Item) -> bool| {
        let all: Vec<&Item> = items.iter().filter(|i| wanted(i)).collect();
        let step = (all.len() / many).max(1);
        all.into_iter().step_by(step).take(many).collect::<Vec<_>>()
    };
    let attacks = spread(&|i| i.label == Label::Inject && i.form != "obfuscated");
    let mut benign = spread(&is_tool_like).into_iter();
    let mut out = Vec::new();
    for attack in attacks {
        out.push(attack);
        out.extend(benign.next());
    }
    out.extend(benign);
    out
}

fn ours(scanner: &Scanner, texts: &[&Item]) -> Line {
    let mut line = Line {
        name: "ringfence".to_owned(),
        version: format!("{}, in sample", env!("CARGO_PKG_VERSION")),
        absent: None,
        ns: Vec::new(),
        flagged: Vec::new(),
    };
    for item in texts {
        let start = Instant::now();
        let report = black_box(scanner.scan(black_box(&item.text)));
        line.ns.push(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX));
        line.flagged.push(report.verdict(Severity::Error) == Verdict::Block);
    }
    line
}

impl Peers {
    fn add(&mut self, line: &Line, ours: &Line, texts: &[&Item]) {
        if let Some(why) = &line.absent {
            self.absent.push(format!("{}: {why}", line.name));
            return;
        }
        let done = line.ns.len().min(line.flagged.len()).min(texts.len());
        let share = |attack: bool| {
            let of_kind =
                || texts.iter().zip(&line.flagged).take(done).filter(|(i, _)| (i.label == Label::Inject) == attack);
            percent(of_kind().filter(|(_, flagged)| **flagged).count(), of_kind().count())
        };
        let total = |ns: &[u64]| ns.iter().take(done).sum::<u64>().max(1) as f64;
        self.scanners.push(Peer {
            name: line.name.clone(),
            version: line.version.clone(),
            texts: done,
            recall_percent: share(true),
            false_positive_percent: share(false),
            us_per_text: total(&line.ns) / 1e3 / done.max(1) as f64,
            times_ours: total(&line.ns) / total(&ours.ns),
        });
    }
}

/// Runs a driver and hands back what it printed.
fn driven(command: &mut Command, driver: &str) -> Result<String, String> {
    let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = started.map_err(|e| format!("cannot be started: {e}"))?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(driver.as_bytes()).map_err(|e| format!("does not read: {e}"))?;
    }
    let Some(printed) = child.stdout.take() else { return Err("has no output".to_owned()) };
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        printed.take(PRINTED).read_to_string(&mut text).map(|_| text)
    });
    let ended = wait(&mut child);
    let text = reader.join().ok().and_then(Result::ok).unwrap_or_default();
    if text.is_empty() { ended.and(Err("printed nothing".to_owned())) } else { Ok(text) }
}

fn wait(child: &mut Child) -> Result<(), String> {
    let start = Instant::now();
    while start.elapsed() < LONGEST {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(format!("ended with {status}")),
            Ok(None) => std::thread::sleep(Duration::from_millis(20)),
            Err(e) => return Err(format!("cannot be waited for: {e}")),
        }
    }
    let _ = child.kill().and_then(|()| child.wait());
    Err("took too long".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_said() {
        let why = driven(&mut Command::new("/nowhere/python"), "").expect_err("not there");
        assert!(why.starts_with("cannot be started"), "{why}");
        assert_eq!(driven(Command::new("sh").arg("-"), "echo found"), Ok("found\n".to_owned()));
        assert!(driven(Command::new("sh").arg("-"), "exit 3").expect_err("fails").contains('3'));
    }
}
