//! Finds any of a few dozen byte strings, fast: vectors where the processor has them, an automaton where not.

use aho_corasick::{AhoCorasick, Input, packed};

/// Where an anchor is, and which one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Anchor {
    pub(super) which: usize,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A searcher for a fixed list of strings. Earlier strings win where two start at the same place.
pub(super) enum Finder {
    Vectors(packed::Searcher),
    Automaton(AhoCorasick),
    Nothing,
}

impl Finder {
    pub(super) fn new(anchors: &[&str]) -> Self {
        let config =
            packed::Config::new().match_kind(packed::MatchKind::LeftmostFirst).builder().extend(anchors).build();
        if let Some(searcher) = config {
            return Self::Vectors(searcher);
        }
        let mut builder = AhoCorasick::builder();
        builder.match_kind(aho_corasick::MatchKind::LeftmostFirst);
        builder.build(anchors).map_or(Self::Nothing, Self::Automaton)
    }

    /// The first anchor at or after a byte.
    pub(super) fn next(&self, text: &str, from: usize) -> Option<Anchor> {
        if from >= text.len() {
            return None;
        }
        let found = match self {
            Self::Vectors(searcher) => searcher.find_in(text, (from..text.len()).into()),
            Self::Automaton(automaton) => automaton.find(Input::new(text).range(from..)),
            Self::Nothing => None,
        }?;
        Some(Anchor { which: found.pattern().as_usize(), start: found.start(), end: found.end() })
    }
}
