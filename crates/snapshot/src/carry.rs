//! Moving one entry, a file or a whole tree, out of the repo into the folder that keeps it.
//!
//! A rename where both lie on one filesystem; otherwise each file is copied, and removed only when its copy is
//! whole. Sockets and device nodes hold nothing that could be copied: across filesystems they are removed.

use crate::content::{Copier, Extent};
use crate::entry::{Facts, Kind};
use crate::metadata::{self, modified};
use crate::open::{self, os};
use crate::trail::Trail;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, RenameFlags, fchmod, fstat, mkdirat, mknodat, openat, readlinkat, renameat,
    renameat_with, symlinkat, unlinkat, utimensat,
};
use rustix::io::Errno;
use std::io;

/// How many names of a folder are looked at in one go.
const BATCH: usize = 1024;

/// Moves an entry. Nothing at the destination is replaced.
pub(crate) fn carry(from: BorrowedFd<'_>, name: &[u8], to: BorrowedFd<'_>, copier: &mut Copier) -> io::Result<()> {
    match rename_new(from, name, to, name) {
        Ok(()) => Ok(()),
        Err(Errno::XDEV) => carry_across(from, name, to, copier),
        // A folder changes its `..` when it moves, so its owner must be able to write to it.
        Err(e @ (Errno::ACCESS | Errno::PERM)) => {
            let before = open::look(from, name)?.filter(|f| f.kind == Kind::Dir).ok_or(e)?;
            let dir = open::folder_by_force(from, name)?;
            match rename_new(from, name, to, name) {
                Err(Errno::XDEV) => carry_across(from, name, to, copier),
                Ok(()) => Ok(fchmod(&dir, Mode::from_raw_mode(before.mode))?),
                Err(e) => Err(e.into()),
            }
        }
        Err(e) => Err(e.into()),
    }
}

/// Renames to a name that is free.
pub(crate) fn rename_new(from: BorrowedFd<'_>, name: &[u8], to: BorrowedFd<'_>, new: &[u8]) -> Result<(), Errno> {
    match renameat_with(from, os(name), to, os(new), RenameFlags::NOREPLACE) {
        // A filesystem without the flag: look first.
        Err(Errno::INVAL | Errno::NOSYS) => match rustix::fs::statat(to, os(new), AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => renameat(from, os(name), to, os(new)),
            Ok(_) => Err(Errno::EXIST),
            Err(e) => Err(e),
        },
        answer => answer,
    }
}

fn carry_across(from: BorrowedFd<'_>, name: &[u8], to: BorrowedFd<'_>, copier: &mut Copier) -> io::Result<()> {
    let facts = open::look(from, name)?.ok_or(Errno::NOENT)?;
    if facts.kind == Kind::Dir { tree(from, name, to, copier) } else { single(from, name, &facts, to, copier) }
}

/// A folder on the way, to be finished when it is empty.
struct Step {
    name: Vec<u8>,
    facts: Facts,
}

fn tree(from: BorrowedFd<'_>, name: &[u8], to: BorrowedFd<'_>, copier: &mut Copier) -> io::Result<()> {
    let mut here = Trail::new(from.try_clone_to_owned()?)?;
    let mut there = Trail::new(to.try_clone_to_owned()?)?;
    let mut steps = vec![descend(&mut here, &mut there, name)?];
    while let Some(step) = steps.last() {
        match empty_files(&here, &there, copier)? {
            Some(folder) => steps.push(descend(&mut here, &mut there, &folder)?),
            None => {
                here.leave()?;
                let done: OwnedFd = there.leave()?;
                unlinkat(here.here()?, os(&step.name), AtFlags::REMOVEDIR)?;
                metadata::set_facts(done.as_fd(), &Facts::new(&fstat(&done)?), &step.facts)?;
                steps.pop();
            }
        }
    }
    Ok(())
}

fn descend(here: &mut Trail, there: &mut Trail, name: &[u8]) -> io::Result<Step> {
    let facts = open::look(here.here()?, name)?.ok_or(Errno::NOENT)?;
    let source = open::folder_by_force(here.here()?, name)?;
    mkdirat(there.here()?, os(name), Mode::RWXU)?;
    let copy = open::folder(there.here()?, name)?;
    metadata::set_xattrs(copy.as_fd(), &metadata::xattrs(source.as_fd())?)?;
    here.enter(source)?;
    there.enter(copy)?;
    Ok(Step { name: name.to_vec(), facts })
}

/// Carries everything but folders out of the folder at the end; a folder that is left, or none.
fn empty_files(here: &Trail, there: &Trail, copier: &mut Copier) -> io::Result<Option<Vec<u8>>> {
    loop {
        let mut batch = Vec::new();
        open::names(here.here()?, |name| {
            batch.push(name.to_vec());
            Ok(batch.len() < BATCH)
        })?;
        let mut folder = None;
        let mut carried = false;
        for name in batch {
            match open::look(here.here()?, &name)? {
                Some(facts) if facts.kind == Kind::Dir => folder = Some(name),
                Some(facts) => {
                    single(here.here()?, &name, &facts, there.here()?, copier)?;
                    carried = true;
                }
                None => {}
            }
        }
        if folder.is_some() || !carried {
            return Ok(folder);
        }
    }
}

fn single(from: BorrowedFd<'_>, name: &[u8], facts: &Facts, to: BorrowedFd<'_>, copier: &mut Copier) -> io::Result<()> {
    match facts.kind {
        Kind::File => copy_file(from, name, facts, to, copier)?,
        Kind::Symlink => {
            let target = readlinkat(from, os(name), Vec::new())?;
            symlinkat(&target, to, os(name))?;
            utimensat(to, os(name), &modified(facts.mtime), AtFlags::SYMLINK_NOFOLLOW)?;
        }
        Kind::Fifo => mknodat(to, os(name), FileType::Fifo, Mode::from_raw_mode(facts.mode), 0)?,
        Kind::Dir | Kind::Other => {}
    }
    Ok(unlinkat(from, os(name), AtFlags::empty())?)
}

fn copy_file(
    from: BorrowedFd<'_>,
    name: &[u8],
    facts: &Facts,
    to: BorrowedFd<'_>,
    copier: &mut Copier,
) -> io::Result<()> {
    let (source, now) = match open::file(from, name) {
        // A mode that hides a file from its owner is taken off, unless the file has another name somewhere.
        Err(Errno::ACCESS) if facts.nlink == 1 => open::file_by_force(from, name)?,
        answer => answer?,
    };
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let copy = openat(to, os(name), flags, Mode::RUSR | Mode::WUSR)?;
    let copied = copier.copy(source.as_fd(), copy.as_fd(), Extent::from(&now))?;
    if copied.size != now.size {
        return Err(io::Error::other("the file changed while it was copied"));
    }
    metadata::set_xattrs(copy.as_fd(), &metadata::xattrs(source.as_fd())?)?;
    metadata::set_facts(copy.as_fd(), &Facts::new(&fstat(&copy)?), facts)
}
