//! What a tool returns is data, never orders: text in, findings and the text a model may see out.
//!
//! The flow, in order: views fold a text so that look-alikes look alike, decoding opens what is encoded, signals find
//! exact phrases and marks, the model scores windows of words, the scanner joins them into findings, `inspect`
//! decides, spotlighting marks what is shown and quarantine shortens it. Outgoing verification, taint and the
//! canary look at what goes back out. Nothing here reads a file, opens a socket, asks the clock or draws a random
//! number: what is random comes in as an argument.

pub mod canary;
mod decode;
mod finding;
mod fold;
pub mod inspect;
mod model;
pub mod outgoing;
pub mod quarantine;
mod reading;
mod rule;
mod scan;
pub mod signal;
pub mod spotlight;
mod swar;
pub mod taint;
pub mod train;
mod view;

pub use decode::{Budget, Decoding, decode};
pub use finding::{Finding, Severity, Span};
pub use fold::{Folded, Hidden, HiddenKind, fold};
pub use model::{Calibration, Model, ModelError};
pub use rule::{Family, Rule};
pub use scan::{Report, Scanner, Stream, Verdict, rules};
pub use signal::UrlAllowlist;
pub use view::View;
