//! Letters set apart: `i g n o r e`, `i.g.n.o.r.e`, `i-g-n-o-r-e`.

use std::ops::Range;

use super::extent;
use super::words::Words;
use crate::view::Builder;

/// The fewest letters of a region.
const LEAST: usize = 6;
/// The most bytes between two letters.
const GAP: usize = 6;

/// The longest region in which words are looked for, in bytes.
const GAPLESS: usize = 1024;

/// Single letters as they go by.
#[derive(Debug, Default)]
pub(super) struct Letters {
    range: Range<usize>,
    count: usize,
    /// Pairs with only a space between them.
    spaces: usize,
    /// The first other sign between two, and pairs with only that between them.
    sign: Option<u8>,
    signs: usize,
}

impl Letters {
    /// Takes a word of one letter or digit. Gives the region that ended before it, if one did.
    pub(super) fn take(&mut self, bytes: &[u8], at: usize) -> Option<Range<usize>> {
        let between = bytes.get(self.range.end..at).unwrap_or_default();
        let near = between.len() <= GAP && between.iter().all(|b| b.is_ascii_punctuation() || *b == b' ');
        let ended = if near { None } else { self.end() };
        match between {
            [b' '] if near => self.spaces += 1,
            [sign] if near => self.signs += usize::from(*self.sign.get_or_insert(*sign) == *sign),
            _ => {}
        }
        if self.count == 0 {
            self.range.start = at;
        }
        self.range.end = at + 1;
        self.count += usize::from(bytes.get(at).is_some_and(u8::is_ascii_alphabetic));
        ended
    }

    /// Ends the region and gives it if it was long enough.
    pub(super) fn end(&mut self) -> Option<Range<usize>> {
        let Self { range, count, spaces, signs, .. } = std::mem::take(self);
        let close = spaces.max(signs);
        (count >= LEAST && close + 1 >= LEAST && close * 2 >= count).then_some(range)
    }
}

/// What stands between the letters of one word.
fn separator(source: &[u8]) -> u8 {
    let mut counts = [0_usize; 128];
    for b in source.iter().filter(|b| !b.is_ascii_alphanumeric()) {
        if let Some(count) = counts.get_mut(usize::from(*b)) {
            *count += 1;
        }
    }
    let most = counts.iter().enumerate().max_by_key(|(_, n)| **n).map_or(0, |(b, _)| b);
    u8::try_from(most).unwrap_or(b' ')
}

/// Opens a region: the separators between letters go, words stay apart.
pub(super) fn open(text: &str, region: Range<usize>) -> Builder {
    let region = extent::on_boundaries(text, region);
    let source = text.get(region.clone()).unwrap_or_default();
    let apart = separator(source.as_bytes());
    if source.len() <= GAPLESS && source.bytes().enumerate().all(|(i, b)| (b == apart) == (i % 2 == 1)) {
        return gapless(source, region.start);
    }
    let mut out = Builder::with_capacity(source.len());
    let mut word = String::new();
    let mut start = region.start;
    for (i, b) in source.bytes().enumerate() {
        let at = region.start + i;
        let around = |d: isize| i.checked_add_signed(d).and_then(|i| source.as_bytes().get(i)).copied();
        if b == apart && between(apart, around(-1), around(1)) {
            continue;
        }
        let breaks = b == b' ' || !b.is_ascii();
        if breaks && !word.is_empty() {
            out.even(&word, start..at, 1);
            word.clear();
        }
        if b == b' ' {
            if !out.text().ends_with(' ') {
                out.copy(" ", at);
            }
        } else if b.is_ascii() {
            if word.is_empty() {
                start = at;
            }
            word.push(char::from(b));
        }
    }
    out.even(&word, start..region.end, 1);
    out
}

/// Opens a region in which words are as close as letters: they are cut at words that are known.
fn gapless(source: &str, start: usize) -> Builder {
    let letters: Vec<u8> = source.bytes().step_by(2).collect();
    let lower = letters.to_ascii_lowercase();
    let mut out = Builder::with_capacity(source.len());
    let (mut from, mut at) = (0, 0);
    let mut put = |range: Range<usize>| {
        if let Some(piece) = letters.get(range.clone()).filter(|p| !p.is_empty()) {
            if range.start > 0 {
                out.copy(" ", start + range.start * 2 - 1);
            }
            out.even(&String::from_utf8_lossy(piece), start + range.start * 2..start + range.end * 2 - 1, 1);
        }
    };
    while at < lower.len() {
        match Words::prefix(lower.get(at..).unwrap_or_default()) {
            Some(len) => {
                put(from..at);
                put(at..at + len);
                at += len;
                from = at;
            }
            None => at += 1,
        }
    }
    put(from..at);
    out
}

/// Whether a separator between these two stands inside a word.
fn between(apart: u8, before: Option<u8>, after: Option<u8>) -> bool {
    match apart {
        b' ' => before.is_some_and(|b| b != b' ') && after.is_some_and(|b| b != b' '),
        _ => {
            after.is_some_and(|b| b.is_ascii_alphanumeric())
                || before.is_some_and(|b| b.is_ascii_alphanumeric()) && after.is_some_and(|b| b != b' ')
        }
    }
}
