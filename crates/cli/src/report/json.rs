//! Errors and warnings as one JSON object. Every key is always there, so that scripts need no guards.

use crate::failure::Problems;
use ringfence_policy::diagnostic::{Diagnostic, Label};
use ringfence_policy::span::{NamedPlace, Sources};
use serde::Serialize;

/// The object.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// What stops the work.
    pub(crate) errors: Vec<Entry>,
    /// What a person should look at.
    pub(crate) warnings: Vec<Entry>,
}

/// One problem.
#[derive(Debug, Serialize)]
pub(crate) struct Entry {
    code: &'static str,
    message: String,
    /// The attempt first, then the floor.
    places: Vec<NamedPlace>,
    floor: Option<String>,
    attempt: Option<String>,
    set_by: Option<String>,
    help: Option<String>,
}

/// Errors and warnings.
pub(crate) fn problems(problems: &Problems) -> Report {
    Report {
        errors: entries(&problems.errors, &problems.sources),
        warnings: entries(&problems.warnings, &problems.sources),
    }
}

/// An error that is not about a policy.
pub(crate) fn plain(code: &'static str, message: &str, help: Option<&str>) -> Report {
    let entry = Entry {
        code,
        message: message.to_owned(),
        places: Vec::new(),
        floor: None,
        attempt: None,
        set_by: None,
        help: help.map(str::to_owned),
    };
    Report { errors: vec![entry], warnings: Vec::new() }
}

/// Problems, one by one.
pub(crate) fn entries(found: &[Diagnostic], sources: &Sources) -> Vec<Entry> {
    found.iter().map(|d| entry(d, sources)).collect()
}

fn entry(d: &Diagnostic, sources: &Sources) -> Entry {
    Entry {
        code: d.code.as_str(),
        message: d.message.clone(),
        places: placed(d).iter().map(|l| sources.named(l.place)).collect(),
        floor: d.floor.clone(),
        attempt: d.attempt.clone(),
        set_by: d.set_by.clone(),
        help: d.help.clone(),
    }
}

/// The labels that point somewhere, by role. Line 0 is nowhere: a default, a spec that nobody wrote.
pub(crate) fn placed(d: &Diagnostic) -> Vec<&Label> {
    let mut labels: Vec<&Label> = d.labels.iter().filter(|l| l.place.line > 0).collect();
    labels.sort_by_key(|l| l.role);
    labels
}
