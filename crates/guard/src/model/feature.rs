//! Words in, keys out: each word with the words before it, as the model knows them.
//!
//! A word has two keys of its own, one with the last word but one, and four that name it with the word just before it.
//! A key of two words or more carries the name of its pair in fixed bits, so that the table can say of a pair that it
//! knows nothing about it: that spares most words the last four.

use super::table::paired;
use super::token::{Gap, Word, Words, join};

/// How many keys a word has.
pub(crate) const KEYS: usize = ALWAYS + TOGETHER;
/// How many of them are looked up for every word.
const ALWAYS: usize = 3;
/// How many name it with the word before it.
const TOGETHER: usize = 4;
/// How many signals may begin at a word.
pub(crate) const SIGNALS: usize = 2;

/// A word and its keys: what ends at this word.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    hash: u64,
    gap: Gap,
    /// The word before and the one before that.
    before: (u64, u64),
    /// The stems of this word and the one before, and the stem before those.
    stems: (u64, u64),
    /// Where the word starts, in bytes of the folded text.
    pub(crate) start: usize,
    /// Where the word ends.
    pub(crate) end: usize,
}

impl Step {
    /// Whether the same word stands just before: said again at once it says nothing new, repetition is no evidence.
    #[inline]
    pub(crate) fn is_repeated(&self) -> bool {
        self.hash == self.before.0
    }

    /// The keys of the word alone, and across the word before it.
    #[inline]
    pub(crate) fn always(&self) -> [u64; ALWAYS] {
        let apart = join(self.before.1, self.hash);
        [join(self.hash, 11), join(self.hash, 100 + self.gap as u64), paired(apart, join(apart, 19))]
    }

    /// The pair that the keys of [`Self::together`] belong to: by its stems, which all of them share.
    #[inline]
    pub(crate) fn pair(&self) -> u64 {
        self.stems.0
    }

    /// The keys of the word with the word before it.
    #[inline]
    pub(crate) fn together(&self) -> [u64; TOGETHER] {
        let ((before, earlier), (stems, earlier_stem)) = (self.before, self.stems);
        let pair = join(before, self.hash);
        [
            paired(stems, join(pair, 13)),
            paired(stems, join(join(earlier, pair), 17)),
            paired(stems, join(stems, 23)),
            paired(stems, join(join(earlier_stem, stems), 29)),
        ]
    }

    /// All keys; none, where the word says nothing.
    pub(crate) fn keys(&self) -> [u64; KEYS] {
        let mut keys = [0; KEYS];
        if !self.is_repeated() {
            for (slot, key) in keys.iter_mut().zip(self.always().into_iter().chain(self.together())) {
                *slot = key;
            }
        }
        keys
    }
}

/// The steps of a folded text.
pub(crate) struct Steps<'a> {
    words: Words<'a>,
    previous: (u64, u64),
    earlier: (u64, u64),
}

impl<'a> Steps<'a> {
    /// The steps of `text`.
    pub(crate) fn new(text: &'a str) -> Self {
        Self { words: Words::new(text), previous: (1, 1), earlier: (2, 2) }
    }
}

impl Iterator for Steps<'_> {
    type Item = Step;

    #[inline]
    fn next(&mut self) -> Option<Step> {
        let Word { hash, stem, gap, start, end } = self.words.next()?;
        let (before, before_stem) = self.previous;
        let (earlier, earlier_stem) = self.earlier;
        self.earlier = self.previous;
        self.previous = (hash, stem);
        let stems = (join(before_stem, stem), earlier_stem);
        Some(Step { hash, gap, before: (before, earlier), stems, start, end })
    }
}
