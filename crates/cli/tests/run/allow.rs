//! Timed grants: inside the ceiling only, for one repo, for a while.

use crate::support::{Bench, allowing, ended, of_kind, server};
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

fn allow(bench: &Bench, args: &[&str]) -> crate::support::Ran {
    let mut all = vec!["allow"];
    all.extend_from_slice(args);
    all.extend_from_slice(&["--reason", "a test"]);
    bench.ran(&all)
}

#[test]
fn a_grant_opens_what_only_the_project_keeps_shut() {
    for bench in Bench::each() {
        bench.write("ringfence.yaml", &allowing(&["api.example.com"]));
        assert_eq!(bench.sh(&[], "getent hosts b.test; true").code, 122);
        let ran = allow(&bench, &["net", "b.test", "--for", "30m"]);
        assert_eq!(ran.code, 119, "without a terminal nothing is saved without --yes");
        let ran = allow(&bench, &["net", "b.test", "--for", "30m", "--yes"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.err.contains("net b.test (ports 80 and 443)") && ran.err.contains("a test"), "{}", ran.err);
        assert_eq!(bench.sh(&[], "getent hosts b.test >&2").code, 0);
        assert_eq!(bench.events()[0]["payload"]["grants"].as_array().map(Vec::len), Some(1));
        let id = bench.ran(&["allow", "--list"]).out.split(' ').next().unwrap_or_default().to_owned();
        assert_eq!(bench.ran(&["allow", "--revoke", &id]).code, 0);
        assert_eq!(bench.sh(&[], "getent hosts b.test; true").code, 122);
        assert_eq!(bench.ran(&["allow", "--revoke", &id]).code, 119);
    }
}

#[test]
fn paths_are_opened_for_the_next_run() {
    for bench in Bench::each() {
        bench.write("ringfence.yaml", &allowing(&["api.example.com"]));
        let data = bench.home().join("data");
        fs::create_dir(&data).expect("a folder");
        fs::write(data.join("file"), "hello").expect("a file");
        let script = format!("cat {0}/file; echo x > {0}/new; true", data.display());
        assert_eq!(bench.sh(&[], &script).out, "");
        assert_eq!(allow(&bench, &["read", data.to_str().expect("UTF-8"), "--for", "5m", "--yes"]).code, 0);
        assert_eq!(bench.sh(&[], &script).out, "hello");
        assert!(!data.join("new").exists());
    }
}

#[test]
fn nothing_outside_the_ceiling_is_granted() {
    let bench = Bench::new();
    bench.write("org.yaml", "policy: acme\nlevel: org\nsandbox:\n  network: { allowlist: [\"*.example.com\"] }\n  filesystem: { permission: repo-readwrite }\n");
    bench.write("projects/web.yaml", "policy: web\nlevel: project\nsandbox:\n  network: { allowlist: [api.example.com] }\n  filesystem: { hidden: [\"~/vault\"] }\n");
    for name in [".ssh", "vault", "data"] {
        fs::create_dir(bench.home().join(name)).expect("a folder");
    }
    let path = |name: &str| bench.home().join(name).to_str().expect("UTF-8").to_owned();
    let (ssh, vault, data) = (path(".ssh"), path("vault"), path("data"));
    let cases = [
        (vec!["net", "evil.test"], "acme"),
        (vec!["net", "www.example.com:8443"], "acme"),
        (vec!["read", &*ssh], "baseline"),
        (vec!["read", &*vault], "web"),
        (vec!["read", &*data], "acme"),
        (vec!["write", ".git/../ringfence.yaml"], ""),
        (vec!["read", "/"], "cannot be granted"),
        (vec!["read", "/proc"], "cannot be granted"),
        (vec!["exec", "/bin/sh"], "cannot be granted"),
        (vec!["net", "10.0.0.1"], "acme"),
    ];
    for (words, who) in cases {
        let mut args = words.clone();
        args.extend_from_slice(&["--for", "1h", "--yes", "-C", "."]);
        let ran = allow(&bench, &args);
        assert_eq!(ran.code, 119, "{words:?} {}", ran.err);
        assert!(ran.err.contains(who), "{words:?} {}", ran.err);
    }
    assert!(bench.ran(&["allow", "--list"]).out.contains("no grants"));
    assert_eq!(allow(&bench, &["net", "www.example.com", "--for", "1h", "--yes"]).code, 0);
}

#[test]
fn a_grant_that_the_ceiling_has_left_behind_opens_nothing() {
    let bench = Bench::new();
    bench.write("ringfence.yaml", &allowing(&["api.example.com"]));
    assert_eq!(allow(&bench, &["net", "b.test", "--for", "1h", "--yes"]).code, 0);
    bench.write("org/org.yaml", "policy: acme\nlevel: org\nsandbox:\n  network: { allowlist: [\"*.example.com\"] }\n  filesystem: { permission: repo-readwrite }\n");
    let script = "getent hosts b.test; true";
    assert_eq!(bench.sh(&[], script).code, 0);
    assert_eq!(bench.sh(&["--org", "org/org.yaml", "--project", "ringfence.yaml"], script).code, 122);
}

#[test]
fn a_forged_grant_opens_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    bench.write("ringfence.yaml", &allowing(&["api.example.com"]));
    assert_eq!(allow(&bench, &["net", "b.test", "--for", "1h", "--yes"]).code, 0);
    let folder = bench.state().join("grants");
    let file = fs::read_dir(&folder).expect("a folder").flatten().next().expect("a grant").path();
    let good = fs::read_to_string(&file).expect("a file");
    let script = "getent hosts b.test; true";
    assert_eq!(bench.sh(&[], script).code, 0);
    for bad in [
        good.replace("\"until\":", "\"later\":"),
        good.replace("net b.test", "exec /bin/sh"),
        good.replace("/repo", "/other"),
        "{".into(),
    ] {
        fs::write(&file, bad).expect("written");
        assert_eq!(bench.sh(&[], script).code, 122);
    }
    fs::write(&file, &good).expect("written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).expect("a mode");
    assert_eq!(bench.sh(&[], script).code, 122, "a file that others can write is not trusted");
}

#[test]
fn a_running_box_hears_of_a_grant_and_of_its_end() {
    for bench in Bench::each() {
        let port = server();
        bench.write("ringfence.yaml", &allowing(&[&format!("other.test:{port}"), &format!("127.0.0.1:{port}")]));
        let script = format!(
            "t() {{ curl -s --max-time 2 http://b.test:{port}/ >/dev/null && echo open || echo shut; }}; \
             t; touch ready; i=0; while [ $i -lt 200 ] && ! t | grep -q open; do i=$((i+1)); sleep 0.05; done; echo opened; \
             i=0; while [ $i -lt 200 ] && t | grep -q open; do i=$((i+1)); sleep 0.05; done; echo closed; t"
        );
        let args = ["run", "--resolve", "b.test=127.0.0.1", "--on-denial", "report", "--", "/bin/sh", "-c", &script];
        let child = bench.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
        let deadline = Instant::now() + Duration::from_secs(60);
        while !bench.repo().join("ready").exists() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
        }
        let granted = allow(&bench, &["net", &format!("b.test:{port}"), "--for", "3s", "--yes"]);
        assert_eq!(granted.code, 0, "{}", granted.err);
        let ran = ended(child.wait_with_output().expect("it ends"));
        assert_eq!(ran.out, "shut\nopened\nclosed\nshut\n", "{}", ran.err);
        let events = bench.events();
        assert_eq!(of_kind(&events, "grant_made").len(), 1, "{events:?}");
        assert_eq!(of_kind(&events, "grant_made")[0]["payload"]["reason"], "a test");
        assert_eq!(of_kind(&events, "grant_expired").len(), 1);
    }
}
