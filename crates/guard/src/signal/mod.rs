//! Exact signals: a text in, hits of named rules out, each with the part of the text that shows it.
//!
//! [`phrases`] reads the folded view (lower case, look-alikes folded) and finds what is *said*: sentences that give
//! orders to the reading model. [`marks`] reads the text as it came and finds what is *there*: links, keys, paths,
//! hidden parts, forged turns. Both take time linear in the text whatever it is, keep a bounded number of hits, and
//! count what they left out. Neither decides anything: severities are joined and judged by the scanner.

mod catalogue;
mod finder;
mod forging;
mod grammar;
mod hidden;
mod lexicon;
mod marks;
mod mention;
mod phrase;
mod secret;
mod speech;
mod token;
mod traversal;
mod url;

use std::ops::Range;
use std::sync::LazyLock;

use self::finder::Finder;

pub use catalogue::rules;
pub use marks::marks;
pub use phrase::phrases;
pub use url::UrlAllowlist;

use crate::finding::Severity;
use crate::rule::Rule;

/// The most hits one list keeps: beyond it the mildest give way, and are counted.
pub const MAX_HITS: usize = 512;

/// The longest evidence, in bytes.
const MAX_EVIDENCE: usize = 120;

/// One signal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// What was found.
    pub rule: &'static Rule,
    /// Where, in bytes of the text that was given; on character boundaries.
    pub part: Range<usize>,
    /// How bad it is here: the rule's own severity, lowered where the text only talks about it.
    pub severity: Severity,
    /// The words that show it: bounded, on one line, secrets masked.
    pub evidence: String,
    /// Whether the words are quoted, listed or talked about rather than said.
    pub mentioned: bool,
}

/// What was found in one text.
#[derive(Debug, Clone, Default)]
pub struct Hits {
    /// The hits, in no particular order.
    pub list: Vec<Hit>,
    /// Parts that a person would not see (comments, invisible elements), to be read with more suspicion.
    pub hidden: Vec<Range<usize>>,
    /// How many hits, hidden parts included, were found but not kept.
    pub left_out: usize,
    /// Whether a part was not read to its end, because there was too much of its kind.
    pub cut_short: bool,
    /// How much was looked at, in units of a few instructions: grows with the length of the text and nothing else.
    pub steps: u64,
    /// Where a hit may give way: none before this one is as mild as `mildest`.
    giving: usize,
    /// The mildest severity that a full list still holds.
    mildest: Severity,
}

impl Hits {
    /// Forgets everything and keeps the memory.
    pub fn clear(&mut self) {
        self.list.clear();
        self.hidden.clear();
        self.left_out = 0;
        self.steps = 0;
        self.cut_short = false;
        self.giving = 0;
        self.mildest = Severity::Info;
    }

    /// The worst severity found.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.list.iter().map(|hit| hit.severity).max()
    }

    /// Adds a hit, or widens the one of the same rule that it overlaps.
    fn add(&mut self, hit: Hit) {
        let recent = self.list.iter_mut().rev().take(8);
        for old in recent {
            if old.rule == hit.rule && old.part.start < hit.part.end && hit.part.start < old.part.end {
                old.part = old.part.start.min(hit.part.start)..old.part.end.max(hit.part.end);
                old.mentioned &= hit.mentioned;
                if hit.severity > old.severity {
                    old.severity = hit.severity;
                    old.evidence = hit.evidence;
                }
                return;
            }
        }
        if self.list.len() < MAX_HITS {
            self.list.push(hit);
            return;
        }
        self.left_out += 1;
        if let Some(mild) = self.milder(hit.severity) {
            *mild = hit;
        }
    }

    /// Whether a hit of this severity would be kept, so that the evidence for one that would not need not be made.
    fn has_room(&mut self, severity: Severity) -> bool {
        self.list.len() < MAX_HITS || self.milder(severity).is_some()
    }

    /// A hit of a full list that is milder than this. The list is gone through once for each severity, whatever comes.
    fn milder(&mut self, severity: Severity) -> Option<&mut Hit> {
        while self.mildest < severity {
            let next = self.list.iter().skip(self.giving).position(|hit| hit.severity <= self.mildest);
            if let Some(next) = next {
                self.giving += next;
                return self.list.get_mut(self.giving);
            }
            self.giving = 0;
            self.mildest = self.mildest.graver()?;
        }
        None
    }

    fn hide(&mut self, part: Range<usize>) {
        match self.hidden.len() < MAX_HITS {
            true => self.hidden.push(part),
            false => self.left_out += 1,
        }
    }
}

/// The anchors of marks and of phrases.
static BOTH: LazyLock<(Finder, usize)> = LazyLock::new(|| {
    let marks = marks::anchors();
    (Finder::both(&marks, &speech::anchors()), marks.len())
});

/// The marks of a text as it came and the phrases of the folded one, each kept to the same bound. Plain ASCII is
/// searched for the anchors of both at once.
pub(crate) fn marks_and_phrases(raw: &str, folded: &str, urls: &UrlAllowlist) -> (Hits, Hits) {
    let (mut there, mut said) = (Hits::default(), Hits::default());
    if raw.len() != folded.len() || !raw.is_ascii() {
        marks(raw, urls, &mut there);
        phrases(folded, &mut said);
        return (there, said);
    }
    let (finder, count) = &*BOTH;
    let (raw_anchors, folded_anchors) = finder.search_both(raw, folded, *count);
    marks::marks_at(raw_anchors, raw, urls, &mut there);
    phrase::phrases_at(folded_anchors, folded, &mut said);
    (there, said)
}

/// A part of a text on one line, bounded.
fn evidence(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(MAX_EVIDENCE + 4));
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        for c in word.chars().filter(|c| !c.is_control()) {
            if line.len() + c.len_utf8() > MAX_EVIDENCE {
                line.push('…');
                return line;
            }
            line.push(c);
        }
    }
    line
}

/// The nearest character boundary at or before a byte.
fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at.min(text.len()))
}

/// A part of a text, its ends moved inwards to what exists and outwards to character boundaries.
fn slice(text: &str, part: Range<usize>) -> &str {
    let start = floor(text, part.start);
    let end = text.ceil_char_boundary(part.end.min(text.len())).max(start);
    text.get(start..end).unwrap_or_default()
}
