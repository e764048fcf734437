//! Opening one name in an open folder, without following a link or crossing a mount.

use crate::entry::Facts;
use crate::trail::FOLDER;
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, ResolveFlags, chmodat, fstat, openat, openat2, statat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Flags to read a file that may have become a pipe or a terminal since it was looked at.
const READ: OFlags =
    OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// One name as the system calls take it.
pub(crate) fn os(name: &[u8]) -> &OsStr {
    OsStr::from_bytes(name)
}

/// What lies at a name; none where nothing does.
pub(crate) fn look(dir: BorrowedFd<'_>, name: &[u8]) -> io::Result<Option<Facts>> {
    match statat(dir, os(name), AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(Facts::new(&stat))),
        Err(Errno::NOENT) => Ok(None),
        Err(e) => Err(e.into()),
    }
}

/// Opens a name. INVARIANT: the name has one part, so `NOFOLLOW` alone keeps it in its folder; the resolve flags
/// add that no mount is crossed, which is `EXDEV`.
fn beneath(dir: BorrowedFd<'_>, name: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
    for _ in 0..8 {
        match openat2(dir, os(name), flags, Mode::empty(), resolve) {
            // A rename somewhere raced with the look-up.
            Err(Errno::AGAIN) => {}
            // An old kernel, or a container that does not know the call.
            Err(Errno::NOSYS | Errno::PERM) => break,
            answer => return answer,
        }
    }
    let fd = openat(dir, os(name), flags, Mode::empty())?;
    if fstat(&fd)?.st_dev == fstat(dir)?.st_dev { Ok(fd) } else { Err(Errno::XDEV) }
}

/// Opens a regular file for reading, and nothing else.
pub(crate) fn file(dir: BorrowedFd<'_>, name: &[u8]) -> Result<(OwnedFd, Facts), Errno> {
    let fd = match beneath(dir, name, READ | OFlags::NOATIME) {
        // Only the owner may leave the access time alone.
        Err(Errno::PERM) => beneath(dir, name, READ)?,
        answer => answer?,
    };
    let facts = Facts::new(&fstat(&fd)?);
    if facts.kind == crate::entry::Kind::File { Ok((fd, facts)) } else { Err(Errno::INVAL) }
}

/// What to do about a folder whose owner has no rights to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rights {
    AsTheyAre,
    Regain,
}

/// Opens the root of a tree by a path in which no part is a link.
pub(crate) fn root(path: &Path, rights: Rights) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Err(Errno::NOSYS | Errno::PERM) => openat(CWD, path, flags, Mode::empty())?,
        answer => answer?,
    };
    list(&handle, rights)
}

/// Opens a folder to list.
pub(crate) fn folder(dir: BorrowedFd<'_>, name: &[u8]) -> Result<OwnedFd, Errno> {
    beneath(dir, name, FOLDER)
}

/// Opens a folder to list and to change, giving its owner back the rights for that where they were taken.
pub(crate) fn folder_by_force(dir: BorrowedFd<'_>, name: &[u8]) -> Result<OwnedFd, Errno> {
    let handle = beneath(dir, name, OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC)?;
    list(&handle, Rights::Regain)
}

fn list(handle: &OwnedFd, rights: Rights) -> Result<OwnedFd, Errno> {
    let mode = Facts::new(&fstat(handle)?).mode;
    if rights == Rights::Regain && mode & 0o700 != 0o700 {
        chmod_handle(handle.as_fd(), mode | 0o700)?;
    }
    openat(handle, c".", FOLDER, Mode::empty())
}

/// Opens a regular file for reading after giving its owner the right to.
pub(crate) fn file_by_force(dir: BorrowedFd<'_>, name: &[u8]) -> Result<(OwnedFd, Facts), Errno> {
    let handle = beneath(dir, name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC)?;
    let facts = Facts::new(&fstat(&handle)?);
    if facts.kind == crate::entry::Kind::File {
        chmod_handle(handle.as_fd(), facts.mode | 0o400)?;
    }
    file(dir, name)
}

/// Changes the mode of what a path handle stands for; the handle cannot be swapped for something else.
fn chmod_handle(handle: BorrowedFd<'_>, mode: u32) -> Result<(), Errno> {
    let path = format!("/proc/self/fd/{}", handle.as_raw_fd());
    chmodat(CWD, Path::new(&path), Mode::from_raw_mode(mode), AtFlags::empty())
}

/// Calls `each` with every name in a folder, until it says to stop. Names are not collected.
pub(crate) fn names(dir: BorrowedFd<'_>, mut each: impl FnMut(&[u8]) -> io::Result<bool>) -> io::Result<()> {
    for entry in Dir::read_from(dir)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." && !each(name)? {
            break;
        }
    }
    Ok(())
}
