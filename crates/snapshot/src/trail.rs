//! The way from the root of a tree down to one folder, as open folders.
//!
//! Trees can be deeper than a process may hold files open, so only the nearest folders stay open. One further up
//! is opened again through `..` and must be the very folder that was left.

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{CWD, Mode, OFlags, fstat, openat};
use std::io;

/// How many of the nearest folders stay open beside the root.
const OPEN: usize = 24;

/// A way down a tree.
#[derive(Debug)]
pub(crate) struct Trail {
    levels: Vec<Level>,
}

#[derive(Debug)]
struct Level {
    fd: Option<OwnedFd>,
    dev: u64,
    ino: u64,
}

impl Trail {
    pub(crate) fn new(root: OwnedFd) -> io::Result<Self> {
        let mut trail = Self { levels: Vec::new() };
        trail.enter(root)?;
        Ok(trail)
    }

    /// How many folders it has, the root among them.
    pub(crate) fn depth(&self) -> usize {
        self.levels.len()
    }

    /// The folder at the end.
    pub(crate) fn here(&self) -> io::Result<BorrowedFd<'_>> {
        let last = self.levels.last().and_then(|l| l.fd.as_ref());
        last.map(AsFd::as_fd).ok_or_else(|| io::Error::other("the trail has no end"))
    }

    /// Goes on to a folder in the folder at the end.
    pub(crate) fn enter(&mut self, fd: OwnedFd) -> io::Result<()> {
        let stat = fstat(&fd)?;
        self.levels.push(Level { fd: Some(fd), dev: stat.st_dev, ino: stat.st_ino });
        // INVARIANT: the root and the nearest folders are open.
        let far = self.levels.len().checked_sub(OPEN + 1).filter(|i| *i > 0);
        if let Some(level) = far.and_then(|i| self.levels.get_mut(i)) {
            level.fd = None;
        }
        Ok(())
    }

    /// Goes back one folder and hands out the one that was left.
    pub(crate) fn leave(&mut self) -> io::Result<OwnedFd> {
        let moved = || io::Error::other("a folder was moved meanwhile");
        let left = self.levels.pop().and_then(|l| l.fd).ok_or_else(moved)?;
        if let Some(level) = self.levels.last_mut().filter(|l| l.fd.is_none()) {
            let fd = openat(&left, c"..", FOLDER, Mode::empty())?;
            let stat = fstat(&fd)?;
            if (stat.st_dev, stat.st_ino) != (level.dev, level.ino) {
                return Err(moved());
            }
            level.fd = Some(fd);
        }
        Ok(left)
    }
}

/// Flags to open a folder to list.
pub(crate) const FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A folder of our own by its path.
pub(crate) fn open_own(path: &std::path::Path) -> io::Result<OwnedFd> {
    Ok(openat(CWD, path, FOLDER, Mode::empty())?)
}
