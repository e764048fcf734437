//! The pattern languages: hosts, requests, tools and other names, imports, paths, programs.
//!
//! One parser for each concept, used by documents, questions and (later) the layers that act, so that a
//! decision and an action can never read the same text differently.

mod host;
mod import;
mod name;
mod path;
mod program;
mod request;

pub use host::{Host, HostPattern};
pub use import::ImportPattern;
pub use name::{Extension, Label, NamePattern, ToolPattern, prefix_matches};
pub use path::{Anchor, PathPattern, PathRoot, QuestionPath};
pub use program::Program;
pub use request::{Method, RequestPath};

/// The longest text any pattern may have.
pub(crate) const MAX_PATTERN: usize = 4096;
