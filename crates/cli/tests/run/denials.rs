//! What a run says about what it refused, and with which code it ends.

use crate::support::{Bench, allowing, json, server};
use serde_json::Value as Json;

#[test]
fn a_refused_name_is_told_with_rule_document_line_and_what_to_do() {
    for bench in Bench::each() {
        bench.write("ringfence.yaml", &allowing(&["api.example.com"]));
        let ran = bench.sh(&[], "getent hosts evil.test; true");
        assert_eq!(ran.code, 122, "{}", ran.err);
        for part in [
            "net evil.test",
            "sandbox.network.allowlist of `demo` (project level, ringfence.yaml:",
            "kernel layer",
            "no rule of the allowlist names this host",
            "A test project.",
            "ringfence allow net evil.test --for 30m --reason",
        ] {
            assert!(ran.err.contains(part), "{part}\n{}", ran.err);
        }
        assert_eq!(bench.sh(&["--on-denial", "report"], "getent hosts evil.test; true").code, 0);
        assert_eq!(bench.sh(&[], "getent hosts evil.test; exit 7").code, 7);
        assert_eq!(bench.sh(&[], "getent hosts api.example.com >&2; exit 0").code, 0);
    }
}

#[test]
fn a_refused_request_is_told_with_the_rule_of_its_host() {
    for bench in Bench::each() {
        let port = server();
        let hosts = format!("[\"pkgs.test:{port}\", \"127.0.0.1:{port}\"]");
        let rule = format!("{{ host: \"pkgs.test:{port}\", methods: [GET], paths: [\"/v1/*\"] }}");
        bench.write(
            "ringfence.yaml",
            &format!(
                "policy: demo\nlevel: project\nsandbox:\n  network:\n    allowlist: {hosts}\n    http:\n      - {rule}\n  filesystem: {{ permission: repo-readwrite }}\n"
            ),
        );
        let curl =
            |what: &str| bench.sh(&["--resolve", "pkgs.test=127.0.0.1"], &format!("curl -s --max-time 9 {what}"));
        let ran = curl(&format!("http://pkgs.test:{port}/v1/x"));
        assert_eq!((ran.code, ran.out.as_str()), (0, "hello"), "{}", ran.err);
        let base = format!("pkgs.test:{port}");
        for (request, why) in [
            (format!("http://{base}/v2"), "GET /v2"),
            (format!("-d x http://{base}/v1/x"), "POST /v1/x"),
            (format!("--path-as-is http://{base}/v1/../v2"), "GET /v1/../v2"),
            (format!("-k https://{base}/v1/x"), "cannot be checked"),
        ] {
            let ran = curl(&request);
            assert!(!ran.out.contains("hello"), "{request}: {}", ran.out);
            for part in [
                why,
                "sandbox.network.http[pkgs.test:",
                "of `demo` (project level, ringfence.yaml:7)",
                "over plain HTTP only",
            ] {
                assert!(ran.err.contains(part), "{request}: {part}\n{}", ran.err);
            }
        }
    }
}

#[test]
fn nothing_is_said_where_nothing_happened() {
    for bench in Bench::each() {
        let ran = bench.sh(&[], "echo out; echo err >&2; exit 3");
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (3, "out\n", "err\n"));
        let ran = bench.sh(&["--banner"], "true");
        assert_eq!(ran.err.lines().count(), 5, "{}", ran.err);
        assert!(ran.err.contains("just refused: "), "{}", ran.err);
        assert!(ran.err.contains("network  none"), "{}", ran.err);
    }
}

#[test]
fn a_weaker_tier_is_always_said() {
    let bench = Bench::new();
    let ran = bench.sh(&["--tier", "B", "-q"], "true");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.starts_with("ringfence: tier B"), "{}", ran.err);
}

#[test]
fn watched_files_are_told_and_the_baseline_is_final() {
    for bench in Bench::each() {
        bench.write("ringfence.yaml", &allowing(&["api.example.com"]));
        std::fs::create_dir_all(bench.home().join(".ssh")).expect("a folder");
        std::fs::write(bench.home().join(".ssh/id"), "secret").expect("a file");
        std::fs::write(bench.home().join("notes"), "private").expect("a file");
        let script = format!(
            "cat {0}/.ssh/id {0}/notes; mkdir .claude; cat /etc/passwd >/dev/null; echo x > fine; true",
            bench.home().display()
        );
        let ran = bench.sh(&["--observe"], &script);
        assert_eq!(ran.code, 122, "{}", ran.err);
        assert!(!ran.out.contains("secret") && !ran.out.contains("private"));
        let ours = ran.err.split("ringfence: ").nth(1).unwrap_or_default();
        let of = |what: &str| {
            let from = ours.find(what).unwrap_or_else(|| panic_without(what, ours));
            ours[from..].split("\n  r").next().unwrap_or_default().split("\n  w").next().unwrap_or_default().to_owned()
        };
        assert!(of(".ssh/id").contains("final: the baseline"), "{ours}");
        assert!(of(".claude").contains("final: the baseline"), "{ours}");
        assert!(of("/notes").contains("ringfence allow read "), "{ours}");
        assert!(!ours.contains("/etc/passwd") && !ours.contains("fine"), "{ours}");
    }
}

fn panic_without(what: &str, text: &str) -> usize {
    assert!(text.contains(what), "`{what}` is not in:\n{text}");
    0
}

#[test]
fn the_report_is_one_object_and_stdout_belongs_to_the_command() {
    let bench = Bench::new();
    bench.write("ringfence.yaml", &allowing(&["api.example.com"]));
    let args = [
        "--format",
        "json",
        "run",
        "--report",
        "../report.json",
        "--",
        "/bin/sh",
        "-c",
        "getent hosts evil.test; echo hi",
    ];
    let ran = bench.ran(&args);
    assert_eq!((ran.code, ran.out.as_str()), (122, "hi\n"));
    let line: Json = serde_json::from_str(ran.err.trim_end()).expect("nothing but one JSON object");
    assert_eq!(line, json(&bench.repo().join("../report.json")));
    assert_eq!((&line["ending"], &line["exit_code"], &line["tier"]), (&"exited".into(), &0.into(), &"A".into()));
    let denial = &line["denials"][0];
    assert_eq!(
        (&denial["kind"], &denial["what"], &denial["level"]),
        (&"net".into(), &"evil.test".into(), &"project".into())
    );
    assert_eq!((&denial["file"], &denial["final"]), (&"ringfence.yaml".into(), &false.into()));
    assert!(denial["line"].as_u64().is_some_and(|n| n > 0) && denial["count"].as_u64().is_some_and(|n| n > 0));
    let ran = bench.ran(&["--format", "json", "run", "--", "/no/such/program"]);
    assert_eq!((ran.code, ran.out.as_str()), (127, ""));
    assert_eq!(
        serde_json::from_str::<Json>(ran.err.trim_end()).expect("JSON")["errors"][0]["code"],
        "kernel.command_not_found"
    );
}

#[test]
fn what_an_organisation_forbids_is_final() {
    let bench = Bench::new();
    bench.write("p/org.yaml", "policy: acme\nlevel: org\nsandbox:\n  network: { allowlist: [\"*.example.com\"] }\n  filesystem: { permission: repo-readwrite }\n");
    bench.write(
        "p/projects/web.yaml",
        "policy: web\nlevel: project\nsandbox:\n  network: { allowlist: [api.example.com] }\n",
    );
    let ran = bench.sh(&["-C", "p"], "getent hosts evil.test; getent hosts www.example.com; true");
    assert!(ran.err.contains("final here: `acme` (org level) forbids it"), "{}", ran.err);
    assert!(ran.err.contains("ringfence allow net www.example.com --for"), "{}", ran.err);
    assert!(!ran.err.contains("ringfence allow net evil.test"), "{}", ran.err);
}

#[test]
fn a_limit_ends_the_run_with_its_own_code() {
    let bench = Bench::new();
    bench.write(
        "ringfence.yaml",
        "policy: p\nsandbox:\n  filesystem: { permission: repo-readwrite }\n  limits: { wall: 300ms }\n",
    );
    let ran = bench.sh(&[], "sleep 60");
    assert_eq!(ran.code, 126, "{}", ran.err);
    assert!(ran.err.contains("it exceeded `sandbox.limits.wall`"), "{}", ran.err);
    let events = bench.events();
    let last = events.last().expect("an event");
    assert_eq!((&last["kind"], &last["payload"]["limit"]), (&"run_aborted".into(), &"wall".into()));
}
