//! Why there is no snapshot, or no way back from one.

use std::io;
use std::path::{Path, PathBuf};

/// Why a snapshot could not be taken, read or restored as a whole. What goes wrong with a single entry is
/// collected in [`Changes::failed`](crate::Changes::failed) instead.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The repo has more files or bytes than the limits allow.
    #[error(
        "the repo is too large to snapshot: {what}, most of it so far in `{heaviest}`; leave folders out with an \
         exclude pattern such as `target/`, or raise the limit"
    )]
    TooLarge {
        /// Which limit, in words.
        what: String,
        /// The top-level entry that weighs most among those seen.
        heaviest: String,
    },
    /// The snapshot would lie in the folder it is taken of.
    #[error("the snapshot folder `{}` lies in the repo `{}`; keep the state folder elsewhere", .into.display(), .repo.display())]
    Inside {
        /// Where the snapshot should go.
        into: PathBuf,
        /// The repo.
        repo: PathBuf,
    },
    /// There is something where the snapshot should go.
    #[error("`{}` is there already", .0.display())]
    Exists(PathBuf),
    /// The snapshot cannot be trusted.
    #[error("the snapshot in `{}` is damaged: {reason}", .dir.display())]
    Damaged {
        /// The snapshot folder.
        dir: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Another process restores from the same snapshot.
    #[error("the snapshot in `{}` is being restored by another process", .0.display())]
    Busy(PathBuf),
    /// A pattern that cannot be used.
    #[error("the exclude pattern `{pattern}` {reason}")]
    Pattern {
        /// The pattern as given.
        pattern: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The machine got in the way.
    #[error("cannot {what} `{}`: {source}", .path.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl SnapshotError {
    /// A name for this kind of error that does not change between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "snapshot.too_large",
            Self::Inside { .. } => "snapshot.inside_repo",
            Self::Exists(_) => "snapshot.exists",
            Self::Damaged { .. } => "snapshot.damaged",
            Self::Busy(_) => "snapshot.busy",
            Self::Pattern { .. } => "snapshot.bad_pattern",
            Self::Io { .. } => "snapshot.io",
        }
    }

    pub(crate) fn io(what: &'static str, path: &Path, source: impl Into<io::Error>) -> Self {
        Self::Io { what, path: path.to_owned(), source: source.into() }
    }
}
