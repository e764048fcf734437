//! Writes the log of one run: events in, lines on disk out.
//!
//! INVARIANT: an event is acknowledged after its whole line went to the kernel in one write, so it survives the death
//! of the writer at any moment; whether it also survives the machine's power is what [`SyncPolicy`] says. A write that
//! fails is taken back, so that the file never holds half a line while its writer lives. A lock on the file keeps
//! two writers from making two chains of one log.

mod open;
mod sync;

pub use open::Repair;
pub use sync::SyncPolicy;

use crate::StoreError;
use crate::edge::Clock;
use crate::folder::Folder;
use crate::keys;
use ringfence_seal::chain::{Chain, Draft, Place};
use ringfence_seal::event::{Actor, LONGEST_LINE};
use ringfence_seal::key::SigningKey;
use ringfence_seal::kind::EventKind;
use ringfence_seal::run_id::RunId;
use rustix::fs::{FlockOperation, flock, ftruncate};
use rustix::io::Errno;
use serde_json::Value;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

pub(crate) const RUNS: &str = "runs";
pub(crate) const LOG: &str = "log.jsonl";
/// A run that has filled so many bytes is out of hand; a last event and the end still fit.
pub const LARGEST_LOG: u64 = 1 << 30;
const RESERVE: u64 = 2 * LONGEST_LINE as u64;

/// The log of a run that is being written.
pub struct RunLog {
    state: Folder,
    folder: Folder,
    file: File,
    bytes: u64,
    chain: Chain,
    clock: Clock,
    key: Option<SigningKey>,
    policy: SyncPolicy,
    policy_version: Option<u64>,
    names_synced: bool,
    stuck: bool,
}

impl RunLog {
    /// Starts the log of a new run below a state folder.
    pub fn create(state: &Path, run_id: &RunId, clock: Clock, policy: SyncPolicy) -> Result<Self, StoreError> {
        let state = Folder::open_or_make(state)?;
        let runs = state.child_or_make(RUNS)?;
        if !runs.make_child(run_id.as_str())? {
            return Err(StoreError::RunExists(run_id.clone()));
        }
        let folder = runs.child(run_id.as_str())?;
        let file = folder.create(LOG).map_err(StoreError::io("make", &folder.path(LOG)))?;
        lock(&file, &folder, run_id)?;
        Ok(Self::on(state, folder, file, Chain::new(run_id.clone()), clock, policy))
    }

    fn on(state: Folder, folder: Folder, file: File, chain: Chain, clock: Clock, policy: SyncPolicy) -> Self {
        let (key, policy_version) = (None, None);
        let (bytes, names_synced, stuck) = (0, false, false);
        Self { state, folder, file, bytes, chain, clock, key, policy, policy_version, names_synced, stuck }
    }

    /// Where the folder of a run lies, made or not.
    pub fn folder_of(state: &Path, run_id: &RunId) -> std::path::PathBuf {
        state.join(RUNS).join(run_id.as_str())
    }

    /// Fetches the key that the end is signed with, so that the end need not. What is wrong with it the end will tell.
    pub fn fetch_key(&mut self) {
        if self.key.is_none() {
            self.key = keys::in_folder(&self.state).ok().map(|(key, _)| key);
        }
    }

    /// The run.
    pub fn run_id(&self) -> &RunId {
        self.chain.run_id()
    }

    /// The run's folder.
    pub fn folder(&self) -> std::path::PathBuf {
        self.folder.path("")
    }

    /// How many events there are.
    pub fn events(&self) -> u64 {
        self.chain.seq()
    }

    /// The version of the sandbox config that the events from here on fall under.
    pub fn set_policy_version(&mut self, version: Option<u64>) {
        self.policy_version = version;
    }

    /// Writes an event and gives its number. With an error the event is not in the log, but for one case: where
    /// syncing fails it is written, and nobody knows whether it would survive the machine's power.
    pub fn append(
        &mut self,
        kind: EventKind,
        actor: &Actor,
        layer: Option<&str>,
        payload: &Value,
        because: &[Value],
    ) -> Result<u64, StoreError> {
        if self.chain.checkpoint_due() {
            self.checkpoint(Place::Between)?;
        }
        let (at_ms, policy_version) = ((self.clock)(), self.policy_version);
        let sealed = self.chain.seal(&Draft { at_ms, kind, actor, layer, payload, because, policy_version })?;
        let last_words = matches!(kind, EventKind::RunAborted | EventKind::RunFinished);
        self.room(sealed.line.len(), if last_words { 0 } else { RESERVE })?;
        self.write(&sealed.line)?;
        let seq = sealed.seq;
        self.chain.advance(sealed);
        if self.chain.checkpoint_due() {
            // The event stands, so this error is not its error: the next event tries again and tells.
            let _ = self.checkpoint(Place::Between);
        }
        if self.policy.covers(kind) {
            self.sync()?;
        }
        Ok(seq)
    }

    /// Writes the signed end. A log that is dropped without it stays unfinished, which shows.
    pub fn finish(mut self) -> Result<(), StoreError> {
        if self.chain.checkpoint_due() {
            self.checkpoint(Place::Between)?;
        }
        self.checkpoint(Place::End)?;
        if self.policy == SyncPolicy::Always {
            self.sync()?;
        }
        Ok(())
    }

    fn checkpoint(&mut self, place: Place) -> Result<(), StoreError> {
        let key = match self.key.take() {
            Some(key) => key,
            None => keys::in_folder(&self.state)?.0,
        };
        let line = self.chain.checkpoint((self.clock)(), place, &key);
        self.key = Some(key);
        self.write(&line)?;
        self.chain.checkpointed();
        Ok(())
    }

    fn room(&self, line: usize, reserve: u64) -> Result<(), StoreError> {
        if self.bytes + line as u64 + reserve > LARGEST_LOG {
            return Err(StoreError::Full { run_id: self.run_id().clone(), bound: LARGEST_LOG });
        }
        Ok(())
    }

    /// One write. What a full disk leaves of it is taken back.
    fn write(&mut self, line: &[u8]) -> Result<(), StoreError> {
        if self.stuck {
            return Err(StoreError::Stuck(self.run_id().clone()));
        }
        match self.file.write_all(line) {
            Ok(()) => {
                self.bytes += line.len() as u64;
                Ok(())
            }
            Err(e) => {
                self.stuck = ftruncate(&self.file, self.bytes).is_err();
                Err(StoreError::io("write", &self.folder.path(LOG))(e))
            }
        }
    }

    /// Waits until everything that was written is on the disk: for writers that sync groups of events themselves.
    pub fn sync(&mut self) -> Result<(), StoreError> {
        self.file.sync_data().map_err(StoreError::io("sync", &self.folder.path(LOG)))?;
        if !self.names_synced {
            // A file without its name would be as lost as one without its bytes.
            self.folder.sync()?;
            self.state.child(RUNS)?.sync()?;
            self.state.sync()?;
            self.names_synced = true;
        }
        Ok(())
    }
}

/// Takes the lock of a log. Readers that look whether a writer is there hold it for an instant, so one refusal
/// says nothing.
fn lock(file: &File, folder: &Folder, run_id: &RunId) -> Result<(), StoreError> {
    const TRIES: u32 = 20;
    for _ in 0..TRIES {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(()),
            Err(Errno::WOULDBLOCK) => std::thread::sleep(Duration::from_millis(1)),
            Err(Errno::INTR) => {}
            Err(e) => return Err(StoreError::io("lock", &folder.path(LOG))(e.into())),
        }
    }
    Err(StoreError::InUse(run_id.clone()))
}
