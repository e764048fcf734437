//! Learning: what a command needed, as narrow rules, and never what is kept.

use crate::support::{Bench, allowing};
use std::fs;

#[test]
fn hosts_become_a_diff_that_holds_when_it_is_written() {
    for bench in Bench::each() {
        bench.write("ringfence.yaml", &allowing(&["api.example.com"]));
        let before = fs::read_to_string(bench.repo().join("ringfence.yaml")).expect("a file");
        let script = "curl -s --max-time 3 http://pkgs.test:8099/; exit 4";
        let args = ["learn", "--resolve", "pkgs.test=127.0.0.1", "--", "/bin/sh", "-c", script];
        let ran = bench.ran(&args);
        assert_eq!(ran.code, 4, "{}", ran.err);
        assert!(ran.err.contains("+      - \"pkgs.test:"), "{}", ran.err);
        assert_eq!(fs::read_to_string(bench.repo().join("ringfence.yaml")).expect("a file"), before);
    }
}

#[test]
fn what_is_kept_is_neither_open_nor_proposed() {
    for bench in Bench::each() {
        bench.write("ringfence.yaml", &allowing(&["api.example.com"]));
        fs::create_dir_all(bench.home().join(".ssh")).expect("a folder");
        fs::write(bench.home().join(".ssh/id"), "secret").expect("a file");
        fs::write(bench.home().join("notes"), "private").expect("a file");
        let script = format!("cat {0}/.ssh/id {0}/notes; mkdir -p .claude/hooks; true", bench.home().display());
        let ran = bench.ran(&["learn", "--", "/bin/sh", "-c", &script]);
        assert!(!ran.out.contains("secret"), "{}", ran.out);
        let kept = ran.err.split("kept shut").nth(1).expect("a part for what is kept");
        assert!(kept.contains(".ssh/id") && kept.contains(".claude"), "{}", ran.err);
        assert!(
            !ran.err.lines().any(|l| l.contains("ringfence allow") && (l.contains(".ssh") || l.contains(".claude")))
        );
        assert!(ran.err.lines().any(|l| l.contains("ringfence allow read") && l.contains("notes")), "{}", ran.err);
        assert!(!bench.repo().join(".claude").exists());
    }
}

#[test]
fn an_organisation_is_not_learnt_away() {
    let bench = Bench::new();
    bench.write("org.yaml", "policy: acme\nlevel: org\nsandbox:\n  network: { allowlist: [\"*.example.com\"] }\n  filesystem: { permission: repo-readwrite }\n");
    bench.write(
        "projects/web.yaml",
        "policy: web\nlevel: project\nsandbox:\n  network: { allowlist: [api.example.com] }\n",
    );
    let ran = bench.ran(&["learn", "--", "/bin/sh", "-c", "getent hosts evil.test || echo shut"]);
    assert_eq!(ran.out, "shut\n");
    assert!(ran.err.contains("kept shut") && ran.err.contains("net evil.test"), "{}", ran.err);
    assert!(!ran.err.contains("+++"), "{}", ran.err);
}

#[test]
fn a_folder_without_a_policy_gets_one() {
    let bench = Bench::new();
    let script = "getent hosts pkgs.test >/dev/null; exec 3<>/dev/tcp/pkgs.test/443";
    let args = ["learn", "--write", "--resolve", "pkgs.test=192.0.2.1", "--", "/bin/bash", "-c", script];
    let ran = bench.ran(&args);
    if ran.err.contains("+++ b/ringfence.yaml") {
        let written = fs::read_to_string(bench.repo().join("ringfence.yaml")).expect("a file");
        assert!(written.contains("pkgs.test"), "{written}");
        assert_eq!(bench.ran(&["explain", "--exit-code", "net", "pkgs.test"]).code, 0);
    } else {
        assert!(!bench.repo().join("ringfence.yaml").exists());
    }
}
