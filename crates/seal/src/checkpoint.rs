//! Signed checkpoints: how many events there are and the hash of the last, vouched for by a key.
//!
//! A chain alone shows that events fit together; whoever can write the file could make a new one that fits too.
//! The signature says that the writer had seen exactly these events, the last one that no more were to come.

use crate::json;
use crate::key::{PublicKey, SigningKey};
use crate::run_id::RunId;
use serde::{Deserialize, Serialize};

/// What stands before the signed bytes, so that the signature is good for nothing else.
const PURPOSE: &[u8] = b"ringfence checkpoint 1\n";

/// What a checkpoint says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checkpoint {
    /// When it was signed, in UTC.
    pub at: String,
    /// Whether it ends the log.
    pub end: bool,
    /// The hash of the last event.
    pub hash: String,
    /// The key that signs.
    pub key: String,
    /// The run.
    pub run_id: RunId,
    /// How many events there are.
    pub seq: u64,
}

/// A checkpoint as it stands in the log.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    at: String,
    end: bool,
    hash: String,
    key: String,
    kind: String,
    run_id: RunId,
    seq: u64,
    signature: String,
}

impl Checkpoint {
    /// Reads a line: the checkpoint and its signature, not yet checked.
    pub(crate) fn read(line: &[u8]) -> Result<(Self, String), serde_json::Error> {
        let Line { at, end, hash, key, kind, run_id, seq, signature } = serde_json::from_slice(line)?;
        if kind != "checkpoint" {
            return Err(serde::de::Error::custom("neither an event nor a checkpoint"));
        }
        Ok((Self { at, end, hash, key, run_id, seq }, signature))
    }

    /// The line of the checkpoint, signed, with its end.
    pub(crate) fn sign(&self, key: &SigningKey) -> Vec<u8> {
        self.line(&key.sign(&self.message()))
    }

    /// The line with a signature, with its end.
    pub(crate) fn line(&self, signature: &str) -> Vec<u8> {
        let mut line = self.body();
        line.pop();
        line.extend_from_slice(b",\"signature\":");
        json::write_text(signature, &mut line);
        line.extend_from_slice(b"}\n");
        line
    }

    /// Whether a key made the signature.
    pub(crate) fn signed_by(&self, key: &PublicKey, signature: &str) -> bool {
        key.verifies(&self.message(), signature)
    }

    fn message(&self) -> Vec<u8> {
        [PURPOSE, &self.body()].concat()
    }

    /// The members without the signature, in order.
    fn body(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(512);
        let text = |key: &[u8], value: &str, out: &mut Vec<u8>| {
            out.extend_from_slice(key);
            json::write_text(value, out);
        };
        text(b"{\"at\":", &self.at, &mut out);
        out.extend_from_slice(if self.end { b",\"end\":true" } else { b",\"end\":false" });
        text(b",\"hash\":", &self.hash, &mut out);
        text(b",\"key\":", &self.key, &mut out);
        text(b",\"kind\":", "checkpoint", &mut out);
        text(b",\"run_id\":", self.run_id.as_str(), &mut out);
        out.extend_from_slice(format!(",\"seq\":{}}}", self.seq).as_bytes());
        out
    }
}
