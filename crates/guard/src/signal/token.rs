//! Words of a folded text, one after the other, and what stands between them.
//!
//! Words are runs of letters, digits, apostrophes and underscores; an identifier is one word. Characters of scripts
//! without spaces are looked up in the lexicon: the longest entry is a word, otherwise the single character.
//! Short markup tags are passed over, so that `ignore <b>all</b> instructions` reads as it looks.

use super::lexicon::Lexicon;
use crate::swar;

/// The longest tag that is passed over.
const MAX_TAG: usize = 64;

/// One word, and what came before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) start: usize,
    pub(super) end: usize,
    /// A sentence or paragraph ended before it.
    pub(super) breaks: bool,
    /// It begins a sentence, a line, a list item, a quotation or what follows a colon.
    pub(super) begins: bool,
    /// A colon follows it.
    pub(super) colon: bool,
    /// It reads like an address: it holds an `@` or begins a link.
    pub(super) address: bool,
}

/// Reads words from a position on.
pub(super) struct Words<'a> {
    text: &'a str,
    at: usize,
    first: bool,
}

impl<'a> Words<'a> {
    pub(super) fn new(text: &'a str, at: usize) -> Self {
        Self { text, at, first: at == 0 }
    }

    /// The next word, if it begins before `limit`.
    pub(super) fn next(&mut self, lexicon: &Lexicon, limit: usize) -> Option<Token> {
        let mut token = Token { begins: std::mem::take(&mut self.first), ..Token::default() };
        let bytes = self.text.as_bytes();
        let mut newlines = 0;
        while self.at < limit {
            let &byte = bytes.get(self.at)?;
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => {
                    self.word(&mut token);
                    return Some(token);
                }
                b'.' | b'!' | b'?' => {
                    let ends = bytes.get(self.at + 1).is_none_or(|next| !next.is_ascii_alphanumeric());
                    token.breaks |= ends;
                    token.begins |= ends;
                }
                b'\n' => {
                    newlines += 1;
                    token.breaks |= newlines > 1;
                    token.begins = true;
                }
                b':' | b';' | b'"' | b'\'' | b'`' | b'(' | b'[' | b'>' | b'*' | b'#' | b'|' | b'-' | b'/' => {
                    token.begins = true
                }
                // A line break in a string of a program or of JSON.
                b'\\' if matches!(bytes.get(self.at + 1), Some(b'n' | b'r' | b't')) => {
                    token.begins = true;
                    self.at += 2;
                    continue;
                }
                b'<' => {
                    self.at += self.tag();
                    token.begins = true;
                    continue;
                }
                0x80.. => {
                    let c = self.text.get(self.at..).and_then(|rest| rest.chars().next())?;
                    if c.is_alphanumeric() {
                        match is_unspaced(c) {
                            true => self.unspaced(lexicon, &mut token),
                            false => self.word(&mut token),
                        }
                        return Some(token);
                    }
                    if matches!(c, '。' | '！' | '？' | '…') {
                        token.breaks = true;
                    }
                    token.begins = true;
                    self.at += c.len_utf8();
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
        None
    }

    /// Takes a word of a script with spaces, and an address as one word.
    fn word(&mut self, token: &mut Token) {
        token.start = self.at;
        let quick = self.at + plain(self.text.as_bytes(), self.at);
        if self.text.as_bytes().get(quick).is_none_or(|b| b.is_ascii() && !matches!(b, b'\'' | b'@' | b':')) {
            token.end = quick;
            self.at = quick;
            return;
        }
        let rest = self.text.get(self.at..).unwrap_or_default();
        let mut end = rest.len();
        for (i, c) in rest.char_indices() {
            let part = match c {
                'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '@' => true,
                '\'' | '’' => rest.get(i + c.len_utf8()..).is_some_and(|r| r.starts_with(char::is_alphabetic)),
                // Inside an address dots and dashes belong to it.
                '.' | '-' | '/' if token.address => {
                    rest.get(i + 1..).is_some_and(|r| r.starts_with(|n: char| n.is_alphanumeric() || n == '/'))
                }
                ':' => !token.address && matches!(rest.get(..i), Some("http" | "https" | "ftp")),
                _ if c.is_ascii() => false,
                _ => c.is_alphanumeric() && !is_unspaced(c),
            };
            if !part {
                end = i;
                break;
            }
            if c == '@' || c == ':' {
                token.address = true;
            }
        }
        token.end = self.at + end;
        self.at = token.end;
        token.colon = matches!(self.text.as_bytes().get(self.at), Some(b':'));
    }

    /// Takes a word of a script without spaces.
    fn unspaced(&mut self, lexicon: &Lexicon, token: &mut Token) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = lexicon.longest(rest).unwrap_or_else(|| rest.chars().next().map_or(1, char::len_utf8));
        token.start = self.at;
        token.end = self.at + length;
        self.at = token.end;
        token.colon = self.text.get(self.at..).is_some_and(|r| r.starts_with([':', '：']));
    }

    /// How many bytes a short tag takes here; 1 if there is none.
    fn tag(&self) -> usize {
        let rest = self.text.as_bytes().get(self.at + 1..).unwrap_or_default();
        if !rest.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'/') {
            return 1;
        }
        let close = rest.iter().take(MAX_TAG).position(|b| matches!(b, b'>' | b'<' | b'\n'));
        match close.and_then(|i| rest.get(i).map(|b| (i, *b))) {
            Some((i, b'>')) => i + 2,
            _ => 1,
        }
    }
}

/// How many ASCII letters, digits and underscores stand at a place.
#[inline]
fn plain(bytes: &[u8], at: usize) -> usize {
    let mut length = 0;
    loop {
        let part = swar::load(bytes, at + length);
        let here = swar::leading(swar::letters(part) | swar::digits(part) | swar::underscores(part));
        length += here;
        if here < 8 {
            return length;
        }
    }
}

/// Whether a character belongs to a script that is written without spaces.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2ffff}')
}
