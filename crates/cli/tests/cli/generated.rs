//! What the program prints about itself.

use crate::support::{FINDINGS, USAGE, folder, ringfence, root};
use std::fs;

#[test]
fn schemas_are_written_and_a_stale_one_is_named() {
    let dir = folder(&[]);
    let write = ringfence(dir.path(), &["schema", "--write", "schema"]);
    assert_eq!((write.code, write.out.lines().count()), (0, 4));
    assert_eq!(ringfence(dir.path(), &["schema", "--check", "schema"]).code, 0);
    fs::write(dir.path().join("schema/tools.schema.json"), "{}").expect("a file");
    let stale = ringfence(dir.path(), &["schema", "--check", "schema"]);
    assert_eq!(stale.code, FINDINGS);
    assert!(stale.out.starts_with("stale: schema/tools.schema.json\nwrite"), "{}", stale.out);
    let names = fs::read_dir(dir.path().join("schema")).expect("a folder").count();
    assert_eq!(names, 4, "nothing is left over");
}

#[test]
fn the_examples_fit_the_schema_of_a_policy_as_far_as_json_goes() {
    let names = ringfence(root(), &["schema"]).out;
    assert_eq!(names, "policy\nsandbox-config\nsandbox-spec\ntools\n");
    for name in names.lines() {
        let schema = ringfence(root(), &["schema", name]).json();
        jsonschema::validator_for(&schema).expect("a valid schema");
    }
    assert_eq!(ringfence(root(), &["schema", "polcy"]).code, USAGE);
}

#[test]
fn the_reference_has_a_row_for_every_field() {
    let dir = folder(&[]);
    let printed = ringfence(dir.path(), &["schema", "--fields"]).out;
    assert!(printed.contains("\n| `sandbox.network.mode` | "), "{printed}");
    assert_eq!(ringfence(dir.path(), &["schema", "--write-docs", "docs/fields.md"]).code, 0);
    assert_eq!(fs::read_to_string(dir.path().join("docs/fields.md")).expect("a file"), printed);
    assert_eq!(ringfence(dir.path(), &["schema", "--check-docs", "docs/fields.md"]).code, 0);
    fs::write(dir.path().join("docs/fields.md"), "").expect("a file");
    assert_eq!(ringfence(dir.path(), &["schema", "--check-docs", "docs/fields.md"]).code, FINDINGS);
}

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "zsh", "fish"] {
        let run = ringfence(root(), &["completions", shell]);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{shell}");
        assert!(run.out.contains("ringfence") && run.out.contains("explain"), "{shell}");
    }
}

#[test]
fn manual_pages() {
    let page = ringfence(root(), &["man"]);
    assert_eq!(page.code, 0);
    assert!(page.out.contains(".TH ringfence 1"), "{}", page.out);
    let dir = folder(&[]);
    assert_eq!(ringfence(dir.path(), &["man", "--dir", "man"]).code, 0);
    for page in ["ringfence.1", "ringfence-derive.1", "ringfence-explain.1"] {
        assert!(dir.path().join("man").join(page).is_file(), "{page}");
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_stops_reading_is_no_error() {
    use std::process::{Command, Stdio};
    let mut command = Command::new(env!("CARGO_BIN_EXE_ringfence"));
    command.args(["schema", "sandbox-config"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn colour_only_where_it_is_wanted() {
    let dir = folder(&[("ringfence.yaml", "sandbx: 1\n")]);
    assert!(!ringfence(dir.path(), &["check"]).err.contains('\u{1b}'));
    assert!(ringfence(dir.path(), &["check", "--color", "always"]).err.contains('\u{1b}'));
}

#[test]
fn every_command_says_what_it_can_write() {
    for (args, formats) in [
        (&["check", "--format", "junit"][..], "only human, json and sarif"),
        (&["derive", "--format", "sarif"], "only human and json"),
        (&["init", "--format", "sarif"], "only human and json"),
        (&["schema", "--format", "junit"], "only human and json"),
        (&["man", "--format", "sarif"], "only human"),
        (&["completions", "bash", "--format", "junit"], "only human"),
    ] {
        let dir = folder(&[]);
        let run = ringfence(dir.path(), args);
        assert_eq!((run.code, run.out.as_str()), (USAGE, ""), "{run:?}");
        assert!(run.err.ends_with(&format!("{formats}\n")), "{}", run.err);
        assert_eq!(fs::read_dir(dir.path()).expect("a folder").count(), 0, "nothing was written");
    }
    for args in [&["man", "--format", "json"][..], &["completions", "zsh", "--format", "json"]] {
        let run = ringfence(root(), args);
        assert_eq!((run.code, run.json()["errors"][0]["code"].as_str()), (USAGE, Some("usage")), "{run:?}");
    }
}

#[test]
fn schemas_for_scripts() {
    let dir = folder(&[]);
    let run = |args: &[&str]| ringfence(dir.path(), &[&["schema", "--format", "json"], args].concat());
    assert_eq!(run(&[]).json()["schemas"].as_array().map(Vec::len), Some(4));
    assert_eq!(run(&["--write", "s"]).json()["written"][0], "s/policy.schema.json");
    assert_eq!(run(&["--check", "s"]).json()["stale"].as_array().map(Vec::len), Some(0));
    fs::write(dir.path().join("s/tools.schema.json"), "{}").expect("a file");
    let stale = run(&["--check", "s"]);
    assert_eq!((stale.code, stale.json()["stale"][0].as_str()), (FINDINGS, Some("s/tools.schema.json")));
    assert!(run(&["--fields"]).json()["fields"].as_array().is_some_and(|f| f.iter().all(|f| f["path"].is_string())));
    assert_eq!(run(&["policy"]).out, ringfence(dir.path(), &["schema", "policy"]).out);
}

#[test]
fn a_file_that_cannot_be_written_is_named_by_its_own_name() {
    let dir = folder(&[("s/policy.schema.json/in-the-way", "")]);
    let run = ringfence(dir.path(), &["schema", "--write", "s"]);
    assert_eq!(run.code, USAGE);
    assert!(run.err.contains("cannot write `s/policy.schema.json`"), "{}", run.err);
    assert_eq!(fs::read_dir(dir.path().join("s")).expect("a folder").count(), 1, "nothing is left over");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    use std::process::Command;
    for args in [&["--help"][..], &["check", "--help"], &["--version"], &["schema", "policy"]] {
        let full = fs::File::options().write(true).open("/dev/full").expect("the device");
        let mut command = Command::new(env!("CARGO_BIN_EXE_ringfence"));
        let output = command.args(args).stdout(full).output().expect("the program runs");
        assert_eq!(output.status.code(), Some(USAGE), "{args:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write to stdout"), "{output:?}");
    }
}
