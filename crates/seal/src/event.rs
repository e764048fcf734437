//! One event of a run and the line that it is in the log.
//!
//! The line is canonical JSON. Its hash covers the line without the member `hash`, so it covers the hash of the
//! event before, and with it everything that came before.

use crate::Hasher;
use crate::json::{self, NotCanonical};
use crate::kind::EventKind;
use crate::run_id::RunId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The longest line, with its end.
pub const LONGEST_LINE: usize = 1 << 20;

/// Who did it: the agent, through a tool, in a process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Actor {
    /// The agent.
    pub agent: Option<String>,
    /// The process.
    pub process: Option<String>,
    /// The tool.
    pub tool: Option<String>,
}

/// One event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// Who did it.
    pub actor: Actor,
    /// When, in UTC.
    pub at: String,
    /// The provenance entries behind it.
    #[serde(deserialize_with = "json::strict_list")]
    pub because: Vec<Value>,
    /// The hash of this event.
    pub hash: String,
    /// What happened.
    pub kind: EventKind,
    /// The layer that saw it.
    pub layer: Option<String>,
    /// What there is to say about it.
    #[serde(deserialize_with = "json::strict")]
    pub payload: Value,
    /// The version of the sandbox config in force.
    pub policy_version: Option<u64>,
    /// The hash of the event before, or [`crate::chain::genesis`].
    pub prev_hash: String,
    /// The run.
    pub run_id: RunId,
    /// Its place in the run, from 1.
    pub seq: u64,
}

/// Why an event cannot be sealed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// Its payload or trail has no canonical form.
    #[error(transparent)]
    NotCanonical(#[from] NotCanonical),
    /// Its line would be longer than [`LONGEST_LINE`].
    #[error("the event takes {0} bytes, more than the {LONGEST_LINE} that a line of the log may have")]
    TooLong(usize),
}

impl EventError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotCanonical(_) => "log.not_canonical",
            Self::TooLong(_) => "log.event_too_long",
        }
    }
}

/// The parts of an event that its hash covers, borrowed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts<'a> {
    pub(crate) actor: &'a Actor,
    pub(crate) at: &'a str,
    pub(crate) because: &'a [Value],
    pub(crate) kind: EventKind,
    pub(crate) layer: Option<&'a str>,
    pub(crate) payload: &'a Value,
    pub(crate) policy_version: Option<u64>,
    pub(crate) prev_hash: &'a str,
    pub(crate) run_id: &'a RunId,
    pub(crate) seq: u64,
}

/// An event in its final form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// Its place in the run.
    pub seq: u64,
    /// Its hash.
    pub hash: String,
    /// Its line, with its end.
    pub line: Vec<u8>,
}

impl Parts<'_> {
    /// Hashes the parts and writes the line.
    ///
    /// INVARIANT: the members stand in order; the tests compare with an RFC 8785 implementation.
    pub(crate) fn seal(&self) -> Result<Sealed, EventError> {
        let mut line = Vec::with_capacity(768);
        let text = |key: &str, value: Option<&str>, out: &mut Vec<u8>| {
            out.extend_from_slice(key.as_bytes());
            json::write_option(value, out);
        };
        text("{\"actor\":{\"agent\":", self.actor.agent.as_deref(), &mut line);
        text(",\"process\":", self.actor.process.as_deref(), &mut line);
        text(",\"tool\":", self.actor.tool.as_deref(), &mut line);
        text("},\"at\":", Some(self.at), &mut line);
        line.extend_from_slice(b",\"because\":");
        json::write_list(self.because, 1, &mut line)?;
        line.push(b',');

        let mut tail = Vec::with_capacity(512);
        text("\"kind\":", Some(self.kind.as_str()), &mut tail);
        text(",\"layer\":", self.layer, &mut tail);
        tail.extend_from_slice(b",\"payload\":");
        json::write(self.payload, 1, &mut tail)?;
        tail.extend_from_slice(b",\"policy_version\":");
        json::write(&self.policy_version.into(), 1, &mut tail)?;
        text(",\"prev_hash\":", Some(self.prev_hash), &mut tail);
        text(",\"run_id\":", Some(self.run_id.as_str()), &mut tail);
        tail.extend_from_slice(b",\"seq\":");
        json::write(&self.seq.into(), 1, &mut tail)?;
        tail.push(b'}');

        let mut hasher = Hasher::default();
        hasher.update(&line);
        hasher.update(&tail);
        let hash = hasher.finish();
        text("\"hash\":", Some(&hash), &mut line);
        line.push(b',');
        line.append(&mut tail);
        line.push(b'\n');
        if line.len() > LONGEST_LINE {
            return Err(EventError::TooLong(line.len()));
        }
        Ok(Sealed { seq: self.seq, hash, line })
    }
}

impl Event {
    /// The parts that the hash covers.
    pub(crate) fn parts(&self) -> Parts<'_> {
        Parts {
            actor: &self.actor,
            at: &self.at,
            because: &self.because,
            kind: self.kind,
            layer: self.layer.as_deref(),
            payload: &self.payload,
            policy_version: self.policy_version,
            prev_hash: &self.prev_hash,
            run_id: &self.run_id,
            seq: self.seq,
        }
    }
}
