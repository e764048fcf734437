//! One entry of the repo as it was: what it is, how it can be recognised, what it takes to make it again.

use crate::bytes::{Bytes, from_hex, to_hex};
use rustix::fs::{FileType, Stat};
use serde::{Deserialize, Serialize};

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Dir,
    File,
    Symlink,
    /// A pipe can be made again.
    Fifo,
    /// A socket or a device: seen, never made.
    Other,
}

/// Whether the snapshot holds what it takes to restore an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Held {
    /// All of it.
    #[default]
    Whole,
    /// Nothing: it matches an exclude pattern.
    Excluded,
    /// Nothing: another filesystem is mounted there.
    Mount,
    /// Nothing but its name: it could not be read.
    Unread,
    /// It went away while the snapshot was taken.
    Gone,
}

/// Seconds and nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Time(pub(crate) i64, pub(crate) u32);

/// What the filesystem says about an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) kind: Kind,
    /// Permission bits with set-uid, set-gid and sticky.
    pub(crate) mode: u32,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) size: u64,
    pub(crate) mtime: Time,
    /// Unlike `mtime` nobody can set this one.
    pub(crate) ctime: Time,
    pub(crate) ino: u64,
    pub(crate) nlink: u64,
    pub(crate) rdev: u64,
    /// Fewer blocks than bytes.
    pub(crate) sparse: bool,
}

impl Facts {
    pub(crate) fn new(stat: &Stat) -> Self {
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => Kind::Dir,
            FileType::RegularFile => Kind::File,
            FileType::Symlink => Kind::Symlink,
            FileType::Fifo => Kind::Fifo,
            _ => Kind::Other,
        };
        let nanos = |n| u32::try_from(n).unwrap_or(0);
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        Self {
            kind,
            mode: stat.st_mode & 0o7777,
            uid: stat.st_uid,
            gid: stat.st_gid,
            size,
            mtime: Time(stat.st_mtime, nanos(stat.st_mtime_nsec)),
            ctime: Time(stat.st_ctime, nanos(stat.st_ctime_nsec)),
            ino: stat.st_ino,
            nlink: stat.st_nlink,
            rdev: stat.st_rdev,
            sparse: u64::try_from(stat.st_blocks).unwrap_or(0).saturating_mul(512) < size,
        }
    }
}

/// Extended attributes, sorted by name.
pub(crate) type Xattrs = Vec<(Vec<u8>, Vec<u8>)>;

/// One entry of the manifest.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// The index of the folder it is in; the root is in itself.
    pub(crate) parent: u32,
    /// Its name in that folder; empty for the root.
    pub(crate) name: Box<[u8]>,
    pub(crate) facts: Facts,
    pub(crate) held: Held,
    /// Where a symbolic link points.
    pub(crate) target: Option<Box<[u8]>>,
    /// SHA-256 of the content; none where the file was cloned and nobody read it.
    pub(crate) digest: Option<[u8; 32]>,
    /// When the inode of a cloned content last changed: nobody can write to it and keep this.
    pub(crate) sealed: Option<Time>,
    pub(crate) xattrs: Xattrs,
}

impl Entry {
    /// Whether a file of the snapshot stands for this entry.
    pub(crate) fn has_blob(&self) -> bool {
        self.facts.kind == Kind::File && self.held == Held::Whole && self.facts.size > 0
    }
}

/// Whether a name can stand for one entry of a folder and nothing else.
pub(crate) fn is_plain_name(name: &[u8]) -> bool {
    !name.is_empty()
        && name.len() <= 4096
        && name != b"."
        && name != b".."
        && !name.iter().any(|b| matches!(b, 0 | b'/'))
}

/// An entry as one line of the manifest.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Line {
    #[serde(rename = "in")]
    parent: u32,
    name: Bytes,
    kind: Kind,
    #[serde(default, skip_serializing_if = "is_whole")]
    held: Held,
    mode: u32,
    owner: (u32, u32),
    size: u64,
    mtime: Time,
    ctime: Time,
    ino: u64,
    nlink: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    rdev: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    target: Option<Bytes>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sealed: Option<Time>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    xattrs: Vec<(Bytes, Bytes)>,
}

fn is_whole(held: &Held) -> bool {
    *held == Held::Whole
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl From<&Entry> for Line {
    fn from(e: &Entry) -> Self {
        let f = &e.facts;
        Self {
            parent: e.parent,
            name: Bytes::new(&e.name),
            kind: f.kind,
            held: e.held,
            mode: f.mode,
            owner: (f.uid, f.gid),
            size: f.size,
            mtime: f.mtime,
            ctime: f.ctime,
            ino: f.ino,
            nlink: f.nlink,
            rdev: f.rdev,
            target: e.target.as_deref().map(Bytes::new),
            sha256: e.digest.map(|d| to_hex(&d)),
            sealed: e.sealed,
            xattrs: e.xattrs.iter().map(|(n, v)| (Bytes::new(n), Bytes::new(v))).collect(),
        }
    }
}

impl Line {
    /// The entry; none where a value is not one that was ever written.
    pub(crate) fn entry(self) -> Option<Entry> {
        let digest = match self.sha256 {
            Some(hex) => Some(from_hex(&hex)?.try_into().ok()?),
            None => None,
        };
        let target = match self.target {
            Some(target) => Some(target.get()?.into_boxed_slice()),
            None => None,
        };
        let facts = Facts {
            kind: self.kind,
            mode: self.mode & 0o7777,
            uid: self.owner.0,
            gid: self.owner.1,
            size: self.size,
            mtime: self.mtime,
            ctime: self.ctime,
            ino: self.ino,
            nlink: self.nlink,
            rdev: self.rdev,
            sparse: false,
        };
        let xattrs: Option<Xattrs> = self.xattrs.into_iter().map(|(n, v)| Some((n.get()?, v.get()?))).collect();
        let name = self.name.get()?.into_boxed_slice();
        if (self.kind == Kind::Symlink && self.held == Held::Whole) != target.is_some() {
            return None;
        }
        let Self { parent, held, sealed, .. } = self;
        Some(Entry { parent, name, facts, held, target, digest, sealed, xattrs: xattrs? })
    }
}
