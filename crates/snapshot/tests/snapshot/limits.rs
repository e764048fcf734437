//! What is too large is refused before anything is copied, and what is excluded is left alone.

use crate::support::World;
use ringfence_snapshot::{Limits, SnapshotError};
use std::fs;
use std::os::unix::fs::symlink;

fn exclude(patterns: &[&str]) -> Limits {
    Limits { exclude: patterns.iter().map(|p| (*p).to_owned()).collect(), ..Limits::default() }
}

#[test]
fn a_repo_that_is_too_large_is_refused_with_its_heaviest_folder() {
    let world = World::new();
    for i in 0..20 {
        world.write(&format!("target/debug/f{i}"), &"x".repeat(1000));
        world.write(&format!("src/f{i}"), "x");
    }
    for limits in [Limits { max_bytes: 10_000, ..Limits::default() }, Limits { max_files: 40, ..Limits::default() }] {
        let refused = world.take_within(&limits).expect_err("too large");
        assert_eq!(refused.code(), "snapshot.too_large");
        assert!(refused.to_string().contains("`target`"), "{refused}");
        assert_eq!(fs::read_dir(world.run()).unwrap().count(), 0, "nothing is left behind");
    }
    let taken = world.take_within(&Limits { max_bytes: 10_000, ..exclude(&["target/"]) }).expect("small enough");
    assert_eq!((taken.files, taken.excluded), (20, 1));
}

#[test]
fn what_is_excluded_is_left_alone() {
    let world = World::new();
    world.write("a/target/x", "1");
    world.write("a/src", "1");
    world.write("b/src", "1");
    world.take_within(&exclude(&["target/", "*.log"])).unwrap();
    world.write("a/target/x", "2");
    world.write("a/target/y", "2");
    world.write("b/target/z", "2");
    world.write("run.log", "2");
    world.write("b/src", "2");
    assert_eq!(world.compare().total(), 1);
    world.restore();
    for path in ["a/target/x", "a/target/y", "b/target/z", "run.log"] {
        assert_eq!(fs::read_to_string(world.at(path)).unwrap(), "2", "{path}");
    }
    assert_eq!(fs::read_to_string(world.at("b/src")).unwrap(), "1");
}

#[test]
fn a_snapshot_in_the_repo_itself_is_refused() {
    let world = World::new();
    world.write("a", "1");
    symlink(world.repo(), world.outside().join("way-in")).unwrap();
    for into in [world.at("state/snapshot"), world.outside().join("way-in/snapshot")] {
        let refused = ringfence_snapshot::Snapshot::take(&world.repo(), &into, &Limits::default(), &mut |_| {});
        assert!(matches!(refused, Err(SnapshotError::Inside { .. })), "{refused:?}");
    }
}

#[test]
fn a_snapshot_is_taken_once() {
    let world = World::new();
    world.take();
    assert!(matches!(world.take_within(&Limits::default()), Err(SnapshotError::Exists(_))));
}

#[test]
fn a_pattern_that_says_nothing_is_refused() {
    let world = World::new();
    let refused = world.take_within(&exclude(&["!keep"])).expect_err("no negation");
    assert_eq!(refused.code(), "snapshot.bad_pattern");
}
