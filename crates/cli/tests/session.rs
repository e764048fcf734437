//! `run --session`: one box, many commands, and an end that leaves nothing.

#![expect(clippy::expect_used, reason = "a test that cannot go on should say why and stop")]

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["repo", "home", "state"] {
            fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        Self(folder)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ringfence"));
        command.args(["run", "--session", "test"]).args(words).current_dir(self.0.path().join("repo"));
        command.env("HOME", self.0.path().join("home")).env("RINGFENCE_STATE", self.0.path().join("state"));
        command.env("SECRET_TOKEN", "sesame").stdin(Stdio::null());
        command
    }

    fn sh(&self, script: &str) -> Output {
        self.command(&["--", "/bin/sh", "-c", script]).output().expect("a call")
    }

    fn repo_has(&self, name: &str) -> bool {
        self.0.path().join("repo").join(name).symlink_metadata().is_ok()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = self.command(&["--session-end"]).status();
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn commands_share_one_box_and_its_rules() {
    let place = Place::new();
    let first = place.sh("echo kept > /tmp/note; echo \"token: $SECRET_TOKEN\"; exit 7");
    assert_eq!((first.status.code(), text(&first.stdout)), (Some(7), "token: \n".into()), "{}", text(&first.stderr));
    // The same box: its own temporary files are still there.
    assert_eq!(text(&place.sh("cat /tmp/note").stdout), "kept\n");
    let planted = place.sh("echo {} > .mcp.json");
    assert_ne!(planted.status.code(), Some(0));
    assert_eq!(text(&place.sh("cat /etc/shadow /proc/1/environ; echo over").stdout), "over\n");
    let folder = fs::File::open("/").expect("a folder");
    let led_out = place.command(&["--", "/bin/ls", "/proc/self/fd/0"]).stdin(folder).output().expect("a call");
    assert_eq!((led_out.status.code(), text(&led_out.stdout)), (Some(127), String::new()), "{}", text(&led_out.stderr));
    let mut piped =
        place.command(&["--", "/bin/cat"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a call");
    piped.stdin.take().expect("a stream").write_all(b"through").expect("written");
    assert_eq!(text(&piped.wait_with_output().expect("an end").stdout), "through");
    let absent = place.command(&["--", "/no/such/program"]).output().expect("a call");
    assert_eq!(absent.status.code(), Some(127), "{}", text(&absent.stderr));
    assert_eq!(place.sh("true").status.code(), Some(0), "a command that could not start ends no session");
}

#[test]
fn a_caller_that_goes_away_ends_its_command_and_an_end_leaves_nothing() {
    let place = Place::new();
    assert_eq!(place.sh("true").status.code(), Some(0));
    assert!(place.repo_has(".mcp.json"), "names are kept free while the session lasts");
    let mut caller =
        place.command(&["--", "/bin/sh", "-c", "sleep 1000; echo survived > marker"]).spawn().expect("a call");
    let runs = || {
        let seen = place.sh("for p in /proc/[0-9]*; do read -r c < $p/comm && echo $c; done");
        text(&seen.stdout).lines().any(|name| name == "sleep")
    };
    comes("the command runs", runs);
    caller.kill().expect("killed");
    caller.wait().expect("gone");
    comes("its command has ended", || !runs());
    assert_eq!(place.command(&["--session-end"]).status().expect("an end").code(), Some(0));
    comes("the kept names are gone", || !place.repo_has(".mcp.json"));
    assert!(!place.repo_has("marker"));
}

/// Looks until it is so; never for ever.
fn comes(what: &str, is_so: impl Fn() -> bool) {
    let start = std::time::Instant::now();
    while !is_so() {
        assert!(start.elapsed() < std::time::Duration::from_secs(10), "not so: {what}");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[test]
fn every_call_is_in_the_log() {
    let place = Place::new();
    for script in ["echo one", "echo two", "exit 3", "echo q7Xk29LmPz81RtYv4Bd0"] {
        place.sh(script);
    }
    place.command(&["--session-end"]).status().expect("an end");
    let runs = place.0.path().join("state/runs");
    let mut log = String::new();
    comes("a whole log", || {
        let run = fs::read_dir(&runs).ok().and_then(|mut d| d.next()?.ok()).map(|e| e.path());
        run.and_then(|run| fs::read_to_string(run.join("log.jsonl")).ok()).is_some_and(|t| t.contains("run_finished"))
    });
    for run in fs::read_dir(&runs).expect("runs").flatten() {
        log += &fs::read_to_string(run.path().join("log.jsonl")).expect("a log");
    }
    let calls: Vec<&str> = log.lines().filter(|line| line.contains("tool_called")).collect();
    assert_eq!(calls.len(), 4, "{log}");
    for (call, said) in calls.iter().zip(["echo one", "echo two", "exit 3", "echo q7Xk…"]) {
        assert!(call.contains(said), "{said} in {call}");
    }
}

#[test]
fn a_session_needs_a_plain_name_and_programs() {
    let place = Place::new();
    let bad = Command::new(env!("CARGO_BIN_EXE_ringfence"))
        .args(["run", "--session", "../x", "--", "true"])
        .env("RINGFENCE_STATE", place.0.path().join("state"))
        .output()
        .expect("a call");
    assert!(text(&bad.stderr).contains("a session's name"), "{}", text(&bad.stderr));
    let none = place.command(&["--preset", "read-only", "--", "/bin/true"]).output().expect("a call");
    assert!(text(&none.stderr).contains("a session starts programs"), "{}", text(&none.stderr));
}
