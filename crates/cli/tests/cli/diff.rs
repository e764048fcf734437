//! Which answers change, and which of them fail.

use crate::support::{FINDINGS, USAGE, folder, ringfence, root};

const OLD: &str = "policy: a\nsandbox: { network: { mode: allowlist, allowlist: ['a.test:443', 'b.test:443'] }, limits: { memory: 1GiB } }\n";
const NEW: &str =
    "policy: a\nsandbox: { network: { mode: allowlist, allowlist: ['b.test:443'] }, limits: { memory: 2GiB } }\n";

#[test]
fn both_directions_are_shown_with_their_reason() {
    let dir = folder(&[("old.yaml", OLD), ("new.yaml", NEW)]);
    let run = ringfence(dir.path(), &["diff", "old.yaml", "new.yaml"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    // How many answers were compared depends on the built-in baseline.
    let (changes, counts) = run.out.rsplit_once("\n  ").expect("a last line");
    assert!(counts.contains(" unchanged ("), "{counts}");
    insta::assert_snapshot!(changes, @r#"
    sandbox a
      net
        - narrowed  a.test: allow → deny  (new.yaml:2:51)
      setting
        + widened   sandbox.limits.memory: "1GiB" → "2GiB"  (new.yaml:2:87)
    "#);
}

#[test]
fn fail_on_a_direction() {
    let dir = folder(&[
        ("old/ringfence.yaml", OLD),
        ("new/ringfence.yaml", NEW),
        ("narrow.yaml", &NEW.replace("2GiB", "1GiB")),
    ]);
    for (old, new, on, code) in [
        ("old", "new", "widened", FINDINGS),
        ("old", "new", "narrowed", FINDINGS),
        ("old", "old", "any", 0),
        ("old", "narrow.yaml", "widened", 0),
        ("old", "narrow.yaml", "any", FINDINGS),
        ("narrow.yaml", "old", "widened", FINDINGS),
    ] {
        let run = ringfence(dir.path(), &["diff", old, new, "--fail-on", on]);
        assert_eq!(run.code, code, "{old} {new} {on}: {run:?}");
    }
}

#[test]
fn json_and_sarif_hold_every_change() {
    let dir = folder(&[("old.yaml", OLD), ("new.yaml", NEW)]);
    let json = ringfence(dir.path(), &["diff", "old.yaml", "new.yaml", "--format", "json"]).json();
    let changes = json["sandboxes"][0]["changes"].as_array().expect("a list").len();
    assert_eq!(changes, 2, "{json}");
    let sarif = ringfence(dir.path(), &["diff", "old.yaml", "new.yaml", "--format", "sarif"]).json();
    let results = sarif["runs"][0]["results"].as_array().expect("a list");
    assert_eq!(results.len(), changes);
    assert_eq!(results[0]["ruleId"], "diff.widened");
    assert_eq!(results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "new.yaml");
}

#[test]
fn sandboxes_come_and_go() {
    let agent = "sandbox: { network: { mode: none } }\n";
    let dir = folder(&[
        ("old/agents/a.yaml", agent),
        ("old/agents/b.yaml", agent),
        ("new/agents/b.yaml", agent),
        ("new/agents/c.yaml", agent),
    ]);
    let json = ringfence(dir.path(), &["diff", "old", "new", "--format", "json"]).json();
    assert_eq!(json["added"][0], "c");
    assert_eq!(json["removed"][0], "a");
    assert_eq!(json["sandboxes"][0]["name"], "b");
    assert_eq!(ringfence(dir.path(), &["diff", "old", "new", "--agent", "c", "--fail-on", "widened"]).code, FINDINGS);
    let run = ringfence(dir.path(), &["diff", "old", "new", "--agent", "x", "--format", "json"]);
    assert_eq!(run.error_codes(), ["policy.layout"]);
}

#[test]
fn an_invalid_side_is_an_error_of_that_side() {
    let dir = folder(&[("old.yaml", OLD), ("new.yaml", "sandbx: 1\n")]);
    let run = ringfence(dir.path(), &["diff", "old.yaml", "new.yaml", "--format", "json"]);
    assert_eq!(run.error_codes(), ["policy.unknown_key"]);
    assert_eq!(run.json()["errors"][0]["places"][0]["file"], "new.yaml");
    assert_eq!(ringfence(dir.path(), &["diff", "old.yaml"]).code, USAGE);
}

#[test]
fn an_example_against_itself_has_no_change() {
    let run = ringfence(root(), &["diff", "examples/acme", "examples/acme", "--fail-on", "any"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(!run.out.contains("widened") && !run.out.contains("narrowed"), "{}", run.out);
}

#[test]
fn what_is_the_same_takes_one_line() {
    let run = ringfence(root(), &["diff", "examples/acme", "examples/acme"]);
    assert!(run.out.starts_with("no change in 3 sandboxes (") && run.out.lines().count() == 1, "{}", run.out);
    let dir = folder(&[("old.yaml", OLD)]);
    let run = ringfence(dir.path(), &["diff", "old.yaml", "old.yaml"]);
    assert!(run.out.starts_with("no change in sandbox a (") && run.out.lines().count() == 1, "{}", run.out);
}

#[test]
fn a_colon_in_a_file_name_is_no_scheme_of_a_uri() {
    let dir = folder(&[("a:b.yaml", "sandbx: 1\n")]);
    let sarif = ringfence(dir.path(), &["check", "--org", "a:b.yaml", "--format", "sarif"]).json();
    let place = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"].clone();
    assert_eq!(place["artifactLocation"]["uri"], "a%3Ab.yaml");
}
