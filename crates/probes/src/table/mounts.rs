//! Mounts: making, moving and taking away what the file system is made of.

use super::own;
use crate::attempt;
use crate::context::Context;
use crate::outcome::Outcome;
use crate::probe::Probe;
use crate::raw;
use std::ffi::CStr;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

const HERE: usize = libc::AT_FDCWD as usize;
const OPEN_TREE_CLONE: usize = 1;
const MOUNT_ATTR_RDONLY: u64 = 1;
const INFO: (&str, crate::probe::Act) = ("read one's own mounts", |_| attempt::reads_any("/proc/self/mountinfo"));

pub(super) const PROBES: &[Probe] = &[
    Probe::new("mount-tmpfs", "mount an empty file system", |c| mounts(c, c"tmpfs", Some(c"tmpfs"), 0), INFO).as_root(),
    Probe::new("mount-proc", "mount a fresh /proc", |c| mounts(c, c"proc", Some(c"proc"), 0), INFO).as_root(),
    Probe::new("mount-sysfs", "mount /sys", |c| mounts(c, c"sysfs", Some(c"sysfs"), 0), INFO).as_root(),
    Probe::new("mount-cgroup", "mount the cgroups", |c| mounts(c, c"cgroup2", Some(c"cgroup2"), 0), INFO).as_root(),
    Probe::new("mount-devpts", "mount the terminals", |c| mounts(c, c"devpts", Some(c"devpts"), 0), INFO).as_root(),
    Probe::new(
        "mount-overlay",
        "mount layers over one's own folder",
        |c| mounts(c, c"overlay", Some(c"overlay"), 0),
        INFO,
    )
    .unproven("without layers the kernel refuses after its check, which differs between kernels"),
    Probe::new(
        "mount-bind",
        "bind one folder of the repo on another",
        |c| {
            let source = attempt::path(&c.repo.join("src"));
            source.map_or_else(|e| Outcome::refused(&e), |s| mounts(c, &s, None, libc::MS_BIND))
        },
        INFO,
    )
    .as_root(),
    Probe::new(
        "mount-private",
        "change how mounts spread",
        |_| {
            let root = c"/";
            Outcome::of(
                raw::call(libc::SYS_mount, [0, root.as_ptr() as usize, 0, (libc::MS_PRIVATE) as usize, 0]),
                "changed",
            )
        },
        INFO,
    )
    .as_root(),
    Probe::new(
        "remount-writable",
        "make a read-only mount writable",
        |c| {
            every(c, |path| {
                raw::call(
                    libc::SYS_mount,
                    [0, path.as_ptr() as usize, 0, (libc::MS_REMOUNT | libc::MS_BIND) as usize, 0],
                )
            })
        },
        INFO,
    )
    .as_root(),
    Probe::new(
        "unmount-mask",
        "take away a mount that covers something",
        |c| every(c, |path| raw::call(libc::SYS_umount2, [path.as_ptr() as usize, libc::MNT_DETACH as usize])),
        INFO,
    )
    .as_root(),
    Probe::new("open-tree", "copy a mount into a descriptor", |c| Outcome::of(tree(&c.repo), "copied"), INFO).as_root(),
    Probe::new(
        "move-mount",
        "attach a mount from a descriptor",
        |c| {
            // Where no mount can be copied, a plain folder shows whether the call itself is refused.
            let from = tree(&c.repo).or_else(|_| fs::File::open(&c.repo).map(OwnedFd::from));
            let moved = from.and_then(|f| {
                let target = c.scratch("attached");
                fs::create_dir_all(&target)?;
                let to = attempt::path(&target)?;
                let moved = raw::call(
                    libc::SYS_move_mount,
                    [f.as_raw_fd() as usize, c"".as_ptr() as usize, HERE, to.as_ptr() as usize, 4],
                );
                let _ = raw::call(libc::SYS_umount2, [to.as_ptr() as usize, libc::MNT_DETACH as usize]);
                let _ = fs::remove_dir(&target);
                moved
            });
            Outcome::of(moved, "attached")
        },
        INFO,
    )
    .as_root(),
    Probe::new(
        "fsopen",
        "begin a file system",
        |_| Outcome::of(raw::open(libc::SYS_fsopen, [c"tmpfs".as_ptr() as usize, 1]), "begun"),
        INFO,
    )
    .as_root(),
    Probe::new(
        "fspick",
        "take a file system to change it",
        |c| {
            let picked =
                attempt::path(&c.repo).and_then(|p| raw::open(libc::SYS_fspick, [HERE, p.as_ptr() as usize, 1]));
            Outcome::gate(picked, &[libc::EINVAL])
        },
        INFO,
    )
    .as_root(),
    Probe::new(
        "mount-setattr",
        "change what a mount allows",
        |c| {
            let attributes = [0_u64, MOUNT_ATTR_RDONLY, 0, 0];
            every(c, |path| {
                let arguments = [HERE, path.as_ptr() as usize, 0, attributes.as_ptr() as usize, 32];
                raw::call(libc::SYS_mount_setattr, arguments)
            })
        },
        INFO,
    )
    .as_root(),
    Probe::new(
        "pivot-root",
        "take another root",
        |_| {
            let none = c"/nowhere".as_ptr() as usize;
            Outcome::gate(raw::call(libc::SYS_pivot_root, [none, none]), &[libc::ENOENT])
        },
        INFO,
    )
    .as_root(),
    Probe::new(
        "chroot",
        "take a folder as root",
        |c| {
            Outcome::of(
                attempt::path(&c.repo).and_then(|p| raw::call(libc::SYS_chroot, [p.as_ptr() as usize])),
                "taken",
            )
        },
        ("change into a folder", |c| Outcome::of(std::env::set_current_dir(c.repo.join("src")), "changed")),
    )
    .as_root(),
    Probe::new(
        "chroot-escape",
        "leave a root by taking another without changing into it",
        |c| {
            let escaped = attempt::path(&c.repo.join("src")).and_then(|p| {
                std::env::set_current_dir(&c.repo)?;
                raw::call(libc::SYS_chroot, [p.as_ptr() as usize])?;
                let up = "../".repeat(30);
                let up = attempt::path(Path::new(&up))?;
                raw::call(libc::SYS_chroot, [up.as_ptr() as usize])?;
                attempt::read(c.secret())
            });
            Outcome::holds(escaped, &c.canary)
        },
        own::READ,
    )
    .as_root(),
    Probe::new(
        "swapon",
        "swap to a file",
        |_| Outcome::gate(raw::call(libc::SYS_swapon, [c"/nowhere".as_ptr() as usize, 0]), &[libc::ENOENT]),
        own::WRITE,
    )
    .as_root(),
];

fn mounts(context: &Context, source: &CStr, kind: Option<&CStr>, flags: u64) -> Outcome {
    let target = context.scratch("mount");
    let mounted = fs::create_dir_all(&target).and_then(|()| attempt::path(&target)).and_then(|t| {
        let kind = kind.map_or(0, |k| k.as_ptr() as usize);
        let mounted =
            raw::call(libc::SYS_mount, [source.as_ptr() as usize, t.as_ptr() as usize, kind, flags as usize, 0]);
        let _ = raw::call(libc::SYS_umount2, [t.as_ptr() as usize, libc::MNT_DETACH as usize]);
        mounted
    });
    let _ = fs::remove_dir(&target);
    Outcome::of(mounted, "mounted")
}

fn tree(path: &Path) -> io::Result<OwnedFd> {
    let path = attempt::path(path)?;
    raw::open(libc::SYS_open_tree, [HERE, path.as_ptr() as usize, OPEN_TREE_CLONE | libc::O_CLOEXEC as usize])
}

/// Does something to every mount of the fence: in a control run, to the one made for it.
fn every(context: &Context, act: impl Fn(&CStr) -> io::Result<usize>) -> Outcome {
    let mounts: Vec<PathBuf> = if context.control {
        context.mount.iter().cloned().collect()
    } else {
        let text = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        let points = text.lines().filter_map(|l| l.split(' ').nth(4).map(PathBuf::from));
        points.chain([PathBuf::from("/"), context.repo.clone(), context.repo.join(".env")]).collect()
    };
    let mut last = Outcome::Absent("there is no mount to try".to_owned());
    for mount in &mounts {
        last = Outcome::of(attempt::path(mount).and_then(|p| act(&p)), &format!("done to {}", mount.display()));
        if last.worked() {
            return last;
        }
    }
    last
}
