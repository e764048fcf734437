//! Folding: the one form of a text that rules and model read, so that look-alikes look alike.
//!
//! Lower case, compatibility forms (NFKC), Latin letters without marks, look-alikes of other scripts as Latin where
//! they stand in or beside Latin words, invisible characters left out, every space a space. Text in another script
//! stays itself. What was invisible is reported beside the view. Nothing is decoded here.

mod hidden;
mod normal;
mod script;
mod table;
mod traits;

pub(crate) use hidden::kind as hidden_kind;
pub use hidden::{Hidden, HiddenKind};
pub(crate) use normal::ascii_prefix;

use crate::view::{Builder, View};

/// A folded view and the invisible characters that were left out of it.
#[derive(Debug, Clone)]
pub struct Folded {
    /// The folded text, with the way back.
    pub view: View<'static>,
    /// Runs of invisible characters that ordinary writing does not explain, in order, where they stand in the
    /// original.
    pub hidden: Vec<Hidden>,
}

/// Folds a view. Time and size are linear in its text: no character becomes more than four times its bytes.
#[must_use]
pub fn fold(view: &View<'_>) -> Folded {
    let mut out = Builder::with_capacity(view.text().len());
    let mut pass = normal::Pass::new(view.text());
    pass.run(&mut out);
    let foreign = pass.foreign;
    let hidden = pass.hidden.finish(view);
    let first = out.finish(view);
    let second = if foreign { script::fold(&first) } else { None };
    Folded { view: second.unwrap_or(first), hidden }
}
