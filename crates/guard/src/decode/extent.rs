//! How far a region reaches around the words that gave it away.

use std::ops::Range;

use super::words::Words;

/// How far from the last sign, in bytes, on the same line.
const REACH: usize = 240;

/// `sign` widened to its line, but not far, not before `floor`, and not through a word where the line is long.
pub(super) fn line(text: &str, sign: Range<usize>, floor: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let low = floor.max(sign.start.saturating_sub(REACH)).min(sign.start);
    let high = sign.end.saturating_add(REACH).min(bytes.len());
    let before = bytes.get(low..sign.start).unwrap_or_default();
    let after = bytes.get(sign.end..high).unwrap_or_default();
    let start = match before.iter().rposition(|b| *b == b'\n') {
        Some(end) => low + end + 1,
        None if low == floor => low,
        None => before.iter().position(|b| *b == b' ').map_or(sign.start, |i| low + i + 1),
    };
    let end = match after.iter().position(|b| *b == b'\n') {
        Some(i) => sign.end + i,
        None if high == bytes.len() => high,
        None => after.iter().rposition(|b| *b == b' ').map_or(sign.end, |i| sign.end + i),
    };
    on_boundaries(text, start..end)
}

/// As [`line`], but not past a plain English word: that is not of the region.
pub(super) fn foreign_words(text: &str, sign: Range<usize>, floor: usize) -> Range<usize> {
    let line = line(text, sign.clone(), floor);
    let (mut start, mut end) = (line.start, line.end);
    let mut at = line.start;
    for word in text.get(line.start..sign.start).unwrap_or_default().split_inclusive(is_cut) {
        at += word.len();
        if is_plain(word) {
            start = at;
        }
    }
    let mut at = sign.end;
    for word in text.get(sign.end..line.end).unwrap_or_default().split_inclusive(is_cut) {
        if is_plain(word) {
            end = at;
            break;
        }
        at += word.len();
    }
    start..end
}

fn is_cut(c: char) -> bool {
    !c.is_ascii_alphabetic()
}

fn is_plain(word: &str) -> bool {
    Words::english().knows(word.trim_end_matches(is_cut).to_ascii_lowercase().as_bytes())
}

/// `sign` widened over the characters of a word or address around it, at most `reach` bytes each way.
pub(super) fn token(text: &str, sign: Range<usize>, floor: usize, reach: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let low = floor.max(sign.start.saturating_sub(reach)).min(sign.start);
    let high = sign.end.saturating_add(reach).min(bytes.len());
    let before = bytes.get(low..sign.start).unwrap_or_default();
    let after = bytes.get(sign.end..high).unwrap_or_default();
    let start = before.iter().rposition(|b| ends_token(*b)).map_or(low, |i| low + i + 1);
    let end = after.iter().position(|b| ends_token(*b)).map_or(high, |i| sign.end + i);
    on_boundaries(text, start..end)
}

fn ends_token(b: u8) -> bool {
    b <= b' ' || matches!(b, b'"' | b'\'' | b'<' | b'>' | b'`' | b'(' | b')' | b'=' | b'?')
}

/// The largest range inside `range` that can be cut out of `text`.
pub(super) fn on_boundaries(text: &str, range: Range<usize>) -> Range<usize> {
    let start = text.ceil_char_boundary(range.start.min(text.len()));
    let end = text.floor_char_boundary(range.end.min(text.len())).max(start);
    start..end
}
