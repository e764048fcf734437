//! Checks a log line by line: lines in, the first broken link or a verdict out.
//!
//! It holds one line at a time and needs nothing but the lines and the keys. A line is good only if sealing what
//! it says gives the same bytes again, so every fact has one spelling and no byte goes unchecked.

use crate::chain::{CHECKPOINT_EVERY, Chain, genesis};
use crate::checkpoint::Checkpoint;
use crate::event::{Event, EventError, LONGEST_LINE};
use crate::fault::{Break, Fault};
use crate::json::{self, DEEPEST, DUPLICATE};
use crate::key::PublicKey;
use crate::run_id::RunId;
use crate::time::parse_utc;
use serde::Serialize;

/// Whose signatures count.
#[derive(Debug, Clone)]
pub enum Trust {
    /// Those of these keys.
    Keys(Vec<PublicKey>),
    /// Signatures are not looked at: good for showing a log, not for trusting it.
    LinksOnly,
}

/// A good line.
#[derive(Debug)]
pub enum Record {
    /// An event.
    Event(Box<Event>),
    /// A checkpoint.
    Checkpoint(Checkpoint),
}

/// What holds for the lines so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The run; absent while there is no line.
    pub run_id: Option<RunId>,
    /// How many events there are.
    pub events: u64,
    /// How many of them a checkpoint vouches for.
    pub signed_events: u64,
    /// How many checkpoints there are.
    pub checkpoints: u64,
    /// The hash of the last event.
    pub last_hash: String,
}

/// What a whole log is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Every link holds, up to the signed end.
    Intact(Summary),
    /// Every link holds, but the signed end is missing: the run goes on, was killed, or the log was cut short.
    Unfinished {
        /// What there is.
        summary: Summary,
        /// Bytes after the last whole line.
        torn_bytes: u64,
    },
    /// A link is broken.
    Broken(Break),
}

/// A log while it is checked.
#[derive(Debug)]
pub struct Verifier {
    trust: Trust,
    lines: u64,
    summary: Summary,
    ended: bool,
}

impl Verifier {
    /// Starts before the first line. A run that is given is the one that the lines must belong to.
    pub fn new(trust: Trust, run_id: Option<RunId>) -> Self {
        let summary = Summary { run_id, events: 0, signed_events: 0, checkpoints: 0, last_hash: genesis() };
        Self { trust, lines: 0, summary, ended: false }
    }

    /// What holds so far.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Whether the signed end was there.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// Checks the next line, given without its end. After a break nothing more is to be asked.
    pub fn line(&mut self, line: &[u8]) -> Result<Record, Box<Break>> {
        self.lines += 1;
        if line.len() >= LONGEST_LINE {
            return Err(self.too_long_here());
        }
        let depth = json::depth(line);
        if depth > DEEPEST {
            return Err(self.broken(None, Fault::TooDeep, format!("at most {DEEPEST} levels"), format!("{depth}")));
        }
        // Canonical form puts another key first in each of the two.
        if line.starts_with(b"{\"actor\":") {
            self.event(line).map(|e| Record::Event(Box::new(e)))
        } else {
            self.checkpoint(line).map(Record::Checkpoint)
        }
    }

    /// Says that the next line is longer than a line may be, for a reader that did not keep it.
    pub fn too_long(&mut self) -> Box<Break> {
        self.lines += 1;
        self.too_long_here()
    }

    fn too_long_here(&self) -> Box<Break> {
        self.broken(None, Fault::TooLong, format!("at most {LONGEST_LINE} bytes"), "more".into())
    }

    /// Judges the whole, with so many bytes after the last end of a line.
    pub fn end(self, torn_bytes: u64) -> Verdict {
        match (self.ended, torn_bytes) {
            (true, 0) => Verdict::Intact(self.summary),
            (true, n) => {
                let found = format!("{n} more bytes");
                let fault = Fault::AfterEnd;
                Verdict::Broken(Break { line: self.lines + 1, seq: None, fault, expected: "nothing".into(), found })
            }
            (false, torn_bytes) => Verdict::Unfinished { summary: self.summary, torn_bytes },
        }
    }

    /// The chain to go on with; none after the end, or where not even the run is known.
    pub fn chain(&self) -> Option<Chain> {
        let Summary { run_id, events, signed_events, last_hash, .. } = &self.summary;
        let run_id = run_id.clone().filter(|_| !self.ended)?;
        Some(Chain::resume(run_id, *events, last_hash.clone(), *signed_events))
    }

    fn event(&mut self, line: &[u8]) -> Result<Event, Box<Break>> {
        let event: Event = serde_json::from_slice(line).map_err(|e| self.unreadable(&e))?;
        let seq = Some(event.seq);
        if parse_utc(&event.at).is_none() {
            return Err(self.broken(seq, Fault::Malformed, "a time in UTC".into(), event.at));
        }
        let sealed = match event.parts().seal() {
            Ok(sealed) => sealed,
            Err(EventError::TooLong(_)) => return Err(self.too_long_here()),
            Err(EventError::NotCanonical(e)) => {
                return Err(self.broken(seq, Fault::NotCanonical, "canonical JSON".into(), e.to_string()));
            }
        };
        if sealed.hash != event.hash {
            return Err(self.broken(seq, Fault::Changed, sealed.hash, event.hash));
        }
        self.same_bytes(seq, line, &sealed.line)?;
        self.same_run(seq, &event.run_id)?;
        self.not_ended(seq)?;
        self.next_in_line(event.seq)?;
        if event.prev_hash != self.summary.last_hash {
            return Err(self.broken(seq, Fault::Unlinked, self.summary.last_hash.clone(), event.prev_hash));
        }
        self.summary.events = event.seq;
        self.summary.last_hash.clone_from(&event.hash);
        Ok(event)
    }

    fn next_in_line(&self, seq: u64) -> Result<(), Box<Break>> {
        let next = self.summary.events + 1;
        if seq != next {
            let fault = if seq > next { Fault::Gap } else { Fault::Repeated };
            return Err(self.broken(Some(seq), fault, format!("event {next}"), format!("event {seq}")));
        }
        if self.checkpoint_due() {
            let expected = format!("the checkpoint after event {}", self.summary.events);
            return Err(self.broken(Some(seq), Fault::CheckpointMissing, expected, format!("event {seq}")));
        }
        Ok(())
    }

    fn checkpoint_due(&self) -> bool {
        let Summary { events, signed_events, .. } = self.summary;
        events.is_multiple_of(CHECKPOINT_EVERY) && signed_events < events
    }

    fn checkpoint(&mut self, line: &[u8]) -> Result<Checkpoint, Box<Break>> {
        let (checkpoint, signature) = Checkpoint::read(line).map_err(|e| self.unreadable(&e))?;
        let seq = Some(checkpoint.seq);
        self.same_bytes(seq, line, &checkpoint.line(&signature))?;
        self.same_run(seq, &checkpoint.run_id)?;
        self.not_ended(seq)?;
        if checkpoint.end == self.checkpoint_due() {
            let expected = if checkpoint.end { "the checkpoint that is due before the end" } else { "an event" };
            let found = if checkpoint.end { "the end" } else { "a checkpoint" };
            return Err(self.broken(seq, Fault::CheckpointMisplaced, expected.into(), found.into()));
        }
        let Summary { events, last_hash, .. } = &self.summary;
        if checkpoint.seq != *events || checkpoint.hash != *last_hash {
            let expected = format!("{events} events ending in {last_hash}");
            let found = format!("{} events ending in {}", checkpoint.seq, checkpoint.hash);
            return Err(self.broken(seq, Fault::CheckpointMismatch, expected, found));
        }
        self.signed(&checkpoint, &signature)?;
        self.ended = checkpoint.end;
        self.summary.checkpoints += 1;
        self.summary.signed_events = checkpoint.seq;
        Ok(checkpoint)
    }

    fn signed(&self, checkpoint: &Checkpoint, signature: &str) -> Result<(), Box<Break>> {
        let Trust::Keys(keys) = &self.trust else { return Ok(()) };
        let seq = Some(checkpoint.seq);
        let Some(key) = keys.iter().find(|k| k.to_string() == checkpoint.key) else {
            let known: Vec<String> = keys.iter().map(PublicKey::to_string).collect();
            let expected = if known.is_empty() { "a trusted key".into() } else { known.join(" or ") };
            return Err(self.broken(seq, Fault::UnknownKey, expected, checkpoint.key.clone()));
        };
        if checkpoint.signed_by(key, signature) {
            return Ok(());
        }
        Err(self.broken(seq, Fault::Signature, format!("a signature of {key}"), signature.to_owned()))
    }

    fn same_bytes(&self, seq: Option<u64>, line: &[u8], canonical: &[u8]) -> Result<(), Box<Break>> {
        if canonical.strip_suffix(b"\n") == Some(line) {
            return Ok(());
        }
        let at = line.iter().zip(canonical).position(|(a, b)| a != b).unwrap_or(line.len().min(canonical.len()));
        let around = |bytes: &[u8]| {
            let part = bytes.get(at..bytes.len().min(at + 24)).unwrap_or_default();
            format!("`{}` at byte {}", String::from_utf8_lossy(part).trim_end_matches('\n'), at + 1)
        };
        Err(self.broken(seq, Fault::NotCanonical, around(canonical), around(line)))
    }

    fn same_run(&mut self, seq: Option<u64>, run_id: &RunId) -> Result<(), Box<Break>> {
        let run = self.summary.run_id.get_or_insert_with(|| run_id.clone());
        if run == run_id {
            return Ok(());
        }
        let expected = run.to_string();
        Err(self.broken(seq, Fault::OtherRun, expected, run_id.to_string()))
    }

    fn not_ended(&self, seq: Option<u64>) -> Result<(), Box<Break>> {
        if self.ended {
            return Err(self.broken(seq, Fault::AfterEnd, "nothing".into(), "another line".into()));
        }
        Ok(())
    }

    fn unreadable(&self, e: &serde_json::Error) -> Box<Break> {
        let found = e.to_string();
        let fault = if found.contains(DUPLICATE) { Fault::DuplicateKey } else { Fault::Malformed };
        self.broken(None, fault, "an event or a checkpoint".into(), found)
    }

    fn broken(&self, seq: Option<u64>, fault: Fault, expected: String, found: String) -> Box<Break> {
        let clipped = |text: String| crate::snippet::clip(&text);
        Box::new(Break { line: self.lines, seq, fault, expected: clipped(expected), found: clipped(found) })
    }
}
