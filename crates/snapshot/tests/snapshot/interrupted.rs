//! A snapshot or a restore that stops anywhere.

use crate::support::World;
use ringfence_snapshot::{Limits, Snapshot, SnapshotError};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

fn world() -> World {
    let world = World::new();
    for i in 0..10 {
        world.write(&format!("d{}/f{i}", i % 3), "before");
    }
    world
}

fn vandalise(world: &World) {
    for i in 0..10 {
        world.write(&format!("d{}/f{i}", i % 3), "after");
        world.write(&format!("d{}/new{i}", i % 3), "new");
    }
    fs::remove_dir_all(world.at("d1")).unwrap();
}

#[test]
fn a_restore_that_stops_anywhere_is_finished_by_the_next() {
    for stop in 1..14 {
        let world = world();
        let before = world.describe();
        world.take();
        vandalise(&world);
        let snapshot = world.snapshot();
        let stopped = catch_unwind(AssertUnwindSafe(|| {
            let _ = snapshot.restore(&world.repo(), &mut |p| assert!(p.entries < stop, "stop here"));
        }));
        assert!(stopped.is_err(), "stopped after {stop}");
        // What a stop between two steps leaves: a file that is made and not yet in its place.
        world.write("d0/.ringfence-undo.1.1", "half");
        world.restore();
        assert_eq!(world.describe(), before, "stopped after {stop}");
        let kept: usize = fs::read_dir(world.run().join("undone")).unwrap().map(|e| count(&e.unwrap().path())).sum();
        // Seven edits and seven new files outside of the folder that went, and the half-made one.
        assert_eq!(kept, 15, "stopped after {stop}");
    }
}

fn count(dir: &std::path::Path) -> usize {
    let entries = fs::read_dir(dir).unwrap().map(|e| e.unwrap().path());
    entries.map(|p| if p.is_dir() { count(&p) } else { 1 }).sum()
}

#[test]
fn a_snapshot_that_stops_is_not_there() {
    let world = world();
    let into = world.run().join("snapshot");
    let stopped = catch_unwind(AssertUnwindSafe(|| {
        let _ = Snapshot::take(&world.repo(), &into, &Limits::default(), &mut |p| assert!(p.entries < 5));
    }));
    assert!(stopped.is_err());
    assert!(!into.exists());
    world.take();
    assert!(world.compare().is_empty(), "what was left of the first attempt is no obstacle");
}

#[test]
fn two_restores_at_once_are_one_too_many() {
    let world = world();
    world.take();
    vandalise(&world);
    let (first, second) = (world.snapshot(), world.snapshot());
    let mut refused = 0;
    first
        .restore(&world.repo(), &mut |_| {
            let answer = second.restore(&world.repo(), &mut |_| {});
            refused += usize::from(matches!(answer, Err(SnapshotError::Busy(_))));
        })
        .unwrap();
    assert!(refused > 0);
    world.restore();
}
