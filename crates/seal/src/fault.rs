//! What can be wrong with a log, and where: the first broken link, named so that a person can look at it.

use serde::Serialize;
use std::fmt;

/// What is wrong with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// Longer than a line may be.
    TooLong,
    /// Nested deeper than a line may be.
    TooDeep,
    /// Not an event and not a checkpoint.
    Malformed,
    /// A key stands twice.
    DuplicateKey,
    /// The same content in another spelling.
    NotCanonical,
    /// An event does not have the hash that it names.
    Changed,
    /// It belongs to another run.
    OtherRun,
    /// Events before this one are missing, or come later.
    Gap,
    /// An event that was there before, or that belongs further up.
    Repeated,
    /// The event before is another than the one this event was chained to.
    Unlinked,
    /// There is no checkpoint where one has to be.
    CheckpointMissing,
    /// There is a checkpoint where none may be.
    CheckpointMisplaced,
    /// A checkpoint that vouches for other events.
    CheckpointMismatch,
    /// Signed with a key that is not trusted.
    UnknownKey,
    /// The signature is not the key's.
    Signature,
    /// Something follows the end.
    AfterEnd,
}

impl Fault {
    /// The fault in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::TooLong => "the line is too long",
            Self::TooDeep => "the line is nested too deep",
            Self::Malformed => "the line is neither an event nor a checkpoint",
            Self::DuplicateKey => "a key stands twice",
            Self::NotCanonical => "the line is not in canonical form",
            Self::Changed => "the event was changed",
            Self::OtherRun => "the line belongs to another run",
            Self::Gap => "events are missing or out of order",
            Self::Repeated => "an event was inserted, repeated or moved",
            Self::Unlinked => "the event before is not the one it was chained to",
            Self::CheckpointMissing => "a checkpoint is missing",
            Self::CheckpointMisplaced => "there is a checkpoint where none belongs",
            Self::CheckpointMismatch => "the checkpoint vouches for other events",
            Self::UnknownKey => "the checkpoint is signed with an unknown key",
            Self::Signature => "the signature of the checkpoint is wrong",
            Self::AfterEnd => "something follows the end of the log",
        }
    }
}

/// The first broken link of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Break {
    /// The line, from 1.
    pub line: u64,
    /// The number of the event, where it can be read.
    pub seq: Option<u64>,
    /// What is wrong.
    pub fault: Fault,
    /// What had to be there.
    pub expected: String,
    /// What is there. It comes from the file: show it escaped.
    pub found: String,
}

impl fmt::Display for Break {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seq = self.seq.map(|seq| format!(" (event {seq})")).unwrap_or_default();
        let Self { line, fault, expected, found, .. } = self;
        write!(f, "line {line}{seq}: {}: expected {expected}, found {found}", fault.words())
    }
}
