//! Where events go: lines of JSON in the form that `run --events` has, and a log where one is wanted.

use super::{Args, Taken};
use crate::exit::Exit;
use crate::failure::Failure;
use ringfence_guard::inspect::{Outcome, Verdict};
use ringfence_seal::event::Actor;
use ringfence_seal::kind::EventKind;
use ringfence_seal::snippet::clip;
use ringfence_store::StoreError;
use ringfence_store::edge::{new_run_id, system_clock};
use ringfence_store::run_log::{RunLog, SyncPolicy};
use ringfence_store::state::state_dir;
use serde_json::{Value as Json, json};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The places that hear of events.
pub(super) struct Events {
    lines: Lines,
    log: Option<RunLog>,
    seq: u64,
}

#[derive(Debug)]
enum Lines {
    Nowhere,
    Stderr,
    File(File, PathBuf),
}

impl Events {
    /// Opens what the flags name, before anything is read.
    pub(super) fn open(args: &Args) -> Result<Self, Failure> {
        let lines = args.events.as_deref().map_or(Ok(Lines::Nowhere), lines)?;
        let log = if args.log { Some(log().map_err(|e| Failure::Io(e.to_string()))?) } else { None };
        Ok(Self { lines, log, seq: 0 })
    }

    /// Tells of one output.
    pub(super) fn tell(&mut self, args: &Args, outcome: &Outcome, read: &Taken) -> Result<(), Failure> {
        let tool = clip(&args.tool);
        let actor = Actor { tool: Some(tool.clone()), ..Actor::default() };
        if self.log.is_some() {
            self.keep(EventKind::RunStarted, &Actor::default(), &json!({ "command": ["ringfence", "guard"] }))?;
            let returned = json!({ "bytes": read.bytes, "hash": read.hash, "tool": tool });
            self.keep(EventKind::ToolReturned, &actor, &returned)?;
        }
        for hit in &outcome.events {
            let payload = serde_json::to_value(hit).map_err(|e| Failure::Io(format!("cannot write an event: {e}")))?;
            self.seq = match self.keep(EventKind::GuardHit, &actor, &payload)? {
                Some(seq) => seq,
                None => self.seq + 1,
            };
            self.line(&payload)?;
        }
        if self.log.is_some() {
            let code = if outcome.verdict == Verdict::Block { Exit::Findings } else { Exit::Done }.code();
            let finished = json!({ "exit_code": code, "verdict": outcome.verdict });
            self.keep(EventKind::RunFinished, &Actor::default(), &finished)?;
        }
        self.log.take().map_or(Ok(()), RunLog::finish).map_err(|e| Failure::Io(e.to_string()))
    }

    /// Writes into the log, where there is one.
    fn keep(&mut self, kind: EventKind, actor: &Actor, payload: &Json) -> Result<Option<u64>, Failure> {
        let Some(log) = self.log.as_mut() else { return Ok(None) };
        log.append(kind, actor, None, payload, &[]).map(Some).map_err(|e| Failure::Io(e.to_string()))
    }

    fn line(&mut self, payload: &Json) -> Result<(), Failure> {
        let none: [Json; 0] = [];
        let event =
            json!({ "because": none, "kind": EventKind::GuardHit, "layer": null, "payload": payload, "seq": self.seq });
        let line = format!("{event}\n");
        match &mut self.lines {
            Lines::Nowhere => Ok(()),
            Lines::Stderr => std::io::stderr()
                .write_all(line.as_bytes())
                .map_err(|e| Failure::Io(format!("cannot write events to stderr: {e}"))),
            // One write for each line: several filters can share a file.
            Lines::File(file, path) => {
                file.write_all(line.as_bytes()).map_err(|e| Failure::io("write events to", path, e))
            }
        }
    }
}

/// Opens a descriptor or a file.
fn lines(flag: &Path) -> Result<Lines, Failure> {
    let number = flag.to_str().and_then(|text| text.parse::<u32>().ok());
    match number {
        _ if flag == Path::new("-") => Ok(Lines::Stderr),
        Some(2) => Ok(Lines::Stderr),
        Some(n @ (0 | 1)) => Err(Failure::Usage(format!("events cannot go to descriptor {n}: it is stdin or stdout"))),
        Some(n) => {
            let path = PathBuf::from(format!("/proc/self/fd/{n}"));
            let file = OpenOptions::new().append(true).open(&path);
            let file = file.map_err(|e| Failure::Io(format!("cannot write events to descriptor {n}: {e}")))?;
            Ok(Lines::File(file, path))
        }
        None => {
            let file = OpenOptions::new().append(true).create(true).open(flag);
            file.map(|file| Lines::File(file, flag.to_owned())).map_err(|e| Failure::io("write", flag, e))
        }
    }
}

/// A log for this call.
fn log() -> Result<RunLog, StoreError> {
    let state = state_dir(|name| std::env::var_os(name))?;
    RunLog::create(&state, &new_run_id()?, system_clock(), SyncPolicy::Denials)
}
