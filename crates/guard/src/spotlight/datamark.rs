//! Datamarking: a mark between all words, so that no stretch of the content stands unmarked. Text in, marked text out,
//! and back again exactly.
//!
//! The mark is one private-use character that the token picks. The same character in the content is doubled, so a run
//! of marks always stands for half as many of the content's own, rounded down. Marks go before each word, after
//! every [`STRETCH`] characters without one, and between all characters of what looks like a delimiter.

use super::lanes::Lanes;
use super::token::Token;

/// No longer stretch of a word goes without a mark; what is written without spaces is marked as well.
const STRETCH: usize = 16;

/// The mark of a token.
pub(super) fn mark_of(token: &Token) -> char {
    let bytes = token.bytes();
    let number = bytes.iter().fold(0_u32, |sum, byte| (sum * 256 + u32::from(*byte)) % 6400);
    char::from_u32(0xE000 + number).unwrap_or('\u{E000}')
}

/// The content with the mark all through it.
pub(super) fn insert(look_alikes: &Lanes, mark: char, content: &str) -> String {
    let mut out = String::with_capacity(content.len() + content.len() / 2);
    let mut found = look_alikes.find_all(content).peekable();
    let mut before = Before::Space;
    for (at, c) in content.char_indices() {
        while found.next_if(|f| f.end <= at).is_some() {}
        let in_look_alike = found.peek().is_some_and(|f| f.start < at);
        let due = match before {
            Before::Space => !c.is_whitespace(),
            // A mark beside the content's own would read as one more of these: it waits.
            Before::Own => false,
            Before::Word(length) => c != mark && (in_look_alike || length >= STRETCH),
        };
        if due {
            out.push(mark);
        }
        if c == mark {
            out.push(c);
        }
        out.push(c);
        before = match before {
            _ if c.is_whitespace() => Before::Space,
            _ if c == mark => Before::Own,
            Before::Word(length) if !due => Before::Word(length + 1),
            _ => Before::Word(1),
        };
    }
    out
}

/// What stands before a character.
#[derive(Clone, Copy)]
enum Before {
    Space,
    Own,
    Word(usize),
}

/// The content again, if `marked` is what marking it gives.
pub(super) fn remove(look_alikes: &Lanes, mark: char, marked: &str) -> Option<String> {
    let mut content = String::with_capacity(marked.len());
    let mut run = 0_usize;
    for c in marked.chars() {
        if c == mark {
            run += 1;
            if run.is_multiple_of(2) {
                content.push(mark);
            }
        } else {
            run = 0;
            content.push(c);
        }
    }
    (insert(look_alikes, mark, &content) == marked).then_some(content)
}
