//! Questions and their trails.

use crate::support::{AT, FINDINGS, ringfence, root};

const CODER: &[&str] = &["explain", "-C", "examples/acme", "--spec", "coder", "--at", AT];

#[test]
fn a_denial_names_layers_and_statements() {
    let run = ringfence(root(), &[CODER, &["net", "evil.test"]].concat());
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    insta::assert_snapshot!(run.out, @r"
    deny  net evil.test  (sandbox coder)

    layers
      kernel    deny   its slice says deny
      harness   -      a hook sees what a tool is asked to do, not the sockets it opens
      codemode  -      the import gate sees modules; what code reaches is held by the kernel layer
      mcp       -      the proxy sees calls, not what a server does to answer them
      gateway   -      no such thing passes through it

    because
      decides   sandbox.network.allowlist (deny)
                `acme-base` (org level), examples/acme/org.yaml:14:16
                operator security@example.com, at 2026-01-15T09:00:00Z
                The floor under every agent at Acme.
      decides   sandbox.network.allowlist (deny)
                `platform` (project level), examples/acme/projects/platform.yaml:12:16
                operator platform-lead@example.com, at 2026-01-22T14:00:00Z
                What is written here runs on other people's machines, so builds are open and ways out are few.
      decides   sandbox.network.allowlist (deny)
                `coder` (agent level), examples/acme/agents/coder.yaml:8:42
                at 2026-01-31T09:00:00Z
                A coding agent that may run for an hour without anybody watching.
    ");
}

#[test]
fn json_is_the_same_answer() {
    let run =
        ringfence(root(), &[CODER, &["tool", "mail/send", "{\"to\": \"a@evil.test\"}", "--format", "json"]].concat());
    let answer = run.json();
    assert_eq!(answer["effect"], "deny");
    assert_eq!(answer["sandbox"], "coder");
    assert_eq!(answer["layers"].as_array().map(Vec::len), Some(5));
    let first = &answer["because"][0];
    assert_eq!(first["decisive"], true);
    assert!(first["file"].as_str().is_some_and(|f| f.starts_with("examples/acme/")), "{first}");
}

#[test]
fn the_answer_is_an_exit_code_on_request() {
    for (question, code) in
        [("write src/main.rs", 0), ("write .git/hooks/pre-commit", FINDINGS), ("tool fs/delete_file", FINDINGS)]
    {
        assert_eq!(ringfence(root(), &[CODER, &["--exit-code", question]].concat()).code, code, "{question}");
        assert_eq!(ringfence(root(), &[CODER, &[question]].concat()).code, 0, "{question}");
    }
}

#[test]
fn a_bad_question_is_an_error_object() {
    for question in ["nett evil.test", "net", "tool x {"] {
        let run = ringfence(root(), &[CODER, &["--format", "json", question]].concat());
        assert_eq!(run.error_codes(), ["policy.bad_question"], "{question}");
    }
}

#[test]
fn a_command_keeps_its_own_flags() {
    let run = ringfence(root(), &[CODER, &["--format", "json", "exec", "rm", "-rf", "/"]].concat());
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    let quoted = ringfence(root(), &[CODER, &["exec rm -rf /", "--format", "json"]].concat());
    assert_eq!(run.out, quoted.out);
    let run = ringfence(root(), &[CODER, &["exec", "make", "-C", "nowhere", "--format", "json"]].concat());
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("exec make"), "{}", run.out);
    assert_eq!(ringfence(root(), &[CODER, &["net", "a.test", "--exit-code"]].concat()).code, FINDINGS);
}
