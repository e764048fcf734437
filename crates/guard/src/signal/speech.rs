//! The words and wordings of the phrase grammar: English first, a core in ten other languages, a few phrases in more.
//!
//! Written from what an attack has to say to work: it takes back (verb, which, what), renames, claims rank, asks for
//! what is private, sends it, or hides itself. Wordings that ordinary text uses as well carry a lower severity.

mod abroad;
mod asking;
mod composing;
mod dictating;
mod english;
mod given;
mod languages;
mod mailing;
mod ordering;
mod playing;
mod pressing;
mod private;
mod renewing;
mod taking;

use super::grammar::Wording;

/// Every class, by name.
pub(super) const CLASSES: &[&[(&str, &str)]] = &[
    english::CLASSES,
    taking::CLASSES,
    playing::CLASSES,
    asking::CLASSES,
    ordering::CLASSES,
    mailing::CLASSES,
    composing::CLASSES,
    pressing::CLASSES,
    given::CLASSES,
];

/// Every wording.
pub(super) const WORDINGS: &[&[Wording]] = &[
    english::WORDINGS,
    private::WORDINGS,
    taking::WORDINGS,
    renewing::WORDINGS,
    playing::WORDINGS,
    asking::WORDINGS,
    ordering::WORDINGS,
    dictating::WORDINGS,
    mailing::WORDINGS,
    composing::WORDINGS,
    pressing::WORDINGS,
    given::WORDINGS,
    languages::WORDINGS,
    abroad::WORDINGS,
];

/// Fragments of which one stands in nearly every match. Fragments rather than words: they are rarer.
pub(super) fn anchors() -> Vec<&'static str> {
    ANCHORS.iter().flat_map(|list| list.split('|')).collect()
}

/// They are written one after another, with a bar between.
const ANCHORS: &[&str] = &[
    english::ANCHORS,
    taking::ANCHORS,
    playing::ANCHORS,
    asking::ANCHORS,
    ordering::ANCHORS,
    mailing::ANCHORS,
    composing::ANCHORS,
    pressing::ANCHORS,
    given::ANCHORS,
    languages::ANCHORS,
    abroad::ANCHORS,
];
