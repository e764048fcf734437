//! Finds and reads the logs of runs. Nothing here writes, and nothing that is read is believed: [`LogFile::verify`] checks.

use crate::StoreError;
use crate::lines::{Lines, Next};
use crate::run_log::{LOG, RUNS};
use ringfence_seal::event::Event;
use ringfence_seal::run_id::RunId;
use ringfence_seal::verify::{Trust, Verdict, Verifier};
use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use rustix::io::Errno;
use serde::Serialize;
use serde_json::Value;
use std::cmp::Reverse;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The runs below a state folder.
#[derive(Debug, Clone)]
pub struct Runs {
    folder: PathBuf,
}

/// Whether a run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Its log has an end.
    Finished,
    /// Its log is being written.
    Running,
    /// Neither: its writer died, or the log was cut short.
    Unfinished,
}

/// What a log says about its run at a glance, unverified.
#[derive(Debug, Clone)]
pub struct Glance {
    /// Whether it goes on.
    pub status: Status,
    /// How many events there are, where the last line says so.
    pub events: Option<u64>,
    /// The size of the log.
    pub bytes: u64,
    /// The first event.
    pub first: Option<Event>,
}

/// A log, open for reading.
#[derive(Debug)]
pub struct LogFile {
    file: File,
    path: PathBuf,
}

impl Runs {
    /// The runs below a state folder.
    pub fn new(state: &Path) -> Self {
        Self { folder: state.join(RUNS) }
    }

    /// Every run, newest first.
    pub fn ids(&self) -> Result<Vec<RunId>, StoreError> {
        let failed = StoreError::io("read the folder", &self.folder);
        let entries = match std::fs::read_dir(&self.folder) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(&failed)?,
        };
        let mut ids = Vec::new();
        for entry in entries {
            let name = entry.map_err(&failed)?.file_name();
            ids.extend(name.to_str().and_then(|n| RunId::parse(n).ok()));
        }
        ids.sort_unstable_by(|a, b| b.cmp(a));
        // Ids tell seconds; between runs of one second the file system knows which is newer.
        for same in ids.chunk_by_mut(|a, b| a.started_at() == b.started_at()).filter(|c| c.len() > 1) {
            same.sort_by_cached_key(|id| Reverse(self.made(id)));
        }
        Ok(ids)
    }

    fn made(&self, id: &RunId) -> Option<std::time::SystemTime> {
        std::fs::symlink_metadata(self.folder.join(id.as_str())).and_then(|m| m.modified()).ok()
    }

    /// The run that a word means: an id, the start of one, or `last`.
    pub fn resolve(&self, word: &str) -> Result<RunId, StoreError> {
        let ids = self.ids()?;
        let no_run = || StoreError::NoSuchRun(word.chars().take(64).collect());
        if word == "last" {
            return ids.into_iter().next().ok_or_else(|| StoreError::NoRuns(self.folder.clone()));
        }
        let mut fitting = ids.iter().filter(|id| !word.is_empty() && id.as_str().starts_with(word));
        match (fitting.next(), fitting.next()) {
            (None, _) => Err(no_run()),
            (Some(id), None) => Ok(id.clone()),
            (Some(one), Some(other)) => {
                let (text, count) = (word.to_owned(), 2 + fitting.count());
                Err(StoreError::Ambiguous { text, count, one: one.clone(), other: other.clone() })
            }
        }
    }

    /// Opens the log of a run.
    pub fn open(&self, id: &RunId) -> Result<LogFile, StoreError> {
        LogFile::open(&self.folder.join(id.as_str()).join(LOG), OFlags::NOFOLLOW)
    }
}

impl LogFile {
    /// Opens a log that somebody names.
    pub fn at(path: &Path) -> Result<Self, StoreError> {
        Self::open(path, OFlags::empty())
    }

    fn open(path: &Path, flags: OFlags) -> Result<Self, StoreError> {
        let failed = StoreError::io("open", path);
        // A pipe without a writer must not keep anybody waiting.
        let flags = flags | OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file: File = open(path, flags, Mode::empty()).map_err(|e| failed(e.into()))?.into();
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(StoreError::Unsafe { path: path.to_owned(), why: "it is no regular file" });
        }
        Ok(Self { file, path: path.to_owned() })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its lines, from where reading stands.
    pub fn lines(&self) -> Lines<&File> {
        Lines::new(&self.file)
    }

    /// Whether somebody writes to it.
    pub fn is_written(&self) -> bool {
        match flock(&self.file, FlockOperation::NonBlockingLockShared) {
            Ok(()) => {
                // Unlocking what was just locked cannot fail.
                let _ = flock(&self.file, FlockOperation::Unlock);
                false
            }
            Err(e) => e == Errno::WOULDBLOCK,
        }
    }

    /// Checks every line, of the given run where one is given.
    pub fn verify(&self, trust: Trust, run_id: Option<RunId>) -> Result<Verdict, StoreError> {
        let mut verifier = Verifier::new(trust, run_id);
        let mut lines = self.lines();
        loop {
            match lines.advance().map_err(StoreError::io("read", &self.path))? {
                Next::Line(line) => {
                    if let Err(found) = verifier.line(line) {
                        return Ok(Verdict::Broken(*found));
                    }
                }
                Next::TooLong => return Ok(Verdict::Broken(*verifier.too_long())),
                Next::End { torn_bytes } => return Ok(verifier.end(torn_bytes)),
            }
        }
    }

    /// Looks at the first and the last line.
    pub fn glance(&self) -> Result<Glance, StoreError> {
        let failed = StoreError::io("read", &self.path);
        let bytes = self.file.metadata().map_err(&failed)?.len();
        let first = match self.lines().advance().map_err(&failed)? {
            Next::Line(line) => serde_json::from_slice(line).ok(),
            _ => None,
        };
        let last = last_line(&self.file, bytes).map_err(failed)?;
        let (end, events) = (is_end(&last), number_of(&last));
        let status = match end {
            true => Status::Finished,
            false if self.is_written() => Status::Running,
            false => Status::Unfinished,
        };
        Ok(Glance { status, events, bytes, first })
    }
}

/// What of the last whole line is near the end of the file. An end is always short; of an event the last
/// member is enough.
fn last_line(mut file: &File, bytes: u64) -> std::io::Result<Vec<u8>> {
    const NEAR: u64 = 4096;
    file.seek(SeekFrom::Start(bytes.saturating_sub(NEAR)))?;
    let mut tail = Vec::new();
    file.take(NEAR).read_to_end(&mut tail)?;
    let whole = tail.iter().rposition(|b| *b == b'\n').unwrap_or(0);
    tail.truncate(whole);
    let start = tail.iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
    Ok(tail.split_off(start))
}

fn is_end(line: &[u8]) -> bool {
    let value: Option<Value> = serde_json::from_slice(line).ok();
    value.is_some_and(|v| v.get("kind").is_some_and(|k| k == "checkpoint") && v.get("end") == Some(&Value::Bool(true)))
}

/// The number at the end of an event, or in a checkpoint: `"seq":7` is the last member that is no signature.
fn number_of(line: &[u8]) -> Option<u64> {
    let text = String::from_utf8_lossy(line);
    let (_, after) = text.rsplit_once("\"seq\":")?;
    let digits: &str = after.split_once([',', '}']).map(|(digits, _)| digits)?;
    digits.parse().ok()
}
