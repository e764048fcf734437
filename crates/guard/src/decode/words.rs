//! Common English words by shape, so that one look tells a word, the word shifted in the alphabet, and the word
//! spelt backwards.

use std::sync::LazyLock;

use crate::swar;

/// Common words of at least three letters. Of longer ones than eight letters the first eight count.
const WORDS: &str = "the and you that this with for not are was have from your will what all can but they his her \
    she one had has been were their when there which would about into than them then some could other more these \
    only also any how who its our out now new must should please never always before after above below here where \
    why does just like make need want know use give get tell say said show send write print open read file data \
    ignore previous instruction instructions disregard forget system prompt prior rules guidelines password secret \
    reveal answer respond response repeat follow following message user assistant developer email account number \
    address information question language model start begin every first last next story word words text code link \
    visit output access admin provide execute command instead pretend act role without under over because people";

/// Words that say another word backwards: no sign of reversal.
const BOTH_WAYS: [&str; 8] = ["dna", "ton", "saw", "era", "won", "elif", "emit", "tca"];

const SLOTS: usize = 4096;

/// Whether a word reads forwards or backwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// As it is written.
    Forwards,
    /// From its last letter to its first.
    Backwards,
}

/// A word found by its shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) way: Way,
    /// How far its letters are moved in the alphabet, 0 to 25.
    pub(super) shift: u8,
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    shape: u64,
    first: u8,
    backwards: bool,
}

/// A set of hashes that may say yes to a stranger, never no to a member.
#[derive(Debug)]
struct Sieve([u64; 512]);

impl Sieve {
    fn insert(&mut self, key: u64) {
        let hash = spread(key);
        if let Some(cell) = self.0.get_mut((hash >> 55) as usize) {
            *cell |= 1 << (hash >> 49 & 63);
        }
    }

    #[inline]
    fn may_have(&self, key: u64) -> u64 {
        let hash = spread(key);
        // 9 bits choose the cell, the next 6 the bit
        self.0.get((hash >> 55) as usize).copied().unwrap_or(0) >> (hash >> 49 & 63) & 1
    }
}

/// Words by shape, behind two sieves: nearly every word of a text is settled by those.
#[derive(Debug)]
pub(super) struct Words {
    plain: Sieve,
    shapes: Sieve,
    slots: Vec<Slot>,
}

static ENGLISH: LazyLock<Words> = LazyLock::new(|| {
    let mut words = Words { plain: Sieve([0; 512]), shapes: Sieve([0; 512]), slots: vec![Slot::default(); SLOTS] };
    for word in WORDS.split_whitespace() {
        words.insert(word.as_bytes(), false);
    }
    for word in WORDS.split_whitespace() {
        let back: Vec<u8> = word.bytes().rev().collect();
        let common = BOTH_WAYS.iter().any(|w| w.as_bytes() == back);
        if !common {
            words.insert(&back, true);
        }
    }
    words
});

impl Words {
    /// The one table of English words.
    pub(super) fn english() -> &'static Self {
        &ENGLISH
    }

    fn insert(&mut self, word: &[u8], backwards: bool) {
        let len = word.len().min(8);
        let shape = swar::shape(swar::load(word, 0), len);
        let first = word.first().map_or(0, |b| b - b'a');
        if !backwards {
            self.plain.insert(swar::lower(swar::load(word, 0), len));
        }
        self.shapes.insert(shape);
        let at = slot(shape);
        for place in [at, at ^ 1, at ^ 2] {
            if let Some(free) = self.slots.get_mut(place).filter(|s| s.shape == 0 || s.shape == shape) {
                if free.shape == 0 {
                    *free = Slot { shape, first, backwards };
                }
                return;
            }
        }
    }

    /// Whether a word of `len` letters with the first eight bytes `x` may be a shifted or reversed one, and so wants a
    /// closer look. Without branches: every word of a text comes by here.
    #[inline]
    pub(super) fn is_suspect(&self, x: u64, len: usize) -> bool {
        let plain = self.plain.may_have(swar::lower(x, len));
        let shape = self.shapes.may_have(swar::shape(x, len));
        shape & !plain == 1
    }

    /// Finds a word of `len` letters whose first eight bytes are `x`.
    pub(super) fn find(&self, x: u64, len: usize) -> Option<Hit> {
        let len = len.min(8);
        let shape = swar::shape(x, len);
        let at = slot(shape);
        let found = [at, at ^ 1, at ^ 2].into_iter().find_map(|i| self.slots.get(i).filter(|s| s.shape == shape))?;
        let first = (x as u8 | 0x20).wrapping_sub(b'a');
        let way = if found.backwards { Way::Backwards } else { Way::Forwards };
        Some(Hit { way, shift: (first + 26 - found.first) % 26 })
    }

    /// The longest listed word that letters in lower case begin with, in bytes.
    pub(super) fn prefix(letters: &[u8]) -> Option<usize> {
        WORDS.split_whitespace().filter(|w| letters.starts_with(w.as_bytes())).map(str::len).max()
    }

    /// Whether a word in lower case stands in the list as it is written.
    pub(super) fn knows(&self, word: &[u8]) -> bool {
        word.len() >= 3 && self.find(swar::load(word, 0), word.len()) == Some(Hit { way: Way::Forwards, shift: 0 })
    }
}

#[inline]
fn spread(key: u64) -> u64 {
    let mixed = key ^ key >> 29;
    mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn slot(shape: u64) -> usize {
    (spread(shape) >> 52) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(word: &str) -> Option<Hit> {
        Words::english().find(swar::load(word.as_bytes(), 0), word.len())
    }

    #[test]
    fn words_are_found_plain_shifted_and_backwards() {
        for word in WORDS.split_whitespace() {
            assert!(find(word).is_some(), "{word}");
        }
        assert_eq!(find("The"), Some(Hit { way: Way::Forwards, shift: 0 }));
        assert_eq!(find("gur"), Some(Hit { way: Way::Forwards, shift: 13 }));
        assert_eq!(find("vtaber"), Some(Hit { way: Way::Forwards, shift: 13 }));
        assert_eq!(find("Vafgehpgvbaf"), Some(Hit { way: Way::Forwards, shift: 13 }));
        assert_eq!(find("erongI"), Some(Hit { way: Way::Backwards, shift: 0 }));
        assert_eq!(find("snoitcurtsni"), Some(Hit { way: Way::Backwards, shift: 0 }));
        assert_ne!(find("dna"), Some(Hit { way: Way::Backwards, shift: 0 }));
        assert_eq!(find("zebra"), None);
    }

    #[test]
    fn the_sieves_let_every_word_through() {
        let words = Words::english();
        let suspect = |word: &[u8]| words.is_suspect(swar::load(word, 0), word.len());
        for word in WORDS.split_whitespace() {
            assert!(!suspect(word.to_uppercase().as_bytes()), "{word}");
            let shifted: Vec<u8> = word.bytes().map(|b| (b - b'a' + 13) % 26 + b'a').collect();
            assert!(suspect(&shifted), "{word}");
        }
        assert!(suspect(b"erongi"));
        assert!(!suspect(b"zyzzyva"));
    }
}
