//! The walk over a snapshot and the folder it was taken of, which either counts what differs or undoes it.
//!
//! One folder at a time: first what was added is moved aside, then each entry of the snapshot is looked at, and
//! a folder gets its mode and time when everything in it is done. Each step leaves the folder nearer to what it
//! was, so a walk that was stopped is finished by the next one.

mod judge;

use crate::carry::{carry, rename_new};
use crate::changes::Changes;
use crate::content::Copier;
use crate::entry::{Entry, Facts, Held, Kind};
use crate::error::SnapshotError;
use crate::exclude::{Excludes, Reached};
use crate::install::{self, Blobs, Installer};
use crate::manifest::{self, Manifest};
use crate::metadata;
use crate::mirror::Mirror;
use crate::open::{self, Rights};
use crate::snapshot::{Progress, Restored};
use crate::trail::Trail;
use judge::{Judge, Verdict};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::fstat;
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File, TryLockError};
use std::io;
use std::ops::Range;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// How many added names of a folder are moved in one go, and how many may fail to before it is given up.
const BATCH: usize = 1024;
const MAX_STUBBORN: usize = 10_000;

/// Only looks.
pub(crate) fn compare(
    dir: &Path,
    manifest: &Manifest,
    excludes: &Excludes,
    repo: &Path,
) -> Result<Changes, SnapshotError> {
    let blobs = Blobs::open(dir).map_err(|e| SnapshotError::io("open", dir, e))?;
    let root = match open::root(repo, Rights::AsTheyAre) {
        Ok(root) => Some(root),
        Err(Errno::NOENT) => None,
        Err(e) => return Err(SnapshotError::io("open", repo, e)),
    };
    let mut walk = Walk::new(manifest, excludes, blobs, None);
    walk.all(root, &mut |_| {}).map_err(|e| SnapshotError::io("compare", repo, e))?;
    Ok(walk.changes)
}

/// Looks and undoes.
pub(crate) fn restore(
    dir: &Path,
    manifest: &Manifest,
    excludes: &Excludes,
    repo: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<Restored, SnapshotError> {
    let here = dir.canonicalize().map_err(|e| SnapshotError::io("open", dir, e))?;
    if here.starts_with(repo) {
        return Err(SnapshotError::Inside { into: here, repo: repo.to_owned() });
    }
    let _lock = lock(dir)?;
    let blobs = Blobs::open(dir).map_err(|e| SnapshotError::io("open", dir, e))?;
    if let Err(e) = fs::symlink_metadata(repo)
        && e.kind() == io::ErrorKind::NotFound
    {
        DirBuilder::new().mode(0o700).create(repo).map_err(|e| SnapshotError::io("make", repo, e))?;
    }
    let root = open::root(repo, Rights::Regain).map_err(|e| SnapshotError::io("open", repo, e))?;
    let mirror = Mirror::new(here.parent().unwrap_or(&here).join("undone"));
    let mut walk = Walk::new(manifest, excludes, blobs, Some(mirror));
    walk.all(Some(root), progress).map_err(|e| SnapshotError::io("restore", repo, e))?;
    let kept_in = walk.mirror.as_ref().and_then(Mirror::path).map(PathBuf::from);
    Ok(Restored { changes: walk.changes, kept_in })
}

/// Keeps a second process out for as long as the file is open.
fn lock(dir: &Path) -> Result<File, SnapshotError> {
    let path = dir.join(manifest::FILE);
    let file = File::open(&path).map_err(|e| SnapshotError::io("open", &path, e))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(SnapshotError::Busy(dir.to_owned())),
        Err(TryLockError::Error(e)) => Err(SnapshotError::io("lock", &path, e)),
    }
}

/// A folder of the snapshot that the walk is in.
struct Frame {
    id: u32,
    rest: Range<u32>,
    reached: Reached,
    /// Whether it is on the trail: a comparison also walks folders that have gone.
    present: bool,
}

struct Walk<'a> {
    manifest: &'a Manifest,
    excludes: &'a Excludes,
    /// Where to put what the run made; none to only look.
    mirror: Option<Mirror>,
    judge: Judge,
    installer: Installer,
    frames: Vec<Frame>,
    changes: Changes,
}

impl<'a> Walk<'a> {
    fn new(manifest: &'a Manifest, excludes: &'a Excludes, blobs: Blobs, mirror: Option<Mirror>) -> Self {
        let judge = Judge { blobs, copier: Copier::new(), fresh_from: manifest.header.fresh_from };
        let installer = Installer::new();
        Self { manifest, excludes, mirror, judge, installer, frames: Vec::new(), changes: Changes::default() }
    }

    fn all(&mut self, root: Option<OwnedFd>, progress: &mut dyn FnMut(Progress)) -> io::Result<()> {
        let mut done = Progress { of_entries: self.manifest.header.entries, ..Progress::default() };
        let Some(first) = self.manifest.get(0) else { return Ok(()) };
        let mut trail = None;
        if let Some(root) = root {
            self.look_at_folder(&root, first, 0);
            trail = Some(Trail::new(root)?);
        } else {
            self.changes.removed.add(PathBuf::new);
        }
        self.push(0, self.excludes.root(), trail.as_ref())?;
        while let Some(frame) = self.frames.last_mut() {
            match frame.rest.next() {
                Some(id) => {
                    self.entry(id, &mut trail)?;
                    done.entries += 1;
                    progress(done);
                }
                None => self.finish(&mut trail)?,
            }
        }
        Ok(())
    }

    /// Goes on with the entries of a folder, after those that it did not have.
    fn push(&mut self, id: u32, reached: Reached, trail: Option<&Trail>) -> io::Result<()> {
        let rest = self.manifest.inside(id);
        self.frames.push(Frame { id, rest, reached, present: trail.is_some() });
        if let Some(trail) = trail
            && let Err(e) = self.added(trail)
        {
            self.changes.fail(|| self.manifest.path(id), e);
        }
        Ok(())
    }

    /// Leaves a folder, whose own mode and time come last.
    fn finish(&mut self, trail: &mut Option<Trail>) -> io::Result<()> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        if let Some(mirror) = &mut self.mirror {
            mirror.leave_to(self.frames.len())?;
        }
        let Some(trail) = trail.as_mut().filter(|_| frame.present) else { return Ok(()) };
        let left = if self.frames.is_empty() { trail.here()?.try_clone_to_owned()? } else { trail.leave()? };
        if let (Some(_), Some(entry)) = (&self.mirror, self.manifest.get(frame.id)) {
            let now = Facts::new(&fstat(&left)?);
            if !metadata::agree(&now, &entry.facts)
                && let Err(e) = metadata::set_facts(left.as_fd(), &now, &entry.facts)
            {
                self.changes.fail(|| self.manifest.path(frame.id), e);
            }
        }
        Ok(())
    }

    /// One entry of the snapshot.
    fn entry(&mut self, id: u32, trail: &mut Option<Trail>) -> io::Result<()> {
        let (Some(entry), Some(frame)) = (self.manifest.get(id), self.frames.last()) else { return Ok(()) };
        let present = trail.as_ref().filter(|_| frame.present);
        let path = || self.manifest.path(id);
        let verdict = match (entry.held, present) {
            (Held::Excluded | Held::Mount | Held::Gone, _) => return Ok(()),
            (_, None) => Verdict::Missing,
            (_, Some(trail)) => match self.judge.entry(trail.here()?, entry, id) {
                Ok(verdict) => verdict,
                Err(e) => {
                    self.changes.fail(path, e);
                    return Ok(());
                }
            },
        };
        match verdict {
            Verdict::Same => {}
            Verdict::Missing => self.changes.removed.add(path),
            Verdict::Retyped => self.changes.retyped.add(path),
            Verdict::Content => self.changes.changed.add(path),
            Verdict::Metadata => self.changes.metadata.add(path),
        }
        if verdict != Verdict::Same && self.mirror.is_some() {
            let Some(trail) = present else { return Ok(()) };
            if let Err(e) = self.put_right(trail, entry, id, verdict) {
                self.changes.fail(path, e);
                return Ok(());
            }
        }
        if entry.facts.kind == Kind::Dir && entry.held == Held::Whole {
            return self.descend(id, entry, verdict, trail);
        }
        Ok(())
    }

    /// Goes into a folder of the snapshot; one that has gone has nothing but entries that have gone.
    fn descend(&mut self, id: u32, entry: &Entry, verdict: Verdict, trail: &mut Option<Trail>) -> io::Result<()> {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let Some(reached) = self.excludes.step(&frame.reached, &entry.name, true) else { return Ok(()) };
        let gone = self.mirror.is_none() && matches!(verdict, Verdict::Missing | Verdict::Retyped);
        let Some(way) = trail.as_mut().filter(|_| frame.present && !gone) else {
            return self.push(id, reached, None);
        };
        let opened = match self.mirror {
            Some(_) => open::folder_by_force(way.here()?, &entry.name),
            None => open::folder(way.here()?, &entry.name),
        };
        match opened {
            Ok(fd) => {
                if verdict == Verdict::Same {
                    self.look_at_folder(&fd, entry, id);
                } else if self.mirror.is_some()
                    && let Err(e) = metadata::set_xattrs(fd.as_fd(), &entry.xattrs)
                {
                    self.changes.fail(|| self.manifest.path(id), e);
                }
                way.enter(fd)?;
                self.push(id, reached, Some(&*way))
            }
            Err(e) => {
                let reason = match e {
                    Errno::XDEV => "another filesystem is mounted there; unmount it and try again".to_owned(),
                    e => io::Error::from(e).to_string(),
                };
                self.changes.fail(|| self.manifest.path(id), reason);
                Ok(())
            }
        }
    }

    /// The attributes of a folder whose mode and owner have been looked at already, or, for the root, have not.
    fn look_at_folder(&mut self, fd: &OwnedFd, entry: &Entry, id: u32) {
        let differs = || -> io::Result<bool> {
            let xattrs = metadata::xattrs(fd.as_fd())? != entry.xattrs;
            if xattrs && self.mirror.is_some() {
                metadata::set_xattrs(fd.as_fd(), &entry.xattrs)?;
            }
            let facts = Facts::new(&fstat(fd)?);
            Ok(xattrs || id == 0 && facts.mode != entry.facts.mode)
        };
        match differs() {
            Ok(true) => self.changes.metadata.add(|| self.manifest.path(id)),
            Ok(false) => {}
            Err(e) => self.changes.fail(|| self.manifest.path(id), e),
        }
    }

    /// Makes one entry what it was, but for what is in a folder.
    fn put_right(&mut self, trail: &Trail, entry: &Entry, id: u32, verdict: Verdict) -> io::Result<()> {
        let here = trail.here()?;
        match (entry.held, entry.facts.kind) {
            (Held::Unread, _) => return Err(io::Error::other("it could not be read when the snapshot was taken")),
            (_, Kind::Other) => return Err(io::Error::other("sockets and devices are not made again")),
            // Its mode is restored when everything in it is.
            (_, Kind::Dir) if verdict == Verdict::Metadata => return Ok(()),
            (_, Kind::Dir) => {
                if verdict == Verdict::Retyped {
                    self.set_aside(trail, &entry.name)?;
                }
                return install::folder(here, &entry.name);
            }
            _ => {}
        }
        let Judge { blobs, copier, .. } = &mut self.judge;
        let new = self.installer.prepare(here, entry, id, blobs, copier)?;
        let placed = match verdict {
            Verdict::Missing => Ok(()),
            _ => self.set_aside(trail, &entry.name),
        };
        let placed = placed.and_then(|()| Ok(rename_new(here, &new, here, &entry.name)?));
        if placed.is_err() {
            install::discard(here, &new);
        }
        placed
    }

    /// Moves an entry of the folder at the end to where it is kept.
    fn set_aside(&mut self, trail: &Trail, name: &[u8]) -> io::Result<()> {
        let (manifest, frames) = (self.manifest, &self.frames);
        let names = frames.iter().skip(1).filter_map(|f| manifest.get(f.id)).map(|e| &*e.name);
        let Some(mirror) = &mut self.mirror else { return Ok(()) };
        carry(trail.here()?, name, mirror.folder(names)?, &mut self.judge.copier)
    }

    /// What the folder at the end has and did not have.
    fn added(&mut self, trail: &Trail) -> io::Result<()> {
        let mut stubborn = BTreeSet::new();
        loop {
            let Some(Frame { id, reached, .. }) = self.frames.last() else { return Ok(()) };
            let (manifest, excludes, id) = (self.manifest, self.excludes, *id);
            let (changes, look_only) = (&mut self.changes, self.mirror.is_none());
            let mut batch = Vec::new();
            open::names(trail.here()?, |name| {
                if manifest.has(id, name) || stubborn.contains(name) || is_excluded(excludes, reached, trail, name)? {
                    return Ok(true);
                }
                if look_only {
                    changes.added.add(|| manifest.path(id).join(open::os(name)));
                    return Ok(true);
                }
                batch.push(name.to_vec());
                Ok(batch.len() < BATCH)
            })?;
            if batch.is_empty() || stubborn.len() > MAX_STUBBORN {
                return Ok(());
            }
            for name in batch {
                let path = || manifest.path(id).join(open::os(&name));
                match self.set_aside(trail, &name) {
                    Ok(()) => self.changes.added.add(path),
                    Err(e) => {
                        self.changes.fail(path, e);
                        stubborn.insert(name);
                    }
                }
            }
        }
    }
}

/// Whether a pattern leaves out an entry of the folder at the end.
fn is_excluded(excludes: &Excludes, reached: &Reached, trail: &Trail, name: &[u8]) -> io::Result<bool> {
    if reached.is_empty() {
        return Ok(false);
    }
    let is_folder = open::look(trail.here()?, name)?.is_some_and(|f| f.kind == Kind::Dir);
    Ok(excludes.step(reached, name, is_folder).is_none())
}
