//! Base64 and long hexadecimal runs, wherever they stand, over line breaks too.

use std::ops::Range;

use super::plausible::{self, LEAST};
use crate::view::Builder;

/// The shortest run worth a look.
pub(super) const SHORTEST: usize = 16;
/// How much of a run is decoded before deciding whether the rest is worth it.
const PROBE: usize = 16;

/// The whole run of base64 characters around an alphanumeric run: over `+/-_`, padding and line breaks.
pub(super) fn extent(bytes: &[u8], run: Range<usize>, floor: usize) -> Range<usize> {
    let before = bytes.get(floor.min(run.start)..run.start).unwrap_or_default();
    let start = run.start - before.iter().rev().take_while(|b| value(**b).is_some()).count();
    let mut end = past(bytes, run.end);
    let first_line = end - start;
    while let Some((next, after)) = wrapped(bytes, end) {
        let line = after - next;
        if line > first_line + 4 || first_line < 32 {
            break;
        }
        end = after;
        if line + 4 < first_line {
            break;
        }
    }
    let padding = bytes.get(end..).unwrap_or_default().iter().take(2).take_while(|b| **b == b'=').count();
    start..end + padding
}

fn past(bytes: &[u8], at: usize) -> usize {
    at + bytes.get(at..).unwrap_or_default().iter().take_while(|b| value(**b).is_some()).count()
}

/// The run that fills the next line, if the present one ends where its line does.
fn wrapped(bytes: &[u8], end: usize) -> Option<(usize, usize)> {
    let mut at = end;
    // a line break as it is, or as a string in JSON writes it
    match bytes.get(at..)? {
        [b'\r', b'\n', ..] => at += 2,
        [b'\n', ..] => at += 1,
        [b'\\', b'r', b'\\', b'n', ..] => at += 4,
        [b'\\', b'n', ..] => at += 2,
        _ => return None,
    }
    at += bytes.get(at..)?.iter().take(16).take_while(|b| matches!(b, b' ' | b'\t' | b'>' | b'#' | b'*')).count();
    let after = past(bytes, at);
    let fills =
        bytes.get(after).is_none_or(|b| matches!(b, b' ' | b'\r' | b'\n' | b'=' | b'"' | b'\'' | b'`' | b'<' | b'\\'));
    (after > at && fills).then_some((at, after))
}

/// Opens a run if it is text in base64. The text may start up to three characters into the run.
pub(super) fn open(bytes: &[u8], run: Range<usize>) -> Option<Builder> {
    for skip in 0..4 {
        let start = run.start + skip;
        let source = bytes.get(start..run.end)?;
        if source.len() < SHORTEST {
            return None;
        }
        let probe = probe(source.first_chunk()?);
        let wide = is_wide(&probe);
        if !wide && !plausible::may_start(&probe) {
            continue;
        }
        let mut all = Vec::with_capacity(source.len() / 4 * 3 + 3);
        values(source, &mut all);
        if wide {
            all = all.iter().copied().step_by(2).collect();
        }
        let decoded = all.len();
        if let Some(text) = plausible::text(&all) {
            let used = source.len() * text.len() / decoded.max(1);
            let mut out = Builder::default();
            out.even(&text, start..(start + used.max(1)).min(run.end), 1);
            return Some(out);
        }
    }
    None
}

/// Whether every second byte is zero: UTF-16 of plain letters.
fn is_wide(bytes: &[u8]) -> bool {
    bytes.len() >= LEAST && bytes.chunks_exact(2).all(|p| matches!(p, [1..=0x7f, 0]))
}

/// The first bytes of a run, which has no line break yet.
fn probe(source: &[u8; PROBE]) -> [u8; PROBE / 4 * 3] {
    let mut out = [0; PROBE / 4 * 3];
    for (to, from) in out.chunks_exact_mut(3).zip(source.chunks_exact(4)) {
        let bits = from.iter().fold(0_u32, |n, b| n << 6 | u32::from(value(*b).unwrap_or(0)));
        let [_, bytes @ ..] = bits.to_be_bytes();
        to.copy_from_slice(&bytes);
    }
    out
}

/// Decodes, passing over line breaks, to the padding or the end.
fn values(source: &[u8], out: &mut Vec<u8>) {
    let (mut bits, mut count) = (0_u32, 0_u32);
    for b in source {
        let Some(v) = value(*b) else { if *b == b'=' { break } else { continue } };
        bits = bits << 6 | u32::from(v);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
}

fn value(b: u8) -> Option<u8> {
    Some(match b {
        b'A'..=b'Z' => b - b'A',
        b'a'..=b'z' => b - b'a' + 26,
        b'0'..=b'9' => b - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    })
}

/// Opens a run of hexadecimal digits if it is text.
pub(super) fn open_hex(bytes: &[u8], run: Range<usize>) -> Option<Builder> {
    let source = bytes.get(run.clone())?;
    let digits: Vec<u8> = source.iter().filter_map(|b| char::from(*b).to_digit(16).map(|d| d as u8)).collect();
    for skip in 0..2 {
        let pairs = digits.get(skip..)?.chunks_exact(2);
        let all: Vec<u8> = pairs.map(|p| p.iter().fold(0, |n, d| n << 4 | d)).collect();
        if !plausible::may_start(all.get(..LEAST.min(all.len()))?) {
            continue;
        }
        if let Some(text) = plausible::text(&all) {
            let mut out = Builder::default();
            out.even(&text, run.start + skip..run.end, 1);
            return Some(out);
        }
    }
    None
}

/// The whole run of hexadecimal digits around one, over line breaks.
pub(super) fn hex_extent(bytes: &[u8], run: Range<usize>) -> Range<usize> {
    let mut end = run.end;
    while let Some((next, after)) = wrapped(bytes, end) {
        let is_hex = bytes.get(next..after).is_some_and(|l| l.iter().all(u8::is_ascii_hexdigit));
        if !is_hex || after - next > run.len() || run.len() < 32 {
            break;
        }
        end = after;
    }
    run.start..end
}
