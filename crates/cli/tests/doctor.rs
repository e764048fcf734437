//! `ringfence doctor`, run as a program: as it is, without user namespaces, under policies that ask for more.
#![expect(clippy::expect_used, reason = "a set-up that fails is a test that fails")]

use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

fn doctor(at: &Path, wrapper: &[&str], args: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_ringfence");
    let words: Vec<&str> = wrapper.iter().copied().chain([program, "doctor"]).chain(args.iter().copied()).collect();
    let (first, rest) = words.split_first().expect("a command");
    let mut command = Command::new(first);
    command.args(rest).current_dir(at).env("RINGFENCE_STATE", at.join("state")).env("NO_COLOR", "1");
    command.stdin(Stdio::null()).output().expect("the doctor")
}

fn json(output: &Output) -> Json {
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(text.starts_with('{'), "{text} {errors}");
    serde_json::from_str(&text).expect("JSON")
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// A user namespace in which no further one can be made: what a hardened machine looks like.
const WITHOUT: &[&str] =
    &["unshare", "-Ur", "sh", "-c", "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$0\" \"$@\""];

fn can_do_without() -> bool {
    let mut wrapped = Command::new("unshare");
    wrapped.args(["-Ur", "sh", "-c", "echo 0 > /proc/sys/user/max_user_namespaces"]);
    let can = wrapped.stderr(Stdio::null()).status().is_ok_and(|s| s.success());
    if !can {
        eprintln!("skipped: no user namespace to take namespaces away in");
    }
    can
}

fn findings<'a>(d: &'a Json, tier: &'a str) -> impl Iterator<Item = &'a Json> {
    d["findings"].as_array().expect("findings").iter().filter(move |f| f["tier"] == tier)
}

#[test]
fn whatever_is_enforcing_has_just_refused_something_beside_a_twin() {
    let at = folder();
    let output = doctor(at.path(), &[], &["--format", "json"]);
    let d = json(&output);
    let mut enforcing = 0;
    for f in d["findings"].as_array().expect("findings") {
        match f["state"].as_str() {
            Some("enforcing") => {
                enforcing += 1;
                assert_ne!(f["allowed"].as_array().map(Vec::len), Some(0), "{f}");
                // Caches can be written; that nothing arrives on the host is their refusal.
                assert!(f["refused"].as_array().is_some_and(|r| !r.is_empty()) || f["mechanism"] == "caches", "{f}");
                assert_eq!(f["reason"], Json::Null, "{f}");
            }
            Some("partial" | "off" | "unavailable") => {
                assert!(f["reason"].as_str().is_some_and(|r| !r.is_empty()), "{f}")
            }
            other => panic!("{other:?} is no state"),
        }
    }
    // Without Landlock nothing is claimed at all.
    assert!(enforcing > 0 || d["landlock"] == 0, "{d}");
    let mechanisms: BTreeSet<&str> = findings(&d, "A").filter_map(|f| f["mechanism"].as_str()).collect();
    for one in ["namespaces", "files", "protected", "network", "names", "programs", "processes", "supervisor", "filter"]
    {
        assert!(mechanisms.contains(one), "{one}");
    }
}

#[test]
fn the_exit_code_agrees_with_what_is_shown() {
    let at = folder();
    let output = doctor(at.path(), &[], &["--format", "json"]);
    let d = json(&output);
    let sound = d["run"]["tier"].is_string() && d["run"]["missing"].as_array().is_some_and(Vec::is_empty);
    assert_eq!(output.status.code(), Some(if sound { 0 } else { 124 }), "{d}");
    if d["run"]["tier"] == "A" {
        for f in findings(&d, "A") {
            assert_eq!(f["state"], "enforcing", "{f}");
        }
    }
}

#[test]
fn without_user_namespaces_tier_b_is_what_a_run_gets_and_tier_a_is_not_claimed() {
    if !can_do_without() {
        return;
    }
    let at = folder();
    let output = doctor(at.path(), WITHOUT, &["--format", "json"]);
    let d = json(&output);
    assert_eq!(d["run"]["tier"], "B", "{d}");
    assert_eq!(d["run"]["not"][0]["tier"], "A");
    for f in findings(&d, "A") {
        assert_eq!(f["state"], "unavailable", "{f}");
        assert!(f["fix"].as_str().is_some_and(|t| t.contains("max_user_namespaces")), "{f}");
    }
    let wall = findings(&d, "B").find(|f| f["mechanism"] == "landlock").expect("the wall that is left");
    assert_eq!(wall["state"], "enforcing", "{wall}");
    let limit = findings(&d, "B").find(|f| f["mechanism"] == "process-limit").expect("limits of the tier in use");
    assert_eq!(limit["state"], "enforcing", "{limit}");
}

#[test]
fn a_policy_that_asks_for_a_tier_that_is_missing_ends_with_124() {
    if !can_do_without() {
        return;
    }
    let at = folder();
    let policy = at.path().join("p.yaml");
    let text = "policy: p\nlevel: project\nbecause: no less\nsandbox:\n  network: { mode: none }\n  filesystem: { permission: \
                repo-readwrite }\n  minimumTier: A\n";
    std::fs::write(&policy, text).expect("a policy");
    let policy = policy.to_str().expect("a name");
    let output = doctor(at.path(), WITHOUT, &["--project", policy]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(124), "{text} {}", String::from_utf8_lossy(&output.stderr));
    assert!(text.starts_with("a run with this policy is refused: tier A"), "{text}");
}

#[test]
fn no_advice_switches_a_protection_off() {
    let at = folder();
    let mut texts = vec![doctor(at.path(), &[], &[]).stdout];
    if can_do_without() {
        texts.push(doctor(at.path(), WITHOUT, &[]).stdout);
    }
    for text in texts {
        let text = String::from_utf8_lossy(&text).into_owned();
        for bad in ["sysctl -w", "=0", "=unconfined", "--privileged", "setenforce", "aa-disable", "SYS_ADMIN"] {
            assert!(!text.contains(bad), "{bad}: {text}");
        }
    }
}

#[test]
fn one_tier_can_be_asked_for_and_nothing_is_left_behind() {
    let at = folder();
    let tmp = at.path().join("tmp");
    std::fs::create_dir(&tmp).expect("a folder");
    let output = Command::new(env!("CARGO_BIN_EXE_ringfence"))
        .args(["doctor", "--tier", "C", "--format", "json"])
        .current_dir(at.path())
        .env("TMPDIR", &tmp)
        .env("RINGFENCE_STATE", at.path().join("state"))
        .output()
        .expect("the doctor");
    let d = json(&output);
    assert_eq!(d["tiers"], serde_json::json!(["C"]));
    assert!(d["findings"].as_array().expect("findings").iter().all(|f| f["tier"] == "C"));
    assert_eq!(std::fs::read_dir(&tmp).expect("the folder").count(), 0);
    assert!(!at.path().join("state").exists(), "an examination makes no state");
}

#[test]
fn the_other_halves_are_not_in_the_help() {
    let output = Command::new(env!("CARGO_BIN_EXE_ringfence")).arg("--help").output().expect("help");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("doctor") && !text.contains("__probe"), "{text}");
}
