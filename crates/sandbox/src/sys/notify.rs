//! Questions of a filter: a system call waits until the supervisor has answered.

use super::clone::last_errno;
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use rustix::io::{Errno, Result};

/// Where the questions arrive.
#[derive(Debug)]
pub(crate) struct NotifyFd(OwnedFd);

/// One waiting system call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Notification {
    /// Names the question.
    pub(crate) id: u64,
    /// The thread that waits, as the supervisor numbers it.
    pub(crate) pid: u32,
    /// The system call.
    pub(crate) number: i32,
    /// Its arguments.
    pub(crate) args: [u64; 6],
}

/// What the waiting call gets.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reply {
    /// The call goes on. Never an answer to a question of rights: memory may change before the kernel reads it.
    Continue,
    /// It fails.
    Fail(Errno),
    /// It succeeds with this value.
    Value(i64),
}

impl NotifyFd {
    /// Wraps the descriptor that a filter was loaded with.
    pub(crate) fn new(fd: OwnedFd) -> Self {
        Self(fd)
    }

    /// The next question; waits for it.
    pub(crate) fn receive(&self) -> Result<Notification> {
        // SAFETY: an all-zero `seccomp_notif` is valid and what the kernel asks for.
        let mut n: libc::seccomp_notif = unsafe { std::mem::zeroed() };
        // SAFETY: `n` outlives the call and has the size that the request number states.
        let done = unsafe { libc::ioctl(self.0.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut n) };
        if done == -1 {
            return Err(last_errno());
        }
        Ok(Notification { id: n.id, pid: n.pid, number: n.data.nr, args: n.data.args })
    }

    /// Whether the asker still waits. Ask after reading its memory: only then was it the asker's.
    pub(crate) fn still_waits(&self, id: u64) -> bool {
        // SAFETY: `id` outlives the call.
        unsafe { libc::ioctl(self.0.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_ID_VALID, &raw const id) == 0 }
    }

    /// Answers.
    pub(crate) fn answer(&self, id: u64, reply: Reply) -> Result<()> {
        let mut r = libc::seccomp_notif_resp { id, val: 0, error: 0, flags: 0 };
        match reply {
            Reply::Continue => r.flags = libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32,
            Reply::Fail(e) => r.error = -e.raw_os_error(),
            Reply::Value(v) => r.val = v,
        }
        // SAFETY: `r` outlives the call and has the size that the request number states.
        let done = unsafe { libc::ioctl(self.0.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw mut r) };
        if done == -1 { Err(last_errno()) } else { Ok(()) }
    }

    /// Answers with a descriptor: it is put into the asker's table and its number returned from the call.
    pub(crate) fn answer_with(&self, id: u64, fd: BorrowedFd<'_>, close_on_exec: bool) -> Result<()> {
        let mut a = libc::seccomp_notif_addfd {
            id,
            flags: libc::SECCOMP_ADDFD_FLAG_SEND as u32,
            srcfd: fd.as_raw_fd() as u32,
            newfd: 0,
            newfd_flags: if close_on_exec { libc::O_CLOEXEC as u32 } else { 0 },
        };
        // SAFETY: `a` outlives the call and has the size that the request number states.
        let done = unsafe { libc::ioctl(self.0.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_ADDFD, &raw mut a) };
        if done == -1 { Err(last_errno()) } else { Ok(()) }
    }

    /// Bytes of the asker's memory; short where it ends.
    pub(crate) fn read_memory(&self, pid: u32, address: u64, len: usize) -> Result<Vec<u8>> {
        let mut bytes = vec![0u8; len];
        let local = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: len };
        let remote = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: len };
        // SAFETY: `local` describes `bytes`; the remote address is the other process's affair, and the kernel checks it.
        let read = unsafe { libc::process_vm_readv(pid as libc::pid_t, &raw const local, 1, &raw const remote, 1, 0) };
        let read = usize::try_from(read).map_err(|_| last_errno())?;
        bytes.truncate(read);
        Ok(bytes)
    }

    /// A copy of one of the asker's descriptors.
    pub(crate) fn take_descriptor(&self, pid: u32, fd: i32) -> Result<OwnedFd> {
        // SAFETY: takes numbers; the flag allows any thread id.
        let pidfd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid as libc::pid_t, libc::PIDFD_THREAD) };
        let pidfd = own_fd(pidfd)?;
        // SAFETY: takes numbers.
        let copy = unsafe { libc::syscall(libc::SYS_pidfd_getfd, pidfd.as_raw_fd(), fd, 0u32) };
        own_fd(copy)
    }
}

/// Whether this process may take descriptors and memory of processes, tried on itself.
pub(crate) fn reaches_others() -> bool {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let mark = [42u8];
    let mut copy = [0u8];
    let local = libc::iovec { iov_base: copy.as_mut_ptr().cast(), iov_len: 1 };
    let remote = libc::iovec { iov_base: mark.as_ptr().cast_mut().cast(), iov_len: 1 };
    // SAFETY: both describe one byte of this process that outlives the call.
    let read = unsafe { libc::process_vm_readv(own, &raw const local, 1, &raw const remote, 1, 0) };
    // SAFETY: takes numbers.
    let pidfd = own_fd(unsafe { libc::syscall(libc::SYS_pidfd_open, own, 0u32) });
    let taken = pidfd.and_then(|pidfd| {
        // SAFETY: takes numbers; the descriptor asked for is this process's own view of itself.
        own_fd(unsafe { libc::syscall(libc::SYS_pidfd_getfd, pidfd.as_raw_fd(), pidfd.as_raw_fd(), 0u32) })
    });
    read == 1 && taken.is_ok()
}

impl AsFd for NotifyFd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

fn own_fd(fd: libc::c_long) -> Result<OwnedFd> {
    if fd < 0 {
        return Err(last_errno());
    }
    let fd = i32::try_from(fd).map_err(|_| Errno::BADF)?;
    // SAFETY: the kernel has just made this descriptor for us, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}
