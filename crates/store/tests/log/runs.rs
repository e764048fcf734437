//! Finding runs and looking at them.

use crate::support::{append, clock, log_path, new_log, run_id, state, verify};
use ringfence_seal::kind::EventKind;
use ringfence_seal::run_id::RunId;
use ringfence_store::run_log::{RunLog, SyncPolicy};
use ringfence_store::runs::{LogFile, Runs, Status};
use std::fs;

fn code<T>(result: Result<T, ringfence_store::StoreError>) -> &'static str {
    result.err().map_or("ok", |e| e.code())
}

#[test]
fn runs_are_found_by_id_start_and_age() {
    let state = state();
    let runs = Runs::new(state.path());
    assert_eq!(runs.ids().expect("ids"), []);
    assert_eq!(code(runs.resolve("last")), "store.no_such_run");
    let ids = [RunId::new(100, [0xaa; 4]), RunId::new(100_000_000, [0x0b; 4]), RunId::new(100_000_000, [0x0a; 4])];
    for id in &ids {
        RunLog::create(state.path(), id, clock(), SyncPolicy::Never).expect("a log");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    fs::create_dir(state.path().join("runs/not-a-run")).expect("a folder");
    let newest_first: Vec<RunId> = ids.iter().rev().cloned().collect();
    assert_eq!(runs.ids().expect("ids"), newest_first, "within one second the younger folder comes first");
    assert_eq!(runs.resolve("last").expect("a run"), ids[2]);
    assert_eq!(runs.resolve("r-1970").expect("a run"), ids[0]);
    assert_eq!(runs.resolve(ids[1].as_str()).expect("a run"), ids[1]);
    assert_eq!(code(runs.resolve("r-1973")), "store.ambiguous_run");
    for word in ["", "r-2026", "../runs", "not-a-run"] {
        assert_eq!(code(runs.resolve(word)), "store.no_such_run", "{word}");
    }
}

#[test]
fn a_glance_tells_status_and_size() {
    let state = state();
    let glance = || Runs::new(state.path()).open(&run_id()).and_then(|f| f.glance()).expect("a glance");
    let mut log = new_log(state.path());
    assert_eq!((glance().status, glance().events), (Status::Running, None));
    append(&mut log, EventKind::RunStarted, 1);
    let payload = serde_json::json!({"text": "\"seq\":77}\n".repeat(1000)});
    log.append(EventKind::ToolReturned, &Default::default(), None, &payload, &[]).expect("written");
    let seen = glance();
    assert_eq!(
        (seen.status, seen.events, seen.first.map(|e| e.kind)),
        (Status::Running, Some(2), Some(EventKind::RunStarted))
    );
    drop(log);
    assert_eq!((glance().status, glance().events), (Status::Unfinished, Some(2)));
    let (log, _) = RunLog::open(state.path(), &run_id(), clock(), SyncPolicy::Never).expect("a log");
    log.finish().expect("finished");
    assert_eq!((glance().status, glance().events), (Status::Finished, Some(2)));
    assert_eq!(glance().bytes, fs::metadata(log_path(state.path())).expect("metadata").len());
    assert!(matches!(verify(state.path()), ringfence_seal::verify::Verdict::Intact(_)), "looking changes nothing");
}

#[test]
fn only_regular_files_are_logs() {
    let state = state();
    assert_eq!(code(LogFile::at(state.path())), "store.unsafe_path");
    assert_eq!(code(LogFile::at("/dev/zero".as_ref())), "store.unsafe_path");
    assert_eq!(code(LogFile::at(&state.path().join("nothing"))), "store.io");
}
