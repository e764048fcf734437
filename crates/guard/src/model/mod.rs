//! The linear model: folded text in, windows with a score out.

pub(crate) mod feature;
pub(crate) mod table;
pub(crate) mod token;
pub(crate) mod window;
