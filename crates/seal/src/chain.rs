//! The chain of a run: a draft in, the next sealed event out. Nothing is written here and no clock is read.

use crate::checkpoint::Checkpoint;
use crate::event::{Actor, EventError, Parts, Sealed};
use crate::hash_bytes;
use crate::key::SigningKey;
use crate::kind::EventKind;
use crate::run_id::RunId;
use crate::time::format_utc_millis;
use serde_json::Value;

/// After so many events a checkpoint is due.
pub const CHECKPOINT_EVERY: u64 = 1000;

/// What the first event names as the hash before it: the hash of the name of this format.
pub fn genesis() -> String {
    hash_bytes(b"ringfence log 1")
}

/// What is to be said in the next event.
#[derive(Debug, Clone, Copy)]
pub struct Draft<'a> {
    /// When, in milliseconds since 1970.
    pub at_ms: u64,
    /// What happened.
    pub kind: EventKind,
    /// Who did it.
    pub actor: &'a Actor,
    /// The layer that saw it.
    pub layer: Option<&'a str>,
    /// What there is to say about it.
    pub payload: &'a Value,
    /// The provenance entries behind it.
    pub because: &'a [Value],
    /// The version of the sandbox config in force.
    pub policy_version: Option<u64>,
}

/// How far the log of a run has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    run_id: RunId,
    seq: u64,
    last_hash: String,
    checkpoint_at: u64,
}

impl Chain {
    /// The chain of a run in which nothing has happened.
    pub fn new(run_id: RunId) -> Self {
        Self { run_id, seq: 0, last_hash: genesis(), checkpoint_at: 0 }
    }

    /// The chain after `seq` events, the last of which has this hash, with a checkpoint after event `checkpoint_at`.
    pub(crate) fn resume(run_id: RunId, seq: u64, last_hash: String, checkpoint_at: u64) -> Self {
        Self { run_id, seq, last_hash, checkpoint_at }
    }

    /// The run.
    pub fn run_id(&self) -> &RunId {
        &self.run_id
    }

    /// How many events there are.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Seals the next event. The chain itself moves on when the event is written: [`Chain::advance`].
    pub fn seal(&self, draft: &Draft<'_>) -> Result<Sealed, EventError> {
        let parts = Parts {
            actor: draft.actor,
            at: &format_utc_millis(draft.at_ms),
            because: draft.because,
            kind: draft.kind,
            layer: draft.layer,
            payload: draft.payload,
            policy_version: draft.policy_version,
            prev_hash: &self.last_hash,
            run_id: &self.run_id,
            seq: self.seq + 1,
        };
        parts.seal()
    }

    /// Takes note that an event is written.
    pub fn advance(&mut self, sealed: Sealed) {
        self.seq = sealed.seq;
        self.last_hash = sealed.hash;
    }

    /// Whether a checkpoint has to come before the next event.
    pub fn checkpoint_due(&self) -> bool {
        self.seq.is_multiple_of(CHECKPOINT_EVERY) && self.checkpoint_at < self.seq
    }

    /// The signed line of a checkpoint here: one of many, or the one that ends the log.
    pub fn checkpoint(&self, at_ms: u64, place: Place, key: &SigningKey) -> Vec<u8> {
        let checkpoint = Checkpoint {
            at: format_utc_millis(at_ms),
            end: place == Place::End,
            hash: self.last_hash.clone(),
            key: key.public().to_string(),
            run_id: self.run_id.clone(),
            seq: self.seq,
        };
        checkpoint.sign(key)
    }

    /// Takes note that a checkpoint is written.
    pub fn checkpointed(&mut self) {
        self.checkpoint_at = self.seq;
    }
}

/// Where a checkpoint stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// After every so many events.
    Between,
    /// At the end of the log.
    End,
}
