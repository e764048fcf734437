//! Any tree, any edits: after a restore the tree is what it was, and nothing outside of it has changed.

use crate::support::{World, describe, label, name};
use proptest::prelude::*;
use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

const NAMES: [&[u8]; 5] = [b"a", b"b", b".git", b"\xff", b"d\n"];

/// One to three names, so that edits meet what is there.
type At = Vec<usize>;

#[derive(Debug, Clone)]
enum Edit {
    Write(At, Vec<u8>),
    Forge(At, Vec<u8>),
    Mkdir(At),
    Remove(At),
    Rename(At, At),
    Link(At, usize),
    HardLink(At, At),
    HardLinkOut(At),
    Chmod(At, u32),
    Touch(At, u32),
    Label(At, u8),
    Fifo(At),
}

fn at() -> impl Strategy<Value = At> {
    prop::collection::vec(0..NAMES.len(), 1..4)
}

fn edit() -> impl Strategy<Value = Edit> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..6);
    prop_oneof![
        4 => (at(), bytes()).prop_map(|(a, b)| Edit::Write(a, b)),
        2 => (at(), bytes()).prop_map(|(a, b)| Edit::Forge(a, b)),
        3 => at().prop_map(Edit::Mkdir),
        2 => at().prop_map(Edit::Remove),
        2 => (at(), at()).prop_map(|(a, b)| Edit::Rename(a, b)),
        2 => (at(), 0usize..5).prop_map(|(a, t)| Edit::Link(a, t)),
        1 => (at(), at()).prop_map(|(a, b)| Edit::HardLink(a, b)),
        1 => at().prop_map(Edit::HardLinkOut),
        2 => (at(), prop::sample::select(vec![0o000, 0o400, 0o555, 0o644, 0o700, 0o755])).prop_map(|(a, m)| Edit::Chmod(a, m)),
        1 => (at(), any::<u32>()).prop_map(|(a, t)| Edit::Touch(a, t)),
        1 => (at(), any::<u8>()).prop_map(|(a, v)| Edit::Label(a, v)),
        1 => at().prop_map(Edit::Fifo),
    ]
}

fn path(world: &World, at: &At) -> PathBuf {
    at.iter().fold(world.repo(), |path, i| path.join(name(NAMES[*i])))
}

/// Does an edit as far as it can be done. Edits through links that lead out are not made: they would be the
/// run's own doing.
fn apply(world: &World, edit: &Edit) {
    let safe = |at: &At| {
        let path = path(world, at);
        let parent = path.parent().and_then(|p| p.canonicalize().ok())?;
        parent.starts_with(world.repo()).then_some(path)
    };
    let _ = || -> Option<()> {
        match edit {
            Edit::Write(at, bytes) => {
                let path = safe(at)?;
                let plain = fs::symlink_metadata(&path).map_or(true, |m| m.is_file());
                plain.then(|| fs::write(path, bytes).ok())?
            }
            Edit::Forge(at, bytes) => {
                let path = safe(at)?;
                let m = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
                fs::write(&path, bytes).ok()?;
                File::options().write(true).open(path).ok()?.set_modified(m.modified().ok()?).ok()
            }
            Edit::Mkdir(at) => fs::create_dir(safe(at)?).ok(),
            Edit::Remove(at) => {
                let path = safe(at)?;
                fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path)).ok()
            }
            Edit::Rename(from, to) => fs::rename(safe(from)?, safe(to)?).ok(),
            Edit::Link(at, target) => {
                let outside = world.outside();
                let targets = [outside.as_os_str(), name(b".."), name(b"a"), name(b"/etc/passwd"), name(b"\xff/x")];
                symlink(targets[*target], safe(at)?).ok()
            }
            Edit::HardLink(from, to) => fs::hard_link(safe(from)?, safe(to)?).ok(),
            Edit::HardLinkOut(at) => fs::hard_link(world.outside().join("canary"), safe(at)?).ok(),
            Edit::Chmod(at, mode) => {
                let path = safe(at).filter(|p| !p.is_symlink())?;
                fs::set_permissions(path, fs::Permissions::from_mode(*mode)).ok()
            }
            Edit::Touch(at, seconds) => {
                let path = safe(at).filter(|p| !p.is_symlink() && (p.is_file() || p.is_dir()))?;
                let time = SystemTime::UNIX_EPOCH + Duration::new(u64::from(*seconds), *seconds % 1_000_000_000);
                File::open(path).ok()?.set_modified(time).ok()
            }
            Edit::Label(at, value) => {
                let path = safe(at).filter(|p| !p.is_symlink() && (p.is_file() || p.is_dir()))?;
                let writable = File::options().write(true).open(&path).is_ok() && value % 2 == 0;
                writable.then(|| label(&path, &value.to_string()))
            }
            Edit::Fifo(at) => {
                rustix::fs::mknodat(rustix::fs::CWD, safe(at)?, rustix::fs::FileType::Fifo, 0o644.into(), 0).ok()
            }
        }
    }();
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_restore_undoes_any_edits(
        tree in prop::collection::vec(edit(), 0..40),
        edits in prop::collection::vec(edit(), 0..40),
    ) {
        let world = World::new();
        for edit in &tree {
            apply(&world, edit);
        }
        let taken = world.take();
        // Without privileges an entry can be unreadable, which is a test of its own.
        prop_assume!(taken.unread.is_empty());
        let before = world.describe();
        for edit in &edits {
            apply(&world, edit);
        }
        let outside = describe(&world.outside());
        let restored = world.restore();
        let (after, other) = (world.describe(), describe(&world.outside()));
        prop_assert_eq!(after, before, "{:?}", restored);
        prop_assert_eq!(other, outside);
    }
}
