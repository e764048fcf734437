//! The marks themselves and what looks like one. The form of a mark is decided here and nowhere else:
//!
//! ```text
//! <<<BEGIN RINGFENCE-UNTRUSTED token=0123…cdef from=web_fetch as=plain>>>
//! …
//! <<<END RINGFENCE-UNTRUSTED token=0123…cdef>>>
//! ```
//!
//! INVARIANT: every mark holds `RINGFENCE-UNTRUSTED`, and no content passes with a text that can be read as these
//! words, forwards or backwards, whatever stands around or between the letters. So no content holds a mark, with the
//! right token or another. The fixed words at both ends keep letters of the content from joining letters of a mark.

use super::lanes::{Lanes, Pattern};
use super::likeness;
use super::token::Token;

/// The words in every mark.
pub(super) const WORDS: &str = "RINGFENCE-UNTRUSTED";

/// What stands where a look-alike stood. It neither begins nor ends with a letter that could complete what is left of
/// one beside it.
pub(super) const REMOVED: &str = "[false mark]";

/// Longest source label, in characters.
pub const LABEL_MAX: usize = 48;

/// How the content of a block is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Form {
    Plain,
    Words,
    Base64,
    Hex,
}

impl Form {
    pub(super) const ALL: [Self; 4] = [Self::Plain, Self::Words, Self::Base64, Self::Hex];

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Words => "words",
            Self::Base64 => "base64",
            Self::Hex => "hex",
        }
    }
}

/// The open mark.
pub(super) fn open(token: &Token, label: &str, form: Form) -> String {
    format!("<<<BEGIN {WORDS} token={} from={label} as={}>>>", token.hex(), form.word())
}

/// The close mark.
pub(super) fn close(token: &Token) -> String {
    format!("<<<END {WORDS} token={}>>>", token.hex())
}

/// Finds what can be read as the words of a mark, or as the token.
pub(super) fn look_alikes(token: &Token) -> Lanes {
    let words = pattern(WORDS);
    let token = pattern(&token.hex());
    let backwards = |p: &Pattern| p.iter().rev().copied().collect::<Pattern>();
    Lanes::new(&[words.clone(), backwards(&words), token.clone(), backwards(&token)], likeness::read)
}

/// The letters and digits of a text, as a pattern.
pub(crate) fn pattern(text: &str) -> Pattern {
    text.chars().map(likeness::symbol).filter(|symbols| *symbols != 0).collect()
}

/// The content without anything that looks like a mark.
pub(super) fn neutralise(look_alikes: &Lanes, content: &str) -> String {
    let mut out = String::with_capacity(content.len());
    let mut at = 0;
    for found in look_alikes.find_all(content) {
        out.push_str(content.get(at..found.start).unwrap_or_default());
        out.push_str(REMOVED);
        at = found.end;
    }
    out.push_str(content.get(at..).unwrap_or_default());
    out
}

/// A source label that is safe inside a mark: a tool's name is as untrusted as its output.
pub(super) fn label(look_alikes: &Lanes, source: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "_-.:/".contains(c) { c } else { '_' };
    let label: String = source.chars().take(LABEL_MAX).map(plain).collect();
    match label.is_empty() || look_alikes.find(source, 0).is_some() || look_alikes.find(&label, 0).is_some() {
        true => "unnamed".to_owned(),
        false => label,
    }
}
