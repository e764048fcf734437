//! Labelled texts in, weights out: how the scanner's linear model is learnt, the same bytes from the same texts.
//!
//! Pure like the rest of the crate: the caller reads the corpus and writes the model. [`prepare`] turns texts into
//! keys once, [`fit()`] learns from any part of them, [`Fitted::pack`] makes the bytes that [`Model`](crate::Model)
//! reads.

mod fit;
mod prepare;
mod prior;
mod variation;

pub use fit::{Fitted, Settings, Thresholds, fit};
pub use prepare::{Document, Label, Prepared, Sample, prepare};
pub use variation::{Grammar, GrammarError};
