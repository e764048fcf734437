//! Protected paths: what exists is pinned and made read-only, and a name that does not exist yet is kept free.
//!
//! A mount needs something to stand on, so for the time of the run a socket that nobody listens on stands where a
//! protected name is absent; inside the run it is mounted on itself and can be neither written, replaced nor moved. A
//! socket cannot be opened, and version control passes it by, inside and outside. All of them are one socket under many
//! names, because making files is what costs. Its mode is one that nobody uses by accident, so that one left over by a
//! crash is known for what it is, and taken over by the next run.
//!
//! Links are never followed: a protected name that is a link cannot be held, and refuses the run.

use crate::error::{During, Result, SandboxError};
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, FileType, FlockOperation, Mode, OFlags, flock, linkat, mknodat, openat, statat, unlinkat};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// What has to be mounted so that the protected paths hold.
#[derive(Debug, Default)]
pub(crate) struct Protections {
    /// Folders above them, mounted on themselves so that they cannot be moved away; parents first.
    pub(crate) pins: BTreeSet<PathBuf>,
    /// Paths that exist, mounted on themselves read-only.
    pub(crate) read_only: BTreeSet<PathBuf>,
    /// Names that are kept free.
    pub(crate) absent: Vec<Absent>,
    /// Folders with such names, each with its lock.
    locks: Vec<(Rc<OwnedFd>, OwnedFd)>,
}

/// A name that is kept free.
#[derive(Debug)]
pub(crate) struct Absent {
    /// Where.
    pub(crate) path: PathBuf,
    parent: Rc<OwnedFd>,
    name: OsString,
    /// Whether this run put something there.
    made: bool,
}

/// Sticky, and nothing else.
const MODE: u32 = 0o1000;

const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Looks at each protected path, from the writable place it lies in.
pub(crate) fn plan<'a>(protected: impl Iterator<Item = (&'a Path, &'a Path)>) -> Result<Protections> {
    let mut out = Protections::default();
    let mut opened: Option<(&Path, Rc<OwnedFd>)> = None;
    for (root, path) in protected {
        let Ok(relative) = path.strip_prefix(root) else { continue };
        if opened.as_ref().is_none_or(|(path, _)| *path != root) {
            let dir = rustix::fs::open(root, FOLDER, Mode::empty()).during_at("open", root)?;
            opened = Some((root, Rc::new(dir)));
        }
        // Below a name that is kept free or read-only there is nothing to do.
        let first = relative.components().next().map(|c| root.join(c));
        if first.is_some_and(|f| out.read_only.contains(&f) || out.absent.iter().any(|a| a.path == f)) {
            continue;
        }
        if let Some((_, dir)) = &opened {
            follow(&mut out, dir, root, relative)?;
        }
    }
    let covered: Vec<PathBuf> = out.read_only.iter().filter(|p| has_parent_in(&out.read_only, p)).cloned().collect();
    for path in covered {
        out.read_only.remove(&path);
    }
    Ok(out)
}

fn has_parent_in(set: &BTreeSet<PathBuf>, path: &Path) -> bool {
    path.ancestors().skip(1).any(|a| set.contains(a))
}

fn follow(out: &mut Protections, dir: &Rc<OwnedFd>, root: &Path, relative: &Path) -> Result<()> {
    let mut dir = dir.clone();
    let mut path = root.to_owned();
    let mut components = relative.components().peekable();
    while let Some(component) = components.next() {
        let name = component.as_os_str();
        path.push(name);
        let last = components.peek().is_none();
        let stat = match statat(dir.as_ref(), name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => {
                keep_free(out, path, dir, name.to_owned());
                return Ok(());
            }
            Err(e) => return Err(SandboxError::at("look at the protected path", &path, e)),
        };
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Symlink => {
                return Err(SandboxError::Refused(format!(
                    "`{}` is protected and is a symbolic link, which cannot be held in place; make it a plain file or folder",
                    path.display()
                )));
            }
            FileType::Socket if stat.st_mode & 0o7777 == MODE => {
                keep_free(out, path, dir, name.to_owned());
                return Ok(());
            }
            FileType::Directory if !last => {
                dir = Rc::new(openat(dir.as_ref(), name, FOLDER, Mode::empty()).during_at("open", &path)?);
                out.pins.insert(path.clone());
            }
            // A file on the way (a worktree's `.git`) holds for what would lie below it.
            _ => {
                out.read_only.insert(path);
                return Ok(());
            }
        }
    }
    Ok(())
}

fn keep_free(out: &mut Protections, path: PathBuf, parent: Rc<OwnedFd>, name: OsString) {
    if !out.absent.iter().any(|a| a.path == path) {
        out.absent.push(Absent { path, parent, name, made: false });
    }
}

impl Protections {
    /// Puts something on every name that must stay free. A folder that nobody can write needs nothing.
    pub(crate) fn occupy(&mut self) -> Result<()> {
        let mut kept: Vec<Absent> = Vec::new();
        for mut absent in std::mem::take(&mut self.absent) {
            let fail = |e| SandboxError::at("keep the protected name free", &absent.path, e);
            self.lock(&absent.parent).map_err(fail)?;
            match absent.occupy(kept.iter().find(|a| a.made)) {
                Ok(()) => kept.push(absent),
                Err(Errno::ACCESS | Errno::PERM | Errno::ROFS) => {}
                Err(e) => return Err(SandboxError::at("keep the protected name free", &absent.path, e)),
            }
        }
        self.absent = kept;
        Ok(())
    }

    /// Holds the folder of a name: whoever gets it alone may clear the name away.
    fn lock(&mut self, folder: &Rc<OwnedFd>) -> rustix::io::Result<()> {
        if self.locks.iter().any(|(f, _)| Rc::ptr_eq(f, folder)) {
            return Ok(());
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let lock = openat(folder.as_ref(), ".", flags, Mode::empty())?;
        flock(&lock, FlockOperation::NonBlockingLockShared)?;
        self.locks.push((folder.clone(), lock));
        Ok(())
    }

    /// Takes away what `occupy` put there, where no other run needs it.
    pub(crate) fn clear(&self) {
        for (folder, lock) in &self.locks {
            if flock(lock, FlockOperation::NonBlockingLockExclusive).is_err() {
                continue;
            }
            for absent in self.absent.iter().filter(|a| Rc::ptr_eq(&a.parent, folder)) {
                absent.clear();
            }
        }
    }

    /// What came into being on a protected name although it should not have: the host removed a mount point under
    /// the run, for instance.
    pub(crate) fn broken(&self) -> Vec<PathBuf> {
        let foreign = |a: &&Absent| a.look().is_some_and(|mode| !is_ours(mode));
        self.absent.iter().filter(foreign).map(|a| a.path.clone()).collect()
    }
}

fn is_ours(mode: u32) -> bool {
    FileType::from_raw_mode(mode) == FileType::Socket && mode & 0o7777 == MODE
}

impl Absent {
    /// Puts something on the name: another name of the socket that is there already, or the first.
    fn occupy(&mut self, first: Option<&Absent>) -> rustix::io::Result<()> {
        let link =
            |f: &Absent| linkat(f.parent.as_ref(), &f.name, self.parent.as_ref(), &self.name, AtFlags::empty()).is_ok();
        if first.is_some_and(link) {
            self.made = true;
            return Ok(());
        }
        match mknodat(self.parent.as_ref(), &self.name, FileType::Socket, Mode::from_raw_mode(MODE), 0) {
            Ok(()) => self.made = true,
            // Another run was faster, or somebody made a real one just now, which will be found broken.
            Err(Errno::EXIST) => {}
            Err(e) => return Err(e),
        }
        Ok(())
    }

    fn look(&self) -> Option<u32> {
        statat(self.parent.as_ref(), &self.name, AtFlags::SYMLINK_NOFOLLOW).ok().map(|s| s.st_mode)
    }

    /// Only what is ours goes: a socket has no content that could be lost.
    fn clear(&self) {
        if self.look().is_some_and(is_ours) {
            let _ = unlinkat(self.parent.as_ref(), &self.name, AtFlags::empty());
        }
    }
}
