//! Letters moved in the alphabet.

use std::ops::Range;

use crate::view::Builder;

/// The region with every letter moved back by `shift`.
pub(super) fn open(text: &str, region: Range<usize>, shift: u8) -> Builder {
    let source = text.get(region.clone()).unwrap_or_default();
    let plain: String = source.chars().map(|c| back(c, shift)).collect();
    let mut out = Builder::default();
    out.copy(&plain, region.start);
    out
}

fn back(c: char, shift: u8) -> char {
    let base = match c {
        'a'..='z' => b'a',
        'A'..='Z' => b'A',
        _ => return c,
    };
    u8::try_from(c).map_or(c, |b| char::from((b - base + 26 - shift % 26) % 26 + base))
}

/// The name a finding gives to a shift.
pub(super) fn name(shift: u8) -> &'static str {
    if shift == 13 { "rot13" } else { "caesar" }
}
