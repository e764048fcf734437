//! Ordinary runs: files come and go, and come back.

use crate::support::{World, chmod, describe, label, name};
use std::fs::{self, File};
use std::os::unix::fs::{FileExt, MetadataExt, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

fn paths(tally: &ringfence_snapshot::Tally) -> Vec<&str> {
    let mut paths: Vec<&str> = tally.first.iter().map(|p| p.to_str().expect("UTF-8")).collect();
    paths.sort_unstable();
    paths
}

#[test]
fn everything_comes_back_and_nothing_is_lost() {
    let world = World::new();
    world.write("src/main.rs", "fn main() {}");
    world.write("src/lib.rs", "pub mod a;");
    world.write("old/a/b", "b");
    world.write("old/c", "c");
    world.write("tool", "#!/bin/sh");
    chmod(&world.at("tool"), 0o755);
    world.write(".git/config", "[core]");
    fs::create_dir(world.at("empty")).unwrap();
    label(&world.at("empty"), "kept");
    label(&world.at("tool"), "sharp");
    symlink("src/main.rs", world.at("link")).unwrap();
    symlink("/nowhere", world.at("dangling")).unwrap();
    let before = world.describe();
    let taken = world.take();
    assert_eq!((taken.files, taken.unread.len()), (6, 0));
    assert!(world.compare().is_empty());

    world.write("src/main.rs", "fn main() { evil() }");
    world.write("new/deep/file", "made by the run");
    world.write("src/new.rs", "added");
    fs::remove_dir_all(world.at("old")).unwrap();
    chmod(&world.at("tool"), 0o4777);
    label(&world.at("empty"), "changed");
    fs::remove_file(world.at("link")).unwrap();
    symlink("src/lib.rs", world.at("link")).unwrap();
    fs::remove_file(world.at("src/lib.rs")).unwrap();
    fs::create_dir(world.at("src/lib.rs")).unwrap();
    let changes = world.compare();
    assert_eq!(paths(&changes.added), ["new", "src/new.rs"]);
    assert_eq!(paths(&changes.changed), ["link", "src/main.rs"]);
    assert_eq!(paths(&changes.removed), ["old", "old/a", "old/a/b", "old/c"]);
    assert_eq!(paths(&changes.retyped), ["src/lib.rs"]);
    assert_eq!(paths(&changes.metadata), ["empty", "tool"]);

    let restored = world.restore();
    assert_eq!(world.describe(), before);
    assert_eq!(restored.changes, changes);
    let kept = restored.kept_in.expect("something was kept");
    assert_eq!(kept, world.run().join("undone/1"));
    let read = |path: &str| fs::read_to_string(kept.join(path)).expect("kept");
    assert_eq!(read("new/deep/file"), "made by the run");
    assert_eq!(read("src/main.rs"), "fn main() { evil() }");
    assert_eq!(read("src/new.rs"), "added");
    assert_eq!(fs::read_link(kept.join("link")).unwrap(), Path::new("src/lib.rs"));
    assert!(kept.join("src/lib.rs").is_dir());
    assert_eq!(fs::metadata(kept.parent().unwrap()).unwrap().mode() & 0o777, 0o700);

    let again = world.restore();
    assert_eq!((again.kept_in, again.changes.total()), (None, 0), "a second restore finds nothing to do");
}

#[test]
fn an_edit_that_hides_its_traces_is_seen() {
    let world = World::new();
    let file = world.write("file", "before");
    let link = world.at("link");
    symlink("file", &link).unwrap();
    let before = world.describe();
    // Older than the clock tick in which two changes look the same: now the inode speaks for itself.
    std::thread::sleep(Duration::from_millis(2100));
    world.take();
    let untouched = world.compare();
    assert!(untouched.is_empty(), "{untouched:?}");
    let times = fs::metadata(&file).unwrap().modified().unwrap();
    let open = File::options().write(true).open(&file).unwrap();
    open.write_all_at(b"behind", 0).unwrap();
    open.set_modified(times).unwrap();
    assert_eq!(world.compare().changed.count, 1);
    world.restore();
    assert_eq!(world.describe(), before);
}

#[test]
fn an_edit_within_the_same_clock_tick_is_seen() {
    let world = World::new();
    let file = world.write("file", "before");
    world.take();
    let open = File::options().write(true).open(&file).unwrap();
    let times = open.metadata().unwrap().modified().unwrap();
    open.write_all_at(b"behind", 0).unwrap();
    open.set_modified(times).unwrap();
    world.restore();
    assert_eq!(fs::read(&file).unwrap(), b"before");
}

#[test]
fn names_that_are_not_text_come_back() {
    let world = World::new();
    let names: [&[u8]; 5] = [b"\xff\xfe", b"new\nline", "\u{202e}gnp.exe".as_bytes(), b"-rf", b"\x1b[2J"];
    for bytes in names {
        let dir = world.repo().join(name(bytes));
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join(name(bytes)), bytes).unwrap();
        symlink(name(bytes), dir.join("link")).unwrap();
    }
    let before = world.describe();
    world.take();
    for bytes in names {
        fs::remove_dir_all(world.repo().join(name(bytes))).unwrap();
    }
    fs::write(world.repo().join(name(b"added\xff")), "x").unwrap();
    let restored = world.restore();
    assert_eq!(world.describe(), before);
    assert!(restored.kept_in.unwrap().join(name(b"added\xff")).is_file());
}

#[test]
fn five_thousand_files_come_back() {
    let world = World::quick();
    for i in 0..5000 {
        world.write(&format!("d{}/f{i}", i % 50), &format!("file {i}"));
    }
    let before = world.describe();
    let taken = world.take();
    assert_eq!(taken.files, 5000);
    for i in 0..5000 {
        let path = world.at(&format!("d{}/f{i}", i % 50));
        match i % 4 {
            0 => fs::remove_file(path).unwrap(),
            1 => fs::write(path, format!("edit {i}")).unwrap(),
            2 => fs::rename(&path, path.with_extension("moved")).unwrap(),
            _ => {}
        }
    }
    let restored = world.restore();
    let counts = (restored.changes.removed.count, restored.changes.changed.count, restored.changes.added.count);
    assert_eq!(counts, (2500, 1250, 1250));
    assert_eq!(restored.changes.removed.first.len(), 1000, "paths are named within bounds");
    assert_eq!(world.describe(), before);
}

#[test]
fn a_sparse_file_stays_sparse() {
    let world = World::new();
    let path = world.write("sparse", "");
    let file = File::options().write(true).open(&path).unwrap();
    file.set_len(64 << 20).unwrap();
    file.write_all_at(b"data", 32 << 20).unwrap();
    world.take();
    fs::write(&path, "small").unwrap();
    world.restore();
    let m = fs::metadata(&path).unwrap();
    assert_eq!(m.len(), 64 << 20);
    assert!(m.blocks() * 512 < 8 << 20, "{} blocks", m.blocks());
    let mut data = [0; 4];
    File::open(&path).unwrap().read_exact_at(&mut data, 32 << 20).unwrap();
    assert_eq!(&data, b"data");
}

#[test]
fn a_repo_on_another_filesystem_comes_back_too() {
    let other = Path::new("/dev/shm");
    if fs::metadata(other).map(|m| m.dev()).ok() == fs::metadata("/tmp").map(|m| m.dev()).ok() || !other.is_dir() {
        eprintln!("skipped: `/dev/shm` is no filesystem of its own");
        return;
    }
    let (world, state) = (World::below(other), World::new());
    let into = state.run().join("snapshot");
    world.write("a/file", "before");
    world.write("gone", "gone");
    let before = world.describe();
    ringfence_snapshot::Snapshot::take(&world.repo(), &into, &Default::default(), &mut |_| {}).unwrap();
    world.write("a/file", "after");
    fs::remove_file(world.at("gone")).unwrap();
    for i in 0..3000 {
        world.write(&format!("new/d{}/f{i}", i % 7), "new");
    }
    symlink("/etc/passwd", world.at("new/link")).unwrap();
    chmod(&world.at("new/d3"), 0o500);
    chmod(&world.at("new/d4/f4"), 0o000);
    let made = describe(&world.at("new"));
    let snapshot = ringfence_snapshot::Snapshot::open(&into).unwrap();
    let restored = snapshot.restore(&world.repo(), &mut |_| {}).unwrap();
    assert_eq!(restored.changes.failed, []);
    assert_eq!(world.describe(), before);
    let kept = restored.kept_in.unwrap();
    assert_eq!(fs::read_to_string(kept.join("a/file")).unwrap(), "after");
    assert_eq!(describe(&kept.join("new")), made, "a carried tree is the same tree");
}

#[test]
fn times_before_1970_and_after_2038_come_back() {
    let world = World::new();
    for (path, time) in [
        ("past", SystemTime::UNIX_EPOCH - Duration::new(1000, 5)),
        ("future", SystemTime::UNIX_EPOCH + Duration::new(4_200_000_000, 7)),
    ] {
        let path = world.write(path, "x");
        File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    }
    let before = world.describe();
    world.take();
    world.write("past", "y");
    world.write("future", "y");
    world.restore();
    assert_eq!(world.describe(), before);
}

#[test]
fn the_repo_folder_itself_can_go() {
    let world = World::new();
    world.write("a/b", "c");
    chmod(&world.repo(), 0o750);
    let before = world.describe();
    world.take();
    fs::remove_dir_all(world.repo()).unwrap();
    assert_eq!(world.compare().removed.count, 3);
    world.restore();
    assert_eq!(world.describe(), before);
}

#[test]
fn a_snapshot_can_be_removed_and_what_was_kept_stays() {
    let world = World::new();
    world.write("a", "1");
    world.take();
    world.write("a", "2");
    let kept = world.restore().kept_in.unwrap();
    world.snapshot().remove().unwrap();
    assert!(!world.run().join("snapshot").exists());
    assert_eq!(fs::read_to_string(kept.join("a")).unwrap(), "2");
}
