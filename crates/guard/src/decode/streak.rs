//! A stretch of text in which word after word is shifted or backwards.

use std::ops::Range;

use super::words::{Hit, Way};

const START: i32 = 8;
const MOST: i32 = 20;

/// Words that were found shifted or backwards in the same way, with few plain ones between.
#[derive(Debug, Default)]
pub(super) struct Streak {
    hit: Option<Hit>,
    range: Range<usize>,
    score: i32,
    hits: usize,
    letters: usize,
    /// Words since it began.
    words: usize,
}

impl Streak {
    pub(super) fn is_open(&self) -> bool {
        self.hit.is_some()
    }

    /// Takes a word that reads in some way other than plainly. Gives the streak that ended with it, if one did.
    pub(super) fn hit(&mut self, hit: Hit, at: Range<usize>) -> Option<(Hit, Range<usize>)> {
        let mut ended = None;
        match self.hit {
            Some(now) if now == hit => {}
            Some(_) if self.hits >= 2 => return self.miss(1),
            _ => {
                ended = self.end();
                *self = Self { hit: Some(hit), range: at.clone(), score: START, ..Self::default() };
            }
        }
        self.range.end = at.end;
        self.letters += at.len();
        self.hits += 1;
        self.words += 1;
        self.score = (self.score + 4).min(MOST);
        ended
    }

    /// Takes a word that does not fit, with its weight. Gives the streak if that ends it.
    pub(super) fn miss(&mut self, weight: i32) -> Option<(Hit, Range<usize>)> {
        self.score -= weight;
        self.words += 1;
        if self.score > 0 { None } else { self.end() }
    }

    /// Ends the streak and gives it if it was one.
    pub(super) fn end(&mut self) -> Option<(Hit, Range<usize>)> {
        let Self { hit, range, hits, letters, words, .. } = std::mem::take(self);
        let hit = hit?;
        // backwards words are rarer by chance than shifted ones
        let enough = match hit.way {
            Way::Backwards => hits >= 2 && letters >= 6,
            Way::Forwards if hit.shift == 13 => hits >= 3 || hits >= 2 && letters >= 9,
            Way::Forwards => hits >= 4 || hits >= 3 && letters >= 11,
        };
        // the words that ended it are counted too
        let dense = hits * 4 + START as usize >= words;
        (enough && dense).then_some((hit, range))
    }
}
