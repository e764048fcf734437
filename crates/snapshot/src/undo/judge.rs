//! Whether one entry is what it was.
//!
//! A file is recognised by inode, size and the time its inode last changed, which unlike the time of its content
//! nobody can set. Where these differ, or are too young to tell two changes apart, the content decides.

use crate::content::{Copier, Extent};
use crate::entry::{Entry, Facts, Held, Kind, Time};
use crate::install::Blobs;
use crate::metadata::{self, agree, is_root};
use crate::open;
use rustix::fd::{AsFd, BorrowedFd};
use rustix::fs::readlinkat;
use rustix::io::Errno;
use std::io;

/// What has become of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Same,
    Missing,
    /// Something of another kind is there.
    Retyped,
    /// The content or the target differs.
    Content,
    /// Only what is said about it differs.
    Metadata,
}

/// What it takes to judge.
#[derive(Debug)]
pub(crate) struct Judge {
    pub(crate) blobs: Blobs,
    pub(crate) copier: Copier,
    pub(crate) fresh_from: Time,
}

impl Judge {
    /// Judges what has the name of an entry in the folder it was in. Folders are judged without what is in them
    /// and without their time, which every new name in them changes.
    pub(crate) fn entry(&mut self, dir: BorrowedFd<'_>, then: &Entry, id: u32) -> io::Result<Verdict> {
        let Some(now) = open::look(dir, &then.name)? else { return Ok(Verdict::Missing) };
        if now.kind != then.facts.kind {
            return Ok(Verdict::Retyped);
        }
        if then.held == Held::Unread {
            let same = now.kind == Kind::Dir || same_inode(&now, &then.facts);
            return Ok(if same { Verdict::Same } else { Verdict::Content });
        }
        let old = then.facts.ctime < self.fresh_from;
        Ok(match now.kind {
            Kind::Dir => {
                let owner = !is_root() || (now.uid, now.gid) == (then.facts.uid, then.facts.gid);
                metadata_if(!owner || now.mode != then.facts.mode)
            }
            Kind::Other if now.rdev != then.facts.rdev => Verdict::Retyped,
            Kind::Other => Verdict::Same,
            Kind::Fifo => metadata_if(!agree(&now, &then.facts)),
            Kind::File | Kind::Symlink if old && same_inode(&now, &then.facts) => Verdict::Same,
            Kind::Symlink => {
                let target = readlinkat(dir, open::os(&then.name), Vec::new())?;
                match Some(target.to_bytes()) == then.target.as_deref() {
                    true => metadata_if(!agree_without_mode(&now, &then.facts)),
                    false => Verdict::Content,
                }
            }
            Kind::File => self.file(dir, then, id, &now)?,
        })
    }

    fn file(&mut self, dir: BorrowedFd<'_>, then: &Entry, id: u32, now: &Facts) -> io::Result<Verdict> {
        if now.size != then.facts.size {
            return Ok(Verdict::Content);
        }
        let (fd, now) = match open::file(dir, &then.name) {
            Ok(opened) => opened,
            // What cannot be read any more is certainly not as it was, unless that was so before.
            Err(Errno::ACCESS) => return Ok(Verdict::Content),
            Err(e) => return Err(e.into()),
        };
        let same = match then.digest {
            _ if now.size == 0 => true,
            Some(digest) => self.copier.digest(fd.as_fd(), Extent::from(&now))?.digest == Some(digest),
            None => {
                let (blob, _) = self.blobs.get(then, id)?;
                self.copier.same(fd.as_fd(), blob.as_fd(), then.facts.size)?
            }
        };
        if !same {
            return Ok(Verdict::Content);
        }
        // INVARIANT: a file that has got another name is replaced, lest a later edit reaches both.
        let linked = now.nlink > then.facts.nlink;
        Ok(metadata_if(linked || !agree(&now, &then.facts) || metadata::xattrs(fd.as_fd())? != then.xattrs))
    }
}

fn metadata_if(differs: bool) -> Verdict {
    if differs { Verdict::Metadata } else { Verdict::Same }
}

/// The same inode, untouched since.
fn same_inode(now: &Facts, then: &Facts) -> bool {
    (now.ino, now.ctime, now.size) == (then.ino, then.ctime, then.size)
}

/// Links have no mode of their own.
fn agree_without_mode(now: &Facts, then: &Facts) -> bool {
    agree(&Facts { mode: then.mode, ..*now }, then)
}
