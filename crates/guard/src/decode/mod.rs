//! Decoding: finds what is encoded in a text and opens it, with the way back to the encoded run.
//!
//! One pass looks at words and marks; what looks encoded is opened and kept only if it reads as text. A region is
//! searched for wherever it stands: in a page, a JSON string, a comment. Opening what was opened is the caller's
//! loop (a bounded depth), with one [`Budget`] for the whole of it. Nothing is judged here.

mod base64;
mod bits;
mod budget;
mod caesar;
mod codes;
mod emit;
mod escape;
mod extent;
mod invisible;
mod leet;
mod letters;
mod morse;
mod plausible;
mod reversed;
mod search;
mod streak;
mod words;

pub use budget::Budget;

use crate::view::View;

/// A text that was found encoded.
#[derive(Debug, Clone)]
pub struct Decoding {
    /// The decoded text; its way back leads to the encoded run in the original.
    pub view: View<'static>,
    /// The encoding, as a finding names it: `base64`, `rot13`, …
    pub via: &'static str,
}

/// Opens what is encoded in a view (not yet folded: letter case matters). Linear in its text.
#[must_use]
pub fn decode(view: &View<'_>, budget: &mut Budget) -> Vec<Decoding> {
    search::Search::new(view, budget).run()
}
