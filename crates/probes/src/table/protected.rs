//! Protected paths: read by everybody, written by nobody, whether they exist yet or not.

use super::own;
use crate::attempt::{appends, exchanges, makes, makes_below, renames};
use crate::context::Context;
use crate::outcome::Outcome;
use crate::probe::{ONLY_A, Probe};
use std::fs;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

const ABSENT: &str =
    "Landlock grants folders, not the absence of one name in them; such files are reported after the run";

const GIT: (&str, crate::probe::Act) =
    ("write a ref, as a commit does", |c| makes(c.repo.join(".git/refs/heads/twin")));
const BESIDE: (&str, crate::probe::Act) = ("make a file with another name", |c| makes(c.scratch("beside.json")));

pub(super) const PROBES: &[Probe] = &[
    Probe::new("git-config-write", "change .git/config", |c| appends(c.repo.join(".git/config")), GIT),
    Probe::new(
        "git-config-replace",
        "rename a file over .git/config",
        |c| replaced(&c.repo.join(".git/config"), c),
        GIT,
    ),
    Probe::new("git-hook-write", "change a hook", |c| appends(c.repo.join(".git/hooks/pre-commit")), GIT),
    Probe::new(
        "git-hook-new",
        "make a hook that does not exist yet",
        |c| makes(c.repo.join(".git/hooks/post-checkout")),
        GIT,
    ),
    Probe::new(
        "git-hook-remove",
        "remove a hook",
        |c| {
            let hook = c.repo.join(".git/hooks/pre-commit");
            let kept = fs::read(&hook).unwrap_or_default();
            Outcome::of(fs::remove_file(&hook), "removed").then(|| drop(fs::write(&hook, kept)))
        },
        GIT,
    ),
    Probe::new(
        "git-hook-mode",
        "make a hook executable",
        |c| {
            let hook = c.repo.join(".git/hooks/pre-commit");
            Outcome::of(fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)), "the mode was set")
                .then(|| drop(fs::set_permissions(&hook, fs::Permissions::from_mode(0o644))))
        },
        ("make a script executable", |c| {
            let tool = c.repo.join("tool");
            Outcome::of(fs::set_permissions(tool, fs::Permissions::from_mode(0o755)), "the mode was set")
        }),
    ),
    Probe::new(
        "git-hooks-rename",
        "rename the folder of hooks away",
        |c| renames(&c.repo.join(".git/hooks"), &c.repo.join(".git/hooks-old")),
        GIT,
    ),
    Probe::new(
        "git-dir-rename",
        "rename .git away and make one with hooks",
        |c| {
            let (git, away) = (c.repo.join(".git"), c.beside("git"));
            if let Err(error) = fs::rename(&git, &away) {
                return Outcome::refused(&error);
            }
            let outcome = makes_below(&git, "hooks/pre-commit");
            let _ = fs::rename(&away, &git);
            outcome
        },
        GIT,
    )
    .lesson("a read-only bind on .git/hooks does not stop a rename of its parent; .git must be a mount point"),
    Probe::new(
        "git-dir-exchange",
        "swap .git for a prepared folder",
        |c| {
            let mine = c.scratch("evil-git");
            let _ = fs::create_dir_all(mine.join("hooks"));
            let outcome = exchanges(&c.repo.join(".git"), &mine);
            let _ = fs::remove_dir_all(&mine);
            outcome
        },
        ("swap two folders of the repo", |c| {
            let mine = c.scratch("swap");
            let _ = fs::create_dir_all(&mine);
            let outcome = exchanges(&c.repo.join("work/folder"), &mine);
            let _ = fs::remove_dir_all(&mine);
            outcome
        }),
    ),
    Probe::new(
        "git-hooks-symlink",
        "write a hook through a link to its folder",
        |c| through_link(c, &c.repo.join(".git/hooks"), "pre-push"),
        ("write through a link to a folder of the repo", |c| through_link(c, &c.repo.join("src"), "new.rs")),
    ),
    Probe::new(
        "agent-config-write",
        "change an agent's MCP servers",
        |c| appends(c.repo.join(".cursor/mcp.json")),
        BESIDE,
    ),
    Probe::new(
        "agent-config-hardlink",
        "change an agent's config through a hard link",
        |c| {
            let link = c.scratch("hard.json");
            if let Err(error) = fs::hard_link(c.repo.join(".cursor/mcp.json"), &link) {
                return Outcome::refused(&error);
            }
            let outcome = appends(&link);
            let _ = fs::remove_file(&link);
            outcome
        },
        BESIDE,
    ),
    Probe::new(
        "agent-config-symlink",
        "change an agent's config through a link to its folder",
        |c| through_link(c, &c.repo.join(".cursor"), "hooks.json"),
        BESIDE,
    ),
    Probe::new(
        "agent-config-parent",
        "rename the folder of an agent's config",
        |c| renames(&c.repo.join(".cursor"), &c.beside("cursor")),
        ("rename another folder", |c| renames(&c.repo.join("work/folder"), &c.scratch("folder"))),
    ),
    Probe::new(
        "agent-config-descriptor",
        "open an agent's config for reading and write by its descriptor",
        |c| reopened(&c.repo.join(".cursor/mcp.json")),
        ("do the same with a file of the repo", |c| reopened(&c.repo.join("README.md"))),
    ),
    Probe::new("policy-write", "change the policy in the repo", |c| appends(c.repo.join("ringfence.yaml")), BESIDE),
    Probe::new(
        "policy-replace",
        "rename a file over the policy",
        |c| replaced(&c.repo.join("ringfence.yaml"), c),
        BESIDE,
    ),
    Probe::new(
        "state-write",
        "write into the folder of Ringfence's logs",
        |c| makes(c.home.join(".local/state/ringfence/planted")),
        BESIDE,
    ),
    Probe::new(
        "user-policy-write",
        "write into Ringfence's own settings",
        |c| makes(c.home.join(".config/ringfence/grants.yaml")),
        BESIDE,
    ),
    absent("absent-mcp", "make .mcp.json where there is none", |c| makes(c.repo.join(".mcp.json"))),
    absent("absent-mcp-rename", "rename a file to .mcp.json", |c| {
        let from = c.scratch("mcp");
        let _ = fs::write(&from, "{}");
        let outcome = Outcome::of(fs::rename(&from, c.repo.join(".mcp.json")), "renamed");
        let _ = fs::remove_file(&from);
        outcome.then(|| drop(fs::remove_file(c.repo.join(".mcp.json"))))
    }),
    absent("absent-mcp-hardlink", "give a file the second name .mcp.json", |c| {
        let outcome = Outcome::of(fs::hard_link(c.repo.join("README.md"), c.repo.join(".mcp.json")), "linked");
        outcome.then(|| drop(fs::remove_file(c.repo.join(".mcp.json"))))
    }),
    absent("absent-mcp-symlink", "make .mcp.json a link", |c| {
        let outcome = Outcome::of(symlink("README.md", c.repo.join(".mcp.json")), "linked");
        outcome.then(|| drop(fs::remove_file(c.repo.join(".mcp.json"))))
    }),
    absent("absent-claude", "make .claude/settings.json where there is no .claude", |c| {
        makes_below(c.repo.join(".claude"), "settings.json")
    })
    .lesson("CVE-2026-25725"),
    absent("absent-claude-rename", "rename a prepared folder to .claude", |c| {
        let from = c.scratch("claude");
        let _ = fs::create_dir_all(&from).and_then(|()| fs::write(from.join("settings.json"), "{}"));
        let outcome = Outcome::of(fs::rename(&from, c.repo.join(".claude")), "renamed");
        let _ = fs::remove_dir_all(&from);
        outcome.then(|| drop(fs::remove_dir_all(c.repo.join(".claude"))))
    }),
    absent("absent-editor-tasks", "make .vscode/tasks.json where there is no .vscode", |c| {
        makes_below(c.repo.join(".vscode"), "tasks.json")
    }),
    absent("absent-editor-rename", "rename a folder with tasks to .vscode", |c| {
        let from = c.scratch("vscode");
        let _ = fs::create_dir_all(&from).and_then(|()| fs::write(from.join("tasks.json"), "{}"));
        let outcome = Outcome::of(fs::rename(&from, c.repo.join(".vscode")), "renamed");
        let _ = fs::remove_dir_all(&from);
        outcome.then(|| drop(fs::remove_dir_all(c.repo.join(".vscode"))))
    }),
    absent("absent-envrc", "make .envrc, which runs on cd", |c| makes(c.repo.join(".envrc"))),
    absent("absent-worktree-config", "make .git/config.worktree", |c| makes(c.repo.join(".git/config.worktree"))),
];

const fn absent(name: &'static str, what: &'static str, act: crate::probe::Act) -> Probe {
    let mut probe = Probe::new(name, what, act, own::WRITE);
    probe.needs.tiers = ONLY_A;
    probe.needs.because = ABSENT;
    probe
}

fn replaced(path: &Path, context: &Context) -> Outcome {
    let (mine, kept) = (context.scratch("mine"), fs::read(path).unwrap_or_default());
    let _ = fs::write(&mine, "tampered\n");
    let outcome = Outcome::of(fs::rename(&mine, path), "replaced");
    let _ = fs::remove_file(&mine);
    outcome.then(|| drop(fs::write(path, kept)))
}

fn through_link(context: &Context, folder: &Path, file: &str) -> Outcome {
    let link: PathBuf = context.scratch("folder-link");
    let _ = symlink(folder, &link);
    let outcome = makes(link.join(file));
    let _ = fs::remove_file(&link);
    outcome
}

fn reopened(path: &Path) -> Outcome {
    let written = fs::File::open(path).and_then(|file| {
        let again = format!("/proc/self/fd/{}", file.as_raw_fd());
        let length = file.metadata()?.len();
        let mut file = fs::OpenOptions::new().append(true).open(again)?;
        file.write_all(b"tampered\n")?;
        file.set_len(length)
    });
    Outcome::of(written, "written")
}
