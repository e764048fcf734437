//! Files outside: reading, writing, making, removing, changing what is known about them.

use super::own;
use crate::attempt::{self, appends, makes, reads, reads_any};
use crate::context::Context;
use crate::outcome::Outcome;
use crate::probe::{ONLY_A, Probe};
use crate::raw;
use std::fs;
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

const NOT_LANDLOCKED: &str =
    "Landlock has no right for finding out that a file exists; only a mount namespace hides it";

pub(super) const PROBES: &[Probe] = &[
    Probe::new("read-home-secret", "read a private key in the home directory", |c| reads(c.secret(), c), own::READ),
    Probe::new(
        "read-outside",
        "read a file outside that everybody may read",
        |c| reads(c.outside_file(), c),
        own::READ,
    ),
    Probe::new(
        "read-host-tmp",
        "read a file of the host's /tmp",
        |c| reads(&c.host_tmp, c),
        ("write and read in the temporary folder", |_| {
            makes(std::env::temp_dir().join(format!("own-{}", std::process::id())))
        }),
    ),
    Probe::new("read-host-shm", "read a file of the host's /dev/shm", |c| reads(&c.host_shm, c), own::READ),
    Probe::new(
        "read-shadow",
        "read the password file",
        |_| reads_any("/etc/shadow"),
        ("read the list of users", |_| reads_any("/etc/passwd")),
    )
    .as_root(),
    Probe::new(
        "list-home",
        "list the home directory",
        |c| lists(&c.home.join(".ssh")),
        ("list the repo", |c| lists(&c.repo)),
    ),
    Probe::new(
        "stat-home-secret",
        "find out that a private key exists",
        |c| Outcome::of(own::found(&c.secret()), "found"),
        ("find a file of the repo", |c| Outcome::of(own::found(&c.repo.join("README.md")), "found")),
    )
    .tiers(ONLY_A, NOT_LANDLOCKED),
    Probe::new(
        "watch-home",
        "watch the home directory for changes",
        |c| watches(&c.home.join(".ssh")),
        ("watch the repo for changes", |c| watches(&c.repo)),
    )
    .tiers(ONLY_A, NOT_LANDLOCKED),
    Probe::new(
        "write-outside",
        "change a file outside that everybody may write",
        |c| appends(c.outside_file()),
        ("change a file of the repo", |c| appends(c.repo.join("README.md"))),
    ),
    Probe::new("write-home", "change a shell start-up file", |c| appends(c.home.join(".bashrc")), own::WRITE),
    Probe::new(
        "make-outside",
        "make a file outside",
        |c| makes(c.outside.join("planted")),
        ("make a file at the top of the repo", |c| makes(c.beside("top"))),
    )
    .twin_tiers(ONLY_A, "a right to make files in a folder is one to make the protected ones in it too"),
    Probe::new(
        "make-folder-outside",
        "make a folder outside",
        |c| makes_folder(&c.outside.join("planted-folder")),
        ("make a folder in the repo", |c| makes_folder(&c.scratch("folder"))),
    ),
    Probe::new(
        "make-pipe-outside",
        "make a named pipe outside",
        |c| makes_pipe(&c.outside.join("pipe")),
        ("make a named pipe in the repo", |c| makes_pipe(&c.scratch("pipe"))),
    ),
    Probe::new(
        "bind-socket-outside",
        "bind a unix socket outside",
        |c| binds(&c.outside.join("bound.sock")),
        ("bind a unix socket in the repo", |c| binds(&c.scratch("sock"))),
    )
    .twin_tiers(crate::probe::A_AND_B, "tier C has connected pairs only"),
    Probe::new(
        "remove-outside",
        "remove a file outside",
        |c| removes(&c.outside.join("removable")),
        ("remove a file of the repo", own::write),
    ),
    Probe::new(
        "truncate-outside",
        "truncate a file outside to its own length",
        |c| truncates(&c.outside_file()),
        ("truncate a file of the repo", |c| truncates(&c.repo.join("README.md"))),
    ),
    Probe::new(
        "chmod-outside",
        "set the mode of a file outside",
        |c| modes(&c.outside_file()),
        ("set the mode of a file of the repo", |c| modes(&c.repo.join("README.md"))),
    )
    .lesson("Landlock has no right for modes, owners, times and attributes"),
    Probe::new(
        "touch-outside",
        "set the times of a file outside",
        |c| touches(&c.outside_file()),
        ("set the times of a file of the repo", |c| touches(&c.repo.join("README.md"))),
    ),
    Probe::new(
        "xattr-outside",
        "set an attribute of a file outside",
        |c| tags(&c.outside_file()),
        ("set an attribute of a file of the repo", |c| tags(&c.repo.join("README.md"))),
    ),
    Probe::new(
        "chown-outside",
        "give a file outside to its own owner again",
        |c| owns(&c.outside_file()),
        ("give a file of the repo to its owner again", |c| owns(&c.repo.join("README.md"))),
    ),
    Probe::new(
        "exec-outside",
        "start a program that lies outside",
        |c| starts(&c.outside.join("tool"), c),
        ("start a program of the repo", |c| starts_own(&c.repo.join("tool"))),
    ),
    Probe::new(
        "dotdot-from-repo",
        "climb out of the repo with ..",
        |c| reads(climbed(&c.repo, &c.secret()), c),
        ("climb inside the repo with ..", |c| reads_any(c.repo.join("src/../README.md"))),
    ),
    Probe::new(
        "dotdot-from-here",
        "climb to the root from the working directory",
        |c| reads(climbed(Path::new("."), &c.outside_file()), c),
        own::READ,
    ),
    Probe::new(
        "chdir-outside",
        "change into a folder outside and read from there",
        |c| moves_and_reads(&c.outside, "open.txt", c),
        ("change into a folder of the repo and read from there", |c| {
            if std::env::set_current_dir(c.repo.join("src")).is_ok() { reads_any("main.rs") } else { own::read(c) }
        }),
    ),
    Probe::new(
        "walk-by-descriptor",
        "open a folder outside without rights and walk from it",
        |c| walks(&c.outside, "open.txt", c),
        ("walk from a folder of the repo", |c| walks_any(&c.repo, "README.md")),
    ),
    Probe::new(
        "proc-self-root",
        "read a file outside by /proc/self/root",
        |c| reads(below("/proc/self/root", &c.secret()), c),
        ("read a file of the repo by /proc/self/root", |c| {
            reads_any(below("/proc/self/root", &c.repo.join("README.md")))
        }),
    ),
    Probe::new(
        "proc-self-cwd",
        "climb out by /proc/self/cwd",
        |c| reads(climbed(Path::new("/proc/self/cwd"), &c.secret()), c),
        own::READ,
    ),
    Probe::new(
        "proc-thread-root",
        "read a file outside by the root of a thread",
        |c| reads(below("/proc/thread-self/root", &c.outside_file()), c),
        own::READ,
    ),
];

fn lists(path: &Path) -> Outcome {
    Outcome::of(fs::read_dir(path), "listed")
}

fn watches(path: &Path) -> Outcome {
    let watched = raw::open(libc::SYS_inotify_init1, [libc::IN_CLOEXEC as usize]).and_then(|watch| {
        let path = attempt::path(path)?;
        let fd = watch.as_raw_fd() as usize;
        raw::call(libc::SYS_inotify_add_watch, [fd, path.as_ptr() as usize, libc::IN_CREATE as usize])
    });
    Outcome::of(watched, "watched")
}

fn makes_folder(path: &Path) -> Outcome {
    Outcome::of(fs::create_dir(path), "made").then(|| drop(fs::remove_dir(path)))
}

fn makes_pipe(path: &Path) -> Outcome {
    let made = attempt::path(path).and_then(|p| {
        raw::call(
            libc::SYS_mknodat,
            [libc::AT_FDCWD as usize, p.as_ptr() as usize, (libc::S_IFIFO | 0o600) as usize, 0],
        )
    });
    Outcome::of(made, "made").then(|| drop(fs::remove_file(path)))
}

fn binds(path: &Path) -> Outcome {
    Outcome::of(UnixListener::bind(path), "bound").then(|| drop(fs::remove_file(path)))
}

fn removes(path: &Path) -> Outcome {
    Outcome::of(fs::remove_file(path), "removed").then(|| drop(fs::write(path, "removable\n")))
}

fn truncates(path: &Path) -> Outcome {
    let length = fs::metadata(path).map(|m| m.len()).unwrap_or(0);
    let cut = attempt::path(path).and_then(|p| raw::call(libc::SYS_truncate, [p.as_ptr() as usize, length as usize]));
    Outcome::of(cut, "truncated")
}

fn modes(path: &Path) -> Outcome {
    let mode = fs::metadata(path).map_or(0o666, |m| m.permissions().mode());
    Outcome::of(fs::set_permissions(path, fs::Permissions::from_mode(mode)), "the mode was set")
}

fn touches(path: &Path) -> Outcome {
    let touched = attempt::path(path)
        .and_then(|p| raw::call(libc::SYS_utimensat, [libc::AT_FDCWD as usize, p.as_ptr() as usize, 0, 0]));
    Outcome::of(touched, "the times were set")
}

fn tags(path: &Path) -> Outcome {
    let name = c"user.ringfence.probe";
    let tagged = attempt::path(path).and_then(|p| {
        let (p, n) = (p.as_ptr() as usize, name.as_ptr() as usize);
        let set = raw::call(libc::SYS_setxattr, [p, n, b"x".as_ptr() as usize, 1, 0])?;
        let _ = raw::call(libc::SYS_removexattr, [p, n]);
        Ok(set)
    });
    Outcome::of(tagged, "the attribute was set")
}

fn owns(path: &Path) -> Outcome {
    Outcome::of(
        std::os::unix::fs::chown(path, None, None).and_then(|()| {
            let meta = fs::metadata(path)?;
            use std::os::unix::fs::MetadataExt;
            std::os::unix::fs::chown(path, Some(meta.uid()), Some(meta.gid()))
        }),
        "the owner was set",
    )
}

fn starts(path: &Path, context: &Context) -> Outcome {
    Outcome::holds(attempt::output(path, &[]), &context.canary)
}

fn starts_own(path: &Path) -> Outcome {
    match attempt::output(path, &[]) {
        Ok(bytes) if bytes.starts_with(b"own tool") => Outcome::Did("started".to_owned()),
        Ok(bytes) => Outcome::Broken(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) => Outcome::refused(&error),
    }
}

fn climbed(from: &Path, to: &Path) -> PathBuf {
    let mut path = from.to_path_buf();
    path.extend(std::iter::repeat_n("..", 24));
    path.extend(to.components().skip(1));
    path
}

pub(super) fn below(root: &str, path: &Path) -> PathBuf {
    let mut out = PathBuf::from(root);
    out.extend(path.components().skip(1));
    out
}

fn moves_and_reads(folder: &Path, file: &str, context: &Context) -> Outcome {
    match std::env::set_current_dir(folder) {
        Ok(()) => reads(file, context),
        Err(error) => Outcome::refused(&error),
    }
}

fn walked(folder: &Path, file: &str) -> io::Result<Vec<u8>> {
    let (folder, file) = (attempt::path(folder)?, attempt::path(Path::new(file))?);
    let here = libc::AT_FDCWD as usize;
    let top = raw::open(libc::SYS_openat, [here, folder.as_ptr() as usize, (libc::O_PATH | libc::O_CLOEXEC) as usize])?;
    let found =
        raw::open(libc::SYS_openat, [top.as_raw_fd() as usize, file.as_ptr() as usize, libc::O_CLOEXEC as usize])?;
    let mut bytes = Vec::new();
    fs::File::from(found).take(4096).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn walks(folder: &Path, file: &str, context: &Context) -> Outcome {
    Outcome::holds(walked(folder, file), &context.canary)
}

fn walks_any(folder: &Path, file: &str) -> Outcome {
    Outcome::of(walked(folder, file), "walked")
}
