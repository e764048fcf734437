//! Reads a block as someone would who wants to see a mark in it. Knows nothing of the code under test: whole tables of
//! Unicode, folded once, character by character; the form of the marks written out again by hand.

use std::collections::BTreeMap;

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

pub(crate) const WORDS: &str = "ringfenceuntrusted";
pub(crate) const BACKWARDS: &str = "detsurtnuecnefgnir";

/// The planes that hold letters; the rest is folded when it comes.
const TABLED: u32 = 0x2_0000;

/// Every character's reading, and every character that reads as a given letter.
pub(crate) struct Judge {
    folded: Vec<u32>,
    spellings: Vec<String>,
    pub(crate) alike: BTreeMap<char, Vec<char>>,
}

impl Judge {
    pub(crate) fn new() -> Self {
        let mut judge = Self { folded: Vec::new(), spellings: vec![String::new()], alike: BTreeMap::new() };
        for code in 0..TABLED {
            let spelling = char::from_u32(code).map(|c| fold(&c.to_string())).unwrap_or_default();
            let mut index = 0;
            if !spelling.is_empty() {
                let mut chars = spelling.chars();
                if let (Some(letter), None, Some(c)) = (chars.next(), chars.next(), char::from_u32(code))
                    && letter.is_ascii_lowercase()
                {
                    judge.alike.entry(letter).or_default().push(c);
                }
                index = judge.spellings.len();
                judge.spellings.push(spelling);
            }
            judge.folded.push(u32::try_from(index).unwrap());
        }
        judge
    }

    /// The text as letters only, look-alikes read as what they look like; `solid` is a letter like no other.
    pub(crate) fn fold(&self, text: &str, solid: Option<char>, into: &mut String) {
        into.clear();
        for c in text.chars() {
            match c {
                'a'..='k' | 'n'..='z' => into.push(c),
                'A'..='H' | 'J' | 'K' | 'N' | 'P'..='Z' => into.push(c.to_ascii_lowercase()),
                _ if Some(c) == solid => into.push('~'),
                '\u{e0000}'..='\u{e0fff}' => {}
                _ => match self.folded.get(c as usize) {
                    Some(index) => into.push_str(&self.spellings[*index as usize]),
                    None => into.push_str(&fold(c.encode_utf8(&mut [0; 4]))),
                },
            }
        }
    }
}

/// The slow way, on a whole text: compatibility form, skeleton, case, no marks, no signs, nothing invisible.
pub(crate) fn fold(text: &str) -> String {
    let compatible: String = text.nfkc().collect();
    let skeleton: String = unicode_security::skeleton(&compatible).collect();
    let lower: String = skeleton.to_lowercase().nfkd().flat_map(char::to_lowercase).collect();
    lower.chars().filter(|c| !is_combining_mark(*c)).filter_map(letter).collect()
}

/// A letter as read; `None` for what a reader passes over.
fn letter(c: char) -> Option<char> {
    match c {
        'l' | '1' | '|' => Some('i'),
        '0' => Some('o'),
        '3' => Some('e'),
        '5' => Some('s'),
        '7' => Some('t'),
        '4' => Some('a'),
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => None,
        _ => c.is_alphanumeric().then_some(c),
    }
}

/// The open mark by the book, without what depends on the mode.
pub(crate) fn open(token: &str) -> String {
    format!("<<<BEGIN RINGFENCE-UNTRUSTED token={token} from=")
}

/// The close mark by the book.
pub(crate) fn close(token: &str) -> String {
    format!("<<<END RINGFENCE-UNTRUSTED token={token}>>>")
}
