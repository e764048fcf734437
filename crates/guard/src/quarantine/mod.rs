//! What is shown instead of a text that is too long or too odd to be shown: the contract a summariser must keep, and a
//! summary that needs no model. Text in, a few bounded pieces out. INVARIANT: the raw text is never shown; what is
//! quoted from it is bounded by [`Budget`], what a summariser quotes by [`QUOTED_MAX`] and [`RUN_MAX`].

mod extract;
mod kind;
mod piece;
mod quoted;
mod summary;

pub use extract::{Budget, Extract, Statistics, extractive};
pub use kind::Kind;
pub use quoted::{QUOTED_MAX, Quoted, RUN_MAX, RUN_MIN, quoted};
pub use summary::{BadSummary, FACT_MAX, FACTS_MAX, SUMMARY_MAX, Summary, instruction};
