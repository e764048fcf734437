//! One text in, its report and where each finding lies out: one pass in bounded memory.

use super::progress::Progress;
use super::target::Target;
use super::text::{Decoder, Invalid};
use super::track::{Place, Tracker};
use crate::output::shown;
use ringfence_guard::{Report, Scanner};
use std::fs::File;
use std::io::{ErrorKind, Read};

/// How much is read at once.
const PIECE: usize = 64 << 10;
/// A file with a zero byte among the first of these is no text.
const SNIFFED: usize = 8 << 10;

/// A text that was looked at.
#[derive(Debug)]
pub(super) struct Scanned {
    pub(super) name: String,
    pub(super) bytes: u64,
    /// Bytes that are no UTF-8.
    pub(super) bad: u64,
    /// Whether it looks like no text at all.
    pub(super) is_binary: bool,
    pub(super) state: State,
}

/// What came of it.
#[derive(Debug)]
pub(super) enum State {
    /// It was scanned; a place for each finding.
    Done(Report, Vec<Option<Place>>),
    /// It lies in a folder and is no text, so it was not scanned.
    Binary,
    /// It could not be read to its end.
    Failed(String),
}

/// Reads and scans one target.
pub(super) fn examine(target: &Target, scanner: &Scanner, progress: &Progress) -> Scanned {
    let name = target.name();
    let mut scanned = Scanned { name, bytes: 0, bad: 0, is_binary: false, state: State::Binary };
    let walked = matches!(target, Target::Walked(_));
    let read = match target {
        Target::Stdin => read(&mut std::io::stdin().lock(), scanner, walked, progress, &mut scanned),
        Target::Named(path) | Target::Walked(path) => {
            File::open(path).and_then(|mut file| read(&mut file, scanner, walked, progress, &mut scanned))
        }
    };
    scanned.state = match read {
        Ok(state) => state,
        Err(e) => State::Failed(format!("cannot read `{}`: {e}", shown(&scanned.name))),
    };
    scanned
}

fn read(
    input: &mut dyn Read,
    scanner: &Scanner,
    walked: bool,
    progress: &Progress,
    scanned: &mut Scanned,
) -> std::io::Result<State> {
    let mut decoder = Decoder::new(Invalid::SameLength);
    let mut tracker = Tracker::new();
    let mut stream = scanner.stream();
    let mut piece = vec![0; PIECE];
    loop {
        let n = match input.read(&mut piece) {
            Ok(0) => break,
            Ok(n) => n,
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        let bytes = piece.get(..n).unwrap_or_default();
        if scanned.bytes < SNIFFED as u64 {
            scanned.is_binary |= bytes.iter().take(SNIFFED).any(|b| *b == 0);
            if scanned.is_binary && walked {
                return Ok(State::Binary);
            }
        }
        scanned.bytes += n as u64;
        tracker.push(bytes);
        stream.push(&decoder.feed(bytes));
        tracker.note(&stream.so_far().findings);
        progress.add(n as u64);
    }
    stream.push(&decoder.finish());
    scanned.bad = decoder.bad;
    let report = stream.finish();
    tracker.note(&report.findings);
    let places = report.findings.iter().map(|finding| tracker.get(finding).cloned()).collect();
    Ok(State::Done(report, places))
}
