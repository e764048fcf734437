//! What a text looks like: its skeleton, as Unicode's report 39 defines it. Characters in, those they pass for out.
//!
//! The table is text that is searched where it lies: a program that never asks never touches it.

use unicode_normalization::UnicodeNormalization;

/// Lines in the order of their first character: five hex digits for it, and for each one it stands for.
static LINES: &str = include_str!(concat!(env!("OUT_DIR"), "/skeletons.txt"));

/// Digits of a character.
const DIGITS: usize = 5;

/// What `text` looks like. Texts that look alike have the same.
pub(super) fn skeleton(text: &str) -> impl Iterator<Item = char> {
    text.nfd().flat_map(stands_for).nfd()
}

/// The characters that `c` passes for: itself, others, or none where nobody sees it.
fn stands_for(c: char) -> impl Iterator<Item = char> {
    let line = find(u32::from(c));
    let own = line.is_none().then_some(c);
    let others = line.unwrap_or_default().as_bytes().chunks_exact(DIGITS).filter_map(number).filter_map(char::from_u32);
    others.chain(own)
}

/// What stands in the line of a character, behind the character.
fn find(code: u32) -> Option<&'static str> {
    let bytes = LINES.as_bytes();
    // INVARIANT: both are at the start of a line, and the line is not before `low` and before `high`.
    let (mut low, mut high) = (0, bytes.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let start = bytes.get(low..middle)?.iter().rposition(|b| *b == b'\n').map_or(low, |at| low + at + 1);
        let rest = LINES.get(start..high)?;
        let (line, next) = rest.split_once('\n').map_or((rest, high), |(line, _)| (line, start + line.len() + 1));
        let (key, others) = line.split_at_checked(DIGITS)?;
        match number(key.as_bytes())?.cmp(&code) {
            std::cmp::Ordering::Equal => return Some(others),
            std::cmp::Ordering::Less => low = next,
            std::cmp::Ordering::Greater => high = start,
        }
    }
    None
}

fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |sum, digit| Some(sum << 4 | char::from(*digit).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_character_looks_like_what_unicode_says() {
        let mut others = 0;
        for c in '\0'..=char::MAX {
            let text = c.to_string();
            let (ours, theirs): (String, String) =
                (skeleton(&text).collect(), unicode_security::skeleton(&text).collect());
            assert_eq!(ours, theirs, "{c:?}");
            others += u32::from(ours != text);
        }
        assert!(others > 10_000, "{others}");
    }

    proptest! {
        #[test]
        fn so_does_every_text(text in "\\PC{0,24}") {
            prop_assert!(skeleton(&text).eq(unicode_security::skeleton(&text)));
        }
    }
}
