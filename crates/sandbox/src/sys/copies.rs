//! Small files that two processes copy, each taking the next piece that nobody has taken.
//!
//! INVARIANT: one of the two is the helper of `aside`, so nothing here but making a task allocates, unwinds or uses
//! thread-local memory: system calls go to the kernel directly, and names are short enough to be passed on the stack.

use super::aside::borrowed;
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, unlinkat};
use rustix::io::{Errno, Result};
use rustix::thread::futex;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

/// Files to copy from one folder into another.
pub(crate) struct Copies {
    pub(crate) from: OwnedFd,
    pub(crate) into: OwnedFd,
    /// Those that are missing, too large or no plain files are left out.
    pub(crate) names: &'static [&'static str],
    pub(crate) most_bytes: u64,
    /// Files that are not copied but written as they stand here.
    pub(crate) texts: [(&'static str, &'static str); 3],
}

/// What files pass through.
const BUFFER: usize = 8 << 10;

/// `Copies` with the numbers of its folders, in pieces: a file or a text each.
pub(super) struct Task {
    from: RawFd,
    into: RawFd,
    names: &'static [&'static str],
    most_bytes: u64,
    texts: [(&'static str, &'static str); 3],
    /// The next piece that nobody has taken.
    next: AtomicU32,
    /// How many pieces are finished.
    finished: AtomicU32,
    /// An error number of one that failed.
    error: AtomicI32,
}

impl Task {
    /// The work, and the folders that it needs to stay open.
    pub(super) fn new(copies: Copies) -> (Self, [OwnedFd; 2]) {
        let Copies { from, into, names, most_bytes, texts } = copies;
        let [next, finished] = [const { AtomicU32::new(0) }; 2];
        let task = Self {
            from: from.as_raw_fd(),
            into: into.as_raw_fd(),
            names,
            most_bytes,
            texts,
            next,
            finished,
            error: AtomicI32::new(0),
        };
        (task, [from, into])
    }

    /// The number of finished pieces, to wait for its change; none where all are finished.
    pub(super) fn unfinished(&self) -> Option<(&AtomicU32, u32)> {
        let finished = self.finished.load(Ordering::Acquire);
        (finished < self.pieces()).then_some((&self.finished, finished))
    }

    /// Says that something went wrong.
    pub(super) fn fail(&self, error: Errno) {
        self.error.store(error.raw_os_error(), Ordering::Release);
    }

    /// How it went, once all is finished.
    pub(super) fn outcome(&self) -> Result<()> {
        match self.error.load(Ordering::Acquire) {
            0 => Ok(()),
            error => Err(Errno::from_raw_os_error(error)),
        }
    }

    fn pieces(&self) -> u32 {
        u32::try_from(self.names.len() + self.texts.len()).unwrap_or(u32::MAX)
    }

    /// Takes one piece after the other until none is left. Two may do so at once.
    pub(super) fn work(&self) {
        loop {
            let piece = self.next.fetch_add(1, Ordering::AcqRel);
            if piece >= self.pieces() {
                return;
            }
            if let Err(e) = self.finish(usize::try_from(piece).unwrap_or(usize::MAX)) {
                self.fail(e);
            }
            if self.finished.fetch_add(1, Ordering::AcqRel) + 1 == self.pieces() {
                let _ = futex::wake(&self.finished, futex::Flags::PRIVATE, 1);
            }
        }
    }

    fn finish(&self, piece: usize) -> Result<()> {
        if let Some(name) = self.names.get(piece) {
            let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
            // One that cannot be opened is left out.
            return openat(borrowed(self.from), *name, flags, Mode::empty())
                .map_or(Ok(()), |file| self.copy(name, file.as_fd()));
        }
        let Some((name, text)) = self.texts.get(piece.wrapping_sub(self.names.len())) else { return Ok(()) };
        match self.make(name)? {
            Some(made) => write_all(made.as_fd(), text.as_bytes()),
            None => Ok(()),
        }
    }

    /// Copies a plain file that is not too large. One that grows meanwhile is cut, like one that was read a moment
    /// before.
    fn copy(&self, name: &str, file: BorrowedFd<'_>) -> Result<()> {
        let Ok(stat) = rustix::fs::fstat(file) else { return Ok(()) };
        let Ok(mut left) = u64::try_from(stat.st_size) else { return Ok(()) };
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile || left > self.most_bytes {
            return Ok(());
        }
        let Some(made) = self.make(name)? else { return Ok(()) };
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        while left > 0 {
            match rustix::io::read(file, &mut buffer) {
                Ok(([], _)) => break,
                Ok((bytes, _)) => {
                    let most = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
                    write_all(made.as_fd(), bytes.get(..most).unwrap_or_default())?;
                    left = left.saturating_sub(bytes.len() as u64);
                }
                Err(Errno::INTR) => {}
                // Better none than a part of one.
                Err(_) => return unlinkat(borrowed(self.into), name, AtFlags::empty()),
            }
        }
        Ok(())
    }

    /// Makes a file, unless there is one.
    fn make(&self, name: &str) -> Result<Option<OwnedFd>> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        match openat(borrowed(self.into), name, flags, Mode::from_raw_mode(0o644)) {
            Err(Errno::EXIST) => Ok(None),
            made => made.map(Some),
        }
    }
}

fn write_all(file: BorrowedFd<'_>, mut bytes: &[u8]) -> Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(file, bytes) {
            Ok(0) => return Err(Errno::IO),
            Ok(n) => bytes = bytes.get(n..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}
