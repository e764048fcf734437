//! `ringfence undo`, run as a program on snapshots made for the occasion.
#![expect(clippy::expect_used, reason = "a set-up that fails is a test that fails")]

use ringfence_snapshot::{Limits, Snapshot};
use serde_json::Value as Json;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const OLD: &str = "r-20261116T012500Z-1a2b3c4d";
const NEW: &str = "r-20261116T013000Z-00000000";

struct World(TempDir);

impl World {
    fn new() -> Self {
        let world = Self(tempfile::tempdir().expect("a folder"));
        world.write("src/main.rs", "before");
        world.write("gone", "before");
        world.run(OLD, Some(&world.repo()));
        world
    }

    fn repo(&self) -> PathBuf {
        self.0.path().join("repo")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.repo().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("its folder");
        fs::write(path, text).expect("a file");
    }

    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.repo().join(path)).ok()
    }

    /// A run's folder as `run` leaves it, with a snapshot or without.
    fn run(&self, id: &str, snapshot_of: Option<&PathBuf>) {
        let dir = self.0.path().join("state/runs").join(id);
        fs::create_dir_all(&dir).expect("a run");
        fs::write(dir.join("run.json"), format!("{{\"run_id\":\"{id}\"}}")).expect("its record");
        if let Some(repo) = snapshot_of {
            Snapshot::take(repo, &dir.join("snapshot"), &Limits::default(), &mut |_| {}).expect("a snapshot");
        }
    }

    fn vandalise(&self) {
        self.write("src/main.rs", "after");
        self.write("new\u{1b}[2J", "made by the run");
        fs::remove_file(self.repo().join("gone")).expect("a file less");
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ringfence"));
        command.arg("undo").args(arguments).env("NO_COLOR", "1").env("RINGFENCE_STATE", self.0.path().join("state"));
        command.stdin(Stdio::null());
        command
    }

    fn undo(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the program runs")
    }

    fn assert_restored(&self) {
        assert_eq!(self.read("src/main.rs").as_deref(), Some("before"));
        assert_eq!(self.read("gone").as_deref(), Some("before"));
        assert_eq!(fs::read_dir(self.repo()).expect("a listing").count(), 2);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn json(output: &Output) -> Json {
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn the_last_run_is_undone_and_its_work_is_kept() {
    let world = World::new();
    world.vandalise();
    let output = world.undo(&["--yes"]);
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}{}", text(&output.stderr));
    world.assert_restored();
    for expected in
        ["1 added, 1 changed, 1 removed", "  + new\\u{1b}[2J", "  ~ src/main.rs", "  - gone", "restored 3 entries"]
    {
        assert!(said.contains(expected), "no `{expected}` in\n{said}");
    }
    let kept = world.0.path().join("state/runs").join(OLD).join("undone/1");
    assert!(said.contains(kept.to_str().expect("UTF-8")), "{said}");
    assert_eq!(fs::read_to_string(kept.join("src/main.rs")).ok().as_deref(), Some("after"));
    assert!(text(&world.undo(&["--yes"]).stdout).contains("nothing to undo"));
}

#[test]
fn nothing_happens_without_a_yes() {
    let world = World::new();
    world.vandalise();
    let output = world.undo(&[]);
    assert_eq!(output.status.code(), Some(119));
    assert!(text(&output.stderr).contains("--yes"), "{}", text(&output.stderr));
    assert_eq!(world.read("src/main.rs").as_deref(), Some("after"));
    let output = world.undo(&["--dry-run"]);
    assert!(output.status.success());
    assert!(text(&output.stdout).contains("~ src/main.rs"));
    assert_eq!(world.read("src/main.rs").as_deref(), Some("after"));
    assert!(!world.0.path().join("state/runs").join(OLD).join("undone").exists());
}

#[test]
fn a_run_that_goes_on_is_not_undone() {
    let world = World(tempfile::tempdir().expect("a folder"));
    world.write("src/main.rs", "before");
    world.write("gone", "before");
    let script = "echo after > src/main.rs; rm gone; touch done; read _";
    let mut run = Command::new(env!("CARGO_BIN_EXE_ringfence"))
        .args(["run", "--quiet", "--snapshot", "--", "sh", "-c", script])
        .current_dir(world.repo())
        .env("RINGFENCE_STATE", world.0.path().join("state"))
        .stdin(Stdio::piped())
        .spawn()
        .expect("the program starts");
    while world.read("done").is_none() {
        assert_eq!(run.try_wait().expect("a state"), None, "it ended before its time");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    for arguments in [&["--yes"][..], &["last", "--yes", "--format", "json"], &[]] {
        let output = world.undo(arguments);
        assert_eq!(output.status.code(), Some(119));
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(said.contains("still going"), "{said}");
        assert_eq!(world.read("src/main.rs").as_deref(), Some("after\n"));
    }
    let looked = world.undo(&["--dry-run"]);
    assert!(looked.status.success() && text(&looked.stdout).contains("1 changed, 1 removed"));
    drop(run.stdin.take());
    run.wait().expect("its end");
    assert!(world.undo(&["--yes"]).status.success());
    world.assert_restored();
}

#[test]
fn scripts_get_the_same_as_json() {
    let world = World::new();
    world.vandalise();
    let looked = json(&world.undo(&["--dry-run", "--format", "json"]));
    assert_eq!(looked["restored"], false);
    assert_eq!(looked["removed"]["paths"][0], "gone");
    let done = json(&world.undo(&[OLD, "--yes", "--format", "json"]));
    assert_eq!(
        (&done["restored"], &done["added"]["count"], &done["failed"]["count"]),
        (&true.into(), &1.into(), &0.into())
    );
    assert!(done["kept_in"].as_str().is_some_and(|p| p.ends_with("undone/1")));
    world.assert_restored();
}

#[test]
fn an_older_run_is_undone_only_by_its_name() {
    let world = World::new();
    world.run(NEW, None);
    world.vandalise();
    for arguments in [&["last", "--yes"][..], &["--yes"], &[NEW, "--yes"]] {
        let output = world.undo(arguments);
        assert_eq!(output.status.code(), Some(119));
        assert!(text(&output.stderr).contains("without `--snapshot`"), "{}", text(&output.stderr));
        assert_eq!(world.read("src/main.rs").as_deref(), Some("after"));
    }
    assert!(world.undo(&[OLD, "--yes"]).status.success());
    world.assert_restored();
}

#[test]
fn the_list_has_what_can_be_undone() {
    let world = World::new();
    world.run(NEW, None);
    let output = world.undo(&["--list"]);
    let said = text(&output.stdout);
    assert!(said.contains(OLD) && said.contains("2 files") && !said.contains(NEW), "{said}");
    let listed = json(&world.undo(&["--list", "--format", "json"]));
    assert_eq!(listed["runs"].as_array().map(Vec::len), Some(1));
    assert_eq!(listed["runs"][0]["run_id"], OLD);
    let empty = World(tempfile::tempdir().expect("a folder"));
    assert!(text(&empty.undo(&["--list"]).stdout).contains("no run can be undone"));
}

#[test]
fn names_that_lead_elsewhere_are_no_runs() {
    let world = World::new();
    for name in ["..", "../runs/x", ".", "/etc", "r-none"] {
        let output = world.undo(&["--yes", "--", name]);
        assert_eq!(output.status.code(), Some(119), "{name}");
        assert!(text(&output.stderr).contains("no run"), "{}", text(&output.stderr));
    }
}

#[test]
fn a_file_that_cannot_be_restored_shows_in_the_exit_code() {
    let world = World::new();
    world.vandalise();
    let files = world.0.path().join("state/runs").join(OLD).join("snapshot/files/00000");
    for blob in fs::read_dir(files).expect("contents") {
        fs::write(blob.expect("a content").path(), "poison").expect("poisoned");
    }
    let output = world.undo(&["--yes"]);
    assert_eq!(output.status.code(), Some(119));
    assert!(text(&output.stdout).contains("2 paths could not be restored"), "{}", text(&output.stdout));
    assert_eq!(world.read("src/main.rs").as_deref(), Some("after"));
}

#[test]
fn an_undo_that_is_killed_is_finished_by_the_next() {
    for round in 0..8 {
        let world = World(tempfile::tempdir().expect("a folder"));
        for i in 0..200 {
            world.write(&format!("d{}/f{i}", i % 9), "before");
        }
        world.run(OLD, Some(&world.repo()));
        for i in 0..200 {
            world.write(&format!("d{}/f{i}", i % 9), "after");
            world.write(&format!("d{}/n{i}", i % 9), "new");
        }
        let mut child = world.command(&["--yes"]).stdout(Stdio::null()).spawn().expect("the program starts");
        std::thread::sleep(std::time::Duration::from_millis(round * 4));
        // It may be done already: then the next one has nothing to do.
        let _ = child.kill();
        child.wait().expect("its end");
        assert!(world.undo(&["--yes"]).status.success());
        for i in 0..200 {
            assert_eq!(world.read(&format!("d{}/f{i}", i % 9)).as_deref(), Some("before"));
            assert_eq!(world.read(&format!("d{}/n{i}", i % 9)), None);
        }
        let kept = Command::new("grep").args(["-rlE", "after|new"]).arg(world.0.path().join("state")).output();
        assert_eq!(text(&kept.expect("grep runs").stdout).lines().count(), 400, "every version is kept");
    }
}
