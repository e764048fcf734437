//! `ringfence demo`, run as a program: as whoever runs the test and as nobody, in every tier, from folders that have
//! never seen the source; what it claims, what it leaves behind, and that it can fail.
#![expect(clippy::expect_used, reason = "a set-up that fails is a test that fails")]

use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A folder outside `/tmp` that everybody can look into, with the program in it.
fn bench() -> TempDir {
    let places = ["/var/tmp", "/srv", env!("CARGO_TARGET_TMPDIR")];
    let dir = places.iter().find_map(|place| TempDir::new_in(place).ok()).expect("a folder");
    std::fs::set_permissions(dir.path(), std::os::unix::fs::PermissionsExt::from_mode(0o777)).expect("a mode");
    std::fs::copy(env!("CARGO_BIN_EXE_ringfence"), dir.path().join("ringfence")).expect("a copy");
    dir
}

const NOBODY: &[&str] = &["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

/// Nobody, where the test may become one, and whoever runs it.
fn users() -> Vec<&'static [&'static str]> {
    match rustix::process::geteuid().is_root() {
        true => vec![&[], NOBODY],
        false => {
            eprintln!("not root: only as this user");
            vec![&[]]
        }
    }
}

fn command(at: &Path, user: &[&str], args: &[&str]) -> Command {
    let program = at.join("ringfence");
    let mut command = match user {
        [first, rest @ ..] => {
            let mut command = Command::new(first);
            command.args(rest).arg(program);
            command
        }
        [] => Command::new(program),
    };
    command.arg("demo").args(args).current_dir(at).stdin(Stdio::null()).env("HOME", at.join("home"));
    command
        .env("NO_COLOR", "1")
        .env_remove("RINGFENCE_STATE")
        .env_remove("XDG_STATE_HOME")
        .env_remove("CLICOLOR_FORCE");
    command
}

fn demo(at: &Path, user: &[&str], args: &[&str]) -> Output {
    command(at, user, args).output().expect("the demo")
}

fn json(output: &Output) -> Json {
    let (text, told) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(text.starts_with('{'), "{text} {told}");
    serde_json::from_str(&text).expect("JSON")
}

/// The folders of demos that are there.
fn folders() -> BTreeSet<PathBuf> {
    let places = [PathBuf::from("/var/tmp"), std::env::temp_dir()];
    let entries = places.iter().flat_map(|p| std::fs::read_dir(p).into_iter().flatten().flatten());
    let named = entries.filter(|e| e.file_name().to_string_lossy().starts_with("ringfence-demo-"));
    named.map(|e| e.path()).collect()
}

/// The folder of a demo, by the process that sweeps up after it.
fn folder_of(demo: u32) -> Option<PathBuf> {
    let children = std::fs::read_to_string(format!("/proc/{demo}/task/{demo}/children")).ok()?;
    children.split_whitespace().find_map(|pid| {
        let words = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?;
        let mut words = words.split('\0').skip_while(|word| *word != "--sweep");
        words.nth(1).map(PathBuf::from)
    })
}

fn attempts(demo: &Json) -> &Vec<Json> {
    demo.pointer("/ring/attempts").and_then(Json::as_array).expect("attempts")
}

#[test]
fn every_defence_holds_and_is_named_for_root_and_for_nobody() {
    for user in users() {
        let at = bench();
        let output = demo(at.path(), user, &["--format", "json", "--exit", "--no-open"]);
        let d = json(&output);
        assert_eq!((output.status.code(), &d["held"]), (Some(0), &Json::Bool(true)), "{d}");
        assert_eq!(d["not_held"], serde_json::json!([]), "{d}");
        assert_eq!(d["ring"]["work_done"], true);
        assert!(attempts(&d).len() >= 12, "{d}");
        for tried in attempts(&d) {
            assert_eq!(tried["verdict"], "stopped", "{tried}");
            for key in ["rule", "document", "file"] {
                assert!(tried[key].as_str().is_some_and(|t| !t.is_empty()), "{key}: {tried}");
            }
            assert!(tried["line"].as_u64().is_some_and(|l| l > 0), "{tried}");
            assert!(!tried["file"].as_str().unwrap_or_default().contains("ringfence-demo-"), "{tried}");
        }
        let aims: BTreeSet<&str> = attempts(&d).iter().filter_map(|t| t["aim"].as_str()).collect();
        assert_eq!(aims, BTreeSet::from(["delete", "plant", "send", "steal"]));
        let outside = &d["ring"]["outside"];
        assert!(outside["canaries"].as_u64().is_some_and(|n| n >= 7), "{outside}");
        assert_eq!((&outside["harmed"], &outside["leaked"]), (&serde_json::json!([]), &serde_json::json!([])));
        assert_eq!(outside["heard"], 0);
        assert!(!at.path().join("home").exists(), "the demo has a home of its own");
    }
}

#[test]
fn a_rule_that_is_named_stands_where_it_says() {
    let at = bench();
    let d = json(&demo(at.path(), &[], &["--format", "json"]));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let explained = &d["policy"]["explained"];
    let mut places: Vec<(&Json, &str)> = vec![(explained, "mail/send")];
    let word = |t: &Json| match t["rule"].as_str() {
        Some("sandbox.filesystem.permission") => "permission",
        Some("sandbox.network.allowlist") => "allowlist",
        Some(rule) if rule.contains("hidden") => "hidden",
        _ => "protected",
    };
    let of_acme = |t: &&Json| t["file"].as_str().is_some_and(|f| f.starts_with("examples/acme/"));
    places.extend(attempts(&d).iter().filter(of_acme).map(|t| (t, word(t))));
    assert!(places.len() > 5, "{d}");
    for (place, word) in places {
        let file = place["file"].as_str().expect("a file");
        let line = place["line"].as_u64().and_then(|l| usize::try_from(l).ok()).expect("a line");
        let text = std::fs::read_to_string(root.join(file)).expect("the example");
        let stated = text.lines().nth(line - 1).unwrap_or_default();
        assert!(stated.contains(word), "{word} at {file}:{line} is {stated:?}");
    }
}

#[test]
fn weaker_tiers_say_what_they_lack_and_hold_the_rest() {
    for user in users() {
        for tier in ["B", "C"] {
            let at = bench();
            let output = demo(at.path(), user, &["--format", "json", "--tier", tier]);
            if output.status.code() == Some(124) {
                eprintln!("skipped: no tier {tier} here");
                continue;
            }
            let d = json(&output);
            assert_eq!(output.status.code(), Some(0), "{tier}: {d}");
            assert_ne!(d["ring"]["tier"], "A");
            assert_ne!(d["not_shown"], serde_json::json!([]), "{d}");
            assert!(attempts(&d).iter().all(|t| t["rule"].is_string()), "{d}");
        }
    }
}

#[test]
fn the_guards_catch_the_poison_and_let_the_rest_pass() {
    let at = bench();
    let d = json(&demo(at.path(), &[], &["--format", "json"]));
    let all = d["guards"].as_array().expect("samples");
    let (poisoned, clean): (Vec<&Json>, Vec<&Json>) = all.iter().partition(|g| g["poisoned"] == true);
    assert!(poisoned.len() >= 6 && !clean.is_empty(), "{d}");
    for one in poisoned {
        assert_eq!(one["verdict"], "block", "{one}");
        assert!(one["findings"][0]["span"]["end"].as_u64() > one["findings"][0]["span"]["start"].as_u64(), "{one}");
        assert!(one["shown"].as_str().is_some_and(|t| t.contains("was withheld by rule `")), "{one}");
    }
    let comment = all.iter().find(|g| g["title"] == "a comment that no browser shows").expect("the comment");
    assert_eq!(comment["findings"][0]["rule"], "hidden.order", "the words that are underlined: {comment}");
    for one in clean {
        assert_eq!((&one["verdict"], &one["right"]), (&"pass".into(), &true.into()), "{one}");
        assert!(one["shown"].as_str().is_some_and(|t| t.starts_with("<<<BEGIN RINGFENCE-UNTRUSTED")), "{one}");
    }
    assert_eq!(d["log"]["intact"], true);
    let forgeries = d["log"]["forgeries"].as_array().expect("forgeries");
    assert!(forgeries.len() >= 2 && forgeries.iter().all(|f| f["noticed"] == true), "{d}");
}

#[test]
fn people_see_sections_that_fit_and_nothing_a_terminal_acts_on() {
    let at = bench();
    let output = demo(at.path(), &[], &[]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(output.status.code(), Some(0), "{text}");
    for start in ["1  ", "2  ", "3  ", "4  ", "5  ", "6  "] {
        assert!(text.lines().any(|l| l.starts_with(start)), "{start}: {text}");
    }
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
        assert!(!line.contains(['\u{1b}', '\u{200b}', '\r']), "{line:?}");
    }
    assert!(text.contains("~~~~") && text.contains("examples/acme/org.yaml:48"), "{text}");
    assert!(!text.contains('✗') && text.contains("every defence held"), "{text}");
}

#[test]
fn nothing_is_left_behind_when_it_ends_or_is_ended() {
    let at = bench();
    let mut ended = command(at.path(), &[], &[]).stdout(Stdio::piped()).spawn().expect("the demo");
    let mut folder = None;
    let began = Instant::now();
    while folder.is_none() && began.elapsed() < Duration::from_secs(20) {
        folder = folder_of(ended.id()).filter(|f| f.join("work").exists());
    }
    let folder = folder.expect("a folder to be seen");
    ended.kill().expect("killed");
    let _ = ended.wait();
    while folder.exists() && began.elapsed() < Duration::from_secs(40) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!folder.exists(), "{}", folder.display());

    let mut whole = command(at.path(), &[], &["--format", "json"]).stdout(Stdio::null()).spawn().expect("the demo");
    let mut seen = None;
    while whole.try_wait().expect("a child").is_none() {
        seen = seen.or_else(|| folder_of(whole.id()));
    }
    let seen = seen.expect("a folder to be seen");
    assert!(!folders().contains(&seen), "{}", seen.display());
    let left: Vec<_> = std::fs::read_dir(at.path()).expect("a list").flatten().map(|e| e.file_name()).collect();
    assert_eq!(left, ["ringfence"], "nothing but the program");
}

#[test]
fn the_sweeper_removes_nothing_but_a_demos_folder() {
    let at = bench();
    let other = at.path().join("photos");
    std::fs::create_dir(&other).expect("a folder");
    let ours = at.path().join("ringfence-demo-x");
    std::fs::create_dir(&ours).expect("a folder");
    for folder in [&other, &ours] {
        let output = demo(at.path(), &[], &["--sweep", &folder.display().to_string()]);
        assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
    }
    assert!(other.exists() && !ours.exists());
}

/// Every policy of this folder is broken, and says what the demo must not listen to.
#[test]
fn what_lies_in_the_folder_plays_no_part() {
    let at = bench();
    std::fs::write(at.path().join("ringfence.yaml"), "policy: [\n").expect("a file");
    std::fs::create_dir_all(at.path().join("examples/acme")).expect("a folder");
    std::fs::write(at.path().join("examples/acme/org.yaml"), "sandbx: 1\n").expect("a file");
    let output = demo(at.path(), &[], &["--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}
