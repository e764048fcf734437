//! `mount_setattr(2)`: properties of a mount, or of a whole tree of them.

use super::clone::last_errno;
use rustix::fd::{AsRawFd, BorrowedFd};
use rustix::io::Result;

/// What a mount may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MountAttr(u64);

impl MountAttr {
    /// Nothing can be written through it.
    pub(crate) const READ_ONLY: Self = Self(libc::MOUNT_ATTR_RDONLY);
    /// Set-uid bits and device nodes mean nothing.
    pub(crate) const PLAIN: Self = Self(libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV);

    /// Both.
    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Sets properties on the mount that a descriptor stands for, and on all below it.
pub(crate) fn set_mount_attr(mount: BorrowedFd<'_>, attr: MountAttr, recursive: bool) -> Result<()> {
    // SAFETY: an all-zero `mount_attr` is valid: every field is a plain number.
    let mut args: libc::mount_attr = unsafe { std::mem::zeroed() };
    args.attr_set = attr.0;
    let flags = libc::AT_EMPTY_PATH | if recursive { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: the path is an empty C string, `args` outlives the call and its size is given.
    let done = unsafe {
        let path = c"".as_ptr();
        libc::syscall(libc::SYS_mount_setattr, mount.as_raw_fd(), path, flags, &raw const args, size_of_val(&args))
    };
    if done == -1 { Err(last_errno()) } else { Ok(()) }
}
