//! Where findings lie: the last bytes of a stream are kept, with the line they begin on, so that one pass is enough for
//! line, column and the words around a finding, however long the stream is.

use memchr::{memchr, memchr_iter, memrchr};
use ringfence_guard::{Finding, Span};
use std::collections::HashMap;

/// What is kept at least: more than the scanner holds back before it answers.
const KEPT: usize = 256 << 10;
/// The most bytes shown before, of and after a finding.
const BEFORE: usize = 60;
const INSIDE: usize = 160;
const AFTER: usize = 40;

/// A line and a column, both from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) line: u64,
    pub(super) column: u64,
}

/// A finding's place, and its words with what stands around them on the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) start: Point,
    pub(super) end: Point,
    pub(super) before: String,
    pub(super) inside: String,
    pub(super) after: String,
}

/// Follows a stream.
#[derive(Debug)]
pub(super) struct Tracker {
    kept: Vec<u8>,
    /// Where `kept` begins.
    base: usize,
    /// The same as a line and a column.
    at: Point,
    places: HashMap<Span, Place>,
}

impl Tracker {
    pub(super) fn new() -> Self {
        Self { kept: Vec::new(), base: 0, at: Point { line: 1, column: 1 }, places: HashMap::new() }
    }

    /// Takes the next bytes, after what was found in those before.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.kept.extend_from_slice(bytes);
        if self.kept.len() > 2 * KEPT {
            let gone = self.kept.len() - KEPT;
            self.at = self.point(gone);
            self.kept.drain(..gone);
            self.base += gone;
        }
    }

    /// Notes where these lie. What was noted before stays as it was.
    pub(super) fn note(&mut self, findings: &[Finding]) {
        for finding in findings {
            let span = finding.span;
            if !self.places.contains_key(&span) && span.start >= self.base {
                let place = self.place(span);
                self.places.insert(span, place);
            }
        }
    }

    /// The place of a finding.
    pub(super) fn get(&self, finding: &Finding) -> Option<&Place> {
        self.places.get(&finding.span)
    }

    fn place(&self, span: Span) -> Place {
        let length = self.kept.len();
        let start = span.start.saturating_sub(self.base).min(length);
        let end = span.end.saturating_sub(self.base).clamp(start, length);
        let slice = |from: usize, to: usize| self.kept.get(from..to).unwrap_or_default();
        let line = memrchr(b'\n', slice(0, start)).map_or(0, |n| n + 1);
        let from = start.saturating_sub(BEFORE).max(line);
        let begins = from == line && (line > 0 || self.at.column == 1);
        let shown = end.min(start + INSIDE);
        let cut = shown < end;
        let to = if cut { shown } else { (end + AFTER).min(length) };
        let to = memchr(b'\n', slice(shown, to)).map_or(to, |n| shown + n);
        let ends = cut || to == length || self.kept.get(to) == Some(&b'\n');
        Place {
            start: self.point(start),
            end: self.point(end),
            before: decoded(slice(from, start), !begins, false),
            inside: decoded(slice(start, shown), false, cut),
            after: decoded(slice(shown, to), false, !ends).trim_end_matches('\r').to_owned(),
        }
    }

    /// The line and column of a place in what is kept.
    fn point(&self, at: usize) -> Point {
        let before = self.kept.get(..at).unwrap_or_default();
        let newlines = memchr_iter(b'\n', before).count();
        let (line, first) = match memrchr(b'\n', before) {
            None => (0, self.at.column),
            Some(n) => (n + 1, 1),
        };
        let chars = before.get(line..).unwrap_or_default().iter().filter(|b| **b & 0xc0 != 0x80).count();
        Point { line: self.at.line + newlines as u64, column: first + chars as u64 }
    }
}

/// Bytes as text; a character that was cut apart at an end is left out there, and `…` says so.
fn decoded(bytes: &[u8], cut_before: bool, cut_after: bool) -> String {
    let lost = char::REPLACEMENT_CHARACTER;
    let text = String::from_utf8_lossy(bytes);
    let text = if cut_before { text.trim_start_matches(lost) } else { &*text };
    let text = if cut_after { text.trim_end_matches(lost) } else { text };
    format!("{}{text}{}", if cut_before { "…" } else { "" }, if cut_after { "…" } else { "" })
}
