//! Twins that several probes share: ordinary work on one's own files, processes and programs.

use crate::attempt::{self, makes, output};
use crate::context::Context;
use crate::outcome::Outcome;
use crate::raw;
use std::io;
use std::path::Path;

pub(super) const READ: (&str, crate::probe::Act) = ("read a file of the repo", read);
pub(super) const WRITE: (&str, crate::probe::Act) = ("make a file in the repo", write);
pub(super) const START: (&str, crate::probe::Act) = ("start a program", start);
pub(super) const THREAD: (&str, crate::probe::Act) = ("start a thread", thread);
pub(super) const PAIR: (&str, crate::probe::Act) = ("make a pair of connected sockets", pair);

pub(super) fn read(context: &Context) -> Outcome {
    attempt::reads_any(context.repo.join("README.md"))
}

pub(super) fn write(context: &Context) -> Outcome {
    makes(context.scratch("own"))
}

pub(super) fn start(_: &Context) -> Outcome {
    match output("/bin/sh", &["-c", "echo started"]) {
        Ok(bytes) if bytes == b"started\n" => Outcome::Did("started".to_owned()),
        Ok(bytes) => Outcome::Broken(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) => Outcome::refused(&error),
    }
}

pub(super) fn thread(_: &Context) -> Outcome {
    let thread = std::thread::Builder::new().spawn(|| 7);
    let joined = thread.and_then(|t| t.join().map_err(|_| io::Error::other("the thread panicked")));
    Outcome::of(joined, "a thread ran")
}

pub(super) fn pair(_: &Context) -> Outcome {
    Outcome::of(std::os::unix::net::UnixStream::pair(), "a pair")
}

/// A value of `/proc/self/status`.
pub(super) fn status(name: &str) -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(line.trim().to_owned())
}

/// Whether a file can be found at all.
pub(super) fn found(path: &Path) -> io::Result<usize> {
    let path = attempt::path(path)?;
    raw::call(libc::SYS_faccessat, [libc::AT_FDCWD as usize, path.as_ptr() as usize, 0])
}
