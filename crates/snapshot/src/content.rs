//! The bytes of a file: cloned where the filesystem shares blocks, else copied with their hash on the way.

use rustix::fd::BorrowedFd;
use rustix::fs::{SeekFrom, ftruncate, ioctl_ficlone, seek};
use rustix::io::{Errno, pread, pwrite};
use sha2::{Digest, Sha256};
use std::io;

const CHUNK: usize = 256 * 1024;

/// What has been learnt about cloning between two filesystems, and room to copy through.
#[derive(Debug)]
pub(crate) struct Copier {
    may_clone: bool,
    room: Vec<u8>,
    zeros: Vec<u8>,
}

/// What a copy holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Copied {
    pub(crate) size: u64,
    /// None for a clone: nobody read it.
    pub(crate) digest: Option<[u8; 32]>,
}

impl Copier {
    pub(crate) fn new() -> Self {
        Self { may_clone: true, room: vec![0; CHUNK], zeros: Vec::new() }
    }

    /// Makes an empty file hold what another holds, up to a size: a file that grows meanwhile has an end.
    pub(crate) fn copy(&mut self, from: BorrowedFd<'_>, to: BorrowedFd<'_>, facts: Extent) -> io::Result<Copied> {
        if self.may_clone {
            match ioctl_ficlone(to, from) {
                Ok(()) => {
                    let size = u64::try_from(rustix::fs::fstat(to)?.st_size).unwrap_or(0);
                    return Ok(Copied { size, digest: None });
                }
                // This file only: a swap file, or one that the filesystem keeps inline.
                Err(Errno::INVAL | Errno::TXTBSY | Errno::PERM) => {}
                Err(Errno::NOSPC | Errno::DQUOT | Errno::IO) => return Err(Errno::NOSPC.into()),
                Err(_) => self.may_clone = false,
            }
        }
        let mut hash = Sha256::new();
        let size = self.stream(from, facts, &mut hash, |at, bytes| write_all(to, bytes, at))?;
        if facts.sparse || size != facts.size {
            ftruncate(to, size)?;
        }
        Ok(Copied { size, digest: Some(hash.finalize().into()) })
    }

    /// The hash of a file's first bytes and how many there were.
    pub(crate) fn digest(&mut self, of: BorrowedFd<'_>, extent: Extent) -> io::Result<Copied> {
        let mut hash = Sha256::new();
        let size = self.stream(of, extent, &mut hash, |_, _| Ok(()))?;
        Ok(Copied { size, digest: Some(hash.finalize().into()) })
    }

    /// Whether two files begin with the same bytes.
    pub(crate) fn same(&mut self, a: BorrowedFd<'_>, b: BorrowedFd<'_>, size: u64) -> io::Result<bool> {
        let mut at = 0;
        let mut other = vec![0; CHUNK];
        while at < size {
            let want = chunk(size - at);
            let (n, m) = (read_some(a, &mut self.room, want, at)?, read_some(b, &mut other, want, at)?);
            if n == 0 || n != m || self.room.get(..n) != other.get(..n) {
                return Ok(false);
            }
            at += n as u64;
        }
        Ok(true)
    }

    /// Feeds the content to the hash and its data, without the holes, to `put`.
    fn stream(
        &mut self,
        from: BorrowedFd<'_>,
        extent: Extent,
        hash: &mut Sha256,
        mut put: impl FnMut(u64, &[u8]) -> io::Result<()>,
    ) -> io::Result<u64> {
        let mut at = 0;
        while at < extent.size {
            let (data, end) = if extent.sparse { next_data(from, at, extent.size)? } else { (at, extent.size) };
            self.hash_zeros(hash, data - at);
            at = data;
            while at < end {
                let n = read_some(from, &mut self.room, chunk(end - at), at)?;
                if n == 0 {
                    return Ok(at);
                }
                let bytes = self.room.get(..n).unwrap_or_default();
                hash.update(bytes);
                put(at, bytes)?;
                at += n as u64;
            }
        }
        Ok(at)
    }

    fn hash_zeros(&mut self, hash: &mut Sha256, mut count: u64) {
        if count > 0 {
            self.zeros.resize(CHUNK, 0);
        }
        while count > 0 {
            let n = chunk(count);
            hash.update(self.zeros.get(..n).unwrap_or_default());
            count -= n as u64;
        }
    }
}

/// How much of a file is looked at, and whether it has holes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) size: u64,
    pub(crate) sparse: bool,
}

impl From<&crate::entry::Facts> for Extent {
    fn from(facts: &crate::entry::Facts) -> Self {
        Self { size: facts.size, sparse: facts.sparse }
    }
}

fn chunk(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(CHUNK).min(CHUNK)
}

/// Where data begins at or after an offset, and where it ends.
fn next_data(fd: BorrowedFd<'_>, at: u64, size: u64) -> io::Result<(u64, u64)> {
    let data = match seek(fd, SeekFrom::Data(at)) {
        Ok(data) => data.clamp(at, size),
        Err(Errno::NXIO) => return Ok((size, size)),
        Err(_) => return Ok((at, size)),
    };
    let end = seek(fd, SeekFrom::Hole(data)).unwrap_or(size).min(size);
    // A file that changes under our hands must not stop the loop.
    Ok((data, end.max(data.saturating_add(1)).min(size)))
}

fn read_some(fd: BorrowedFd<'_>, room: &mut [u8], want: usize, at: u64) -> io::Result<usize> {
    let room = room.get_mut(..want).unwrap_or_default();
    let mut done = 0;
    while done < want {
        match pread(fd, room.get_mut(done..).unwrap_or_default(), at + done as u64) {
            Ok(0) => break,
            Ok(n) => done += n,
            Err(Errno::INTR) => {}
            Err(e) => return Err(e.into()),
        }
    }
    Ok(done)
}

fn write_all(fd: BorrowedFd<'_>, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match pwrite(fd, bytes, at) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => {
                bytes = bytes.get(n..).unwrap_or_default();
                at += n as u64;
            }
            Err(Errno::INTR) => {}
            Err(e) => return Err(e.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fd::AsFd;
    use std::io::{Read, Seek, SeekFrom, Write};
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn holes_are_copied_as_holes_and_hashed_as_zeros() {
        let mut from = tempfile::tempfile().unwrap();
        from.set_len(3 << 20).unwrap();
        from.seek(SeekFrom::Start(1 << 20)).unwrap();
        from.write_all(b"middle").unwrap();
        let mut to = tempfile::tempfile().unwrap();
        let extent = Extent { size: 3 << 20, sparse: true };
        let mut copier = Copier { may_clone: false, ..Copier::new() };
        let copied = copier.copy(from.as_fd(), to.as_fd(), extent).unwrap();
        let mut whole = Vec::new();
        to.seek(SeekFrom::Start(0)).unwrap();
        to.read_to_end(&mut whole).unwrap();
        assert_eq!(whole.len(), 3 << 20);
        assert_eq!(copied.digest, Some(Sha256::digest(&whole).into()));
        assert!(to.metadata().unwrap().blocks() * 512 < 1 << 20);
        assert_eq!(copier.digest(to.as_fd(), Extent { size: 3 << 20, sparse: false }).unwrap(), copied);
        assert!(copier.same(from.as_fd(), to.as_fd(), 3 << 20).unwrap());
        to.seek(SeekFrom::Start(1 << 20)).unwrap();
        to.write_all(b"m1ddle").unwrap();
        assert!(!copier.same(from.as_fd(), to.as_fd(), 3 << 20).unwrap());
    }

    #[test]
    fn a_file_that_shrinks_is_copied_as_far_as_it_goes() {
        let mut from = tempfile::tempfile().unwrap();
        from.write_all(b"short").unwrap();
        let to = tempfile::tempfile().unwrap();
        let mut copier = Copier { may_clone: false, ..Copier::new() };
        let copied = copier.copy(from.as_fd(), to.as_fd(), Extent { size: 100, sparse: false }).unwrap();
        assert_eq!(copied.size, 5);
        assert_eq!(to.metadata().unwrap().len(), 5);
    }
}
