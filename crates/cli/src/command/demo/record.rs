//! The record of the run: checked with the keys of its own state folder, then forged twice, each time on a copy.

use super::stage::{Stage, broken};
use crate::failure::Failure;
use ringfence_seal::run_id::RunId;
use ringfence_seal::verify::{Trust, Verdict};
use ringfence_store::keys;
use ringfence_store::runs::LogFile;
use serde::Serialize;
use std::path::Path;

/// What the checks said.
#[derive(Debug, Serialize)]
pub(super) struct Record {
    /// The log as it was written is whole and signed.
    pub(super) intact: bool,
    pub(super) events: u64,
    pub(super) checkpoints: u64,
    pub(super) forgeries: Vec<Forgery>,
}

/// A forged copy.
#[derive(Debug, Serialize)]
pub(super) struct Forgery {
    pub(super) what: &'static str,
    /// Whether the check noticed.
    pub(super) noticed: bool,
    pub(super) said: String,
}

/// Checks the log and the forgeries of it.
pub(super) fn check(stage: &Stage, log: &Path, run_id: &str) -> Result<Record, Failure> {
    let run_id = RunId::parse(run_id).map_err(broken)?;
    let (intact, events, checkpoints) = match verify(stage, log, &run_id)? {
        Verdict::Intact(summary) => (true, summary.events, summary.checkpoints),
        Verdict::Unfinished { summary, .. } => (false, summary.events, summary.checkpoints),
        Verdict::Broken(_) => (false, 0, 0),
    };
    let text = std::fs::read_to_string(log).map_err(|e| Failure::io("read", log, e))?;
    let lines: Vec<&str> = text.lines().collect();
    let of = |kind: &str| lines.iter().position(|l| l.contains(kind));
    let denial = of("\"net_denied\"").or_else(|| of("\"fs_denied\""));
    let denial = denial.ok_or_else(|| Failure::Io("the log of the run holds no denial".into()))?;
    let forge = |change: &dyn Fn(&str) -> Option<String>| -> String {
        let line = |(n, l): (usize, &&str)| if n == denial { change(l) } else { Some((*l).to_owned()) };
        lines.iter().enumerate().filter_map(line).collect::<Vec<_>>().join("\n")
    };
    let changed =
        forge(&|l| Some(l.replacen("net_denied", "net_allowed", 1).replacen("\"path\":\"", "\"path\":\"/harmless", 1)));
    let without = forge(&|_| None);
    let forgeries = vec![
        forged(stage, "a denial rewritten", &changed, &run_id)?,
        forged(stage, "a denial taken out", &without, &run_id)?,
    ];
    Ok(Record { intact, events, checkpoints, forgeries })
}

fn forged(stage: &Stage, what: &'static str, text: &str, run_id: &RunId) -> Result<Forgery, Failure> {
    let copy = stage.at("forged.jsonl");
    std::fs::write(&copy, format!("{text}\n")).map_err(broken)?;
    let (noticed, said) = match verify(stage, &copy, run_id)? {
        Verdict::Broken(found) => (true, format!("line {}: {}", found.line, found.fault.words())),
        Verdict::Unfinished { .. } => (true, "its signed end is missing".to_owned()),
        Verdict::Intact(_) => (false, "intact".to_owned()),
    };
    Ok(Forgery { what, noticed, said })
}

fn verify(stage: &Stage, log: &Path, run_id: &RunId) -> Result<Verdict, Failure> {
    let trusted = keys::public_keys(&keys::public_path(&stage.at("state"))).map_err(broken)?;
    let log = LogFile::at(log).map_err(broken)?;
    log.verify(Trust::Keys(trusted), Some(run_id.clone())).map_err(broken)
}
