//! The words and wordings of the phrase grammar: English first, a core in ten other languages.
//!
//! Written from what an attack has to say to work: it takes back (verb, which, what), renames, claims rank, asks for
//! what is private, sends it, or hides itself. Wordings that ordinary text uses as well carry a lower severity.

mod asking;
mod english;
mod languages;
mod ordering;
mod playing;
mod taking;

use super::grammar::Wording;

/// Every class, by name.
pub(super) const CLASSES: &[&[(&str, &str)]] =
    &[english::CLASSES, taking::CLASSES, playing::CLASSES, asking::CLASSES, ordering::CLASSES];

/// Every wording.
pub(super) const WORDINGS: &[&[Wording]] = &[
    english::WORDINGS,
    taking::WORDINGS,
    playing::WORDINGS,
    asking::WORDINGS,
    ordering::WORDINGS,
    languages::WORDINGS,
];

/// Fragments of which one stands in nearly every match. Fragments rather than words: they are rarer.
pub(super) const ANCHORS: &[&[&str]] =
    &[english::ANCHORS, taking::ANCHORS, playing::ANCHORS, asking::ANCHORS, ordering::ANCHORS, languages::ANCHORS];
