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
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

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

/// How a protected path is mounted on itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guard {
    /// So that it cannot be moved away.
    Pin,
    /// So that it cannot be written either.
    ReadOnly,
    /// As the other names of the one socket are: a mount of any of them serves for all.
    Kept,
}

/// Sticky, and nothing else.
const MODE: u32 = 0o1000;
/// How often a lock is tried, a millisecond apart.
const PATIENCE: u32 = 200;
/// Below `.git`, where git reads what it finds and lists nothing: an empty file.
const FILE_MODE: u32 = 0o1444;

const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Looks at each protected path, from the writable place it lies in.
pub(crate) fn plan<'a>(protected: impl Iterator<Item = (&'a Path, &'a Path)>) -> Result<Protections> {
    let mut out = Protections::default();
    let mut folders = Folders::default();
    for (root, path) in protected {
        let Ok(relative) = path.strip_prefix(root) else { continue };
        // Below a name that is kept free or read-only there is nothing to do.
        let first = relative.components().next().map(|c| root.join(c));
        if first.is_some_and(|f| out.read_only.contains(&f) || out.absent.iter().any(|a| a.path == f)) {
            continue;
        }
        follow(&mut out, &mut folders, root, relative)?;
    }
    let covered: Vec<PathBuf> = out.read_only.iter().filter(|p| has_parent_in(&out.read_only, p)).cloned().collect();
    for path in covered {
        out.read_only.remove(&path);
    }
    Ok(out)
}

/// Folders that are open, each once: a lock is held on the one descriptor that all names in it share.
#[derive(Default)]
struct Folders(BTreeMap<PathBuf, Rc<OwnedFd>>);

impl Folders {
    /// Opens a folder by its path, or by its name in another, following no link.
    fn open(&mut self, path: &Path, within: Option<(&Rc<OwnedFd>, &OsStr)>) -> Result<Rc<OwnedFd>> {
        if let Some(folder) = self.0.get(path) {
            return Ok(folder.clone());
        }
        let opened = match within {
            Some((parent, name)) => openat(parent.as_ref(), name, FOLDER, Mode::empty()),
            None => rustix::fs::open(path, FOLDER, Mode::empty()),
        };
        let folder = Rc::new(opened.during_at("open", path)?);
        self.0.insert(path.to_owned(), folder.clone());
        Ok(folder)
    }
}

fn has_parent_in(set: &BTreeSet<PathBuf>, path: &Path) -> bool {
    path.ancestors().skip(1).any(|a| set.contains(a))
}

fn follow(out: &mut Protections, folders: &mut Folders, root: &Path, relative: &Path) -> Result<()> {
    let mut dir = folders.open(root, None)?;
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
            FileType::Socket | FileType::RegularFile if is_ours(stat.st_mode, stat.st_size) => {
                keep_free(out, path, dir, name.to_owned());
                return Ok(());
            }
            FileType::Directory if !last => {
                dir = folders.open(&path, Some((&dir, name)))?;
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
    /// Puts something on every name that must stay free, and says which of them need nothing, counted from the first:
    /// those in a folder that nobody can write.
    pub(crate) fn occupy(&mut self) -> Result<Vec<usize>> {
        let (mut kept, mut dropped): (Vec<Absent>, Vec<usize>) = (Vec::new(), Vec::new());
        for (n, mut absent) in std::mem::take(&mut self.absent).into_iter().enumerate() {
            match absent.occupy(kept.iter().find(|a| a.made)) {
                Ok(()) => kept.push(absent),
                Err(Errno::ACCESS | Errno::PERM | Errno::ROFS) => dropped.push(n),
                Err(e) => {
                    self.absent = kept;
                    return Err(SandboxError::at("keep the protected name free", &absent.path, e));
                }
            }
        }
        self.absent = kept;
        Ok(dropped)
    }

    /// Everything to mount, parents first, without the absent names that need nothing.
    pub(crate) fn guards(&self, dropped: &[usize]) -> Vec<(&Path, Guard)> {
        let absent = self.absent.iter().enumerate().filter(|(n, _)| !dropped.contains(n));
        let pins = self.pins.iter().map(|p| (p.as_path(), Guard::Pin));
        let read_only = self.read_only.iter().map(|p| (p.as_path(), Guard::ReadOnly));
        let kept = absent.map(|(_, a)| (a.path.as_path(), if a.below_git() { Guard::ReadOnly } else { Guard::Kept }));
        let mut all: Vec<(&Path, Guard)> = pins.chain(read_only).chain(kept).collect();
        all.sort_by(|a, b| a.0.as_os_str().as_bytes().cmp(b.0.as_os_str().as_bytes()));
        all
    }

    /// Takes the lock of every folder that has names to keep free. Who copies this process shares them.
    pub(crate) fn lock_folders(&mut self) -> Result<()> {
        let folders: Vec<(Rc<OwnedFd>, PathBuf)> =
            self.absent.iter().map(|a| (a.parent.clone(), a.path.clone())).collect();
        for (folder, path) in folders {
            self.lock(&folder).during_at("keep the protected name free", &path)?;
        }
        Ok(())
    }

    /// Holds the folder of a name: whoever gets it alone may clear the name away.
    fn lock(&mut self, folder: &Rc<OwnedFd>) -> rustix::io::Result<()> {
        if self.locks.iter().any(|(f, _)| Rc::ptr_eq(f, folder)) {
            return Ok(());
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let lock = openat(folder.as_ref(), ".", flags, Mode::empty())?;
        // Another run that is clearing up holds it for a moment.
        let mut patience = PATIENCE;
        while let Err(e) = flock(&lock, FlockOperation::NonBlockingLockShared) {
            if e != Errno::WOULDBLOCK || patience == 0 {
                return Err(e);
            }
            patience -= 1;
            std::thread::sleep(Duration::from_millis(1));
        }
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
        let foreign = |a: &&Absent| a.look().is_some_and(|(mode, size)| !is_ours(mode, size));
        self.absent.iter().filter(foreign).map(|a| a.path.clone()).collect()
    }
}

fn is_ours(mode: u32, size: i64) -> bool {
    match FileType::from_raw_mode(mode) {
        FileType::Socket => mode & 0o7777 == MODE,
        // Sticky, empty, and nothing but read, of which a umask may have taken some.
        FileType::RegularFile => mode & 0o7333 == 0o1000 && size == 0,
        _ => false,
    }
}

impl Absent {
    /// Puts something on the name: another name of the socket that is there already, or the first.
    fn occupy(&mut self, first: Option<&Absent>) -> rustix::io::Result<()> {
        let link =
            |f: &Absent| linkat(f.parent.as_ref(), &f.name, self.parent.as_ref(), &self.name, AtFlags::empty()).is_ok();
        if self.below_git() {
            return self.occupy_with_file();
        }
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

    fn below_git(&self) -> bool {
        self.path.ancestors().skip(1).any(|a| a.file_name().is_some_and(|n| n == ".git"))
    }

    fn occupy_with_file(&self) -> rustix::io::Result<()> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match openat(self.parent.as_ref(), &self.name, flags, Mode::from_raw_mode(FILE_MODE)) {
            Ok(file) => rustix::fs::fchmod(&file, Mode::from_raw_mode(FILE_MODE)),
            Err(Errno::EXIST) => Ok(()),
            Err(e) => Err(e),
        }
    }

    fn look(&self) -> Option<(u32, i64)> {
        statat(self.parent.as_ref(), &self.name, AtFlags::SYMLINK_NOFOLLOW).ok().map(|s| (s.st_mode, s.st_size))
    }

    /// Only what is ours goes: it has no content that could be lost.
    fn clear(&self) {
        if self.look().is_some_and(|(mode, size)| is_ours(mode, size)) {
            let _ = unlinkat(self.parent.as_ref(), &self.name, AtFlags::empty());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn absent_in(folder: &Path) -> Protections {
        let paths = [folder.join(".mcp.json"), folder.join(".vscode/tasks.json")];
        plan(paths.iter().map(|p| (folder, p.as_path()))).unwrap()
    }

    #[test]
    fn a_run_that_clears_up_holds_up_the_next_for_a_moment_only() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = absent_in(folder.path());
        first.lock_folders().unwrap();
        assert_eq!(first.occupy().unwrap(), Vec::<usize>::new());
        // It has the folder to itself, and goes on having it until it is gone.
        first.clear();
        let mut second = absent_in(folder.path());
        std::thread::scope(|scope| {
            let locks = std::mem::take(&mut first.locks).into_iter().map(|(_, lock)| lock).collect::<Vec<_>>();
            scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(10));
                drop(locks);
            });
            second.lock_folders().unwrap();
        });
        assert_eq!(second.occupy().unwrap(), Vec::<usize>::new());
        assert!(second.broken().is_empty());
        second.clear();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn names_that_need_nothing_are_not_mounted() {
        let folder = tempfile::tempdir().unwrap();
        let protections = absent_in(folder.path());
        let [first, second] = [folder.path().join(".mcp.json"), folder.path().join(".vscode")];
        assert_eq!(protections.guards(&[]), [(first.as_path(), Guard::Kept), (second.as_path(), Guard::Kept)]);
        assert_eq!(protections.guards(&[0]), [(second.as_path(), Guard::Kept)]);
    }
}
