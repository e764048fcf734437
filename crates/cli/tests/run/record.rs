//! The record of a run: there before the command, whole after it, out of the command's reach.

use crate::support::{Bench, allowing, json, of_kind, server};
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn a_run_is_recorded_and_its_log_holds() {
    for bench in Bench::each() {
        let port = server();
        bench.write(
            "ringfence.yaml",
            &allowing(&["pkgs.test", &format!("pkgs.test:{port}"), &format!("127.0.0.1:{port}")]),
        );
        let script = format!("curl -sS --max-time 9 http://pkgs.test:{port}/; getent hosts evil.test; exit 5");
        let ran = bench.sh(&["--resolve", "pkgs.test=127.0.0.1", "--events", "../events"], &script);
        assert_eq!((ran.code, ran.out.as_str()), (5, "hello"), "{}", ran.err);
        let events = bench.events();
        let kinds: Vec<&str> = events.iter().filter_map(|e| e["kind"].as_str()).collect();
        assert_eq!((kinds[0], kinds[1], kinds.last()), ("run_started", "config_applied", Some(&"run_finished")));
        let first = &events[0]["payload"];
        assert_eq!(first["repo"], bench.repo().canonicalize().expect("a path").to_str().expect("UTF-8"));
        assert!(first["content_hash"].as_str().is_some_and(|h| h.starts_with("sha256:")));
        assert_eq!(events[1]["payload"]["tier"], "A");
        assert!(!events[1]["payload"]["refused"].as_array().expect("a list").is_empty());
        let allowed = of_kind(&events, "net_allowed");
        assert!(allowed.iter().any(|e| e["payload"]["host"] == "pkgs.test"), "{events:?}");
        let denied = of_kind(&events, "net_denied");
        assert_eq!(denied[0]["because"][0]["document"], "demo");
        assert_eq!(denied[0]["layer"], "kernel");
        assert_eq!(events.last().map(|e| &e["payload"]["exit_code"]), Some(&5.into()));
        let told = fs::read_to_string(bench.repo().join("../events")).expect("a file");
        assert_eq!(told.lines().count(), events.len());
        assert_eq!(bench.ran(&["log", "verify", "last"]).code, 0);
        let run = json(&bench.runs()[0].join("run.json"));
        assert_eq!((&run["run_id"], &run["command"][0]), (&events[0]["run_id"], &"/bin/sh".into()));
        assert_eq!(json(&bench.runs()[0].join("config.json"))["content_hash"], first["content_hash"]);
    }
}

#[test]
fn without_a_log_there_is_no_run() {
    let Some(bench) = Bench::of_nobody() else { return eprintln!("skipped: only root can become another user") };
    fs::create_dir(bench.state()).expect("a folder");
    fs::set_permissions(bench.state(), fs::Permissions::from_mode(0o777)).expect("a mode");
    let ran = bench.sh(&[], "echo ran > ran");
    assert_eq!(ran.code, 119);
    assert!(ran.err.contains("no run without a log"), "{}", ran.err);
    assert!(!bench.repo().join("ran").exists());
}

#[test]
fn a_flood_of_denials_is_counted() {
    let bench = Bench::new();
    bench.write("ringfence.yaml", &allowing(&["api.example.com"]));
    let script = "import socket\nfor n in range(3000):\n  try: socket.getaddrinfo(f'x{n}.evil.test', 80, socket.AF_INET)\n  except OSError: pass\n";
    bench.write("flood.py", script);
    let ran = bench.ran(&["run", "--", "python3", "flood.py"]);
    assert_eq!(ran.code, 122, "{}", ran.err);
    let events = bench.events();
    let total: u64 = of_kind(&events, "net_denied").iter().map(|e| e["payload"]["count"].as_u64().unwrap_or(1)).sum();
    assert_eq!(Some(total), events.last().and_then(|e| e["payload"]["denials"].as_u64()));
    assert!(total >= 3000, "{total}");
    assert!(ran.err.lines().count() < 200, "{}", ran.err.lines().count());
    assert_eq!(bench.ran(&["log", "verify", "last"]).code, 0);
}

#[test]
fn the_run_cannot_reach_its_record_or_its_policy_even_inside_the_repo() {
    let bench = Bench::new();
    bench.write("rules/mine.yaml", &allowing(&["api.example.com"]));
    let state = bench.repo().join("state");
    let script = "ls state; cat state/runs/*/log.jsonl; echo x > state/runs/x; mkdir -p state/grants; echo x > state/grants/x; echo x >> rules/mine.yaml; rm -rf state; echo done";
    let args = ["run", "--project", "rules/mine.yaml", "--", "/bin/sh", "-c", script];
    let mut command = bench.command(&args);
    let ran = crate::support::ended(command.env("RINGFENCE_STATE", &state).output().expect("it runs"));
    assert!(ran.out.ends_with("done\n"), "{} {}", ran.out, ran.err);
    assert!(!ran.out.contains("run_started"), "{}", ran.out);
    assert_eq!(
        fs::read_to_string(bench.repo().join("rules/mine.yaml")).expect("a file"),
        allowing(&["api.example.com"])
    );
    assert!(!state.join("grants/x").exists() && !state.join("runs/x").exists());
    let verify = bench.command(&["log", "verify", "last"]).env("RINGFENCE_STATE", &state).output().expect("it runs");
    assert_eq!(verify.status.code(), Some(0));
}

#[test]
fn a_snapshot_is_undone() {
    for bench in Bench::each() {
        bench.write("kept", "before");
        bench.write("big.log", "not kept");
        let ran = bench.sh(&["--snapshot", "--snapshot-exclude", "*.log"], "echo after > kept; echo x > new");
        assert_eq!(ran.code, 0, "{}", ran.err);
        let undone = bench.ran(&["undo", "--yes"]);
        assert_eq!(undone.code, 0, "{}", undone.err);
        assert_eq!(fs::read_to_string(bench.repo().join("kept")).expect("a file"), "before");
        assert!(!bench.repo().join("new").exists());
        let ran = bench.sh(&["--snapshot", "--snapshot-limit", "4"], "echo ran > ran");
        assert_eq!(ran.code, 119);
        assert!(!bench.repo().join("ran").exists(), "a run whose snapshot failed must not start");
        assert_eq!(bench.events().last().map(|e| e["kind"].clone()), Some("run_aborted".into()));
    }
}
