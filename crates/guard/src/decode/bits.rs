//! Text in zeros and ones: a run of digits, or of two kinds of invisible characters.

use std::ops::Range;

use super::plausible;
use crate::view::Builder;

/// The shortest run, in bits.
pub(super) const SHORTEST: usize = 64;

/// Opens a run of the digits 0 and 1.
pub(super) fn open(bytes: &[u8], run: Range<usize>) -> Option<Builder> {
    let source = bytes.get(run.clone())?;
    if !source.iter().all(|b| matches!(b, b'0' | b'1')) {
        return None;
    }
    let text = plausible::text(&pack(source.iter().map(|b| *b == b'1')))?;
    let mut out = Builder::default();
    out.even(&text, run, 1);
    Some(out)
}

/// Opens a run of zero-width characters in which two kinds stand for zero and one.
pub(super) fn open_invisible(text: &str, run: Range<usize>) -> Option<Builder> {
    let source = text.get(run.clone())?;
    let mut kinds: Vec<char> = Vec::with_capacity(3);
    for c in source.chars() {
        if !kinds.contains(&c) {
            kinds.push(c);
        }
        if kinds.len() > 3 {
            return None;
        }
    }
    let mut out = Builder::default();
    for (i, zero) in kinds.iter().enumerate() {
        for (j, one) in kinds.iter().enumerate() {
            let bits = source.chars().filter(|c| c == zero || c == one).map(|c| c == *one);
            if i != j
                && let Some(text) = plausible::text(&pack(bits))
            {
                out.whole(&text, run);
                return Some(out);
            }
        }
    }
    None
}

fn pack(bits: impl Iterator<Item = bool>) -> Vec<u8> {
    let mut out = Vec::new();
    let (mut byte, mut count) = (0_u8, 0);
    for bit in bits {
        byte = byte << 1 | u8::from(bit);
        count += 1;
        if count == 8 {
            out.push(byte);
            (byte, count) = (0, 0);
        }
    }
    out
}
