//! A snapshot from outside: take it, open it, compare, restore, remove.

use crate::changes::Changes;
use crate::error::SnapshotError;
use crate::exclude::Excludes;
use crate::manifest::{self, Header, Manifest};
use crate::{take, undo};
use std::fs;
use std::path::{Path, PathBuf};

/// What a snapshot may weigh and what it leaves out.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes in all regular files together, as a reader sees them: holes count.
    pub max_bytes: u64,
    /// Entries of every kind.
    pub max_files: u64,
    /// Patterns as in `.gitignore`, without negation: `target/`, `*.log`, `docs/build`, `a/**/b`. What matches is
    /// neither kept nor touched by a restore.
    pub exclude: Vec<String>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_bytes: 4 << 30, max_files: 500_000, exclude: Vec::new() }
    }
}

/// How far a snapshot or a restore has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Entries done.
    pub entries: u64,
    /// Entries there are.
    pub of_entries: u64,
    /// Bytes copied or cloned.
    pub bytes: u64,
}

/// What a snapshot holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Taken {
    /// Entries of every kind.
    pub entries: u64,
    /// Regular files whose content is kept.
    pub files: u64,
    /// Bytes in them.
    pub bytes: u64,
    /// Files that share their blocks with the repo; the others were copied.
    pub cloned: u64,
    /// Entries left out because a pattern matches.
    pub excluded: u64,
    /// Folders left out because another filesystem is mounted there.
    pub mounts: u64,
    /// Entries that could not be read and so cannot be restored; the first thousand.
    pub unread: Vec<PathBuf>,
}

/// What a restore did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Restored {
    /// What differed, all of it as before again but for [`Changes::failed`].
    pub changes: Changes,
    /// Where what the run made is kept; none where there was nothing to keep.
    pub kept_in: Option<PathBuf>,
}

/// A snapshot on disk.
#[derive(Debug)]
pub struct Snapshot {
    dir: PathBuf,
    manifest: Manifest,
    excludes: Excludes,
}

impl Snapshot {
    /// Takes a snapshot of the folder `repo` into the new folder `into`, which appears only when it is whole.
    ///
    /// # Errors
    ///
    /// When a limit is passed, which is found out before anything is copied, and when a file cannot be written. A
    /// file that cannot be read is no error: see [`Taken::unread`].
    pub fn take(
        repo: &Path,
        into: &Path,
        limits: &Limits,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Taken, SnapshotError> {
        take::take(repo, into, limits, progress)
    }

    /// Opens a snapshot and checks its manifest.
    ///
    /// # Errors
    ///
    /// When there is none or it is damaged.
    pub fn open(dir: &Path) -> Result<Self, SnapshotError> {
        let manifest = manifest::read(dir)?;
        let excludes = Excludes::new(&manifest.header.exclude)?;
        Ok(Self { dir: dir.to_owned(), manifest, excludes })
    }

    /// Reads only what a snapshot says about itself.
    ///
    /// # Errors
    ///
    /// When there is none or its first line cannot be read.
    pub fn header_of(dir: &Path) -> Result<Header, SnapshotError> {
        manifest::read_header(dir)
    }

    /// What the snapshot says about itself.
    pub fn header(&self) -> &Header {
        &self.manifest.header
    }

    /// What differs between a folder and the snapshot. Nothing is changed.
    ///
    /// # Errors
    ///
    /// When the folder cannot be walked.
    pub fn compare(&self, repo: &Path) -> Result<Changes, SnapshotError> {
        undo::compare(&self.dir, &self.manifest, &self.excludes, repo)
    }

    /// Makes a folder what it was. What is there instead moves to the folder `undone` beside the snapshot, into a
    /// new numbered folder for each restore. A restore that was stopped is finished by another one.
    ///
    /// # Errors
    ///
    /// When another process restores, or the folder cannot be walked. A single entry that cannot be restored is
    /// no error: see [`Changes::failed`].
    pub fn restore(&self, repo: &Path, progress: &mut dyn FnMut(Progress)) -> Result<Restored, SnapshotError> {
        undo::restore(&self.dir, &self.manifest, &self.excludes, repo, progress)
    }

    /// Removes the snapshot from disk; what a restore has kept stays.
    ///
    /// # Errors
    ///
    /// When a file of it cannot be removed.
    pub fn remove(self) -> Result<(), SnapshotError> {
        fs::remove_dir_all(&self.dir).map_err(|e| SnapshotError::io("remove", &self.dir, e))
    }
}
