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

/// Fragments of which one stands in nearly every match. Fragments rather than words: they are rarer.
pub(super) const ANCHORS: &[&[&str]] = &[english::ANCHORS, languages::ANCHORS];
