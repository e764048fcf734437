//! The one pass over a text: word by word, eight bytes at a time, handing what looks encoded to those who open it.

mod beyond;

use std::ops::Range;

use super::base64;
use super::codes::{Codes, Row};
use super::emit::Emit;
use super::escape::{self, Run, Style};
use super::invisible::Tags;
use super::leet::{self, Leet};
use super::letters::{self, Letters};
use super::morse::Morse;
use super::streak::Streak;
use super::words::{Hit, Way, Words};
use super::{Budget, Decoding, bits, caesar, extent, reversed};
use crate::swar::{self, Marks};
use crate::view::View;

/// Above this size a reversed region is not also read word by word.
const BY_WORD: usize = 4096;

/// The lowest so many bits.
fn lowest(count: usize) -> u64 {
    u64::MAX.checked_shr(64_u32.saturating_sub(count as u32)).unwrap_or(0)
}

/// Whether a sign can be part of nothing encoded.
#[inline]
fn is_quiet(b: u8) -> bool {
    const LOUD: u128 = 1 << b'\\' | 1 << b'%' | 1 << b'&' | 1 << b'=' | 1 << b'.' | 1 << b'-';
    b.is_ascii() && LOUD >> b & 1 == 0
}

/// A pass over one view.
pub(super) struct Search<'a> {
    text: &'a str,
    bytes: &'a [u8],
    words: &'static Words,
    out: Emit<'a>,
    streak: Streak,
    leet: Leet,
    letters: Letters,
    codes: Codes,
    morse: Morse,
    tags: Tags,
    escapes: [Run; 4],
    turned: (usize, Range<usize>),
    /// Up to where long runs, streaks, leet and escapes have been opened.
    run_floor: usize,
    streak_floor: usize,
    leet_floor: usize,
    escape_floor: usize,
    override_floor: usize,
}

impl<'a> Search<'a> {
    pub(super) fn new(view: &'a View<'a>, budget: &'a mut Budget) -> Self {
        let styles = [Style::Backslash, Style::Percent, Style::Entity, Style::Quoted];
        Self {
            text: view.text(),
            bytes: view.text().as_bytes(),
            words: Words::english(),
            out: Emit::new(view, budget),
            streak: Streak::default(),
            leet: Leet::default(),
            letters: Letters::default(),
            codes: Codes::default(),
            morse: Morse::default(),
            tags: Tags::default(),
            escapes: styles.map(Run::new),
            turned: (0, 0..0),
            run_floor: 0,
            streak_floor: 0,
            leet_floor: 0,
            escape_floor: 0,
            override_floor: 0,
        }
    }

    /// Words are found in blocks of 64 bytes, by a mask with a bit for each: where one ends is then known without
    /// reading on, and the next begins while this one is still being looked at.
    pub(super) fn run(mut self) -> Vec<Decoding> {
        let mut at = 0;
        while at < self.bytes.len() {
            let block = at;
            let marks = Marks::of(self.bytes, block);
            // a word that reaches the end of the block begins the next one
            while at - block < 64 {
                let (words, spaces) = (marks.words >> (at - block), marks.spaces >> (at - block));
                let len = words.trailing_ones() as usize;
                if len == 0 {
                    let skip = spaces.trailing_ones() as usize;
                    at = match self.bytes.get(at) {
                        _ if skip > 0 => at + skip,
                        Some(b) if is_quiet(*b) => at + 1,
                        _ => self.other(at).max(at + 1),
                    };
                    continue;
                }
                if at - block + len >= 64 {
                    if at == block {
                        let end = self.word_end(at + len);
                        self.long_run(at..end);
                        at = end;
                    }
                    break;
                }
                let end = at + len;
                let digits = marks.digits >> (at - block) & lowest(len);
                if digits == 0 {
                    self.letter_word(swar::load(self.bytes, at), at..end);
                } else {
                    self.mixed_word(at..end, digits != lowest(len));
                }
                at = end;
            }
        }
        self.finish()
    }

    fn word_end(&self, mut at: usize) -> usize {
        loop {
            let x = swar::load(self.bytes, at);
            let len = swar::leading(swar::letters(x) | swar::digits(x));
            at += len;
            if len < 8 {
                return at;
            }
        }
    }

    /// A word whose first eight characters, or all, are letters.
    #[inline]
    fn letter_word(&mut self, x: u64, at: Range<usize>) {
        if self.words.is_suspect(x, at.len()) | self.streak.is_open() {
            self.look_at(x, at.clone());
        }
        let pair = at.len() == 2 && swar::leading(swar::hex_digits(x)) >= 2;
        if at.len() == 1 || pair || at.len() >= base64::SHORTEST {
            self.odd_word(at);
        }
    }

    /// A word that is very short or very long.
    #[cold]
    fn odd_word(&mut self, at: Range<usize>) {
        match at.len() {
            1 => self.single(at.start),
            2 => self.code(at),
            _ => self.long_run(at),
        }
    }

    /// A word that may be shifted, or any word while a streak is open.
    #[cold]
    fn look_at(&mut self, x: u64, at: Range<usize>) {
        let hit = if at.len() < 3 { None } else { self.words.find(x, at.len()) };
        let ended = match hit {
            Some(Hit { way: Way::Forwards, shift: 0 }) => self.streak.miss(4),
            Some(Hit { way: Way::Backwards, shift: 1.. }) | None if at.len() >= 3 => self.streak.miss(1),
            Some(hit) if at.start >= self.streak_floor => self.streak.hit(hit, at),
            _ => None,
        };
        self.shifted(ended);
    }

    /// A word with digits in it.
    fn mixed_word(&mut self, at: Range<usize>, letters: bool) {
        let len = at.len();
        match len {
            1 => self.single(at.start),
            2..base64::SHORTEST => {
                if len <= 8 {
                    self.code(at.clone());
                }
                if letters && let Some(region) = self.leet.take(self.words, self.bytes, at) {
                    self.leetspeak(region);
                }
            }
            _ => self.long_run(at),
        }
    }

    fn single(&mut self, at: usize) {
        if let Some(region) = self.letters.take(self.bytes, at) {
            self.spaced(region);
        }
    }

    fn code(&mut self, at: Range<usize>) {
        let row = self.codes.take(self.bytes, at);
        self.row(row);
    }

    fn row(&mut self, row: Option<Row>) {
        if let Some((text, via)) = row.and_then(|r| r.open(self.bytes)) {
            self.out.put(text, via);
        }
    }

    fn shifted(&mut self, ended: Option<(Hit, Range<usize>)>) {
        let Some((hit, sign)) = ended else { return };
        let region = extent::foreign_words(self.text, sign, self.streak_floor);
        self.streak_floor = region.end;
        if !self.out.affords(region.len()) {
            return;
        }
        if hit.way == Way::Forwards {
            self.out.put(caesar::open(self.text, region, hit.shift), caesar::name(hit.shift));
            return;
        }
        self.out.put(reversed::whole(self.text, region.clone()), "reversed");
        if region.len() <= BY_WORD && self.out.affords(region.len()) {
            self.out.put(reversed::by_word(self.text, region), "reversed-words");
        }
    }

    fn leetspeak(&mut self, sign: Range<usize>) {
        let region = extent::line(self.text, sign, self.leet_floor);
        self.leet_floor = region.end;
        if self.out.affords(region.len()) {
            self.out.put(leet::open(self.text, region), "leetspeak");
        }
    }

    fn spaced(&mut self, region: Range<usize>) {
        if self.out.affords(region.len()) {
            self.out.put(letters::open(self.text, region), "spaced-letters");
        }
    }

    /// A long run of letters and digits: bits, hexadecimal or base64.
    fn long_run(&mut self, at: Range<usize>) {
        if at.start < self.run_floor {
            return;
        }
        let word = self.bytes.get(at.clone()).unwrap_or_default();
        let (mut upper, mut lower, mut digit, mut beyond_hex) = (false, false, false, false);
        for b in word {
            upper |= b.is_ascii_uppercase();
            lower |= b.is_ascii_lowercase();
            digit |= b.is_ascii_digit();
            beyond_hex |= !b.is_ascii_hexdigit();
        }
        if !beyond_hex && digit {
            self.hex_run(at);
        } else if upper && (lower || digit) || lower && digit {
            let run = base64::extent(self.bytes, at, self.run_floor);
            self.run_floor = run.end;
            if self.out.affords(run.len() / 4 * 3)
                && let Some(text) = base64::open(self.bytes, run)
            {
                self.out.put(text, "base64");
            }
        }
    }

    fn hex_run(&mut self, at: Range<usize>) {
        if at.len() >= bits::SHORTEST
            && let Some(text) = bits::open(self.bytes, at.clone())
        {
            self.out.put(text, "binary");
            return;
        }
        let run = base64::hex_extent(self.bytes, at);
        self.run_floor = run.end;
        if run.len() >= 24
            && self.out.affords(run.len() / 2)
            && let Some(text) = base64::open_hex(self.bytes, run)
        {
            self.out.put(text, "hex");
        }
    }

    /// What is not a letter or digit. Gives the place after it.
    fn other(&mut self, at: usize) -> usize {
        let Some(b) = self.bytes.get(at) else { return at };
        match b {
            b'\\' => self.escape(0, Style::Backslash, at),
            b'%' => self.escape(1, Style::Percent, at),
            b'&' => self.escape(2, Style::Entity, at),
            b'=' => self.escape(3, Style::Quoted, at),
            b'.' | b'-' => self.dots(at),
            0x80.. => self.beyond_ascii(at),
            _ => at + 1,
        }
    }

    fn escape(&mut self, slot: usize, style: Style, at: usize) -> usize {
        let read = self.bytes.get(at..).and_then(|b| escape::read(style, b));
        let Some((value, len)) = read else { return at + 1 };
        let ended = self.escapes.get_mut(slot).and_then(|run| run.take(value, at..at + len));
        self.escaped(style, ended);
        at + len
    }

    fn escaped(&mut self, style: Style, ended: Option<Range<usize>>) {
        let Some(sign) = ended else { return };
        let region = extent::token(self.text, sign, self.escape_floor, 64);
        self.escape_floor = region.end;
        if self.out.affords(region.len()) {
            self.out.put(escape::open(self.text, region, style), style.name());
        }
    }

    fn dots(&mut self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let len = rest.iter().take_while(|b| matches!(b, b'.' | b'-')).count();
        let alone = at.checked_sub(1).and_then(|i| self.bytes.get(i)).is_none_or(|b| !b.is_ascii_alphanumeric());
        if alone
            && len <= 6
            && let Some(text) = self.morse.take(self.bytes, at..at + len)
        {
            self.out.put(text, "morse");
        }
        at + len
    }

    fn finish(mut self) -> Vec<Decoding> {
        let ended = self.streak.end();
        self.shifted(ended);
        self.end_turned();
        if let Some(region) = self.leet.end() {
            self.leetspeak(region);
        }
        if let Some(region) = self.letters.end() {
            self.spaced(region);
        }
        let row = self.codes.end();
        self.row(row);
        if let Some(text) = self.morse.end() {
            self.out.put(text, "morse");
        }
        if let Some(text) = self.tags.end() {
            self.out.put(text, "unicode-tags");
        }
        let ended = self.escapes.each_mut().map(Run::end);
        for (style, region) in [Style::Backslash, Style::Percent, Style::Entity, Style::Quoted].into_iter().zip(ended) {
            self.escaped(style, region);
        }
        self.out.finish()
    }
}
