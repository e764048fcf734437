//! Derived sandboxes that are kept for the next run: `$XDG_CACHE_HOME/ringfence/derived`, else `~/.cache/…`.
//!
//! In: a key over everything that went into a derivation. Out: what a run needs of it, or nothing. An entry that is
//! damaged, too large or not ours alone counts as absent. Nothing here is ever worth an error.

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, fstat, linkat, mkdirat, openat, renameat, unlinkat};
use rustix::process::geteuid;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{DirBuilder, File};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// More entries than this are thrown away, all of them: whoever has so many gains little from one.
const MOST: usize = 128;
/// A larger entry is not kept.
const LARGEST: u64 = 4 << 20;
/// Two hashes in hex and the end of their line.
const HEAD: usize = 2 * (7 + 64) + 2;

/// An open folder of entries.
#[derive(Debug)]
pub(crate) struct Cache {
    dir: OwnedFd,
    path: PathBuf,
}

impl Cache {
    /// Opens the folder where it can be trusted, and makes it where there is none.
    pub(super) fn open() -> Option<Self> {
        let base = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
        let base = base("XDG_CACHE_HOME").or_else(|| base("HOME").map(|home| home.join(".cache")))?;
        let path = base.join("ringfence/derived");
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
        let dir = match openat(CWD, &path, flags, Mode::empty()) {
            Err(rustix::io::Errno::NOENT) => {
                DirBuilder::new().recursive(true).mode(0o700).create(path.parent()?).ok()?;
                let _ = mkdirat(CWD, &path, Mode::RWXU);
                openat(CWD, &path, flags, Mode::empty()).ok()?
            }
            opened => opened.ok()?,
        };
        let stat = fstat(&dir).ok()?;
        (stat.st_uid == geteuid().as_raw() && stat.st_mode & 0o077 == 0).then_some(Self { dir, path })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The entry of a key.
    pub(super) fn get<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let fd = openat(&self.dir, name(key)?, flags, Mode::empty()).ok()?;
        let stat = fstat(&fd).ok()?;
        let ours = stat.st_uid == geteuid().as_raw() && stat.st_mode & 0o022 == 0;
        if !ours || FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return None;
        }
        let mut bytes = Vec::with_capacity(usize::try_from(stat.st_size).unwrap_or(0).min(1 << 20));
        File::from(fd).take(LARGEST + 1).read_to_end(&mut bytes).ok()?;
        let (head, body) = bytes.split_at_checked(HEAD)?;
        let expected = format!("{key} {}\n", ringfence_seal::hash_bytes(body));
        if head != expected.as_bytes() {
            return None;
        }
        serde_json::from_slice(body).ok()
    }

    /// Keeps an entry, with the config it was made of beside it.
    pub(super) fn put(&self, key: &str, value: &impl Serialize, config: &[u8]) -> Option<()> {
        self.sweep();
        let body = serde_json::to_vec(value).ok()?;
        let mut bytes = format!("{key} {}\n", ringfence_seal::hash_bytes(&body)).into_bytes();
        bytes.extend_from_slice(&body);
        if bytes.len() as u64 > LARGEST {
            return None;
        }
        let name = name(key)?;
        self.write(&format!("{name}.json"), config)?;
        self.write(name, &bytes)
    }

    /// Gives a folder the config of a key: one more name for the same file, or nothing where that cannot be.
    pub(super) fn link_config(&self, key: &str, into: &Path) -> bool {
        let linked = name(key).map(|n| linkat(&self.dir, format!("{n}.json"), CWD, into, AtFlags::empty()));
        linked.is_some_and(|l| l.is_ok())
    }

    /// Whoever reads sees the whole file or none.
    fn write(&self, name: &str, bytes: &[u8]) -> Option<()> {
        let temporary = format!(".{name}.{}", std::process::id());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = openat(&self.dir, &temporary, flags, Mode::RUSR | Mode::WUSR).ok()?;
        let written = File::from(fd).write_all(bytes).is_ok();
        if written && renameat(&self.dir, &temporary, &self.dir, name).is_ok() {
            return Some(());
        }
        let _ = unlinkat(&self.dir, &temporary, AtFlags::empty());
        None
    }

    fn sweep(&self) {
        let names: Vec<_> =
            std::fs::read_dir(&self.path).into_iter().flatten().flatten().map(|e| e.file_name()).collect();
        if names.len() >= 2 * MOST {
            for name in names {
                let _ = unlinkat(&self.dir, name, AtFlags::empty());
            }
        }
    }
}

/// The file of a key: its hash without the name of the algorithm.
fn name(key: &str) -> Option<&str> {
    key.strip_prefix("sha256:").filter(|hex| hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
}
