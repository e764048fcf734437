//! A state folder, a clock that stands still and a run to write about.

use ringfence_seal::event::Actor;
use ringfence_seal::kind::EventKind;
use ringfence_seal::run_id::RunId;
use ringfence_seal::verify::{Trust, Verdict};
use ringfence_store::edge::Clock;
use ringfence_store::keys;
use ringfence_store::run_log::{RunLog, SyncPolicy};
use ringfence_store::runs::Runs;
use serde_json::json;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const AT: u64 = 1_794_700_800_125;

pub(crate) fn state() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

pub(crate) fn clock() -> Clock {
    Box::new(|| AT)
}

pub(crate) fn run_id() -> RunId {
    RunId::new(AT / 1000, [1, 2, 3, 4])
}

pub(crate) fn new_log(state: &Path) -> RunLog {
    RunLog::create(state, &run_id(), clock(), SyncPolicy::Never).expect("a log")
}

pub(crate) fn append(log: &mut RunLog, kind: EventKind, n: u64) -> u64 {
    let actor = Actor { agent: Some("coder".into()), ..Actor::default() };
    log.append(kind, &actor, Some("kernel"), &json!({"n": n}), &[]).expect("written")
}

pub(crate) fn log_path(state: &Path) -> PathBuf {
    state.join("runs").join(run_id().as_str()).join("log.jsonl")
}

pub(crate) fn verify(state: &Path) -> Verdict {
    let trusted = keys::public_keys(&keys::public_path(state)).unwrap_or_default();
    let file = Runs::new(state).open(&run_id()).expect("a log");
    file.verify(Trust::Keys(trusted), Some(run_id())).expect("read")
}
