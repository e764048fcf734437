//! Pieces of a text that are fit to be shown: one line, bounded, nothing that is not seen.

use crate::spotlight::likeness::is_ignorable;

/// The text on one line: spaces run together, controls and what is not seen left out.
pub(super) fn clean(text: &str) -> String {
    clean_to(text, usize::MAX).0
}

/// At most `most` characters of the text, cleaned, and whether that is all of it.
pub(super) fn clean_to(text: &str, most: usize) -> (String, bool) {
    let mut out = String::new();
    let mut length = 0;
    let mut space = false;
    for c in text.chars() {
        if c.is_whitespace() {
            space = length > 0;
            continue;
        }
        if c.is_control() || is_ignorable(c) {
            continue;
        }
        if length + 1 + usize::from(space) > most {
            return (out, false);
        }
        if space {
            out.push(' ');
            length += 1;
            space = false;
        }
        out.push(c);
        length += 1;
    }
    (out, true)
}

/// At most `most` characters, with a sign where something was cut off.
pub(super) fn cut(text: &str, most: usize) -> String {
    let (mut out, whole) = clean_to(text, most);
    if !whole && out.pop().is_some() {
        out.push('…');
    }
    out
}
