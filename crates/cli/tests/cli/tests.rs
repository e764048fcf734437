//! `ringfence test`: the tests that documents carry.

use crate::support::{FINDINGS, folder, ringfence, root};
use tempfile::TempDir;

fn failing() -> TempDir {
    folder(&[
        (
            "org.yaml",
            "policy: acme\nsandbox: { network: { mode: allowlist, allowlist: [a.test] } }\ntests:\n  - { deny: 'net a.test' }\n  - { allow: 'net a.test' }\n",
        ),
        ("agents/one.yaml", "sandbox: { network: { mode: none } }\ntests: [{ deny: 'net a.test' }]\n"),
        ("agents/two.yaml", "tests: [{ allow: 'tool x {\"a\": \"<x>&\"}' }]\n"),
    ])
}

#[test]
fn the_tests_of_the_examples_hold() {
    for example in ["examples/acme", "examples/solo"] {
        let run = ringfence(root(), &["test", "-C", example]);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{example}");
        assert!(run.out.ends_with(" passed, 0 failed\n"), "{}", run.out);
    }
}

#[test]
fn a_failing_test_is_shown_once_with_the_statement_that_decides() {
    let dir = folder(&[
        (
            "org.yaml",
            "policy: acme\nsandbox: { network: { mode: allowlist, allowlist: [a.test] } }\ntests: [{ deny: 'net a.test' }]\n",
        ),
        ("agents/one.yaml", "sandbox: { network: { mode: none } }\n"),
        ("agents/two.yaml", "sandbox: { filesystem: { permission: none } }\n"),
    ]);
    let run = ringfence(dir.path(), &["test"]);
    assert_eq!((run.code, run.out.as_str()), (FINDINGS, "0 passed, 1 failed\n"));
    insta::assert_snapshot!(run.err, @r"
    error[policy.test_failed]: `net a.test`: expected deny, got allow in one, two
     --> org.yaml:3:17
      |
    2 | sandbox: { network: { mode: allowlist, allowlist: [a.test] } }
      |                                                    ------ decided here by `acme` (org level)
    3 | tests: [{ deny: 'net a.test' }]
      |                 ^^^^^^^^^^^^ expected deny
      |
      = help: `ringfence explain 'net a.test'` shows the whole trail
    ");
}

#[test]
fn json_counts_and_names_sandboxes() {
    let json = ringfence(failing().path(), &["test", "--format", "json"]).json();
    assert_eq!((&json["passed"], &json["failed"]), (&2.into(), &2.into()), "{json}");
    let first = &json["tests"][0];
    assert_eq!(first["document"], "acme");
    assert_eq!(first["expect"], "deny");
    assert_eq!(first["passed"], false);
    assert_eq!(first["sandboxes"].as_array().map(Vec::len), Some(2));
}

#[test]
fn junit_is_escaped() {
    let run = ringfence(failing().path(), &["test", "--format", "junit"]);
    assert_eq!(run.code, FINDINGS);
    assert!(
        run.out.starts_with(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ringfence\" tests=\"4\" failures=\"2\""
        ),
        "{}",
        run.out
    );
    assert!(
        run.out.contains("<failure message=\"`net a.test`: expected deny, got allow in one, two\"/>"),
        "{}",
        run.out
    );
    assert!(!run.out.contains("<x>"), "{}", run.out);
}

#[test]
fn no_tests_is_said() {
    let dir = folder(&[("ringfence.yaml", "policy: a\n")]);
    let run = ringfence(dir.path(), &["test"]);
    assert_eq!(run.code, 0);
    assert!(run.out.starts_with("no tests"), "{}", run.out);
}
