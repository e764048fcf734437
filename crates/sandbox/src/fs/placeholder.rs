//! Protected paths: what exists is pinned and made read-only, and a name that does not exist yet is kept free.
//!
//! A mount needs something to stand on, so for the time of the run an empty file stands where a protected name is
//! absent (a folder for `.git`, whose absence other tools ask about); inside the run a mount covers it that can be
//! neither written, replaced nor moved, and that git does not see. All of them are one file under many names, because
//! making files is what costs. Its mode is one that nobody uses by accident, so that one left over by a crash is known
//! for what it is, and taken over by the next run.
//!
//! Links are never followed: a protected name that is a link cannot be held, and refuses the run.

use crate::error::{During, Result, SandboxError};
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, FileType, FlockOperation, Mode, OFlags, flock, linkat, mkdirat, openat, statat, unlinkat};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What has to be mounted so that the protected paths hold.
#[derive(Debug, Default)]
pub(crate) struct Protections {
    /// Folders above them, mounted on themselves so that they cannot be moved away; parents first.
    pub(crate) pins: BTreeSet<PathBuf>,
    /// Paths that exist, mounted on themselves read-only.
    pub(crate) read_only: BTreeSet<PathBuf>,
    /// Names that are kept free.
    pub(crate) absent: Vec<Absent>,
}

/// A name that is kept free.
#[derive(Debug)]
pub(crate) struct Absent {
    /// Where.
    pub(crate) path: PathBuf,
    /// Whether a folder stands there, or a file.
    pub(crate) folder: bool,
    parent: OwnedFd,
    name: OsString,
    /// Whether this run put something there.
    made: bool,
    /// Held shared while a run needs the name; whoever gets it alone may clear it away. One lock does for all names
    /// of a file.
    lock: Option<OwnedFd>,
}

/// Sticky, and writable for nobody.
const FOLDER_MODE: u32 = 0o1555;
const FILE_MODE: u32 = 0o1444;

const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Looks at each protected path, from the writable place it lies in.
pub(crate) fn plan<'a>(protected: impl Iterator<Item = (&'a Path, &'a Path)>) -> Result<Protections> {
    let mut out = Protections::default();
    for (root, path) in protected {
        let Ok(relative) = path.strip_prefix(root) else { continue };
        follow(&mut out, root, relative)?;
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

fn follow(out: &mut Protections, root: &Path, relative: &Path) -> Result<()> {
    let mut dir = rustix::fs::open(root, FOLDER, Mode::empty()).during_at("open", root)?;
    let mut path = root.to_owned();
    let mut components = relative.components().peekable();
    while let Some(component) = components.next() {
        let name = component.as_os_str();
        path.push(name);
        let last = components.peek().is_none();
        let stat = match statat(&dir, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => {
                keep_free(out, path, dir, name.to_owned(), name == ".git", None);
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
            kind @ (FileType::Directory | FileType::RegularFile) if is_leftover(stat.st_mode, kind) => {
                let folder = kind == FileType::Directory;
                keep_free(out, path, dir, name.to_owned(), folder, Some(stat.st_size));
                return Ok(());
            }
            FileType::Directory if !last => {
                dir = openat(&dir, name, FOLDER, Mode::empty()).during_at("open", &path)?;
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

fn is_leftover(mode: u32, kind: FileType) -> bool {
    mode & 0o7777 == if kind == FileType::Directory { FOLDER_MODE } else { FILE_MODE }
}

fn keep_free(out: &mut Protections, path: PathBuf, parent: OwnedFd, name: OsString, folder: bool, size: Option<i64>) {
    // A file of ours is empty; one with content under that mode is somebody's, and simply protected.
    if !folder && size.is_some_and(|s| s != 0) {
        out.read_only.insert(path);
    } else if !out.absent.iter().any(|a| a.path == path) {
        out.absent.push(Absent { path, folder, parent, name, made: false, lock: None });
    }
}

impl Protections {
    /// Puts something on every name that must stay free. A folder that nobody can write needs nothing.
    pub(crate) fn occupy(&mut self) -> Result<()> {
        let mut kept: Vec<Absent> = Vec::new();
        for mut absent in std::mem::take(&mut self.absent) {
            let first = kept.iter().find(|a| a.made && !a.folder);
            match absent.occupy(first) {
                Ok(()) => kept.push(absent),
                Err(Errno::ACCESS | Errno::PERM | Errno::ROFS) => {}
                Err(e) => return Err(SandboxError::at("keep the protected name free", &absent.path, e)),
            }
        }
        self.absent = kept;
        Ok(())
    }

    /// Takes away what `occupy` put there, where no other run needs it.
    pub(crate) fn clear(&self) {
        let shared = self.absent.iter().find(|a| a.made && !a.folder && a.lock.is_some());
        for absent in &self.absent {
            absent.clear(shared);
        }
    }

    /// What came into being on a protected name although it should not have: the host removed a mount point under
    /// the run, for instance.
    pub(crate) fn broken(&self) -> Vec<PathBuf> {
        let exists = |a: &&Absent| statat(&a.parent, &a.name, AtFlags::SYMLINK_NOFOLLOW).is_ok();
        self.absent.iter().filter(exists).map(|a| a.path.clone()).collect()
    }
}

impl Absent {
    /// Puts something on the name: another name of the file that is there already, or the first.
    fn occupy(&mut self, first: Option<&Absent>) -> rustix::io::Result<()> {
        let link = |f: &Absent| linkat(&f.parent, &f.name, &self.parent, &self.name, AtFlags::empty()).is_ok();
        if !self.folder && first.is_some_and(link) {
            self.made = true;
            return Ok(());
        }
        let made = if self.folder {
            mkdirat(&self.parent, &self.name, Mode::from_raw_mode(FOLDER_MODE))
        } else {
            let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            openat(&self.parent, &self.name, flags, Mode::from_raw_mode(FILE_MODE)).map(drop)
        };
        match made {
            Ok(()) => {
                // The umask, and file systems that drop the sticky bit of new entries.
                rustix::fs::chmodat(&self.parent, &self.name, Mode::from_raw_mode(self.mode()), AtFlags::empty())?;
                self.made = true;
            }
            Err(Errno::EXIST) => {}
            Err(e) => return Err(e),
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let lock = openat(&self.parent, &self.name, flags, Mode::empty())?;
        flock(&lock, FlockOperation::NonBlockingLockShared)?;
        self.lock = Some(lock);
        Ok(())
    }

    fn mode(&self) -> u32 {
        if self.folder { FOLDER_MODE } else { FILE_MODE }
    }

    fn clear(&self, shared: Option<&Absent>) {
        let Some(lock) = self.lock.as_ref().or(shared.and_then(|s| s.lock.as_ref())) else { return };
        if flock(lock, FlockOperation::NonBlockingLockExclusive).is_err() {
            return;
        }
        let (Ok(ours), Ok(there)) =
            (rustix::fs::fstat(lock), statat(&self.parent, &self.name, AtFlags::SYMLINK_NOFOLLOW))
        else {
            return;
        };
        // Only what is still ours and still empty: `rmdir` sees to the latter itself.
        if ours.st_ino != there.st_ino || there.st_mode & 0o7777 != self.mode() {
            return;
        }
        let _ = match self.folder {
            true => unlinkat(&self.parent, &self.name, AtFlags::REMOVEDIR),
            false if there.st_size == 0 => unlinkat(&self.parent, &self.name, AtFlags::empty()),
            false => Ok(()),
        };
    }
}
