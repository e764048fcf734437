//! Making an entry again: whole and under another name first, so that its place is taken in one step.

use crate::content::{Copier, Extent};
use crate::entry::{Entry, Facts, Kind};
use crate::metadata::{self, is_root, modified};
use crate::open::{self, os};
use crate::take::{FILES, blob};
use crate::trail::open_own;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{
    AtFlags, FileType, Gid, Mode, OFlags, Uid, chownat, fstat, mkdirat, mknodat, openat, symlinkat, unlinkat, utimensat,
};
use rustix::io::Errno;
use std::io;
use std::path::Path;

/// The contents of a snapshot.
#[derive(Debug)]
pub(crate) struct Blobs {
    files: OwnedFd,
    shelf: Option<(u32, OwnedFd)>,
}

impl Blobs {
    pub(crate) fn open(snapshot: &Path) -> io::Result<Self> {
        Ok(Self { files: open_own(&snapshot.join(FILES))?, shelf: None })
    }

    /// The content of an entry, of the size that it had; one without a hash must not have been touched since.
    pub(crate) fn get(&mut self, entry: &Entry, id: u32) -> io::Result<(OwnedFd, Facts)> {
        let (shelf, name) = blob(id);
        if self.shelf.as_ref().is_none_or(|(n, _)| *n != id >> 12) {
            self.shelf = Some((id >> 12, open::folder(self.files.as_fd(), shelf.as_bytes())?));
        }
        let shelf = self.shelf.as_ref().map(|(_, fd)| fd.as_fd()).ok_or(Errno::NOENT)?;
        let (fd, facts) = open::file(shelf, name.as_bytes()).map_err(|e| {
            io::Error::new(io::Error::from(e).kind(), format!("the snapshot has lost its content: {e}"))
        })?;
        let intact = entry.digest.is_some() || entry.sealed == Some(facts.ctime);
        if facts.size == entry.facts.size && intact { Ok((fd, facts)) } else { Err(damaged()) }
    }
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the content in the snapshot is not what was put there")
}

/// Makes entries under names that were free.
#[derive(Debug)]
pub(crate) struct Installer {
    count: u64,
}

impl Installer {
    pub(crate) fn new() -> Self {
        Self { count: 0 }
    }

    fn name(&mut self) -> Vec<u8> {
        self.count += 1;
        format!(".ringfence-undo.{}.{}", std::process::id(), self.count).into_bytes()
    }

    /// Makes an entry that is not a folder and answers with the name it has for now.
    pub(crate) fn prepare(
        &mut self,
        dir: BorrowedFd<'_>,
        entry: &Entry,
        id: u32,
        blobs: &mut Blobs,
        copier: &mut Copier,
    ) -> io::Result<Vec<u8>> {
        for _ in 0..64 {
            let name = self.name();
            let made = match entry.facts.kind {
                Kind::File => file(dir, &name, entry, id, blobs, copier),
                Kind::Symlink => link(dir, &name, entry),
                Kind::Fifo => fifo(dir, &name, entry),
                Kind::Dir | Kind::Other => Err(Errno::INVAL.into()),
            };
            match made {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Ok(()) => return Ok(name),
                Err(e) => {
                    discard(dir, &name);
                    return Err(e);
                }
            }
        }
        Err(Errno::EXIST.into())
    }
}

/// Removes something that [`Installer::prepare`] made and nobody needs.
pub(crate) fn discard(dir: BorrowedFd<'_>, name: &[u8]) {
    let _ = unlinkat(dir, os(name), AtFlags::empty());
}

/// Makes a folder that its owner can fill; it gets its mode when that is done.
pub(crate) fn folder(dir: BorrowedFd<'_>, name: &[u8]) -> io::Result<()> {
    Ok(mkdirat(dir, os(name), Mode::RWXU)?)
}

fn file(
    dir: BorrowedFd<'_>,
    name: &[u8],
    entry: &Entry,
    id: u32,
    blobs: &mut Blobs,
    copier: &mut Copier,
) -> io::Result<()> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let fd = openat(dir, os(name), flags, Mode::RUSR | Mode::WUSR)?;
    if entry.has_blob() {
        let (from, facts) = blobs.get(entry, id)?;
        let copied = copier.copy(from.as_fd(), fd.as_fd(), Extent::from(&facts))?;
        let digest = match (entry.digest, copied.digest) {
            // A clone was not read on the way.
            (Some(_), None) => copier.digest(fd.as_fd(), Extent::from(&facts))?.digest,
            (_, digest) => digest,
        };
        if copied.size != entry.facts.size || entry.digest.is_some() && digest != entry.digest {
            return Err(damaged());
        }
    }
    metadata::set_xattrs(fd.as_fd(), &entry.xattrs)?;
    metadata::set_facts(fd.as_fd(), &Facts::new(&fstat(&fd)?), &entry.facts)
}

fn link(dir: BorrowedFd<'_>, name: &[u8], entry: &Entry) -> io::Result<()> {
    symlinkat(os(entry.target.as_deref().unwrap_or_default()), dir, os(name))?;
    own(dir, name, entry)
}

fn fifo(dir: BorrowedFd<'_>, name: &[u8], entry: &Entry) -> io::Result<()> {
    mknodat(dir, os(name), FileType::Fifo, Mode::from_raw_mode(entry.facts.mode), 0)?;
    own(dir, name, entry)
}

/// Owner and time of what cannot be opened.
fn own(dir: BorrowedFd<'_>, name: &[u8], entry: &Entry) -> io::Result<()> {
    let facts = &entry.facts;
    if is_root() {
        let (uid, gid) = (Uid::from_raw(facts.uid), Gid::from_raw(facts.gid));
        chownat(dir, os(name), Some(uid), Some(gid), AtFlags::SYMLINK_NOFOLLOW)?;
    }
    Ok(utimensat(dir, os(name), &modified(facts.mtime), AtFlags::SYMLINK_NOFOLLOW)?)
}
