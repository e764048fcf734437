//! Characters written as a row of numbers: hexadecimal pairs, decimal codes, groups of eight bits.

use std::ops::Range;

use super::plausible;
use crate::view::Builder;

/// The shortest row.
const LEAST: usize = 8;
/// The most bytes between two numbers.
const GAP: usize = 4;

/// A row of numbers as it goes by.
#[derive(Debug, Default)]
pub(super) struct Codes {
    range: Range<usize>,
    count: usize,
    hex: bool,
    decimal: bool,
    bits: bool,
}

impl Codes {
    /// Takes an alphanumeric word of 2 to 8 characters with a digit or a hexadecimal letter in it. Gives the row that
    /// ended before it, if one did.
    pub(super) fn take(&mut self, bytes: &[u8], at: Range<usize>) -> Option<Row> {
        let word = bytes.get(at.clone()).unwrap_or_default();
        let hex = matches!(hex_digits(word), Some([a, b]) if a.is_ascii_hexdigit() && b.is_ascii_hexdigit());
        let decimal = (2..=3).contains(&word.len()) && word.iter().all(u8::is_ascii_digit);
        let bits = word.len() == 8 && word.iter().all(|b| matches!(b, b'0' | b'1'));
        let near = at.start.saturating_sub(self.range.end) <= GAP;
        if near && self.count > 0 && (self.hex && hex || self.decimal && decimal || self.bits && bits) {
            self.range.end = at.end;
            self.count += 1;
            self.hex &= hex;
            self.decimal &= decimal;
            self.bits &= bits;
            return None;
        }
        let ended = self.end();
        if hex || decimal || bits {
            *self = Self { range: at, count: 1, hex, decimal, bits };
        }
        ended
    }

    /// Ends the row and gives it if it was long enough.
    pub(super) fn end(&mut self) -> Option<Row> {
        let Self { range, count, hex, decimal, bits } = std::mem::take(self);
        (count >= LEAST).then_some(Row { range, hex, decimal, bits })
    }
}

fn hex_digits(word: &[u8]) -> Option<&[u8]> {
    match word {
        [_, _] => Some(word),
        [b'0', b'x' | b'X', digits @ ..] => Some(digits),
        _ => None,
    }
}

/// A whole row of numbers and the ways it can be read.
#[derive(Debug)]
pub(super) struct Row {
    range: Range<usize>,
    hex: bool,
    decimal: bool,
    bits: bool,
}

impl Row {
    /// Opens the row if it is text in one of the ways.
    pub(super) fn open(&self, bytes: &[u8]) -> Option<(Builder, &'static str)> {
        [(self.bits, 2, "binary"), (self.hex, 16, "hex"), (self.decimal, 10, "decimal")]
            .into_iter()
            .filter(|(may, ..)| *may)
            .find_map(|(_, radix, via)| Some((self.read(bytes, radix)?, via)))
    }

    fn read(&self, bytes: &[u8], radix: u32) -> Option<Builder> {
        let source = bytes.get(self.range.clone())?;
        let words = source.split(|b| !b.is_ascii_alphanumeric()).filter(|w| !w.is_empty());
        let number = |word: &[u8]| {
            let digits = if radix == 16 { hex_digits(word)? } else { word };
            u8::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok()
        };
        let all = words.map(number).collect::<Option<Vec<u8>>>()?;
        let text = plausible::text(&all).or_else(|| short(&all))?;
        let mut out = Builder::default();
        out.even(&text, self.range.clone(), 1);
        Some(out)
    }
}

/// A short row that is letters and spaces only.
fn short(all: &[u8]) -> Option<String> {
    let plain = all.iter().all(|b| b.is_ascii_alphabetic() || *b == b' ');
    plain.then(|| String::from_utf8_lossy(all).into_owned())
}
