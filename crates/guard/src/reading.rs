//! A text in, every way to read it out: as it stands, and as each encoding in it opens, folded and with its signals.
//!
//! The trainer and the scanner read alike, since both read here. Work is bounded: decoding stops at a depth and at a
//! budget of bytes, signals at a count.

use crate::decode::{Budget, decode};
use crate::finding::Severity;
use crate::fold::{Hidden, fold};
use crate::model::feature::{SIGNALS, Step, Steps};
use crate::model::talk;
use crate::model::token::join;
use crate::rule::Rule;
use crate::signal::{Hit, UrlAllowlist, marks_and_phrases};
use crate::view::View;

/// How often what was decoded is decoded again.
const DEEPEST: usize = 3;

/// One way to read a text.
#[derive(Debug)]
pub(crate) struct Reading<'a> {
    /// Before folding: what marks were found in.
    pub(crate) raw: View<'a>,
    /// After folding: what phrases were found in and the model reads.
    pub(crate) folded: View<'static>,
    /// Signals in the raw view.
    pub(crate) marks: Vec<Hit>,
    /// Signals in the folded view.
    pub(crate) phrases: Vec<Hit>,
    /// Characters that nobody sees.
    pub(crate) hidden: Vec<Hidden>,
    /// How it was opened, outermost first.
    pub(crate) via: Vec<&'static str>,
}

/// All readings of a text, the plain one first.
#[derive(Debug)]
pub(crate) struct Readings<'a> {
    pub(crate) list: Vec<Reading<'a>>,
    /// Signals beyond the bound.
    pub(crate) left_out: usize,
    /// Whether something was left closed or not read to its end, because there was too much of it.
    pub(crate) left_closed: bool,
}

/// Reads `text`, which stands at `offset` of the original.
pub(crate) fn read<'a>(text: &'a str, offset: usize, urls: &UrlAllowlist) -> Readings<'a> {
    let mut budget = Budget::for_input(text.len());
    let mut list: Vec<Reading<'a>> = Vec::new();
    let mut left_out = 0;
    let mut cut_short = false;
    let mut waiting: Vec<(View<'a>, Vec<&'static str>)> = vec![(View::plain(text, offset), Vec::new())];
    while let Some((raw, via)) = waiting.pop() {
        let folded = fold(&raw);
        let (there, said) = marks_and_phrases(raw.text(), folded.view.text(), urls);
        left_out += there.left_out + said.left_out;
        cut_short |= there.cut_short;
        if via.len() < DEEPEST {
            let open = |view: &View<'_>, budget: &mut Budget, waiting: &mut Vec<(View<'a>, Vec<&'static str>)>| {
                for decoding in decode(view, budget) {
                    let mut path = via.clone();
                    path.push(decoding.via);
                    waiting.push((decoding.view, path));
                }
            };
            open(&raw, &mut budget, &mut waiting);
            // Letters of another alphabet may spell what is then encoded; folding shows it.
            if !raw.text().is_ascii() && via.is_empty() {
                open(&folded.view, &mut budget, &mut waiting);
            }
        }
        list.push(Reading {
            raw,
            folded: folded.view,
            marks: there.list,
            phrases: said.list,
            hidden: folded.hidden,
            via,
        });
    }
    Readings { list, left_out, left_closed: cut_short || budget.is_spent() }
}

impl Reading<'_> {
    /// The words with their keys, each with the keys of signals that begin there.
    pub(crate) fn walk(&self) -> Walk<'_> {
        Walk { steps: Steps::new(self.folded.text()), signals: self.signals() }
    }

    /// By how much the model reads this more leniently: what was encoded is no talk about attacks.
    pub(crate) fn leniency(&self) -> f32 {
        if self.via.is_empty() { talk::leniency(self.folded.text()) } else { 0.0 }
    }

    /// Where signals begin in the folded text, and their keys; last first.
    fn signals(&self) -> Vec<(usize, u64)> {
        let (raw, folded) = (self.raw.text().len().max(1), self.folded.text().len());
        // Folding shifts little: a mark is placed by proportion, which is exact in plain ASCII.
        let placed = self.marks.iter().map(|h| (h.part.start.saturating_mul(folded) / raw, key(h)));
        let spoken = self.phrases.iter().map(|h| (h.part.start, key(h)));
        let mut all: Vec<(usize, u64)> = placed.chain(spoken).collect();
        all.sort_unstable_by(|a, b| b.cmp(a));
        all.dedup();
        all
    }
}

/// The words of a reading, on the way.
pub(crate) struct Walk<'a> {
    steps: Steps<'a>,
    /// Signals to come, last first.
    signals: Vec<(usize, u64)>,
}

impl Iterator for Walk<'_> {
    type Item = (Step, [u64; SIGNALS]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let step = self.steps.next()?;
        let mut keys = [0; SIGNALS];
        for key in &mut keys {
            match self.signals.last() {
                Some((start, signal)) if *start < step.end => {
                    *key = *signal;
                    self.signals.pop();
                }
                _ => break,
            }
        }
        Some((step, keys))
    }
}

/// The key of a signal.
fn key(hit: &Hit) -> u64 {
    signal_key(hit.rule, hit.severity)
}

/// The key of a signal: its rule, and how seriously it was meant.
pub(crate) fn signal_key(rule: &Rule, severity: Severity) -> u64 {
    let name = rule.id.bytes().fold(7, |hash, byte| join(hash, u64::from(byte)));
    join(name, 31 + severity as u64)
}
