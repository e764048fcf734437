//! What a run leaves behind: nothing, a thousand times over, and however its supervisor dies.

#![expect(clippy::expect_used, reason = "a test that cannot go on should say why and stop")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const RINGFENCE: &str = env!("CARGO_BIN_EXE_ringfence");

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().expect("a folder") };
        for name in ["repo", "home", "state"] {
            fs::create_dir(place.folder.path().join(name)).expect("a folder");
        }
        let git = Command::new("git").args(["init", "-q"]).current_dir(place.repo()).status();
        assert!(git.expect("git").success());
        place
    }

    fn repo(&self) -> PathBuf {
        self.folder.path().join("repo")
    }

    fn run(&self, script: &str) -> Command {
        let mut command = Command::new(RINGFENCE);
        command.args(["run", "-q", "--", "/bin/sh", "-c", script]).current_dir(self.repo());
        command.env("HOME", self.folder.path().join("home")).env("RINGFENCE_STATE", self.folder.path().join("state"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// What is there to be left behind.
    fn traces(&self) -> Traces {
        Traces {
            files: tree(&self.repo()),
            mounts: fs::read_to_string("/proc/self/mountinfo").expect("mounts").lines().count(),
            processes: processes(&self.folder.path().to_string_lossy()),
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Traces {
    files: BTreeSet<PathBuf>,
    mounts: usize,
    /// Processes that have this place in their environment: supervisors, cleaners and everything they started.
    processes: BTreeSet<String>,
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect()
}

fn tree(folder: &Path) -> BTreeSet<PathBuf> {
    let mut out = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            if entry.file_type().is_ok_and(|t| t.is_dir()) {
                folders.push(entry.path());
            }
            out.insert(entry.path());
        }
    }
    out
}

fn processes(mark: &str) -> BTreeSet<String> {
    let own = std::process::id().to_string();
    let marked = |pid: &String| {
        let read = |file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        let text = [read("environ"), read("cmdline")].concat();
        *pid != own && String::from_utf8_lossy(&text).contains(mark)
    };
    names(Path::new("/proc")).into_iter().filter(|n| n.bytes().all(|b| b.is_ascii_digit())).filter(marked).collect()
}

/// Looks until it is so, for as long as a kernel may take to clear up.
fn settles(place: &Place, before: &Traces) {
    let start = Instant::now();
    loop {
        let now = place.traces();
        if now == *before {
            return;
        }
        assert!(start.elapsed() < Duration::from_secs(10), "left behind: {now:?}, before: {before:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_thousand_runs_leave_nothing_behind() {
    let place = Place::new();
    let before = place.traces();
    for n in 0..1000 {
        let status = place.run("sleep 1000 & exec /bin/true").status().expect("a run");
        assert!(status.success(), "run {n}: {status}");
        if n % 100 == 0 {
            assert_eq!(place.traces(), before, "after run {n}");
        }
    }
    assert_eq!(place.traces(), before);
}

#[test]
fn a_supervisor_that_is_killed_at_any_moment_leaves_nothing_behind() {
    let place = Place::new();
    let before = place.traces();
    for n in 0..80u64 {
        let mut child = place.run("sleep 1000 & sleep 1000").spawn().expect("a run");
        // From the first instruction to long after the command has started.
        std::thread::sleep(Duration::from_micros(n * n * 9));
        child.kill().expect("killed");
        child.wait().expect("gone");
        settles(&place, &before);
    }
}
