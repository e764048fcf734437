//! The four presets, held by the kernel: what each lets a shell do with nothing but its own words, and what not.

#![expect(clippy::expect_used, reason = "a test that cannot go on should say why and stop")]

use std::fs;
use std::process::Command;

struct Done {
    out: String,
    err: String,
    files: Vec<(String, String)>,
}

/// Runs a script of shell built-ins under a preset, and looks at the repo afterwards.
fn under(preset: &str, script: &str) -> Done {
    let folder = tempfile::tempdir().expect("a folder");
    let repo = folder.path().join("repo");
    for name in ["repo", "home", "state"] {
        fs::create_dir(folder.path().join(name)).expect("a folder");
    }
    fs::write(repo.join("README.md"), "words of the repo\n").expect("a file");
    let ran = Command::new(env!("CARGO_BIN_EXE_ringfence"))
        .args(["run", "-q", "--on-denial", "report", "--preset", preset, "--", "/bin/bash", "-c", script])
        .current_dir(&repo)
        .env("HOME", folder.path().join("home"))
        .env("RINGFENCE_STATE", folder.path().join("state"))
        .env("SECRET_TOKEN", "sesame")
        .output()
        .expect("a run");
    let mut files = Vec::new();
    let mut folders = vec![repo.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            let name = entry.path().strip_prefix(&repo).expect("below").to_string_lossy().into_owned();
            match entry.file_type().expect("a type").is_dir() {
                true => folders.push(entry.path()),
                false => files.push((name, fs::read_to_string(entry.path()).unwrap_or_default())),
            }
        }
    }
    files.sort();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Done { out: text(ran.stdout), err: text(ran.stderr), files }
}

const UNTOUCHED: &[(&str, &str)] = &[("README.md", "words of the repo\n")];

fn files(done: &Done) -> Vec<(&str, &str)> {
    done.files.iter().map(|(n, t)| (n.as_str(), t.as_str())).collect()
}

const TRIES: &str = "read x < README.md; echo \"read: $x\"; echo planted > README.md; echo planted > new.txt; \
    /bin/ls; echo \"token: $SECRET_TOKEN\"; (exec 3<>/dev/tcp/127.0.0.1/22) && echo reached";

#[test]
fn read_only_reads_and_nothing_else() {
    let done = under("read-only", TRIES);
    assert!(done.out.contains("read: words of the repo"), "{}{}", done.out, done.err);
    assert!(done.out.contains("token: \n") && !done.out.contains("reached"), "{}", done.out);
    assert!(done.err.contains("/bin/ls: Permission denied"), "{}", done.err);
    assert_eq!(files(&done), UNTOUCHED);
}

#[test]
fn audit_writes_reports_and_nothing_else() {
    let script = format!(
        "{TRIES}; cd sandbox-output && echo fine > r.md && echo more >> r.md; echo no > r.sh; echo no > ../up.md; \
         echo no > ../sandbox-output/../side.txt; echo no > r.md.sh; echo fine > r.json"
    );
    let done = under("audit", &script);
    assert!(done.out.contains("read: words of the repo"), "{}{}", done.out, done.err);
    assert!(done.err.contains("/bin/ls: Permission denied"), "{}", done.err);
    let expected =
        [UNTOUCHED, &[("sandbox-output/r.json", "fine\n"), ("sandbox-output/r.md", "fine\nmore\n")]].concat();
    assert_eq!(files(&done), expected, "{}", done.err);
}

#[test]
fn web_only_sees_no_files_of_ours() {
    let done = under("web-only", TRIES);
    assert!(!done.out.contains("words of the repo") && !done.out.contains("reached"), "{}", done.out);
    assert!(done.err.contains("/bin/ls: Permission denied"), "{}", done.err);
    assert_eq!(files(&done), UNTOUCHED);
}

#[test]
fn full_isolate_has_nothing() {
    let done = under("full-isolate", &format!("{TRIES}; echo > /tmp/x && echo wrote; echo > /dev/shm/x && echo wrote"));
    assert!(!done.out.contains("words of the repo") && !done.out.contains("wrote"), "{}", done.out);
    assert!(done.out.contains("token: \n") && !done.out.contains("reached"), "{}", done.out);
    assert!(done.err.contains("/bin/ls: Permission denied"), "{}", done.err);
    assert_eq!(files(&done), UNTOUCHED);
}
