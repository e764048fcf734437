//! The writer: what it acknowledges is there, what a crash left is set aside, and nobody else gets in between.

use crate::support::{append, clock, log_path, new_log, run_id, state, verify};
use ringfence_seal::fault::Fault;
use ringfence_seal::kind::EventKind;
use ringfence_seal::verify::{Trust, Verdict};
use ringfence_store::run_log::{RunLog, SyncPolicy};
use ringfence_store::runs::Runs;
use ringfence_store::{StoreError, keys};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

fn code<T>(result: Result<T, StoreError>) -> &'static str {
    match result {
        Ok(_) => panic!("no error"),
        Err(e) => e.code(),
    }
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).expect("metadata").mode() & 0o7777
}

fn append_bytes(path: &Path, bytes: &[u8]) {
    OpenOptions::new().append(true).open(path).and_then(|mut f| f.write_all(bytes)).expect("written");
}

#[test]
fn a_whole_log_is_intact_and_private() {
    for (policy, events, checkpoints) in
        [(SyncPolicy::Denials, 2500, 3), (SyncPolicy::Always, 20, 1), (SyncPolicy::Never, 2000, 3)]
    {
        let outer = state();
        let state = outer.path().join("not/yet/there");
        let mut log = RunLog::create(&state, &run_id(), clock(), policy).expect("a log");
        log.set_policy_version(Some(4));
        for n in 1..=events {
            let kind = if n % 500 == 0 { EventKind::NetDenied } else { EventKind::NetAllowed };
            assert_eq!(append(&mut log, kind, n), n);
        }
        log.finish().expect("finished");
        let Verdict::Intact(summary) = verify(&state) else { panic!("not intact") };
        assert_eq!((summary.events, summary.checkpoints), (events, checkpoints));
        for (path, expected) in [
            ("", 0o700),
            ("runs", 0o700),
            ("keys", 0o700),
            ("keys/log.ed25519", 0o600),
            (&format!("runs/{}", run_id()), 0o700),
            (&format!("runs/{}/log.jsonl", run_id()), 0o600),
        ] {
            assert_eq!(mode(&state.join(path)), expected, "{path}");
        }
        assert_eq!(fs::read_dir(state.join("keys")).expect("a folder").count(), 2, "nothing is left over");
    }
}

#[test]
fn a_log_that_is_dropped_is_unfinished_and_can_go_on() {
    let state = state();
    let mut log = new_log(state.path());
    append(&mut log, EventKind::RunStarted, 1);
    drop(log);
    assert!(matches!(verify(state.path()), Verdict::Unfinished { torn_bytes: 0, .. }));
    let (mut log, repair) = RunLog::open(state.path(), &run_id(), clock(), SyncPolicy::Never).expect("a log");
    assert_eq!((repair, log.events()), (None, 1));
    assert_eq!(append(&mut log, EventKind::RunAborted, 2), 2);
    log.finish().expect("finished");
    assert!(matches!(verify(state.path()), Verdict::Intact(s) if s.events == 2));
    assert_eq!(code(RunLog::open(state.path(), &run_id(), clock(), SyncPolicy::Never)), "store.log_finished");
}

#[test]
fn a_torn_tail_is_set_aside_and_told() {
    let state = state();
    let mut log = new_log(state.path());
    append(&mut log, EventKind::RunStarted, 1);
    drop(log);
    for (n, name) in [(2, "log.torn"), (3, "log.torn.2")] {
        append_bytes(&log_path(state.path()), b"{\"actor\":{\"agent\":\"half a li");
        assert!(matches!(verify(state.path()), Verdict::Unfinished { torn_bytes: 28, .. }));
        let (mut log, repair) = RunLog::open(state.path(), &run_id(), clock(), SyncPolicy::Never).expect("a log");
        let repair = repair.expect("a repair");
        assert_eq!((repair.bytes, repair.moved_to.file_name().and_then(|f| f.to_str())), (28, Some(name)));
        assert_eq!(fs::read(&repair.moved_to).expect("a file"), b"{\"actor\":{\"agent\":\"half a li");
        assert_eq!(append(&mut log, EventKind::NetDenied, n), n);
    }
    assert!(matches!(verify(state.path()), Verdict::Unfinished { torn_bytes: 0, summary } if summary.events == 3));
}

#[test]
fn a_checkpoint_that_a_crash_swallowed_is_written_on_open() {
    let state = state();
    let mut log = new_log(state.path());
    for n in 1..=1000 {
        append(&mut log, EventKind::NetAllowed, n);
    }
    drop(log);
    let text = fs::read_to_string(log_path(state.path())).expect("a log");
    let (events, _) = text.trim_end().rsplit_once('\n').expect("lines");
    fs::write(log_path(state.path()), format!("{events}\n{{\"at\":\"20")).expect("written");
    let (mut log, repair) = RunLog::open(state.path(), &run_id(), clock(), SyncPolicy::Never).expect("a log");
    assert_eq!(repair.map(|r| r.bytes), Some(9));
    append(&mut log, EventKind::NetAllowed, 1001);
    log.finish().expect("finished");
    assert!(matches!(verify(state.path()), Verdict::Intact(s) if (s.events, s.checkpoints) == (1001, 2)));
}

#[test]
fn nothing_is_chained_to_a_broken_log() {
    let state = state();
    let mut log = new_log(state.path());
    (1..=3).for_each(|n| _ = append(&mut log, EventKind::NetDenied, n));
    drop(log);
    let path = log_path(state.path());
    let good = fs::read_to_string(&path).expect("a log");
    fs::write(&path, good.replacen("\"n\":2", "\"n\":9", 1)).expect("written");
    match RunLog::open(state.path(), &run_id(), clock(), SyncPolicy::Never).map(|_| ()) {
        Err(StoreError::Broken { found, .. }) => assert_eq!((found.line, found.fault), (2, Fault::Changed)),
        other => panic!("{other:?}"),
    }
    assert_eq!(
        fs::read_to_string(&path).expect("a log"),
        good.replacen("\"n\":2", "\"n\":9", 1),
        "it is left as it was"
    );
}

#[test]
fn two_writers_do_not_fork_a_chain() {
    let state = state();
    let mut log = new_log(state.path());
    append(&mut log, EventKind::RunStarted, 1);
    assert_eq!(code(RunLog::open(state.path(), &run_id(), clock(), SyncPolicy::Never)), "store.log_in_use");
    assert_eq!(code(RunLog::create(state.path(), &run_id(), clock(), SyncPolicy::Never)), "store.run_exists");
    let file = Runs::new(state.path()).open(&run_id()).expect("a log");
    assert!(file.is_written());
    append(&mut log, EventKind::RunFinished, 2);
    drop(log);
    assert!(!file.is_written());
    assert!(RunLog::open(state.path(), &run_id(), clock(), SyncPolicy::Never).is_ok());
}

#[test]
fn an_event_that_cannot_be_sealed_leaves_no_trace() {
    let state = state();
    let mut log = new_log(state.path());
    let actor = Default::default();
    let bad = log.append(EventKind::NetDenied, &actor, None, &serde_json::json!({"x": 0.5}), &[]);
    assert_eq!(code(bad), "log.not_canonical");
    let long = serde_json::json!({"x": "y".repeat(1 << 20)});
    assert_eq!(code(log.append(EventKind::NetDenied, &actor, None, &long, &[])), "log.event_too_long");
    assert_eq!(append(&mut log, EventKind::NetDenied, 1), 1);
    log.finish().expect("finished");
    assert!(matches!(verify(state.path()), Verdict::Intact(s) if s.events == 1));
}

#[test]
fn links_and_open_folders_are_refused() {
    let elsewhere = state();
    let create = |state: &Path| RunLog::create(state, &run_id(), clock(), SyncPolicy::Never);
    for name in ["runs", "keys"] {
        let state = state();
        symlink(elsewhere.path(), state.path().join(name)).expect("a link");
        let error = match name {
            "runs" => code(create(state.path())),
            _ => code(create(state.path()).expect("a log").finish()),
        };
        assert_eq!(error, "store.unsafe_path", "{name}");
    }
    assert_eq!(fs::read_dir(elsewhere.path()).expect("a folder").count(), 0, "nothing was written there");
    let outer = state();
    symlink(elsewhere.path(), outer.path().join("link")).expect("a link");
    assert_eq!(code(create(&outer.path().join("link"))), "store.unsafe_path");
    fs::write(outer.path().join("file"), "").expect("a file");
    assert_eq!(code(create(&outer.path().join("file"))), "store.unsafe_path");
    fs::set_permissions(outer.path(), Permissions::from_mode(0o777)).expect("a mode");
    assert_eq!(code(create(outer.path())), "store.unsafe_path");
}

#[test]
fn a_log_file_that_is_a_link_is_neither_read_nor_written() {
    let state = state();
    drop(new_log(state.path()));
    let path = log_path(state.path());
    fs::rename(&path, state.path().join("moved")).expect("moved");
    symlink(state.path().join("moved"), &path).expect("a link");
    assert_eq!(code(RunLog::open(state.path(), &run_id(), clock(), SyncPolicy::Never)), "store.unsafe_path");
    assert_eq!(code(Runs::new(state.path()).open(&run_id())), "store.io");
}

#[test]
fn folders_of_others_and_folders_that_cannot_be_made_are_errors() {
    let create = |state: &Path| RunLog::create(state, &run_id(), clock(), SyncPolicy::Never);
    assert_eq!(code(create(Path::new("/proc/ringfence-state"))), "store.io");
    let state = state();
    if fs::metadata(state.path()).expect("metadata").uid() == 0 {
        std::os::unix::fs::chown(state.path(), Some(65534), None).expect("given away");
        assert_eq!(code(create(state.path())), "store.unsafe_path");
    } else {
        assert_eq!(code(create(Path::new("/usr"))), "store.unsafe_path");
        fs::set_permissions(state.path(), Permissions::from_mode(0o500)).expect("a mode");
        assert_eq!(code(create(state.path())), "store.io");
    }
}

#[test]
fn many_first_starts_agree_on_one_key() {
    let state = state();
    let keys: Vec<String> = std::thread::scope(|scope| {
        let start = || scope.spawn(|| keys::signing_key(state.path()).expect("a key").public().to_string());
        let started: Vec<_> = (0..16).map(|_| start()).collect();
        started.into_iter().map(|t| t.join().expect("no panic")).collect()
    });
    assert!(keys.iter().all(|k| Some(k) == keys.first()), "{keys:?}");
    let listed = keys::public_keys(&keys::public_path(state.path())).expect("keys");
    assert_eq!(listed.iter().map(ToString::to_string).collect::<Vec<_>>(), keys.get(..1).expect("a key"));
    assert_eq!(fs::read_dir(state.path().join("keys")).expect("a folder").count(), 2, "nothing is left over");
}

#[test]
fn keys_that_leak_or_are_no_keys_are_refused() {
    let state = state();
    keys::signing_key(state.path()).expect("a key");
    let secret = state.path().join("keys/log.ed25519");
    fs::set_permissions(&secret, Permissions::from_mode(0o640)).expect("a mode");
    assert_eq!(code(keys::signing_key(state.path())), "store.unsafe_path");
    fs::set_permissions(&secret, Permissions::from_mode(0o600)).expect("a mode");
    File::create(&secret).expect("emptied");
    assert_eq!(code(keys::signing_key(state.path())), "store.bad_key");
    fs::write(keys::public_path(state.path()), "# mine\n\ned25519:zz\n").expect("written");
    let error = keys::public_keys(&keys::public_path(state.path())).expect_err("no key");
    assert!(error.to_string().contains("line 3"), "{error}");
}

#[test]
fn a_new_key_is_listed_beside_the_old_one_and_old_logs_still_verify() {
    let state = state();
    let mut log = new_log(state.path());
    append(&mut log, EventKind::RunStarted, 1);
    log.finish().expect("finished");
    fs::remove_file(state.path().join("keys/log.ed25519")).expect("removed");
    let new = keys::signing_key(state.path()).expect("a key").public();
    let listed = keys::public_keys(&keys::public_path(state.path())).expect("keys");
    assert_eq!((listed.len(), listed.last()), (2, Some(&new)));
    assert!(matches!(verify(state.path()), Verdict::Intact(_)));
    let file = Runs::new(state.path()).open(&run_id()).expect("a log");
    let verdict = file.verify(Trust::Keys(vec![new]), None).expect("read");
    assert!(matches!(verdict, Verdict::Broken(b) if b.fault == Fault::UnknownKey));
}
