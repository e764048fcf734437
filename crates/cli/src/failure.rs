//! Why a command gave no result, in the three kinds that differ for whoever has to act on it.

use ringfence_policy::diagnostic::{Diagnostic, display_order};
use ringfence_policy::span::Sources;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::Path;

/// What was found wrong in the policies, ready to be shown.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    /// What stops the work; in display order, each once.
    pub(crate) errors: Vec<Diagnostic>,
    /// What a person should look at.
    pub(crate) warnings: Vec<Diagnostic>,
    /// The texts that the places point into.
    pub(crate) sources: Sources,
}

/// Why there is no result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The policies are wrong: whoever wrote them can put it right.
    Invalid(Box<Problems>),
    /// The command line is wrong.
    Usage(String),
    /// What the policy demands cannot be enforced here; with what to do.
    Unavailable(String, String),
    /// The command to run does not exist, or not inside.
    NotFound(String),
    /// The machine got in the way: a file that cannot be written, a pipe that broke.
    Io(String),
}

impl Failure {
    /// An I/O error at a path.
    pub(crate) fn io(what: &str, path: &Path, e: impl Display) -> Self {
        Self::Io(format!("cannot {what} `{}`: {e}", path.display()))
    }
}

impl Problems {
    /// Sorts what was found, and keeps each problem once: several sandboxes share their documents.
    pub(crate) fn new(mut found: Vec<Diagnostic>, sources: Sources) -> Self {
        found.sort_by_cached_key(display_order);
        let mut seen = BTreeSet::new();
        found.retain(|d| seen.insert(key(d, &sources)));
        let (errors, warnings) = found.into_iter().partition(Diagnostic::is_error);
        Self { errors, warnings, sources }
    }
}

/// A problem as a reader sees it. Built-in texts are loaded once a sandbox, so ids would not do.
fn key(d: &Diagnostic, sources: &Sources) -> String {
    let mut key = format!("{:?}{}{}", d.severity, d.code, d.message);
    for label in &d.labels {
        let place = sources.named(label.place);
        key.push_str(&format!("\n{}:{}:{}:{}", place.file, place.line, place.column, label.text));
    }
    key
}
