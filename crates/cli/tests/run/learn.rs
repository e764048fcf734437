//! Learning: what a command needed, as narrow rules, and never what is kept.

use crate::support::{Bench, allowing, server};
use std::fs;

#[test]
fn hosts_become_a_diff_that_holds_when_it_is_written() {
    for bench in Bench::each() {
        let port = server();
        bench.write("ringfence.yaml", &allowing(&[&format!("other.test:{port}"), &format!("127.0.0.1:{port}")]));
        let policy = || fs::read_to_string(bench.repo().join("ringfence.yaml")).expect("a file");
        let before = policy();
        let script =
            format!("curl -s --max-time 9 http://pkgs.test:{port}/; curl -s --max-time 9 http://pkgs.test/; exit 4");
        let learn = |flags: &[&str]| {
            let mut args = vec!["learn", "--resolve", "pkgs.test=127.0.0.1"];
            args.extend_from_slice(flags);
            args.extend_from_slice(&["--", "/bin/sh", "-c", &script]);
            bench.ran(&args)
        };
        let ran = learn(&[]);
        assert_eq!(ran.code, 4, "{}", ran.err);
        assert!(ran.err.contains(&format!("+      - \"pkgs.test:{port}\"\n")), "{}", ran.err);
        // On port 80 the name leads to an address of this machine, which nobody asked to open.
        assert!(!ran.err.contains("+      - \"pkgs.test:80\""), "{}", ran.err);
        assert_eq!(policy(), before);
        assert_eq!(learn(&["--write"]).code, 4);
        assert_eq!(
            policy(),
            before.replacen("  filesystem", &format!("      - \"pkgs.test:{port}\"\n  filesystem"), 1)
        );
        let ran =
            bench.sh(&["--resolve", "pkgs.test=127.0.0.1"], &format!("curl -s --max-time 9 http://pkgs.test:{port}/"));
        assert_eq!((ran.code, ran.out.as_str()), (0, "hello"), "{}", ran.err);
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
    let ran = bench.ran(&["learn", "-C", ".", "--", "/bin/sh", "-c", "getent hosts evil.test || echo shut"]);
    assert_eq!(ran.out, "shut\n");
    assert!(ran.err.contains("kept shut") && ran.err.contains("net evil.test"), "{}", ran.err);
    assert!(!ran.err.contains("+++"), "{}", ran.err);
}

#[test]
fn programs_that_were_started_are_proposed_and_then_start() {
    for bench in Bench::each() {
        let policy = "policy: p\nlevel: project\nsandbox:\n  network: { mode: none }\n  filesystem: { permission: repo-readwrite }\n  exec:\n    allowlist:\n      - sh\n      - env # kept\n";
        bench.write("ringfence.yaml", policy);
        let script = "id -u >/dev/null && /usr/bin/env true && echo ran";
        assert_ne!(bench.sh(&[], script).code, 0);
        let ran = bench.ran(&["learn", "--", "/bin/sh", "-c", script]);
        assert_eq!((ran.code, ran.out.as_str()), (0, "ran\n"), "{}", ran.err);
        assert!(ran.err.contains("programs it started"), "{}", ran.err);
        let added: Vec<&str> = ran.err.lines().filter(|l| l.starts_with("+      - ")).collect();
        assert!(added.len() == 2 && added.iter().any(|l| l.ends_with("/id\"")), "{}", ran.err);
        assert!(added.iter().any(|l| l.ends_with("/true\"")), "{}", ran.err);
        assert_eq!(bench.ran(&["learn", "--write", "--", "/bin/sh", "-c", script]).code, 0);
        let ran = bench.sh(&[], script);
        assert_eq!((ran.code, ran.out.as_str()), (0, "ran\n"), "{}", ran.err);
    }
}
