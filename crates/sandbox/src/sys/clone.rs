//! Making processes without leaving the program: the child goes on in the caller's own code.
//!
//! INVARIANT: callers have one thread. A copy of a process with several may find a lock held by a thread that
//! was not copied; `clone_with` refuses then.

use rustix::fd::{FromRawFd, OwnedFd};
use rustix::io::{Errno, Result};
use rustix::process::Pid;

/// On which side of the copy the caller finds itself.
pub(crate) enum Forked {
    /// The original, with the child's id and a descriptor that stands for it.
    Parent {
        /// The child, as the parent's namespace numbers it.
        pid: Pid,
        /// Stands for the child whatever becomes of its number.
        pidfd: OwnedFd,
    },
    /// The copy.
    Child,
}

/// Copies the process into new namespaces (`flags` of `clone`). By the older call: containers and our own filter leave
/// out `clone3`.
pub(crate) fn clone_with(flags: libc::c_int) -> Result<Forked> {
    if thread_count() != 1 {
        return Err(Errno::BUSY);
    }
    let mut pidfd: libc::c_int = -1;
    let flags = (flags | libc::CLONE_PIDFD | libc::SIGCHLD) as libc::c_ulong;
    // SAFETY: without CLONE_VM the child has its own copy of this memory, like after fork(2); there is one thread, so
    // no lock is held by a thread that was not copied. The kernel writes the descriptor to `pidfd`, which outlives
    // the call.
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, 0usize, &raw mut pidfd, 0usize, 0usize) };
    match pid {
        0 => Ok(Forked::Child),
        -1 => Err(last_errno()),
        pid => {
            let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or(Errno::INVAL)?;
            // SAFETY: the kernel has just made this descriptor for us, and nobody else knows it.
            let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
            Ok(Forked::Parent { pid, pidfd })
        }
    }
}

/// A plain copy. Works after the filter is on, where `clone3` answers ENOSYS.
pub(crate) fn fork() -> Result<Option<Pid>> {
    // SAFETY: a raw fork: the child has a copy of this memory and one thread, as the caller had.
    let pid = unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD as libc::c_ulong, 0usize, 0usize, 0usize, 0usize) };
    match pid {
        -1 => Err(last_errno()),
        pid => Ok(i32::try_from(pid).ok().and_then(Pid::from_raw)),
    }
}

/// Ends the process at once: no destructors, no buffers, no handlers. What a copy must use.
pub(crate) fn exit_now(code: i32) -> ! {
    // SAFETY: `_exit` takes a number and does not return.
    unsafe { libc::_exit(code) }
}

fn thread_count() -> usize {
    // One link for `.`, one for `..`, one for each thread; where /proc is missing nobody can tell, and the
    // program has made no thread before its first run.
    rustix::fs::stat("/proc/self/task").map_or(1, |s| usize::try_from(s.st_nlink).unwrap_or(3).saturating_sub(2))
}

pub(super) fn last_errno() -> Errno {
    std::io::Error::last_os_error().raw_os_error().map_or(Errno::IO, Errno::from_raw_os_error)
}
