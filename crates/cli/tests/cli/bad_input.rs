//! Files that are wrong in every way: each gives a code, a place and exit code 120; none a panic or a wait.

use crate::support::{INVALID, Run, folder, ringfence};
use std::fs::{self, File};
use std::process::Command;
use tempfile::TempDir;

fn check(dir: &TempDir) -> Run {
    ringfence(dir.path(), &["check", "--org", "org.yaml", "--format", "json"])
}

/// The code of the only error, which names the file.
fn only_code(dir: &TempDir, what: &str) -> String {
    let run = check(dir);
    let codes = run.error_codes();
    assert_eq!(codes.len(), 1, "{what}: {}", run.out);
    let error = run.json()["errors"][0].clone();
    assert_eq!(error["places"][0]["file"], "org.yaml", "{what}: {error}");
    let human = ringfence(dir.path(), &["check", "--org", "org.yaml"]);
    assert_eq!((human.code, human.out.as_str()), (INVALID, ""), "{what}");
    assert!(human.err.contains(&format!("error[{}]", codes[0])), "{what}: {}", human.err);
    assert!(human.err.contains("org.yaml"), "{what}: {}", human.err);
    codes[0].clone()
}

fn bomb() -> String {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for n in 1..20 {
        let alias = format!("*a{}, ", n - 1).repeat(10);
        text.push_str(&format!("a{n}: &a{n} [{}]\n", alias.trim_end_matches(", ")));
    }
    text
}

fn block_nesting(depth: usize) -> String {
    (0..depth).map(|n| format!("{}a:\n", " ".repeat(n))).collect()
}

#[test]
fn every_bad_text_has_its_code() {
    let cases: &[(&str, &str, &str)] = &[
        ("empty", "", "policy.empty"),
        ("only a comment", "# nothing here\n", "policy.empty"),
        ("alias bomb", &bomb(), "policy.too_large"),
        ("deep flow", &"[".repeat(10_000), "policy.too_large"),
        ("deep flow mapping", &"{a: ".repeat(10_000), "policy.too_large"),
        ("deep block", &block_nesting(10_000), "policy.too_large"),
        ("duplicate key", "policy: a\npolicy: b\n", "policy.duplicate_key"),
        ("two spellings", "code: { deniedImports: [a], denied_imports: [b] }\n", "policy.duplicate_key"),
        ("wrong type", "sandbox: { network: { allowlist: yes-please } }\n", "policy.wrong_type"),
        ("a list at the top", "- policy\n", "policy.wrong_type"),
        ("tab", "sandbox:\n\tnetwork: { mode: none }\n", "policy.syntax"),
        ("tag", "policy: !!python/object:os.system a\n", "policy.syntax"),
        ("two documents", "policy: a\n---\npolicy: b\n", "policy.syntax"),
        ("open bracket", "policy: [a\n", "policy.syntax"),
        ("JSON cut off", "{\"policy\": \"a\"", "policy.syntax"),
        ("unknown key", "sandbx: { network: { mode: none } }\n", "policy.unknown_key"),
        ("unknown pack", "packs: [gdrp]\n", "policy.unknown_pack"),
        ("unknown category", "categories: [nothing]\n", "policy.unknown_category"),
        ("unknown word", "sandbox: { network: { mode: nearly } }\n", "policy.invalid_value"),
        ("bad test", "tests: [{ deny: \"nett evil.test\" }]\n", "policy.bad_question"),
        ("another level", "level: agent\n", "policy.layout"),
    ];
    for (what, text, code) in cases {
        assert_eq!(&only_code(&folder(&[("org.yaml", text)]), what), code, "{what}");
    }
}

#[test]
fn the_nearest_key_is_named() {
    let dir = folder(&[("org.yaml", "sandbox: { netwrok: { mode: none } }\n")]);
    let run = ringfence(dir.path(), &["check", "--org", "org.yaml"]);
    assert!(run.err.contains("did you mean `network`?"), "{}", run.err);
    assert!(run.err.contains("^^^^^^^"), "{}", run.err);
}

#[test]
fn bytes_that_are_not_text() {
    let dir = folder(&[]);
    fs::write(dir.path().join("org.yaml"), b"policy: a\nbecause: \xff\xfe\n").expect("a file");
    assert_eq!(only_code(&dir, "not UTF-8"), "policy.not_utf8");
    assert_eq!(check(&dir).json()["errors"][0]["places"][0]["line"], 2);
}

#[test]
fn a_huge_file_is_refused_by_its_size() {
    let dir = folder(&[]);
    let file = File::create(dir.path().join("org.yaml")).expect("a file");
    file.set_len(100 << 20).expect("a sparse file");
    let start = std::time::Instant::now();
    assert_eq!(only_code(&dir, "100 MiB"), "policy.too_large");
    assert!(start.elapsed().as_secs() < 5, "it was read before it was refused");
}

#[test]
fn what_is_not_a_file_is_not_read() {
    let dir = folder(&[]);
    assert_eq!(only_code(&dir, "missing"), "policy.unreadable");
    fs::create_dir(dir.path().join("org.yaml")).expect("a folder");
    assert_eq!(only_code(&dir, "folder"), "policy.unreadable");
}

#[cfg(unix)]
#[test]
fn a_dangling_link_a_pipe_and_a_device_are_refused() {
    let dir = folder(&[]);
    let org = dir.path().join("org.yaml");
    for target in ["nowhere.yaml", "/dev/zero"] {
        std::os::unix::fs::symlink(target, &org).expect("a link");
        assert_eq!(only_code(&dir, target), "policy.unreadable");
        fs::remove_file(&org).expect("removed");
    }
    match Command::new("mkfifo").arg(&org).status() {
        Ok(status) if status.success() => assert_eq!(only_code(&dir, "pipe"), "policy.unreadable"),
        other => eprintln!("skipped: cannot make a pipe ({other:?})"),
    }
}

#[cfg(unix)]
#[test]
fn a_file_without_the_right_to_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let dir = folder(&[("org.yaml", "policy: a\n")]);
    let org = dir.path().join("org.yaml");
    fs::set_permissions(&org, fs::Permissions::from_mode(0o000)).expect("a mode");
    if File::open(&org).is_err() {
        assert_eq!(only_code(&dir, "no permission"), "policy.unreadable");
        return;
    }
    // This user may read everything, so another one is asked; the build folder may be closed to it.
    let Some(mut command) = unprivileged() else {
        eprintln!("skipped: this user may read everything, and neither setpriv nor runuser works here");
        return;
    };
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).expect("a mode");
    let program = dir.path().join("ringfence");
    fs::copy(env!("CARGO_BIN_EXE_ringfence"), &program).expect("a copy");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a mode");
    command.arg(&program).args(["check", "--org", "org.yaml", "--format", "json"]).current_dir(dir.path());
    let output = command.output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(INVALID), "{output:?}");
    assert!(text.contains("policy.unreadable") && text.contains("permission denied"), "{text}");
}

/// The start of a command line that runs the rest as nobody, if there is one that works.
#[cfg(unix)]
fn unprivileged() -> Option<Command> {
    let ways: [&[&str]; 2] =
        [&["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"], &["runuser", "-u", "nobody", "--"]];
    ways.iter().find_map(|way| {
        let (program, args) = way.split_first()?;
        let command = || {
            let mut command = Command::new(program);
            command.args(args);
            command
        };
        command().arg("true").status().ok()?.success().then(command)
    })
}

#[cfg(unix)]
#[test]
fn a_file_name_does_not_reach_the_terminal_as_it_is() {
    let name = "a\u{1b}[31m\nerror: b\u{202e}\u{200b}.yaml";
    let escaped = "a\\u{1b}[31m\\nerror: b\\u{202e}\\u{200b}.yaml";
    let safe = |text: &str| {
        assert!(text.contains(escaped), "{text:?}");
        assert!(!text.contains("a\u{1b}") && !text.contains("\nerror: b"), "{text:?}");
        assert!(!text.contains(['\u{202e}', '\u{200b}']), "{text:?}");
    };
    // An excerpt, a file without one, a file and a folder that are not there, and bad usage.
    let dir = folder(&[(name, "sandbx: 1\n"), (&format!("empty-{name}"), "")]);
    for args in [
        &["check", "--org", name][..],
        &["check", "--org", &format!("empty-{name}")],
        &["check", "--org", &format!("absent-{name}")],
        &["check", "-C", name],
        &["diff", name, name],
        &["init", name],
        &["schema", "--write", name],
        &["check", &format!("--{name}")],
        &["check", name],
        &["schema", name],
    ] {
        let run = ringfence(dir.path(), &[args, &["--color", "always"]].concat());
        assert_ne!(run.code, 0, "{run:?}");
        safe(&run.err);
    }
    let json = ringfence(dir.path(), &["check", "--org", name, "--format", "json"]).json();
    assert_eq!(json["errors"][0]["places"][0]["file"], name, "exact for machines");
}

#[cfg(unix)]
#[test]
fn paths_in_results_are_escaped_too() {
    let name = "d\u{1b}[31m\nx";
    for args in [&["schema", "--write", name][..], &["schema", "--check", name], &["man", "--dir", name]] {
        let run = ringfence(folder(&[]).path(), &[args, &["--color", "always"]].concat());
        assert!(!run.out.contains('\u{1b}'), "{run:?}");
        assert!(run.out.contains("d\\u{1b}[31m\\nx"), "{run:?}");
    }
    let dir = folder(&[("ringfence.yaml", "policy: a\nsandbox: { network: { mode: none } }\n")]);
    let inside = dir.path().join(name);
    fs::create_dir(&inside).expect("a folder");
    fs::copy(dir.path().join("ringfence.yaml"), inside.join("ringfence.yaml")).expect("a copy");
    let run = ringfence(dir.path(), &["explain", "-C", name, "net", "a.test"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains("d\\u{1b}[31m\\nx/ringfence.yaml:2"), "{}", run.out);
}

#[test]
fn a_file_of_nothing_but_mistakes_is_cut_short() {
    let text: String = (0..20_000).map(|n| format!("key{n}: 1\n")).collect();
    let dir = folder(&[("org.yaml", &text)]);
    let codes = check(&dir).error_codes();
    assert_eq!(codes.len(), 1001);
    assert!(codes.iter().any(|c| c == "policy.too_large"));
    let human = ringfence(dir.path(), &["check", "--org", "org.yaml"]);
    assert!(human.err.lines().count() < 1000, "{} lines", human.err.lines().count());
}

#[test]
fn windows_line_ends_are_line_ends() {
    let dir = folder(&[("org.yaml", "policy: a\r\nsandbx: 1\r\n")]);
    let run = ringfence(dir.path(), &["check", "--org", "org.yaml"]);
    assert!(run.err.contains("\n2 | sandbx: 1\n"), "{}", run.err);
}

#[test]
fn every_bad_file_is_in_one_report() {
    let dir = folder(&[
        ("org.yaml", "policy: [\n"),
        ("projects/a.yaml", ""),
        ("projects/b.yaml", "sandbx: {}\n"),
        ("agents/c.yaml", "sandbox: 1\n"),
        ("specs/d.yaml", "name: d\nlayers: [kernl]\n"),
        ("tools.yaml", "tools: 1\n"),
        ("host.yaml", "hots: x\n"),
        ("packs/p.yaml", "pack: p\n"),
        ("presets/q.yaml", "\u{7}\n"),
    ]);
    let run = ringfence(dir.path(), &["check", "--format", "json"]);
    assert!(!run.error_codes().is_empty());
    let errors = run.json()["errors"].clone();
    let files: Vec<&str> =
        errors.as_array().expect("a list").iter().filter_map(|e| e["places"][0]["file"].as_str()).collect();
    for file in [
        "org.yaml",
        "projects/a.yaml",
        "projects/b.yaml",
        "agents/c.yaml",
        "specs/d.yaml",
        "tools.yaml",
        "host.yaml",
        "packs/p.yaml",
        "presets/q.yaml",
    ] {
        assert!(files.contains(&file), "{file}: {files:?}");
    }
}

#[test]
fn escape_sequences_of_a_document_do_not_reach_the_terminal() {
    let dir =
        folder(&[("ringfence.yaml", "policy: a\nbecause: \"\\e[31mred\\a\"\nsandbox: { network: { mode: none } }\n")]);
    let run = ringfence(dir.path(), &["explain", "net evil.test"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(!run.out.contains('\u{1b}') && !run.out.contains('\u{7}'), "{:?}", run.out);
    let dir = folder(&[("ringfence.yaml", "\"\\e[31mkey\": 1\n")]);
    let run = ringfence(dir.path(), &["check", "--color", "never"]);
    assert_eq!(run.code, INVALID);
    assert!(!run.err.contains('\u{1b}'), "{:?}", run.err);
}

#[test]
fn an_excerpt_shows_what_cannot_be_seen() {
    let text = "policy: a\nsandbx: 1 # \u{9b}31m\u{200b}\u{202e}\u{e0041}\u{7f}\u{1b}\n";
    let dir = folder(&[("ringfence.yaml", text)]);
    let err = ringfence(dir.path(), &["check"]).err;
    assert!(!err.chars().any(|c| "\u{9b}\u{200b}\u{202e}\u{e0041}\u{7f}\u{1b}".contains(c)), "{err:?}");
}
