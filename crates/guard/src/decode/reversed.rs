//! Text from the last letter to the first: whole, word by word, behind a direction override, or upside down.

use std::ops::Range;

use crate::view::Builder;

/// The region from its end to its start.
pub(super) fn whole(text: &str, region: Range<usize>) -> Builder {
    let mut out = Builder::with_capacity(region.len());
    let mut end = region.end;
    let source = text.get(region).unwrap_or_default();
    for run in runs(source).into_iter().rev() {
        let start = end - run.len();
        let back: String = run.chars().rev().collect();
        out.mirror(&back, start..end);
        end = start;
    }
    out
}

/// The region with each word turned around where it stands.
pub(super) fn by_word(text: &str, region: Range<usize>) -> Builder {
    let mut out = Builder::with_capacity(region.len());
    let mut at = region.start;
    let source = text.get(region).unwrap_or_default();
    for part in source.split_inclusive(is_between) {
        let word = part.trim_end_matches(is_between);
        let back: String = word.chars().rev().collect();
        out.mirror(&back, at..at + word.len());
        out.copy(part.get(word.len()..).unwrap_or_default(), at + word.len());
        at += part.len();
    }
    out
}

/// Whether a character stands between words however they are turned.
fn is_between(c: char) -> bool {
    c.is_whitespace() || matches!(c, '"' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>')
}

/// Runs of ASCII and single characters beyond it.
fn runs(text: &str) -> Vec<&str> {
    let mut runs = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let len = match c.is_ascii() {
            true => crate::fold::ascii_prefix(rest.as_bytes()),
            false => c.len_utf8(),
        };
        let (run, after) = rest.split_at_checked(len).unwrap_or((rest, ""));
        runs.push(run);
        rest = after;
    }
    runs
}

/// The letter that a turned letter stands for.
pub(super) fn upright(c: char) -> Option<char> {
    Some(match c {
        'ɐ' => 'a',
        'ɔ' => 'c',
        'ǝ' => 'e',
        'ɟ' => 'f',
        'ƃ' | 'ᵷ' => 'g',
        'ɥ' => 'h',
        'ᴉ' | 'ı' => 'i',
        'ɾ' => 'j',
        'ʞ' => 'k',
        'ꞁ' => 'l',
        'ɯ' => 'm',
        'ɹ' => 'r',
        'ʇ' => 't',
        'ʌ' => 'v',
        'ʍ' => 'w',
        'ʎ' => 'y',
        '˙' => '.',
        '¿' => '?',
        '¡' => '!',
        _ => return None,
    })
}

/// The region turned by half a turn, word by word.
pub(super) fn turned(text: &str, region: Range<usize>) -> Builder {
    let mut out = Builder::with_capacity(region.len());
    let mut end = region.end;
    for word in text.get(region).unwrap_or_default().split_inclusive(' ').rev() {
        let plain: String = word.chars().rev().map(half_turn).collect();
        out.whole(&plain, end - word.len()..end);
        end -= word.len();
    }
    out
}

fn half_turn(c: char) -> char {
    upright(c).unwrap_or(match c {
        'u' => 'n',
        'n' => 'u',
        'b' => 'q',
        'q' => 'b',
        'd' => 'p',
        'p' => 'd',
        '\'' => ',',
        c => c,
    })
}
