//! Looking at a whole tree before anything is copied: which entries there are and how much they weigh.
//!
//! Out: the entries in an order in which those of one folder stand together, sorted by name, after the folder.

use crate::entry::{Entry, Facts, Held, Kind};
use crate::error::SnapshotError;
use crate::exclude::{Excludes, Reached};
use crate::metadata;
use crate::open;
use crate::snapshot::Limits;
use crate::trail::Trail;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::fstat;
use rustix::io::Errno;
use std::io;
use std::ops::Range;
use std::path::Path;

/// What a scan found.
#[derive(Debug)]
pub(crate) struct Scan {
    pub(crate) entries: Vec<Entry>,
    pub(crate) bytes: u64,
}

/// A folder whose entries have been listed.
struct Frame {
    rest: Range<u32>,
    reached: Reached,
}

struct Scanner<'a> {
    repo: &'a Path,
    limits: &'a Limits,
    excludes: &'a Excludes,
    found: Scan,
    /// Bytes and entries below each top-level entry, to name the one that weighs most.
    weights: Vec<(u64, u64)>,
}

/// Scans the tree below an open folder.
pub(crate) fn scan(root: OwnedFd, repo: &Path, limits: &Limits, excludes: &Excludes) -> Result<Scan, SnapshotError> {
    let failed = |e: io::Error| SnapshotError::io("look into", repo, e);
    let facts = Facts::new(&fstat(&root).map_err(|e| failed(e.into()))?);
    let mut trail = Trail::new(root).map_err(failed)?;
    let found = Scan { entries: vec![entry(0, b"", facts, Held::Whole)], bytes: 0 };
    let mut scanner = Scanner { repo, limits, excludes, found, weights: Vec::new() };
    let here = trail.here().map_err(failed)?;
    let rest = scanner.list(here, 0, &excludes.root(), None)?;
    let mut frames = vec![Frame { rest, reached: excludes.root() }];
    let mut top = 0;
    while let Some(frame) = frames.last_mut() {
        let Some(id) = frame.rest.next() else {
            frames.pop();
            if !frames.is_empty() {
                trail.leave().map_err(failed)?;
            }
            continue;
        };
        let Some(entry) = scanner.found.entries.get(id as usize) else { continue };
        if entry.facts.kind != Kind::Dir || entry.held != Held::Whole {
            continue;
        }
        let Some(reached) = excludes.step(&frame.reached, &entry.name, true) else { continue };
        if frames.len() == 1 {
            top = id;
        }
        match open::folder(trail.here().map_err(failed)?, &entry.name) {
            Ok(fd) => {
                let rest = scanner.list(fd.as_fd(), id, &reached, Some(top))?;
                trail.enter(fd).map_err(failed)?;
                frames.push(Frame { rest, reached });
            }
            Err(e) => scanner.not_opened(id, e),
        }
    }
    Ok(scanner.found)
}

fn entry(parent: u32, name: &[u8], facts: Facts, held: Held) -> Entry {
    Entry { parent, name: name.into(), facts, held, target: None, digest: None, sealed: None, xattrs: Vec::new() }
}

impl Scanner<'_> {
    /// Adds the entries of one folder.
    fn list(
        &mut self,
        dir: BorrowedFd<'_>,
        id: u32,
        reached: &Reached,
        top: Option<u32>,
    ) -> Result<Range<u32>, SnapshotError> {
        let first = self.found.entries.len();
        if let Some(folder) = self.found.entries.get_mut(id as usize) {
            folder.xattrs = metadata::xattrs(dir).map_err(|e| SnapshotError::io("look into", self.repo, e))?;
        }
        let mut over = None;
        let listed = open::names(dir, |name| {
            let facts = match open::look(dir, name) {
                Ok(Some(facts)) => facts,
                Ok(None) => return Ok(true),
                Err(e) => return Err(e),
            };
            let excluded = self.excludes.step(reached, name, facts.kind == Kind::Dir).is_none();
            let held = if excluded { Held::Excluded } else { Held::Whole };
            self.found.entries.push(entry(id, name, facts, held));
            let weight = if excluded || facts.kind != Kind::File { 0 } else { facts.size };
            self.weigh(top, weight);
            over = self.over();
            Ok(over.is_none())
        });
        if let Some(what) = over {
            return Err(SnapshotError::TooLarge { what, heaviest: self.heaviest() });
        }
        match listed {
            Ok(()) => {}
            // A folder that may be listed but not entered is as good as one that may not be read.
            Err(e) if e.kind() == io::ErrorKind::PermissionDenied && id != 0 => {
                self.found.entries.truncate(first);
                self.not_opened(id, Errno::ACCESS);
            }
            Err(e) => return Err(SnapshotError::io("look into", self.repo, e)),
        }
        if let Some(new) = self.found.entries.get_mut(first..) {
            new.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        }
        if top.is_none() {
            // The first folder is sorted only now, so its files are weighed again under their final number.
            self.weights = self.found.entries.iter().map(|e| (own_weight(e), 1)).collect();
        }
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Ok(number(first)..number(self.found.entries.len()))
    }

    fn weigh(&mut self, top: Option<u32>, bytes: u64) {
        self.found.bytes = self.found.bytes.saturating_add(bytes);
        if let Some(weight) = top.and_then(|t| self.weights.get_mut(t as usize)) {
            weight.0 = weight.0.saturating_add(bytes);
            weight.1 += 1;
        }
    }

    fn over(&self) -> Option<String> {
        let entries = self.found.entries.len() as u64;
        if entries > self.limits.max_files {
            return Some(format!("it has more than {} entries", self.limits.max_files));
        }
        (self.found.bytes > self.limits.max_bytes)
            .then(|| format!("its files hold more than {} bytes", self.limits.max_bytes))
    }

    /// The top-level entry with the most bytes, or the most entries where nothing has bytes.
    fn heaviest(&self) -> String {
        let heaviest = self.weights.iter().enumerate().skip(1).max_by_key(|(_, w)| **w);
        let weighed = heaviest.and_then(|(i, _)| self.found.entries.get(i));
        // A first folder that is too large by itself has not been weighed.
        let entry = weighed.or_else(|| self.found.entries.iter().max_by_key(|e| own_weight(e)));
        entry.map(|e| String::from_utf8_lossy(&e.name).escape_debug().to_string()).unwrap_or_default()
    }

    /// A folder that is a mount, or may not be read, or has gone.
    fn not_opened(&mut self, id: u32, e: Errno) {
        if let Some(entry) = self.found.entries.get_mut(id as usize) {
            entry.held = match e {
                Errno::XDEV => Held::Mount,
                Errno::NOENT | Errno::NOTDIR | Errno::LOOP => Held::Gone,
                _ => Held::Unread,
            };
        }
    }
}

fn own_weight(entry: &Entry) -> u64 {
    if entry.held == Held::Whole && entry.facts.kind == Kind::File { entry.facts.size } else { 0 }
}
