//! Folders of our own: opened without following links, owned by us, writable by nobody else.
//!
//! Everything below the state folder is opened relative to a descriptor, so that nothing can be swapped under a path
//! between the check and the use.

use crate::StoreError;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat, fstat, fsync, linkat, mkdirat, openat, unlinkat};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::fs::{DirBuilder, File};
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

const DIR: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC).union(OFlags::RDONLY);
const FILE: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);

/// An open folder that can be trusted.
#[derive(Debug)]
pub(crate) struct Folder {
    fd: OwnedFd,
    path: PathBuf,
}

/// How a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Append,
}

impl Folder {
    /// Opens the folder at a path, making it and what is above it where needed.
    pub(crate) fn open_or_make(path: &Path) -> Result<Self, StoreError> {
        match openat(CWD, path, DIR, Mode::empty()) {
            Err(Errno::NOENT) => {
                let make = DirBuilder::new().recursive(true).mode(0o700).create(path);
                make.map_err(StoreError::io("make the folder", path))?;
                Self::checked(openat(CWD, path, DIR, Mode::empty()), path.to_owned())
            }
            opened => Self::checked(opened, path.to_owned()),
        }
    }

    /// Opens a folder in this one, making it where needed.
    pub(crate) fn child_or_make(&self, name: &str) -> Result<Self, StoreError> {
        match self.open_child(name) {
            Err(Errno::NOENT) => {
                if let Err(e) = self.mkdir(name)
                    && e != Errno::EXIST
                {
                    return Err(StoreError::io("make the folder", &self.path.join(name))(e.into()));
                }
                self.child(name)
            }
            opened => Self::checked(opened, self.path.join(name)),
        }
    }

    /// Opens a folder in this one.
    pub(crate) fn child(&self, name: &str) -> Result<Self, StoreError> {
        Self::checked(self.open_child(name), self.path.join(name))
    }

    /// Makes a folder in this one; false where there is one.
    pub(crate) fn make_child(&self, name: &str) -> Result<bool, StoreError> {
        match self.mkdir(name) {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            Err(e) => Err(StoreError::io("make the folder", &self.path.join(name))(e.into())),
        }
    }

    fn mkdir(&self, name: &str) -> Result<(), Errno> {
        mkdirat(&self.fd, name, Mode::RWXU)
    }

    fn open_child(&self, name: &str) -> Result<OwnedFd, Errno> {
        openat(&self.fd, name, DIR, Mode::empty())
    }

    fn checked(opened: Result<OwnedFd, Errno>, path: PathBuf) -> Result<Self, StoreError> {
        let fd = match opened {
            Ok(fd) => fd,
            Err(Errno::NOTDIR | Errno::LOOP) => {
                return Err(StoreError::Unsafe { path, why: "it is a symbolic link or no folder" });
            }
            Err(e) => return Err(StoreError::io("open the folder", &path)(e.into())),
        };
        let stat = fstat(&fd).map_err(|e| StoreError::io("look at", &path)(e.into()))?;
        match distrust(&stat, 0o022) {
            Some(why) => Err(StoreError::Unsafe { path, why }),
            None => Ok(Self { fd, path }),
        }
    }

    /// Where a file of this folder is.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Makes a new file that only we can read; an error of its own kind where there is one.
    pub(crate) fn create(&self, name: &str) -> io::Result<File> {
        let flags = FILE | OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL;
        Ok(openat(&self.fd, name, flags, Mode::RUSR | Mode::WUSR)?.into())
    }

    /// Opens a file that nobody else can write; none where there is none.
    pub(crate) fn open(&self, name: &str, access: Access, others: u32) -> Result<Option<File>, StoreError> {
        let flags = match access {
            Access::Read => FILE | OFlags::RDONLY,
            Access::Append => FILE | OFlags::RDWR | OFlags::APPEND,
        };
        let path = self.path.join(name);
        let fd = match openat(&self.fd, name, flags, Mode::empty()) {
            Ok(fd) => fd,
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP) => return Err(StoreError::Unsafe { path, why: "it is a symbolic link" }),
            Err(e) => return Err(StoreError::io("open", &path)(e.into())),
        };
        let stat = fstat(&fd).map_err(|e| StoreError::io("look at", &path)(e.into()))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(StoreError::Unsafe { path, why: "it is no regular file" });
        }
        match distrust(&stat, others) {
            Some(why) => Err(StoreError::Unsafe { path, why }),
            None => Ok(Some(fd.into())),
        }
    }

    /// Gives a finished file its name, unless the name is taken: whoever reads sees all of it or nothing.
    pub(crate) fn publish(&self, temporary: &str, name: &str) -> io::Result<()> {
        let linked = linkat(&self.fd, temporary, &self.fd, name, AtFlags::empty());
        unlinkat(&self.fd, temporary, AtFlags::empty())?;
        Ok(linked?)
    }

    /// Removes a file.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        Ok(unlinkat(&self.fd, name, AtFlags::empty())?)
    }

    /// Makes the names in this folder outlive the machine's power.
    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        fsync(&self.fd).map_err(|e| StoreError::io("sync", &self.path)(e.into()))
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// Why a file or folder is not ours alone.
fn distrust(stat: &Stat, others: u32) -> Option<&'static str> {
    if stat.st_uid != geteuid().as_raw() {
        return Some("it belongs to another user");
    }
    (stat.st_mode & others != 0).then_some("other users may read or change it; tighten its mode")
}

/// The text of a small file.
pub(crate) fn read_small(file: File, path: &Path, bound: u64) -> Result<String, StoreError> {
    let mut text = String::new();
    file.take(bound).read_to_string(&mut text).map_err(StoreError::io("read", path))?;
    Ok(text)
}
