//! Taking a snapshot: scan, check the limits, copy, write the manifest, and only then give it its name.

use crate::content::{Copier, Extent};
use crate::entry::{Entry, Facts, Held, Kind, Time};
use crate::error::SnapshotError;
use crate::exclude::Excludes;
use crate::manifest::{self, Header};
use crate::metadata;
use crate::open;
use crate::scan;
use crate::snapshot::{Limits, Progress, Taken};
use crate::trail::{Trail, open_own};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags, fstat, mkdirat, openat, readlinkat};
use rustix::io::Errno;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The folder of the contents in a snapshot.
pub(crate) const FILES: &str = "files";
/// The coarsest clock of a filesystem that has links and permissions, with room.
const TICK_SECONDS: i64 = 2;
/// How many paths a summary names.
const NAMED: usize = 1000;

/// Where the content of an entry lies below [`FILES`].
pub(crate) fn blob(id: u32) -> (String, String) {
    (format!("{:05x}", id >> 12), format!("{:03x}", id & 0xfff))
}

/// See [`Snapshot::take`](crate::Snapshot::take).
pub(crate) fn take(
    repo: &Path,
    into: &Path,
    limits: &Limits,
    progress: &mut dyn FnMut(Progress),
) -> Result<Taken, SnapshotError> {
    let excludes = Excludes::new(&limits.exclude)?;
    let repo = repo.canonicalize().map_err(|e| SnapshotError::io("find", repo, e))?;
    let partial = prepare(&repo, into)?;
    let taken = fill(&repo, &partial, limits, &excludes, progress)
        .and_then(|taken| fs::rename(&partial, into).map(|()| taken).map_err(|e| SnapshotError::io("make", into, e)));
    if taken.is_err() {
        let _ = fs::remove_dir_all(&partial);
    }
    taken
}

/// Makes the folder that gets its real name at the end.
fn prepare(repo: &Path, into: &Path) -> Result<PathBuf, SnapshotError> {
    let failed = |e| SnapshotError::io("make", into, e);
    let (Some(parent), Some(name)) = (into.parent(), into.file_name()) else {
        return Err(failed(io::ErrorKind::InvalidInput.into()));
    };
    if fs::symlink_metadata(into).is_ok() {
        return Err(SnapshotError::Exists(into.to_owned()));
    }
    DirBuilder::new().recursive(true).mode(0o700).create(parent).map_err(failed)?;
    let parent = parent.canonicalize().map_err(failed)?;
    if parent.starts_with(repo) {
        return Err(SnapshotError::Inside { into: into.to_owned(), repo: repo.to_owned() });
    }
    let mut partial = name.to_owned();
    partial.push(".partial");
    let partial = parent.join(partial);
    // What an earlier attempt left when it was killed.
    match fs::remove_dir_all(&partial) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(failed(e)),
        _ => {}
    }
    DirBuilder::new().mode(0o700).create(&partial).map_err(failed)?;
    Ok(partial)
}

fn fill(
    repo: &Path,
    dir: &Path,
    limits: &Limits,
    excludes: &Excludes,
    progress: &mut dyn FnMut(Progress),
) -> Result<Taken, SnapshotError> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let taken_at = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
    let fresh_from = Time(taken_at.saturating_sub(TICK_SECONDS), now.subsec_nanos());
    let failed = |e: io::Error| SnapshotError::io("read", repo, e);
    let root = || open_own(repo).map_err(failed);
    let mut entries = scan::scan(root()?, repo, limits, excludes)?.entries;
    let mut copy = Copy::new(dir, entries.len())?;
    copy.all(Trail::new(root()?).map_err(failed)?, &mut entries, progress)
        .map_err(|e| SnapshotError::io("make a snapshot of", repo, e))?;
    let taken = summary(&entries, copy.cloned);
    let header = Header {
        repo: repo.to_owned(),
        taken_at,
        entries: taken.entries,
        files: taken.files,
        bytes: taken.bytes,
        exclude: limits.exclude.clone(),
        fresh_from,
    };
    manifest::write(dir, &header, &entries)?;
    Ok(taken)
}

fn summary(entries: &[Entry], cloned: u64) -> Taken {
    let mut taken = Taken { entries: entries.len() as u64, cloned, ..Taken::default() };
    for (id, entry) in entries.iter().enumerate() {
        match entry.held {
            Held::Whole if entry.facts.kind == Kind::File => {
                taken.files += 1;
                taken.bytes += entry.facts.size;
            }
            Held::Excluded => taken.excluded += 1,
            Held::Mount => taken.mounts += 1,
            Held::Unread if taken.unread.len() < NAMED => taken.unread.push(path(entries, id)),
            Held::Whole | Held::Unread | Held::Gone => {}
        }
    }
    taken
}

fn path(entries: &[Entry], mut id: usize) -> PathBuf {
    let mut names = Vec::new();
    while let Some(entry) = entries.get(id).filter(|_| id != 0) {
        names.push(open::os(&entry.name));
        id = entry.parent as usize;
    }
    names.iter().rev().collect()
}

/// The second pass: contents, links and attributes.
struct Copy {
    files: OwnedFd,
    /// The folder of contents that is being filled.
    shelf: Option<(u32, OwnedFd)>,
    copier: Copier,
    cloned: u64,
    done: Progress,
}

impl Copy {
    fn new(dir: &Path, entries: usize) -> Result<Self, SnapshotError> {
        let path = dir.join(FILES);
        let made = DirBuilder::new().mode(0o700).create(&path).and_then(|()| open_own(&path));
        let files = made.map_err(|e| SnapshotError::io("make", &path, e))?;
        let done = Progress { of_entries: entries as u64, ..Progress::default() };
        Ok(Self { files, shelf: None, copier: Copier::new(), cloned: 0, done })
    }

    /// Walks the folders in the order of the entries: those of one folder stand together, and the folders of one
    /// level come up in the order in which their entries were listed.
    fn all(&mut self, mut trail: Trail, entries: &mut [Entry], progress: &mut dyn FnMut(Progress)) -> io::Result<()> {
        // The folders on the trail; each entry's folder is found by going back until it is the last one.
        let mut open_folders = vec![0];
        for id in 1..entries.len() {
            let Some(parent) = entries.get(id).map(|e| e.parent) else { break };
            if !self.go_to(parent, &mut trail, &mut open_folders, entries)? {
                self.set(entries, id, Held::Gone);
                continue;
            }
            if let Some(entry) = entries.get_mut(id) {
                let number = u32::try_from(id).unwrap_or(u32::MAX);
                self.one(trail.here()?, entry, number)?;
            }
            self.done.entries += 1;
            if self.done.entries.is_multiple_of(256) {
                progress(self.done);
            }
        }
        progress(self.done);
        Ok(())
    }

    fn set(&self, entries: &mut [Entry], id: usize, held: Held) {
        if let Some(entry) = entries.get_mut(id) {
            entry.held = held;
        }
    }

    /// Makes a folder the end of the trail; false where it has gone since the scan.
    fn go_to(
        &self,
        folder: u32,
        trail: &mut Trail,
        open_folders: &mut Vec<u32>,
        entries: &mut [Entry],
    ) -> io::Result<bool> {
        if open_folders.last() == Some(&folder) {
            return Ok(true);
        }
        let Some(entry) = entries.get(folder as usize) else { return Ok(false) };
        if entry.held != Held::Whole {
            return Ok(false);
        }
        let (parent, name) = (entry.parent, entry.name.clone());
        while open_folders.last().is_some_and(|last| *last != parent) && trail.depth() > 1 {
            trail.leave()?;
            open_folders.pop();
        }
        if open_folders.last() != Some(&parent) {
            return Ok(false);
        }
        match open::folder(trail.here()?, &name) {
            Ok(fd) => {
                trail.enter(fd)?;
                open_folders.push(folder);
                Ok(true)
            }
            Err(_) => {
                self.set(entries, folder as usize, Held::Gone);
                Ok(false)
            }
        }
    }

    fn one(&mut self, dir: BorrowedFd<'_>, entry: &mut Entry, id: u32) -> io::Result<()> {
        if entry.held != Held::Whole {
            return Ok(());
        }
        match entry.facts.kind {
            Kind::File => self.file(dir, entry, id),
            Kind::Symlink => {
                match readlinkat(dir, open::os(&entry.name), Vec::new()) {
                    Ok(target) => entry.target = Some(target.into_bytes().into_boxed_slice()),
                    Err(_) => entry.held = Held::Gone,
                }
                Ok(())
            }
            Kind::Dir | Kind::Fifo | Kind::Other => Ok(()),
        }
    }

    fn file(&mut self, dir: BorrowedFd<'_>, entry: &mut Entry, id: u32) -> io::Result<()> {
        let (from, facts) = match open::file(dir, &entry.name) {
            Ok(opened) => opened,
            Err(e) => {
                entry.held = match e {
                    Errno::NOENT | Errno::LOOP | Errno::INVAL => Held::Gone,
                    Errno::XDEV => Held::Mount,
                    Errno::MFILE | Errno::NFILE | Errno::NOMEM => return Err(e.into()),
                    _ => Held::Unread,
                };
                return Ok(());
            }
        };
        entry.facts = facts;
        entry.xattrs = metadata::xattrs(from.as_fd())?;
        if facts.size == 0 {
            return Ok(());
        }
        let (_, name) = blob(id);
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let to = openat(self.shelf(id)?, name.as_str(), flags, Mode::RUSR | Mode::WUSR)?;
        let copied = self.copier.copy(from.as_fd(), to.as_fd(), Extent::from(&facts))?;
        entry.facts.size = copied.size;
        entry.digest = copied.digest;
        if copied.digest.is_none() {
            entry.sealed = Some(Facts::new(&fstat(&to)?).ctime);
            self.cloned += 1;
        }
        self.done.bytes += copied.size;
        Ok(())
    }

    /// The folder for the content of an entry, made when first needed.
    fn shelf(&mut self, id: u32) -> io::Result<BorrowedFd<'_>> {
        let number = id >> 12;
        if self.shelf.as_ref().is_none_or(|(n, _)| *n != number) {
            let (name, _) = blob(id);
            match mkdirat(&self.files, name.as_str(), Mode::RWXU) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(e) => return Err(e.into()),
            }
            self.shelf = Some((number, open::folder(self.files.as_fd(), name.as_bytes())?));
        }
        let shelf = self.shelf.as_ref().map(|(_, fd)| fd.as_fd());
        shelf.ok_or_else(|| io::Error::other("no folder for contents"))
    }
}
