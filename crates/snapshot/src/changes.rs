//! What differs between a folder and a snapshot: exact counts, and as many paths as a person may want to see.

use std::path::PathBuf;

/// No list holds more paths than this, nor more than this many bytes of them: a run can make any number.
const MAX_PATHS: usize = 1000;
const MAX_BYTES: usize = 1 << 20;

/// A number of entries and the first of their paths, from the root of the repo.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
    /// How many.
    pub count: u64,
    /// The first thousand.
    pub first: Vec<PathBuf>,
    bytes: usize,
}

impl Tally {
    pub(crate) fn add(&mut self, path: impl FnOnce() -> PathBuf) {
        self.count += 1;
        if self.first.len() < MAX_PATHS && self.bytes < MAX_BYTES {
            let path = path();
            self.bytes += path.as_os_str().len();
            self.first.push(path);
        }
    }
}

/// An entry that could not be looked at or restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Its path from the root of the repo.
    pub path: PathBuf,
    /// Why, in words.
    pub reason: String,
}

/// What differs between a folder and a snapshot of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// Was not there. A whole new folder counts once.
    pub added: Tally,
    /// A file or a link with another content.
    pub changed: Tally,
    /// Is not there any more; everything in a folder that has gone counts.
    pub removed: Tally,
    /// Is something else now: a folder where a file was.
    pub retyped: Tally,
    /// The same content with another mode, owner, time, attribute or number of hard links.
    pub metadata: Tally,
    /// How many entries could not be looked at or restored.
    pub failures: u64,
    /// The first thousand of them.
    pub failed: Vec<Failure>,
}

impl Changes {
    /// Whether there is nothing to restore and nothing that could not be looked at.
    pub fn is_empty(&self) -> bool {
        self.total() == 0 && self.failures == 0
    }

    /// How many entries differ.
    pub fn total(&self) -> u64 {
        [&self.added, &self.changed, &self.removed, &self.retyped, &self.metadata].iter().map(|t| t.count).sum()
    }

    pub(crate) fn fail(&mut self, path: impl FnOnce() -> PathBuf, reason: impl ToString) {
        self.failures += 1;
        if self.failed.len() < MAX_PATHS {
            let path = path();
            self.failed.push(Failure { path, reason: reason.to_string() });
        }
    }
}
