//! Text from outside as it may stand in an event: clipped, and nothing in it that a terminal acts on.
//!
//! Secrets are not masked here: that is the work of the guards, before a text comes this way.

use std::fmt::Write as _;

/// The most characters of a snippet.
pub const LONGEST_SNIPPET: usize = 512;

/// The first characters of a text, control characters escaped; `…` stands where something was cut off.
pub fn clip(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    for c in chars.by_ref().take(LONGEST_SNIPPET) {
        if c.is_control() {
            // Writing to a String cannot fail.
            let _ = write!(out, "{}", c.escape_default());
        } else {
            out.push(c);
        }
    }
    if chars.next().is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_and_hostile_texts_become_short_and_harmless() {
        assert_eq!(clip("größe"), "größe");
        assert_eq!(clip("a\u{1b}[2J\n\u{9b}"), "a\\u{1b}[2J\\n\\u{9b}");
        assert_eq!(clip(&"ä".repeat(LONGEST_SNIPPET)), "ä".repeat(LONGEST_SNIPPET));
        assert_eq!(clip(&"ä".repeat(LONGEST_SNIPPET + 1)), "ä".repeat(LONGEST_SNIPPET) + "…");
    }
}
