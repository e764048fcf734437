//! `ringfence log` as its users meet it.
#![expect(clippy::expect_used, reason = "a set-up that fails is a test that fails")]

mod program;

use program::{Run, folder, ran, run};
use ringfence_seal::event::Actor;
use ringfence_seal::kind::EventKind;
use ringfence_seal::run_id::RunId;
use ringfence_store::run_log::{RunLog, SyncPolicy};
use serde_json::{Value as Json, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

const AT: u64 = 1_794_700_800_125;
const RUN: &str = "r-20261115T000000Z-01020304";

fn command(state: &Path, args: &[&str]) -> Command {
    let mut command = program::command(&[&["log"], args].concat());
    command.env("RINGFENCE_STATE", state);
    command
}

fn log(state: &TempDir, args: &[&str]) -> Run {
    let mut command = command(state.path(), args);
    command.current_dir(state.path());
    run(command, b"")
}

/// A run with three events that is still being written.
fn begun(state: &TempDir) -> RunLog {
    let id = RunId::new(AT / 1000, [1, 2, 3, 4]);
    let mut log = RunLog::create(state.path(), &id, Box::new(|| AT), SyncPolicy::Never).expect("a log");
    let actor = Actor { agent: Some("coder".into()), tool: Some("bash".into()), process: Some("curl".into()) };
    let nobody = Actor::default();
    let trail = json!({
        "rule_id": "sandbox.network.allowlist", "document": "acme-base", "via_cascade_level": "org",
        "file": "org.yaml", "line": 14, "because": "The floor."
    });
    log.append(EventKind::RunStarted, &nobody, None, &json!({"command": ["curl", "evil.test"]}), &[]).expect("written");
    let hostile = json!({"host": "evil.test\u{1b}[2J\u{202e}", "port": 443});
    log.append(EventKind::NetDenied, &actor, Some("kernel"), &hostile, &[trail]).expect("written");
    log.append(EventKind::RunFinished, &nobody, None, &json!({"code": 7}), &[]).expect("written");
    log
}

fn finished() -> TempDir {
    let state = folder(&[]);
    begun(&state).finish().expect("finished");
    state
}

fn file(state: &TempDir) -> PathBuf {
    state.path().join("runs").join(RUN).join("log.jsonl")
}

#[test]
fn events_one_a_line_with_the_reason_under_a_denial() {
    let run = log(&finished(), &["show"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    insta::assert_snapshot!(run.out, @r#"
         1  00:00:00.125  -         run_started             command=["curl","evil.test"]
         2  00:00:00.125  kernel    net_denied              host=evil.test\u{1b}[2J\u{202e} port=443  (coder > bash > curl)
                            because sandbox.network.allowlist, `acme-base` (org level), org.yaml:14, The floor.
         3  00:00:00.125  -         run_finished            code=7
    "#);
}

#[test]
fn colour_is_ours_and_never_the_payloads() {
    let run = log(&finished(), &["show", "--color", "always"]);
    assert!(run.out.contains("\u{1b}[31mnet_denied"), "{}", run.out);
    assert!(!run.out.contains("\u{1b}[2J") && !run.out.contains('\u{202e}'), "{}", run.out);
}

#[test]
fn json_lines_are_the_bytes_of_the_log() {
    let state = finished();
    let stored = fs::read_to_string(file(&state)).expect("a log");
    let events: Vec<&str> = stored.lines().take(3).collect();
    let run = log(&state, &["show", RUN, "--format", "json"]);
    assert_eq!(run.out.lines().collect::<Vec<_>>(), events);
    let run = log(&state, &["show", "r-2026", "--kind", "net_denied", "--kind", "run_finished", "--format", "json"]);
    assert_eq!(run.out.lines().collect::<Vec<_>>(), events[1..]);
}

#[test]
fn an_intact_log_verifies_with_nothing_but_file_and_key() {
    let state = finished();
    let run = log(&state, &["verify"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let summary = format!("  run {RUN}, 3 events, 1 signed checkpoint\n");
    assert_eq!(run.out, format!("intact: {}\n{summary}", file(&state).display()));
    let elsewhere = folder(&[]);
    fs::copy(file(&state), elsewhere.path().join("copy.jsonl")).expect("copied");
    fs::copy(state.path().join("keys/log.pub"), elsewhere.path().join("log.pub")).expect("copied");
    let run = log(&elsewhere, &["verify", "copy.jsonl", "--key", "log.pub", "--format", "json"]);
    assert_eq!((run.code, run.json()["status"].as_str()), (0, Some("intact")));
    assert_eq!(run.json()["summary"]["events"], 3);
    let run = log(&elsewhere, &["verify", "./copy.jsonl"]);
    assert_eq!(run.code, 119);
    assert!(run.err.contains("`--key`"), "{}", run.err);
    fs::write(
        elsewhere.path().join("other.pub"),
        format!("ed25519:{}\n", "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"),
    )
    .expect("a key");
    let run = log(&elsewhere, &["verify", "copy.jsonl", "--key", "other.pub", "--format", "json"]);
    assert_eq!((run.code, run.json()["broken"]["fault"].as_str()), (125, Some("unknown_key")));
}

#[test]
fn the_first_broken_link_is_named() {
    let state = finished();
    let good = fs::read_to_string(file(&state)).expect("a log");
    fs::write(file(&state), good.replacen("\"port\":443", "\"port\":444", 1)).expect("written");
    let run = log(&state, &["verify", "last"]);
    assert_eq!(run.code, 125);
    assert!(
        run.out.starts_with("broken: ")
            && run.out.contains("\n  line 2, event 2: the event was changed\n  expected  sha256:"),
        "{}",
        run.out
    );
    let run = log(&state, &["verify", "--format", "json"]);
    assert_eq!(
        (run.code, &run.json()["broken"]["line"], &run.json()["broken"]["fault"]),
        (125, &json!(2), &json!("changed"))
    );
    let run = log(&state, &["show"]);
    assert_eq!((run.code, run.out.lines().count()), (125, 1), "nothing behind it is shown: {}", run.out);
    assert!(run.err.contains("the log is broken"), "{}", run.err);
    let run = log(&state, &["show", "--format", "json"]);
    let last: Json = serde_json::from_str(run.out.lines().last().expect("a line")).expect("JSON lines to the end");
    assert_eq!((run.code, &last["broken"]["seq"]), (125, &json!(2)));
    let without: String = good.lines().enumerate().filter(|(n, _)| *n != 1).map(|(_, l)| format!("{l}\n")).collect();
    fs::write(file(&state), without).expect("written");
    let run = log(&state, &["verify", RUN, "--format", "json"]);
    assert_eq!((run.code, &run.json()["broken"]["fault"]), (125, &json!("gap")));
}

#[test]
fn a_log_without_its_end_is_told_apart() {
    let state = folder(&[]);
    let open = begun(&state);
    let run = log(&state, &["verify", "--format", "json"]);
    assert_eq!(
        (run.code, &run.json()["status"], &run.json()["being_written"]),
        (125, &json!("unfinished"), &json!(true))
    );
    assert_eq!(log(&state, &["verify", "--allow-unfinished"]).code, 0);
    assert!(log(&state, &["list"]).out.contains("  running  "));
    drop(open);
    let run = log(&state, &["verify"]);
    assert_eq!(run.code, 125);
    assert!(
        run.out.starts_with("unfinished or cut short: ") && run.out.contains("its signed end is missing"),
        "{}",
        run.out
    );
    assert!(log(&state, &["show"]).err.contains("no signed end"));
    assert!(log(&state, &["list"]).out.contains("  unfinished  "));
}

#[test]
fn following_ends_with_the_run() {
    let state = folder(&[]);
    let mut open = begun(&state);
    let child = command(state.path(), &["show", "--follow", "--format", "json"]).stdout(Stdio::piped()).spawn();
    let child = child.expect("the program runs");
    for n in 0..20 {
        open.append(EventKind::NetAllowed, &Actor::default(), None, &json!({ "n": n }), &[]).expect("written");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    open.finish().expect("finished");
    let run = ran(child.wait_with_output().expect("it ends by itself"));
    assert_eq!((run.code, run.out.lines().count()), (0, 23));
    let died = folder(&[]);
    drop(begun(&died));
    assert_eq!(log(&died, &["show", "-f"]).out.lines().count(), 4, "a run whose writer is gone is not waited for");
}

#[test]
fn runs_are_listed_newest_first() {
    let state = folder(&[]);
    assert_eq!(log(&state, &["list"]).out, "no runs yet\n");
    assert_eq!(log(&state, &["list", "--format", "json"]).json(), json!({"runs": [], "total": 0}));
    let state = finished();
    let older = RunId::new(1, [9; 4]);
    drop(RunLog::create(state.path(), &older, Box::new(|| AT), SyncPolicy::Never).expect("a log"));
    let run = log(&state, &["list"]);
    insta::assert_snapshot!(run.out, @"
    r-20261115T000000Z-01020304  2026-11-15T00:00:00Z  finished        3 events  curl evil.test
    r-19700101T000001Z-09090909  1970-01-01T00:00:01Z  unfinished             -
    ");
    let run = log(&state, &["list", "-n", "1", "--format", "json"]);
    assert_eq!((&run.json()["total"], run.json()["runs"].as_array().map(Vec::len)), (&json!(2), Some(1)));
    assert_eq!(run.json()["runs"][0]["command"], "curl evil.test");
}

#[test]
fn what_is_not_there_is_bad_usage() {
    let state = folder(&[]);
    for args in
        [&["show"][..], &["verify"], &["show", "r-2026"], &["verify", "no\u{1b}such"], &["show", "--kind", "denied"]]
    {
        let run = log(&state, args);
        assert_eq!((run.code, run.out.as_str()), (119, ""), "{args:?}");
        assert!(!run.err.contains('\u{1b}'), "{}", run.err);
        let json = log(&state, &[args, &["--format", "json"]].concat()).json();
        assert_eq!(json["errors"][0]["code"], "usage", "{args:?}");
    }
    assert_eq!(fs::read_dir(state.path()).expect("a folder").count(), 0, "looking makes nothing");
    let run = run(command(Path::new("relative"), &["list"]), b"");
    assert_eq!(run.code, 119);
    assert!(run.err.contains("absolute"), "{}", run.err);
    for part in ["list", "show", "verify"] {
        assert!(log(&state, &[part, "--format", "sarif"]).err.contains("only human and json"));
    }
}
