//! Folded text in, words out: the one tokeniser, used by the trainer and by the scanner alike.
//!
//! A word is a run of letters (an apostrophe inside it is passed over), a run of digits by its length, or one
//! character of a script that is written without spaces. What stands between two words is kept as a class.

use crate::swar;

/// What stands between a word and the one before it, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Gap {
    Space,
    Quote,
    Comma,
    Dash,
    Mark,
    Slash,
    Bracket,
    Angle,
    Colon,
    Stop,
    Line,
    Start,
}

/// One word of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Word {
    /// Identifies the word.
    pub(crate) hash: u64,
    /// Identifies its first five letters.
    pub(crate) stem: u64,
    /// What stands before it.
    pub(crate) gap: Gap,
    /// Where it starts, in bytes of the folded text.
    pub(crate) start: usize,
    /// Where it ends.
    pub(crate) end: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    /// One character that is a word of its own, of this many bytes.
    Single(u8),
    Apostrophe,
    /// A sign of several bytes.
    Sign(u8),
    Between(Gap),
}

const CLASSES: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut table = [Class::Between(Gap::Mark); 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::indexing_slicing, reason = "a constant loop over the whole table")]
        {
            table[byte] = class_of(byte as u8);
        }
        byte += 1;
    }
    table
}

const fn class_of(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' => Class::Letter,
        b'0'..=b'9' => Class::Digit,
        b'\'' => Class::Apostrophe,
        b' ' | b'\t' => Class::Between(Gap::Space),
        b'\n' | b'\r' => Class::Between(Gap::Line),
        b'.' | b'!' | b'?' => Class::Between(Gap::Stop),
        b':' | b';' => Class::Between(Gap::Colon),
        b',' => Class::Between(Gap::Comma),
        b'"' | b'`' => Class::Between(Gap::Quote),
        b'(' | b')' | b'[' | b']' | b'{' | b'}' => Class::Between(Gap::Bracket),
        b'<' | b'>' => Class::Between(Gap::Angle),
        b'/' | b'\\' => Class::Between(Gap::Slash),
        b'-' | b'_' => Class::Between(Gap::Dash),
        // Continuation bytes are reached inside a letter run only; two-byte scripts are letters but for Latin-1 signs.
        0xC3..=0xDF | 0xE0 | 0xE1 | 0x80..=0xBF => Class::Letter,
        0xE3..=0xED => Class::Single(3),
        0xF0..=0xF4 => Class::Single(4),
        0xC2 => Class::Sign(2),
        0xE2 | 0xEE | 0xEF => Class::Sign(3),
        _ => Class::Between(Gap::Mark),
    }
}

const SEED: u64 = 0x9E37_79B9_7F4A_7C15;
const STEM_LETTERS: usize = 5;
/// Longer runs are no words: keys, hashes, data.
const LONGEST_WORD: usize = 28;
/// What they are all called.
const LONG: u64 = SEED ^ 3;

/// Takes eight more letters into the hash of a word.
#[inline]
fn mix(hash: u64, letters: u64) -> u64 {
    let mixed = (hash ^ letters).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    mixed ^ mixed >> 32
}

/// Joins two hashes into one.
#[inline]
pub(crate) fn join(a: u64, b: u64) -> u64 {
    (a.rotate_left(25) ^ b).wrapping_mul(SEED)
}

/// The words of a folded text, in order.
pub(crate) struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
    gap: Gap,
}

impl<'a> Words<'a> {
    /// The words of `text`.
    pub(crate) fn new(text: &'a str) -> Self {
        Self { bytes: text.as_bytes(), at: 0, gap: Gap::Start }
    }

    #[inline]
    fn class(&self, at: usize) -> Option<Class> {
        self.bytes.get(at).and_then(|b| CLASSES.get(usize::from(*b)).copied())
    }

    fn word(&mut self, start: usize, hash: u64, stem: u64) -> Word {
        let gap = std::mem::replace(&mut self.gap, Gap::Space);
        Word { hash, stem, gap, start, end: self.at }
    }

    /// A run of letters, eight at a time; what is not plain ASCII goes letter by letter.
    #[inline]
    fn letters(&mut self) -> Word {
        let start = self.at;
        let head = swar::load(self.bytes, start);
        let (mut hash, mut part, mut at) = (SEED, head, start);
        loop {
            let taken = swar::leading(swar::letters(part));
            if taken > 0 {
                hash = mix(hash, part & swar::first(taken));
            }
            at += taken;
            if taken < 8 {
                break;
            }
            part = swar::load(self.bytes, at);
        }
        let goes_on = self.bytes.get(at).is_some_and(|b| *b == b'\'' || !b.is_ascii());
        if goes_on {
            return self.any_letters();
        }
        let length = at - start;
        self.at = at;
        self.named(start, if length > LONGEST_WORD { LONG } else { hash }, head, length)
    }

    /// A run of letters of any script, apostrophes inside it passed over.
    #[cold]
    fn any_letters(&mut self) -> Word {
        let start = self.at;
        let (mut hash, mut part, mut head, mut count) = (SEED, 0_u64, 0_u64, 0_usize);
        let mut rest = self.bytes.get(start..).unwrap_or_default().iter();
        let mut taken = 0;
        while let Some(byte) = rest.next() {
            match CLASSES.get(usize::from(*byte)) {
                Some(Class::Letter) => {
                    part |= u64::from(*byte) << (count % 8 * 8);
                    count += 1;
                    if count <= 8 {
                        head = part;
                    }
                    if count % 8 == 0 {
                        hash = mix(hash, std::mem::take(&mut part));
                    }
                }
                Some(Class::Apostrophe) if rest.as_slice().first().is_some_and(u8::is_ascii_alphabetic) => {}
                // A second or third byte that the class table gives to another class: only after a letter lead.
                _ => break,
            }
            taken += 1;
        }
        if count % 8 > 0 {
            hash = mix(hash, part);
        }
        self.at = start + taken;
        self.named(start, if taken > LONGEST_WORD { LONG } else { hash }, head, count)
    }

    /// A word of letters, by its first eight and their number.
    #[inline]
    fn named(&mut self, start: usize, hash: u64, head: u64, count: usize) -> Word {
        let stem = if count <= STEM_LETTERS { hash } else { mix(SEED, head & swar::first(STEM_LETTERS)) };
        self.word(start, hash, stem ^ 0x55)
    }

    fn digits(&mut self) -> Word {
        let start = self.at;
        while self.class(self.at) == Some(Class::Digit) {
            self.at += 1;
        }
        let hash = join(SEED, (self.at - start).min(5) as u64);
        self.word(start, hash, hash)
    }

    fn single(&mut self, bytes: u8) -> Word {
        let start = self.at;
        self.at = (start + usize::from(bytes)).min(self.bytes.len());
        let taken = self.bytes.get(start..self.at).unwrap_or_default();
        let hash = taken.iter().fold(SEED, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01B3));
        self.word(start, hash, hash)
    }
}

impl Iterator for Words<'_> {
    type Item = Word;

    #[inline]
    fn next(&mut self) -> Option<Word> {
        loop {
            match self.class(self.at)? {
                Class::Letter => return Some(self.letters()),
                Class::Digit => return Some(self.digits()),
                Class::Single(bytes) => return Some(self.single(bytes)),
                Class::Apostrophe => self.gap = self.gap.max(Gap::Quote),
                Class::Between(gap) => self.gap = self.gap.max(gap),
                Class::Sign(bytes) => {
                    self.gap = self.gap.max(Gap::Mark);
                    self.at += usize::from(bytes) - 1;
                }
            }
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<(&str, Gap)> {
        Words::new(text).map(|w| (text.get(w.start..w.end).unwrap_or("?"), w.gap)).collect()
    }

    #[test]
    fn words_know_what_stands_before_them() {
        let found = parts("don't stop. now:\n12 über 今日");
        let expected = [
            ("don't", Gap::Start),
            ("stop", Gap::Space),
            ("now", Gap::Stop),
            ("12", Gap::Line),
            ("über", Gap::Space),
            ("今", Gap::Space),
            ("日", Gap::Space),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn an_apostrophe_does_not_change_the_word() {
        let hashes: Vec<u64> = Words::new("dont don't").map(|w| w.hash).collect();
        assert_eq!(hashes.first(), hashes.last());
    }

    #[test]
    fn a_word_has_one_name_however_it_is_read() {
        let word = "abcdefghijklmnopqrstuvwxyzab";
        for length in 1..=word.len() {
            let plain = word.get(..length).expect("ASCII");
            let quick = Words::new(plain).next().expect("a word");
            let slow = Words::new(plain).any_letters();
            assert_eq!((quick.hash, quick.stem, quick.end), (slow.hash, slow.stem, slow.end), "{plain}");
            let inside = format!("x {plain} y");
            assert_eq!(Words::new(&inside).nth(1).expect("a word").hash, quick.hash);
        }
        let stems: Vec<u64> = Words::new("instruct instructions instr inst'ruct").map(|w| w.stem).collect();
        assert!(stems.iter().all(|stem| Some(stem) == stems.first()), "{stems:?}");
    }

    #[test]
    fn parts_are_on_character_boundaries() {
        for text in ["“quoted” — dash", "naïve façade", "x\u{301}y", "\u{1F600}a\u{FE0F}", "a\u{A0}b\u{2028}c"]
        {
            for word in Words::new(text) {
                assert!(text.is_char_boundary(word.start) && text.is_char_boundary(word.end), "{text} {word:?}");
            }
        }
    }
}
