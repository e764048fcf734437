//! Mode, owner, times and extended attributes of an open entry.

use crate::entry::{Facts, Time, Xattrs};
use rustix::fd::BorrowedFd;
use rustix::fs::{
    Gid, Mode, Timespec, Timestamps, UTIME_OMIT, Uid, XattrFlags, fchmod, fchown, fgetxattr, flistxattr, fremovexattr,
    fsetxattr, futimens,
};
use rustix::io::Errno;
use std::io;

/// Attributes beyond this count or size are an attack, not a label.
const MAX_XATTRS: usize = 256;
const MAX_XATTR_LIST: usize = 64 * 1024;

/// Whether this process may give files away.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// What belongs to the user: own labels and access lists. The rest belongs to the system.
fn is_kept(name: &[u8]) -> bool {
    name.starts_with(b"user.") || matches!(name, b"system.posix_acl_access" | b"system.posix_acl_default")
}

/// The extended attributes of an open file or folder; none where the filesystem has none.
pub(crate) fn xattrs(fd: BorrowedFd<'_>) -> io::Result<Xattrs> {
    let mut list = vec![0; 1024];
    let n = loop {
        match flistxattr(fd, &mut list[..]) {
            Ok(n) => break n,
            Err(Errno::RANGE) if list.len() < MAX_XATTR_LIST => list.resize(MAX_XATTR_LIST, 0),
            Err(Errno::NOTSUP | Errno::NOSYS | Errno::PERM | Errno::ACCESS) => return Ok(Vec::new()),
            Err(e) => return Err(e.into()),
        }
    };
    let names = list.get(..n).unwrap_or_default().split(|b| *b == 0).filter(|n| is_kept(n)).take(MAX_XATTRS);
    let mut found: Xattrs = Vec::new();
    for name in names {
        let mut value = vec![0; 256];
        let n = loop {
            match fgetxattr(fd, name, &mut value[..]) {
                Ok(n) => break Some(n),
                Err(Errno::RANGE) if value.len() < MAX_XATTR_LIST => value.resize(MAX_XATTR_LIST, 0),
                Err(Errno::NODATA) => break None,
                Err(e) => return Err(e.into()),
            }
        };
        if let Some(n) = n {
            value.truncate(n);
            found.push((name.to_vec(), value));
        }
    }
    found.sort();
    Ok(found)
}

/// Makes the extended attributes what they were.
pub(crate) fn set_xattrs(fd: BorrowedFd<'_>, wanted: &Xattrs) -> io::Result<()> {
    let now = xattrs(fd)?;
    for (name, _) in now.iter().filter(|(name, _)| !wanted.iter().any(|(n, _)| n == name)) {
        fremovexattr(fd, name.as_slice())?;
    }
    for (name, value) in wanted.iter().filter(|pair| !now.contains(pair)) {
        fsetxattr(fd, name.as_slice(), value, XattrFlags::empty())?;
    }
    Ok(())
}

/// Gives an open entry its owner, mode and modification time. The mode comes after the owner, which clears
/// set-uid, and the time last.
pub(crate) fn set_facts(fd: BorrowedFd<'_>, now: &Facts, wanted: &Facts) -> io::Result<()> {
    let mut mode_now = now.mode;
    if is_root() && (now.uid, now.gid) != (wanted.uid, wanted.gid) {
        fchown(fd, Some(Uid::from_raw(wanted.uid)), Some(Gid::from_raw(wanted.gid)))?;
        mode_now &= 0o1777;
    }
    if mode_now != wanted.mode {
        fchmod(fd, Mode::from_raw_mode(wanted.mode))?;
    }
    Ok(futimens(fd, &modified(wanted.mtime))?)
}

/// Times for the calls that set them: this modification time, the access time as it is.
pub(crate) fn modified(Time(seconds, nanos): Time) -> Timestamps {
    Timestamps {
        last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
        last_modification: Timespec { tv_sec: seconds, tv_nsec: i64::from(nanos.min(999_999_999)) },
    }
}

/// Whether mode, owner (where it could be restored) and time are as they were.
pub(crate) fn agree(now: &Facts, then: &Facts) -> bool {
    let owner = !is_root() || (now.uid, now.gid) == (then.uid, then.gid);
    owner && now.mode == then.mode && now.mtime == then.mtime
}
