//! Words in, keys out: each word with the words before it, as the model knows them.

use super::talk::Talk;
use super::token::{Word, Words, join};

/// How many keys a word has.
pub(crate) const KEYS: usize = 7;
/// How many signals may begin at a word.
pub(crate) const SIGNALS: usize = 2;

/// A word and its keys: what ends at this word.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    /// The keys.
    pub(crate) keys: [u64; KEYS],
    /// Where the word starts, in bytes of the folded text.
    pub(crate) start: usize,
    /// Where the word ends.
    pub(crate) end: usize,
}

/// The steps of a folded text.
pub(crate) struct Steps<'a> {
    words: Words<'a>,
    previous: (u64, u64),
    earlier: (u64, u64),
    talk: Talk,
}

impl<'a> Steps<'a> {
    /// The steps of `text`.
    pub(crate) fn new(text: &'a str) -> Self {
        Self { words: Words::new(text), previous: (1, 1), earlier: (2, 2), talk: Talk::new() }
    }
}

impl Steps<'_> {
    /// What the words so far say about talk of attacks.
    pub(crate) fn talk(&self) -> &Talk {
        &self.talk
    }
}

impl Iterator for Steps<'_> {
    type Item = Step;

    #[inline]
    fn next(&mut self) -> Option<Step> {
        let Word { hash, stem, gap, start, end } = self.words.next()?;
        let (before, before_stem) = self.previous;
        let (earlier, earlier_stem) = self.earlier;
        let pair = join(before, hash);
        self.talk.hear(hash);
        self.talk.hear(pair);
        let stems = join(before_stem, stem);
        // A word said again at once says nothing new: repetition is no evidence.
        let keys = if hash == before {
            [0; KEYS]
        } else {
            [
                join(hash, 11),
                join(hash, 100 + gap as u64),
                join(pair, 13),
                join(join(earlier, pair), 17),
                join(join(earlier, hash), 19),
                join(stems, 23),
                join(join(earlier_stem, stems), 29),
            ]
        };
        self.earlier = self.previous;
        self.previous = (hash, stem);
        Some(Step { keys, start, end })
    }
}
