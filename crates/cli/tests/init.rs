//! `ringfence init`, run as a program on folders made for the occasion.
#![expect(clippy::expect_used, reason = "a set-up that fails is a test that fails")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::Builder::new().prefix("demo-").tempdir().expect("a folder");
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("its folder");
        fs::write(path, text).expect("a file");
    }
    dir
}

fn ringfence(arguments: &[&str], dir: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ringfence"));
    command.args(arguments).arg(dir).env("NO_COLOR", "1").output().expect("the program runs")
}

fn init(dir: &TempDir) -> Output {
    ringfence(&["init"], dir.path())
}

fn written(dir: &TempDir) -> String {
    fs::read_to_string(dir.path().join("ringfence.yaml")).expect("a document")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// Valid, and its own tests hold, as the other commands see it.
fn assert_sound(dir: &TempDir) {
    for command in ["check", "test"] {
        let output = ringfence(&[command, "-C"], dir.path());
        assert!(output.status.success(), "{command}: {}{}", text(&output.stdout), text(&output.stderr));
    }
}

fn names_in(dir: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(dir.path()).expect("a listing");
    entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_repo_gets_what_it_needs() {
    let dir = folder(&[
        ("Cargo.toml", ""),
        ("package.json", "{}"),
        ("CLAUDE.md", ""),
        (".codex/config.toml", ""),
        (".mcp.json", r#"{ "mcpServers": { "github": {}, "db": {} } }"#),
        (".git/config", "[remote \"origin\"]\n\turl = https://forge.example.com/a/b.git\n"),
    ]);
    let output = init(&dir);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let document = written(&dir);
    for expected in [
        "level: project",
        "- api.anthropic.com",
        "- api.openai.com",
        "- forge.example.com",
        "# add your package registry, for example registry.example.com (cargo, npm)",
        "toolchains: [git, cargo, npm]",
        "\"github/*\": ask",
        "\"db/*\": ask",
        "\"claude-*\"",
        "ANTHROPIC_API_KEY",
    ] {
        assert!(document.contains(expected), "no `{expected}` in\n{document}");
    }
    let said = text(&output.stdout);
    assert!(said.contains("claude-code") && said.contains("ringfence check"), "{said}");
    assert_sound(&dir);
}

#[test]
fn an_empty_folder_gets_a_plain_policy() {
    let dir = folder(&[]);
    assert!(init(&dir).status.success());
    assert!(written(&dir).contains("allowlist: []"));
    assert_sound(&dir);
}

/// What it states can be enforced without namespaces too, so the first run does not end with 124 there.
#[test]
fn the_first_run_starts_in_every_tier() {
    let dir = folder(&[("README.md", "hello")]);
    let state = folder(&[]);
    assert!(init(&dir).status.success());
    for tier in ["A", "B", "C"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ringfence"));
        command.args(["run", "--tier", tier, "--", "cat", "README.md"]).current_dir(dir.path());
        let output = command.env("RINGFENCE_STATE", state.path()).output().expect("the program runs");
        assert!(output.status.success() && text(&output.stdout) == "hello", "{tier}: {}", text(&output.stderr));
    }
}

#[test]
fn the_level_is_written_and_an_unknown_one_is_refused() {
    let dir = folder(&[]);
    assert!(ringfence(&["init", "--level", "agent"], dir.path()).status.success());
    assert!(written(&dir).contains("level: agent"));
    let other = folder(&[]);
    assert!(!ringfence(&["init", "--level", "galaxy"], other.path()).status.success());
    assert!(names_in(&other).is_empty());
}

#[test]
fn a_document_is_replaced_only_by_force() {
    let dir = folder(&[("ringfence.yaml", "policy: mine\n")]);
    let refused = init(&dir);
    assert!(!refused.status.success());
    assert!(text(&refused.stderr).contains("--force"), "{}", text(&refused.stderr));
    assert_eq!(written(&dir), "policy: mine\n");
    assert!(ringfence(&["init", "--force"], dir.path()).status.success());
    assert!(written(&dir).contains("tests:"));
    assert_eq!(names_in(&dir), ["ringfence.yaml"]);
}

#[test]
fn a_folder_that_has_a_policy_gets_no_second_one() {
    for name in ["ringfence.yml", "org.yaml"] {
        let dir = folder(&[(name, "policy: mine\n")]);
        let refused = ringfence(&["init", "--force"], dir.path());
        assert!(!refused.status.success());
        assert!(text(&refused.stderr).contains(name), "{}", text(&refused.stderr));
        assert_eq!(names_in(&dir), [name]);
    }
}

#[test]
fn a_folder_of_projects_or_agents_is_a_policy_already() {
    for name in ["projects", "agents"] {
        let dir = folder(&[(&format!("{name}/a.yml"), "policy: mine\n")]);
        let refused = init(&dir);
        assert!(!refused.status.success());
        assert!(text(&refused.stderr).contains(&format!("`{name}/`")), "{}", text(&refused.stderr));
        assert_eq!(names_in(&dir), [name]);
        let code = folder(&[(&format!("{name}/main.py"), ""), (&format!("{name}/.a.yaml"), "")]);
        assert!(init(&code).status.success());
        assert_sound(&code);
    }
}

#[cfg(unix)]
#[test]
fn the_next_steps_can_be_copied_into_a_shell() {
    for name in ["plain", "two words", "it's", "$HOME", "-x", "a\u{1b}[31m\n1b"] {
        let dir = folder(&[(&format!("{name}/README.md"), "")]);
        let mut command = Command::new(env!("CARGO_BIN_EXE_ringfence"));
        let output = command.args(["init", "--", name]).current_dir(dir.path()).output().expect("the program runs");
        assert!(output.status.success(), "{}", text(&output.stderr));
        let said = text(&output.stdout);
        assert!(!said.contains('\u{1b}'), "{said:?}");
        let steps: Vec<&str> = said.lines().filter(|l| l.starts_with("  ringfence ")).collect();
        assert_eq!(steps.len(), 3, "{said}");
        for step in steps {
            let bin = Path::new(env!("CARGO_BIN_EXE_ringfence")).parent().expect("a folder");
            let mut shell = Command::new("bash");
            shell.args(["-c", &format!("PATH='{}':$PATH\n{step}", bin.display())]).current_dir(dir.path());
            match shell.output() {
                Ok(output) => assert!(output.status.success(), "{step}: {}", text(&output.stderr)),
                Err(e) => eprintln!("skipped: no bash ({e})"),
            }
        }
    }
}

#[test]
fn scripts_get_what_was_found_and_written() {
    let dir = folder(&[("CLAUDE.md", ""), (".mcp.json", "no")]);
    let json = |output: &Output| -> serde_json::Value { serde_json::from_slice(&output.stdout).expect("JSON") };
    let printed = json(&ringfence(&["init", "--stdout", "--format", "json"], dir.path()));
    assert!(printed["written"].is_null());
    let output = ringfence(&["init", "--format", "json"], dir.path());
    assert_eq!(text(&output.stderr), "");
    let result = json(&output);
    let found = serde_json::json!({ "kind": "agent", "name": "claude-code", "file": "CLAUDE.md" });
    assert_eq!(result["found"], serde_json::json!([found]));
    assert_eq!(result["skipped"].as_array().map(Vec::len), Some(1));
    assert_eq!(result["written"].as_str().map(Path::new), Some(&*dir.path().join("ringfence.yaml")));
    assert_eq!(result["document"], written(&dir));
    assert_eq!(result["document"], printed["document"]);
    let refused = json(&ringfence(&["init", "--format", "json"], dir.path()));
    assert_eq!(refused["errors"][0]["code"], "internal");
}

#[test]
fn stdout_leaves_the_folder_alone() {
    let dir = folder(&[("CLAUDE.md", "")]);
    let output = ringfence(&["init", "--stdout"], dir.path());
    assert!(output.status.success());
    assert!(text(&output.stdout).contains("api.anthropic.com"));
    assert!(text(&output.stderr).contains("claude-code"));
    assert_eq!(names_in(&dir), ["CLAUDE.md"]);
}

#[test]
fn a_folder_that_is_not_there_is_an_error() {
    let dir = folder(&[]);
    assert!(!ringfence(&["init"], &dir.path().join("absent")).status.success());
}

#[test]
fn hostile_server_names_reach_neither_the_document_nor_the_terminal() {
    let dir = folder(&[(
        ".mcp.json",
        r#"{ "mcpServers": { "good": {}, "a\": allow\n    \"*": {}, "esc\u001b[2J": {}, "bidi\u202e": {}, "b c": {}, "x*": {}, "": {} } }"#,
    )]);
    let output = init(&dir);
    assert!(output.status.success());
    let document = written(&dir);
    assert!(document.contains("\"good/*\": ask"));
    assert!(!document.contains("allow\n") && !document.contains("x*"), "{document}");
    for shown in [document, text(&output.stdout), text(&output.stderr)] {
        assert!(shown.chars().all(|c| c == '\n' || (!c.is_control() && c.is_ascii())), "{shown:?}");
    }
    assert!(text(&output.stdout).contains("skipped  .mcp.json"));
    assert_sound(&dir);
}

#[test]
fn remotes_give_hosts_and_never_passwords() {
    let config = "\
[remote \"a\"]\n\turl = https://bot:hunter2@Forge.Example.com:8443/x.git\n\
[remote \"b\"]\n\turl = git@code.example.org:team/x.git\n\
[remote \"c\"]\n\turl = ssh://git@ssh.example.net:2222/x.git\n\
[remote \"d\"]\n\turl = https://10.0.0.5/x.git\n\
[remote \"e\"]\n\turl = ../elsewhere.git\n\
[remote \"f\"]\n\turl = https://user:hunter2/extra@host/x.git\n\
[remote \"g\"]\n\turl = git@alias:x.git\n\
[remote \"h\"]\n\turl = https://*.example.com/x.git\n";
    let dir = folder(&[(".git/config", config)]);
    let output = init(&dir);
    assert!(output.status.success());
    let document = written(&dir);
    for expected in ["- \"forge.example.com:8443\"", "- code.example.org", "- ssh.example.net"] {
        assert!(document.contains(expected), "no `{expected}` in\n{document}");
    }
    for shown in [document, text(&output.stdout), text(&output.stderr)] {
        for absent in ["hunter2", "10.0.0.5", "alias", "*.example.com", "2222"] {
            assert!(!shown.contains(absent), "`{absent}` in\n{shown}");
        }
    }
    assert_sound(&dir);
}

#[test]
fn a_config_that_is_too_large_or_not_json_is_skipped() {
    let huge = format!("{{ \"mcpServers\": {{ \"big\": \"{}\" }} }}", "x".repeat(1 << 20));
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let dir = folder(&[(".mcp.json", &huge), (".cursor/mcp.json", &deep), (".vscode/mcp.json", "// no\n{}")]);
    let output = init(&dir);
    assert!(output.status.success());
    assert!(!written(&dir).contains("big"));
    let said = text(&output.stdout);
    for file in [".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json"] {
        assert!(said.contains(&format!("skipped  {file}")), "{said}");
    }
}

#[cfg(unix)]
mod links {
    use super::{folder, fs, init, names_in, ringfence, text, written};
    use std::os::unix::fs::symlink;

    #[test]
    fn a_target_that_is_a_link_is_refused_even_by_force() {
        let outside = folder(&[("precious.yaml", "precious\n")]);
        let dir = folder(&[]);
        let precious = outside.path().join("precious.yaml");
        symlink(&precious, dir.path().join("ringfence.yaml")).expect("a link");
        for arguments in [&["init"][..], &["init", "--force"][..]] {
            let output = ringfence(arguments, dir.path());
            assert!(!output.status.success());
            assert!(text(&output.stderr).contains("symbolic link"), "{}", text(&output.stderr));
        }
        assert_eq!(fs::read_to_string(precious).expect("it is still there"), "precious\n");
        assert_eq!(names_in(&dir), ["ringfence.yaml"]);
    }

    #[test]
    fn a_config_behind_a_link_is_not_read() {
        let outside = folder(&[("mcp.json", r#"{ "mcpServers": { "secret-server": {} } }"#)]);
        let dir = folder(&[]);
        symlink(outside.path().join("mcp.json"), dir.path().join(".mcp.json")).expect("a link");
        symlink(outside.path(), dir.path().join(".cursor")).expect("a link to a folder");
        let output = init(&dir);
        assert!(output.status.success());
        assert!(!written(&dir).contains("secret-server"));
        assert!(text(&output.stdout).contains("not followed"));
    }
}
