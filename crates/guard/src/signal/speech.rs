//! The words and wordings of the phrase grammar: English first, a core in ten other languages.
//!
//! Written from what an attack has to say to work: it takes back (verb, which, what), renames, claims rank, asks for
//! what is private, sends it, or hides itself. Wordings that ordinary text uses as well carry a lower severity.

mod english;
mod languages;

use super::grammar::Wording;

/// Every class, by name.
pub(super) const CLASSES: &[(&str, &str)] = english::CLASSES;

/// Every wording.
pub(super) const WORDINGS: &[&[Wording]] = &[english::WORDINGS, languages::WORDINGS];

/// Fragments of which one stands in every match, in ASCII. Fragments rather than words: their first bytes are rarer.
pub(super) const ANCHORS: &[&str] = english::ANCHORS;

/// The same for the other languages that fold to ASCII.
pub(super) const LATIN_ANCHORS: &[&str] = languages::LATIN_ANCHORS;

/// The same for other scripts.
pub(super) const OTHER_ANCHORS: &[&str] = languages::OTHER_ANCHORS;
