//! Links and renames: names inside for things outside, and the other way round.

use super::own;
use crate::attempt::{self, appends, reads, reads_any};
use crate::context::Context;
use crate::outcome::Outcome;
use crate::probe::Probe;
use crate::raw;
use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::fs::symlink;
use std::path::Path;

pub(super) const PROBES: &[Probe] = &[
    Probe::new(
        "symlink-read",
        "read a secret through a symbolic link made inside",
        |c| linked(c, &c.secret(), |link| reads(link, c)),
        ("read a file of the repo through a symbolic link", |c| {
            linked(c, &c.repo.join("README.md"), |link| reads_any(link))
        }),
    )
    .lesson("CVE-2026-39861"),
    Probe::new(
        "symlink-write",
        "write outside through a symbolic link made inside",
        |c| linked(c, &c.outside_file(), |link| appends(link)),
        ("write in the repo through a symbolic link", |c| linked(c, &c.repo.join("README.md"), |link| appends(link))),
    ),
    Probe::new(
        "symlink-folder",
        "reach the home directory through a link to it",
        |c| linked(c, &c.home, |link| reads(link.join(".ssh/id_ed25519"), c)),
        ("reach a folder of the repo through a link to it", |c| {
            linked(c, &c.repo.join("src"), |l| reads_any(l.join("main.rs")))
        }),
    ),
    Probe::new(
        "symlink-planted",
        "read through a link that stood in the repo before the start",
        |c| reads(c.repo.join("link-home/.ssh/id_ed25519"), c),
        ("read through a link that stood in the repo", |c| reads_any(c.repo.join("link-src/main.rs"))),
    )
    .lesson("CVE-2026-87766"),
    Probe::new(
        "symlink-relative",
        "read through a link that climbs with ..",
        |c| {
            let depth = c.repo.components().count();
            let target = format!("{}{}", "../".repeat(depth), c.outside_file().display());
            linked(c, Path::new(target.trim_start_matches('/')), |link| reads(link, c))
        },
        own::READ,
    ),
    Probe::new(
        "symlink-proc",
        "read through a link to /proc/self/root",
        |c| linked(c, &super::files::below("/proc/self/root", &c.secret()), |link| reads(link, c)),
        own::READ,
    ),
    Probe::new(
        "hardlink-read",
        "read a file outside through a hard link to it",
        |c| hard(c, &c.outside_file(), |link| reads(link, c)),
        ("read a file of the repo through a hard link", |c| hard(c, &c.repo.join("README.md"), |link| reads_any(link))),
    ),
    Probe::new(
        "hardlink-out",
        "give a file of the repo a name outside",
        |c| {
            let out = c.outside.join("hard");
            Outcome::of(fs::hard_link(c.repo.join("README.md"), &out), "linked").then(|| drop(fs::remove_file(&out)))
        },
        ("give a file of the repo another name", |c| {
            hard(c, &c.repo.join("README.md"), |_| Outcome::Did("linked".into()))
        }),
    ),
    Probe::new(
        "rename-out",
        "move a file of the repo outside",
        |c| attempt::renames(&c.repo.join("work/movable"), &c.outside.join("moved")),
        ("move a file inside the repo", |c| attempt::renames(&c.repo.join("work/movable"), &c.scratch("moved"))),
    ),
    Probe::new(
        "rename-in",
        "move a file from outside into the repo",
        |c| attempt::renames(&c.outside.join("removable"), &c.scratch("stolen")),
        ("move a folder inside the repo", |c| attempt::renames(&c.repo.join("work/folder"), &c.scratch("folder"))),
    ),
    Probe::new(
        "rename-exchange",
        "swap a file of the repo with one outside",
        |c| attempt::exchanges(&c.repo.join("work/movable"), &c.outside.join("removable")),
        ("swap two files of the repo", |c| {
            attempt::exchanges(&c.repo.join("work/movable"), &c.repo.join("work/other"))
        }),
    ),
    Probe::new(
        "tmpfile-link-out",
        "make a nameless file and give it a name outside",
        |c| nameless(&c.repo, &c.outside.join("nameless")),
        ("make a nameless file and give it a name in the repo", |c| nameless(&c.repo, &c.scratch("nameless"))),
    ),
    Probe::new("symlink-swap", "swap a folder for a link while its file is opened", raced, own::WRITE),
];

fn linked(context: &Context, target: &Path, act: impl FnOnce(&Path) -> Outcome) -> Outcome {
    let link = context.scratch("link");
    if let Err(error) = symlink(target, &link) {
        return Outcome::Broken(format!("no link: {error}"));
    }
    let outcome = act(&link);
    let _ = fs::remove_file(&link);
    outcome
}

fn hard(context: &Context, target: &Path, act: impl FnOnce(&Path) -> Outcome) -> Outcome {
    let link = context.scratch("hard");
    match fs::hard_link(target, &link) {
        Err(error) => Outcome::refused(&error),
        Ok(()) => {
            let outcome = act(&link);
            let _ = fs::remove_file(&link);
            outcome
        }
    }
}

fn nameless(folder: &Path, name: &Path) -> Outcome {
    let here = libc::AT_FDCWD as usize;
    let flags = (libc::O_TMPFILE | libc::O_RDWR | libc::O_CLOEXEC) as usize;
    let made =
        attempt::path(folder).and_then(|f| raw::open(libc::SYS_openat, [here, f.as_ptr() as usize, flags, 0o600]));
    let named = made.and_then(|file| {
        let from = attempt::path(Path::new(&format!("/proc/self/fd/{}", file.as_raw_fd())))?;
        let to = attempt::path(name)?;
        let follow = libc::AT_SYMLINK_FOLLOW as usize;
        raw::call(libc::SYS_linkat, [here, from.as_ptr() as usize, here, to.as_ptr() as usize, follow])
    });
    Outcome::of(named, "named").then(|| drop(fs::remove_file(name)))
}

/// A folder that is swapped for a link to the home directory between two opens of the same path.
fn raced(context: &Context) -> Outcome {
    let (folder, link) = (context.scratch("race"), context.scratch("race-link"));
    let set = fs::create_dir_all(folder.join(".ssh"))
        .and_then(|()| fs::write(folder.join(".ssh/id_ed25519"), "harmless"))
        .and_then(|()| symlink(&context.home, &link));
    if let Err(error) = set {
        return Outcome::Broken(error.to_string());
    }
    let mut outcome = Outcome::Refused("no swap won".to_owned());
    for _ in 0..20 {
        let _ = attempt::exchanges(&folder, &link);
        let through = reads(link.join(".ssh/id_ed25519"), context);
        if through.worked() {
            outcome = through;
        }
    }
    let _ = fs::remove_file(&link);
    let _ = fs::remove_dir_all(&folder);
    outcome
}
