//! Goes on with the log of a run whose writer died.
//!
//! Every line is verified first: nothing is ever chained to a log that does not hold together. What a crash left of
//! a last line was never acknowledged; it is kept beside the log, not thrown away.

use super::{LOG, RUNS, RunLog, SyncPolicy, lock};
use crate::StoreError;
use crate::edge::Clock;
use crate::folder::{Access, Folder};
use crate::keys;
use crate::lines::{Lines, Next};
use ringfence_seal::chain::{Chain, Place};
use ringfence_seal::fault::Break;
use ringfence_seal::run_id::RunId;
use ringfence_seal::verify::{Trust, Verifier};
use rustix::fs::ftruncate;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// More torn tails than this of one log are no accident.
const MOST_TORN: u32 = 100;

/// What had to be put right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// How many bytes there were of a line that was never finished.
    pub bytes: u64,
    /// Where they are now.
    pub moved_to: PathBuf,
}

impl RunLog {
    /// Goes on with a log, and says what had to be repaired. A log that is finished, broken or being written is refused.
    pub fn open(
        state: &Path,
        run_id: &RunId,
        clock: Clock,
        policy: SyncPolicy,
    ) -> Result<(Self, Option<Repair>), StoreError> {
        let state = Folder::open_or_make(state)?;
        let folder = existing(&state, run_id)?;
        let missing = || StoreError::NoSuchRun(run_id.to_string());
        let file = folder.open(LOG, Access::Append, 0o022)?.ok_or_else(missing)?;
        lock(&file, &folder, run_id)?;
        // Whoever signed so far has to be listed.
        let (key, listed) = keys::in_folder(&state)?;
        let (chain, whole_bytes, torn) = read(&file, &folder, run_id, Trust::Keys(listed))?;
        let repair = if torn.is_empty() { None } else { Some(set_aside(&folder, &file, whole_bytes, &torn)?) };
        let mut log = Self::on(state, folder, file, chain, clock, policy);
        log.bytes = whole_bytes;
        log.key = Some(key);
        if log.chain.checkpoint_due() {
            log.checkpoint(Place::Between)?;
        }
        Ok((log, repair))
    }
}

fn existing(state: &Folder, run_id: &RunId) -> Result<Folder, StoreError> {
    let missing = |e| match e {
        StoreError::Io { source, .. } if source.kind() == ErrorKind::NotFound => {
            StoreError::NoSuchRun(run_id.to_string())
        }
        e => e,
    };
    state.child(RUNS).and_then(|runs| runs.child(run_id.as_str())).map_err(missing)
}

/// The chain to go on with, the bytes of its lines, and the bytes after them.
fn read(file: &File, folder: &Folder, run_id: &RunId, trust: Trust) -> Result<(Chain, u64, Vec<u8>), StoreError> {
    let broken = |found: Box<Break>| StoreError::Broken { run_id: run_id.clone(), found };
    let mut verifier = Verifier::new(trust, Some(run_id.clone()));
    let mut lines = Lines::new(file);
    loop {
        match lines.advance().map_err(StoreError::io("read", &folder.path(LOG)))? {
            Next::Line(line) => _ = verifier.line(line).map_err(broken)?,
            Next::TooLong => return Err(broken(verifier.too_long())),
            Next::End { .. } => break,
        }
    }
    let chain = verifier.chain().ok_or_else(|| StoreError::Finished(run_id.clone()))?;
    Ok((chain, lines.whole_bytes(), lines.torn().to_owned()))
}

/// Moves a torn tail out of the log: first it is safe in a file of its own, then it is cut off.
fn set_aside(folder: &Folder, log: &File, whole_bytes: u64, torn: &[u8]) -> Result<Repair, StoreError> {
    let (name, mut file) = torn_file(folder)?;
    let moved_to = folder.path(&name);
    file.write_all(torn).and_then(|()| file.sync_all()).map_err(StoreError::io("write", &moved_to))?;
    folder.sync()?;
    let failed = StoreError::io("repair", &folder.path(LOG));
    ftruncate(log, whole_bytes).map_err(|e| failed(e.into()))?;
    log.sync_all().map_err(failed)?;
    Ok(Repair { bytes: torn.len() as u64, moved_to })
}

fn torn_file(folder: &Folder) -> Result<(String, File), StoreError> {
    for n in 1..=MOST_TORN {
        let name = if n == 1 { "log.torn".to_owned() } else { format!("log.torn.{n}") };
        match folder.create(&name) {
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            made => return made.map(|file| (name.clone(), file)).map_err(StoreError::io("make", &folder.path(&name))),
        }
    }
    Err(StoreError::Unsafe { path: folder.path(LOG), why: "it was torn too often" })
}
