//! The manifest: a header line, a line for each entry, and a last line with a hash of all before it.
//!
//! In: the file, read within bounds. Out: entries whose names have one part and whose folders come before them,
//! with the entries of one folder side by side, or an error.

use crate::bytes::{Bytes, to_hex};
use crate::entry::{Entry, Held, Kind, Line, Time, is_plain_name};
use crate::error::SnapshotError;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::ops::Range;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The name of the manifest in a snapshot folder.
pub(crate) const FILE: &str = "manifest.jsonl";
const FORMAT: &str = "ringfence-snapshot/1";
/// No line is longer: one entry with all of its attributes.
const MAX_LINE: u64 = 64 * 1024 * 1024;

/// What a snapshot says about itself in its first line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The folder it was taken of, without symbolic links.
    pub repo: PathBuf,
    /// When, in seconds since 1970.
    pub taken_at: i64,
    /// Files, folders, links and the rest.
    pub entries: u64,
    /// Regular files whose content is kept.
    pub files: u64,
    /// Bytes in them.
    pub bytes: u64,
    /// What was left out.
    pub exclude: Vec<String>,
    /// Changes of the inode from this time on may have happened in the same clock tick as the snapshot.
    pub(crate) fresh_from: Time,
}

#[derive(Debug, Serialize, Deserialize)]
struct HeaderLine {
    format: String,
    repo: Bytes,
    taken_at: i64,
    entries: u64,
    files: u64,
    bytes: u64,
    exclude: Vec<String>,
    fresh_from: Time,
}

#[derive(Debug, Serialize, Deserialize)]
struct LastLine {
    end: u64,
    sha256: String,
}

/// The entries of a snapshot.
#[derive(Debug)]
pub(crate) struct Manifest {
    pub(crate) header: Header,
    entries: Vec<Entry>,
    /// The entries of each folder, by its number; empty for anything else.
    inside: Vec<Range<u32>>,
}

impl Manifest {
    pub(crate) fn get(&self, id: u32) -> Option<&Entry> {
        self.entries.get(id as usize)
    }

    /// The numbers of the entries of a folder.
    pub(crate) fn inside(&self, id: u32) -> Range<u32> {
        self.inside.get(id as usize).cloned().unwrap_or(0..0)
    }

    /// Whether a folder had an entry of this name when the snapshot was complete.
    pub(crate) fn has(&self, id: u32, name: &[u8]) -> bool {
        let range = self.inside(id);
        let entries = self.entries.get(range.start as usize..range.end as usize).unwrap_or_default();
        let at = entries.binary_search_by(|e| (*e.name).cmp(name)).ok();
        at.and_then(|i| entries.get(i)).is_some_and(|e| e.held != Held::Gone)
    }

    /// The path of an entry from the root of the repo.
    pub(crate) fn path(&self, mut id: u32) -> PathBuf {
        let mut names = Vec::new();
        while let Some(entry) = self.get(id).filter(|_| id != 0) {
            names.push(&*entry.name);
            id = entry.parent;
        }
        names.reverse();
        PathBuf::from(std::ffi::OsString::from_vec(names.join(&b'/')))
    }
}

/// Writes the manifest of a snapshot and waits until it is on disk.
pub(crate) fn write(dir: &Path, header: &Header, entries: &[Entry]) -> Result<(), SnapshotError> {
    let path = dir.join(FILE);
    let line = HeaderLine {
        format: FORMAT.to_owned(),
        repo: Bytes::new(header.repo.as_os_str().as_bytes()),
        taken_at: header.taken_at,
        entries: header.entries,
        files: header.files,
        bytes: header.bytes,
        exclude: header.exclude.clone(),
        fresh_from: header.fresh_from,
    };
    let written = || -> io::Result<()> {
        let file = File::options().write(true).create_new(true).mode(0o600).open(&path)?;
        let mut out = Hashing { out: BufWriter::with_capacity(1 << 18, file), hash: Sha256::new() };
        put(&mut out, &line)?;
        for entry in entries {
            put(&mut out, &Line::from(entry))?;
        }
        let sha256 = to_hex(&out.hash.clone().finalize());
        put(&mut out, &LastLine { end: entries.len() as u64, sha256 })?;
        let file = out.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()
    };
    written().map_err(|e| SnapshotError::io("write", &path, e))
}

fn put(out: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}

struct Hashing<W> {
    out: W,
    hash: Sha256,
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.out.write(bytes)?;
        self.hash.update(bytes.get(..n).unwrap_or_default());
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Reads the lines of a manifest one at a time.
struct Lines<'a> {
    dir: &'a Path,
    file: BufReader<File>,
    line: Vec<u8>,
}

impl<'a> Lines<'a> {
    fn open(dir: &'a Path) -> Result<Self, SnapshotError> {
        let path = dir.join(FILE);
        let file = File::open(&path).map_err(|e| SnapshotError::io("read", &path, e))?;
        Ok(Self { dir, file: BufReader::with_capacity(1 << 18, file), line: Vec::new() })
    }

    fn damaged(&self, reason: impl Into<String>) -> SnapshotError {
        SnapshotError::Damaged { dir: self.dir.to_owned(), reason: reason.into() }
    }

    fn next(&mut self) -> Result<&[u8], SnapshotError> {
        self.line.clear();
        let read = (&mut self.file).take(MAX_LINE).read_until(b'\n', &mut self.line);
        read.map_err(|e| SnapshotError::io("read", &self.dir.join(FILE), e))?;
        if self.line.last() != Some(&b'\n') {
            return Err(self.damaged("the manifest ends too early"));
        }
        Ok(&self.line)
    }

    fn header(&mut self) -> Result<Header, SnapshotError> {
        let line: Option<HeaderLine> = serde_json::from_slice(self.next()?).ok();
        let Some(line) = line.filter(|l| l.format == FORMAT) else {
            return Err(self.damaged(format!("the manifest does not begin as one of format `{FORMAT}`")));
        };
        let Some(repo) = line.repo.get() else { return Err(self.damaged("the path of the repo cannot be read")) };
        Ok(Header {
            repo: PathBuf::from(std::ffi::OsString::from_vec(repo)),
            taken_at: line.taken_at,
            entries: line.entries,
            files: line.files,
            bytes: line.bytes,
            exclude: line.exclude,
            fresh_from: line.fresh_from,
        })
    }
}

/// Reads the first line only.
pub(crate) fn read_header(dir: &Path) -> Result<Header, SnapshotError> {
    Lines::open(dir)?.header()
}

/// Reads and checks the whole manifest.
pub(crate) fn read(dir: &Path) -> Result<Manifest, SnapshotError> {
    let mut lines = Lines::open(dir)?;
    let mut hash = Sha256::new();
    let header = lines.header()?;
    hash.update(&lines.line);
    let mut entries: Vec<Entry> = Vec::new();
    let mut inside: Vec<Range<u32>> = Vec::new();
    for id in 0..header.entries {
        let line: Option<Line> = serde_json::from_slice(lines.next()?).ok();
        hash.update(&lines.line);
        let number = u32::try_from(id).ok();
        let added = line.and_then(Line::entry).zip(number).and_then(|(e, n)| add(&mut entries, &mut inside, e, n));
        added.ok_or_else(|| lines.damaged(format!("entry {id} of the manifest cannot be right")))?;
    }
    let last: Option<LastLine> = serde_json::from_slice(lines.next()?).ok();
    if last.is_none_or(|l| l.end != header.entries || l.sha256 != to_hex(&hash.finalize())) {
        return Err(lines.damaged("the manifest does not match its hash"));
    }
    if entries.is_empty() {
        return Err(lines.damaged("the manifest has no entries"));
    }
    Ok(Manifest { header, entries, inside })
}

/// Adds an entry that stands where it belongs; none for any other.
fn add(entries: &mut Vec<Entry>, inside: &mut Vec<Range<u32>>, entry: Entry, id: u32) -> Option<()> {
    if id == 0 {
        (entry.parent == 0 && entry.name.is_empty() && entry.facts.kind == Kind::Dir).then_some(())?;
    } else {
        let parent = entries.get(entry.parent as usize)?;
        (is_plain_name(&entry.name) && parent.facts.kind == Kind::Dir).then_some(())?;
        let siblings = inside.get_mut(entry.parent as usize)?;
        if siblings.start == siblings.end {
            *siblings = id..id;
        }
        let after = entries.last().is_some_and(|e| id == siblings.start || e.name < entry.name);
        (siblings.end == id && after).then_some(())?;
        siblings.end = id.checked_add(1)?;
    }
    entries.push(entry);
    inside.push(0..0);
    Some(())
}
