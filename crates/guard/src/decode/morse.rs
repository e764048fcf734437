//! Morse code: groups of dots and dashes, words apart by `/` or wider spaces.

use std::ops::Range;

use crate::view::Builder;

/// The shortest message, in letters.
const LEAST: usize = 8;
/// The most bytes between two letters.
const GAP: usize = 3;

const LETTERS: [(&str, char); 38] = [
    (".-", 'a'),
    ("-...", 'b'),
    ("-.-.", 'c'),
    ("-..", 'd'),
    (".", 'e'),
    ("..-.", 'f'),
    ("--.", 'g'),
    ("....", 'h'),
    ("..", 'i'),
    (".---", 'j'),
    ("-.-", 'k'),
    (".-..", 'l'),
    ("--", 'm'),
    ("-.", 'n'),
    ("---", 'o'),
    (".--.", 'p'),
    ("--.-", 'q'),
    (".-.", 'r'),
    ("...", 's'),
    ("-", 't'),
    ("..-", 'u'),
    ("...-", 'v'),
    (".--", 'w'),
    ("-..-", 'x'),
    ("-.--", 'y'),
    ("--..", 'z'),
    ("-----", '0'),
    (".----", '1'),
    ("..---", '2'),
    ("...--", '3'),
    ("....-", '4'),
    (".....", '5'),
    ("-....", '6'),
    ("--...", '7'),
    ("---..", '8'),
    ("----.", '9'),
    (".-.-.-", '.'),
    ("--..--", ','),
];

/// Letters as they go by.
#[derive(Debug, Default)]
pub(super) struct Morse {
    range: Range<usize>,
    text: String,
}

impl Morse {
    /// Takes a group of dots and dashes. Gives the message that ended before it, if one did.
    pub(super) fn take(&mut self, bytes: &[u8], at: Range<usize>) -> Option<Builder> {
        let group = bytes.get(at.clone()).and_then(|b| std::str::from_utf8(b).ok());
        let letter = group.and_then(|g| LETTERS.iter().find(|(code, _)| *code == g)).map(|(_, c)| *c);
        let between = bytes.get(self.range.end..at.start).unwrap_or_default();
        let near = between.len() <= GAP && between.iter().all(|b| matches!(b, b' ' | b'/' | b'|' | b'\n'));
        let ended = if near && letter.is_some() { None } else { self.end() };
        let Some(letter) = letter else { return ended };
        if self.text.is_empty() {
            self.range = at.clone();
        } else if between != b" " {
            self.text.push(' ');
        }
        self.text.push(letter);
        self.range.end = at.end;
        ended
    }

    /// Ends the message and gives it if it says something.
    pub(super) fn end(&mut self) -> Option<Builder> {
        let Self { range, text } = std::mem::take(self);
        let letters = text.chars().filter(|c| *c != ' ').count();
        let kinds = ('a'..='z').filter(|c| text.contains(*c)).count();
        if letters < LEAST || kinds < 5 {
            return None;
        }
        let mut out = Builder::default();
        out.even(&text, range, 1);
        Some(out)
    }
}
