//! Digits and signs in place of letters: `1gn0r3`.

use std::ops::Range;

use super::words::Words;
use crate::view::Builder;

/// Signs further apart than this are not of one text.
const GAP: usize = 240;

/// Words that turned out to be English once read as letters.
#[derive(Debug, Default)]
pub(super) struct Leet {
    range: Range<usize>,
    weight: usize,
}

impl Leet {
    /// Takes a word with letters and digits in it. Gives the region that ended before it, if one did.
    pub(super) fn take(&mut self, words: &Words, bytes: &[u8], at: Range<usize>) -> Option<Range<usize>> {
        let word = bytes.get(at.clone()).unwrap_or_default();
        if !is_known(words, word) {
            return None;
        }
        let ended = match at.start.saturating_sub(self.range.end) > GAP {
            true => self.end(),
            false => None,
        };
        if self.weight == 0 {
            self.range = at.clone();
        }
        self.range.end = at.end;
        self.weight += if word.len() >= 6 { 2 } else { 1 };
        ended
    }

    /// Ends the region and gives it if there was enough of it.
    pub(super) fn end(&mut self) -> Option<Range<usize>> {
        let Self { range, weight } = std::mem::take(self);
        (weight >= 2).then_some(range)
    }
}

fn is_known(words: &Words, word: &[u8]) -> bool {
    if !(3..=14).contains(&word.len()) {
        return false;
    }
    let read = |one| {
        let mut plain = [0_u8; 14];
        for (to, from) in plain.iter_mut().zip(word) {
            *to = letter(*from, one).unwrap_or(from.to_ascii_lowercase());
        }
        plain.get(..word.len()).is_some_and(|p| words.knows(p))
    };
    read(b'i') || word.contains(&b'1') && read(b'l')
}

/// The letter that a digit or sign stands for, with `1` read as given.
fn letter(b: u8, one: u8) -> Option<u8> {
    Some(match b {
        b'0' => b'o',
        b'1' | b'|' | b'!' => one,
        b'3' => b'e',
        b'4' | b'@' => b'a',
        b'5' | b'$' => b's',
        b'7' | b'+' => b't',
        b'8' => b'b',
        b'9' | b'6' => b'g',
        b'2' => b'z',
        _ => return None,
    })
}

/// Opens a region: words with letters and digits become words, and numbers that stand for a short word do.
pub(super) fn open(text: &str, region: Range<usize>) -> Builder {
    let words = Words::english();
    let source = text.get(region.clone()).unwrap_or_default();
    let mut plain = String::with_capacity(source.len());
    let mut rest = source;
    while !rest.is_empty() {
        let word_end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at_checked(word_end).unwrap_or((rest, ""));
        read_word(words, word, &mut plain);
        let gap = after.find(is_part).unwrap_or(after.len());
        plain.push_str(after.get(..gap).unwrap_or_default());
        rest = after.get(gap..).unwrap_or_default();
    }
    let mut out = Builder::default();
    out.copy(&plain, region.start);
    out
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '@' | '$' | '!' | '|' | '+')
}

fn read_word(words: &Words, word: &str, out: &mut String) {
    let core = word.trim_end_matches(['!', '|', '+', '$', '@']);
    let ends_in_sign = core.len() < word.len() && !word.ends_with('!');
    let core = if ends_in_sign { word } else { core };
    let tail = word.get(core.len()..).unwrap_or_default();
    let has_letter = core.bytes().any(|b| b.is_ascii_alphabetic());
    let short = matches!(core, "15" | "70" | "17" | "50" | "45" | "47" | "1" | "4" | "1f" | "17s" | "7h15" | "7h47");
    if !(has_letter || short) || core.bytes().all(|b| b.is_ascii_alphabetic()) {
        out.push_str(word);
        return;
    }
    let bytes = core.as_bytes();
    let all =
        |one: u8| -> Vec<u8> { bytes.iter().map(|b| letter(*b, one).unwrap_or(b.to_ascii_lowercase())).collect() };
    let read = [b'i', b'l'].into_iter().map(all).find(|w| words.knows(w)).unwrap_or_else(|| guess(bytes));
    out.push_str(&String::from_utf8_lossy(&read));
    out.push_str(tail);
}

/// Reads each `1` by its neighbours.
fn guess(word: &[u8]) -> Vec<u8> {
    let plain: Vec<u8> = word.iter().map(|b| letter(*b, b'1').unwrap_or(b.to_ascii_lowercase())).collect();
    let mut out: Vec<u8> = Vec::with_capacity(plain.len());
    for (i, b) in plain.iter().enumerate() {
        let read = if *b == b'1' { i_or_l(out.last().copied(), plain.get(i + 1).copied()) } else { *b };
        out.push(read);
    }
    out
}

fn i_or_l(before: Option<u8>, after: Option<u8>) -> u8 {
    let vowel = |b: u8| matches!(b, b'a' | b'e' | b'i' | b'o' | b'u');
    match (before, after) {
        (None, Some(a)) if vowel(a) => b'l',
        (Some(b'l'), _) | (Some(_), None) => b'l',
        (Some(b), Some(b'1')) if vowel(b) => b'l',
        (Some(b), Some(a)) if vowel(b) && (vowel(a) || matches!(a, b'd' | b'k' | b'f' | b'l')) => b'l',
        (Some(b'b' | b'c' | b'f' | b'g' | b'p'), Some(a)) if vowel(a) => b'l',
        _ => b'i',
    }
}
