//! A run as one JSON object: `--report FILE`, and the last line on stderr with `--format json`.

use super::denial::Denial;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::report::json;
use ringfence_sandbox::{Ending, Started};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The object. Every key is always there.
#[derive(Debug, Serialize)]
pub(super) struct Report<'a> {
    pub(super) run_id: &'a str,
    pub(super) sandbox: &'a str,
    pub(super) content_hash: &'a str,
    pub(super) tier: Option<String>,
    /// What the box tried and refused before the command started.
    pub(super) refused: &'a [String],
    /// What nothing enforces here, given up by name.
    pub(super) given_up: &'a [String],
    /// `exited`, `signaled`, `aborted` or `lost`.
    pub(super) ending: &'static str,
    /// The command's own code.
    pub(super) exit_code: Option<i32>,
    pub(super) signal: Option<i32>,
    /// The limit that ended the run.
    pub(super) limit: Option<&'static str>,
    pub(super) denials: &'a [Denial],
    pub(super) log: PathBuf,
}

impl<'a> Report<'a> {
    pub(super) fn new(
        run_id: &'a str,
        log: PathBuf,
        ending: Ending,
        started: Option<&'a Started>,
        denials: &'a [Denial],
    ) -> Self {
        let (word, exit_code, signal, limit) = words(ending);
        Self {
            run_id,
            sandbox: "",
            content_hash: "",
            tier: started.map(|s| s.tier.to_string()),
            refused: started.map_or(&[], |s| &s.refused),
            given_up: started.map_or(&[], |s| &s.given_up),
            ending: word,
            exit_code,
            signal,
            limit,
            denials,
            log,
        }
    }

    /// Writes it to a file.
    pub(super) fn save(&self, path: &Path) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(self).map_err(|e| Failure::Io(format!("cannot write JSON: {e}")))?;
        std::fs::write(path, text + "\n").map_err(|e| Failure::io("write", path, e))
    }

    /// Writes it to stderr, in one line.
    pub(super) fn print(&self) {
        if let Ok(text) = serde_json::to_string(self) {
            eprintln!("{text}");
        }
    }
}

/// An ending in words: how, the code, the signal, the limit.
pub(super) fn words(ending: Ending) -> (&'static str, Option<i32>, Option<i32>, Option<&'static str>) {
    match ending {
        Ending::Exited(code) => ("exited", Some(code), None, None),
        Ending::Signaled(signal) => ("signaled", None, Some(signal), None),
        Ending::Aborted(limit) => ("aborted", None, None, Some(limit.field())),
        Ending::Lost => ("lost", None, None, None),
    }
}

/// Why there was no run, on stderr: stdout belongs to the command.
pub(super) fn failure(failure: &Failure) -> Exit {
    let (report, exit) = match failure {
        Failure::Invalid(problems) => (json::problems(problems), Exit::Invalid),
        Failure::Usage(message) => (json::plain("usage", message, None), Exit::Internal),
        Failure::Io(message) => (json::plain("internal", message, None), Exit::Internal),
        Failure::Unavailable(message, help) => {
            (json::plain("kernel.unavailable", message, Some(help)), Exit::Unavailable)
        }
        Failure::NotFound(message) => (json::plain("kernel.command_not_found", message, None), Exit::NotFound),
    };
    if let Ok(text) = serde_json::to_string(&report) {
        eprintln!("{text}");
    }
    exit
}
