//! Making a network namespace beside the rest of the work: it takes the kernel longer than everything else of a box.

use super::clone::last_errno;
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
use rustix::fs::{Mode, OFlags, open, openat};
use rustix::io::{Errno, Result};
use rustix::process::{Pid, WaitId, WaitIdOptions, WaitOptions, waitid, waitpid};
use rustix::thread::{LinkNameSpaceType, Timespec, UnshareFlags, futex, move_into_link_name_space, unshare_unsafe};
use std::sync::atomic::{AtomicU32, Ordering};

/// A process that has made, or makes, a network namespace.
pub(crate) struct NetworkAside {
    pid: Pid,
    shared: &'static Shared,
    /// The host's `/proc`, open before it is out of reach, and until the helper is gone.
    _proc: OwnedFd,
}

/// What both processes see.
struct Shared {
    /// `MAKING`, `NOT_MADE`, or the number of a descriptor beyond `MADE`.
    state: AtomicU32,
    /// The number of the descriptor of `/proc`.
    proc: RawFd,
}

const MAKING: u32 = 0;
const NOT_MADE: u32 = 1;
const MADE: u32 = 2;
/// The helper calls the kernel a few times, and nothing else.
const STACK: usize = 16 << 10;
/// How long to wait before looking whether the helper is still there.
const PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

impl NetworkAside {
    /// Starts it. Must be called in the user namespace that is to own the network.
    pub(crate) fn start() -> Result<Self> {
        let proc = open("/proc", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        // Never freed: a process makes one box in its life, and the helper stands on them.
        let stack: &'static mut [u128] = Box::leak(vec![0u128; STACK / 16].into_boxed_slice());
        let shared: &'static Shared =
            Box::leak(Box::new(Shared { state: AtomicU32::new(MAKING), proc: proc.as_raw_fd() }));
        let flags = libc::CLONE_VM | libc::CLONE_FILES | libc::SIGCHLD;
        // SAFETY: the helper has a stack of its own that is never freed, 16-byte aligned at its end, and is given a
        // pointer to `Shared`, which lives for ever. It shares this memory, so it must not touch what this thread may
        // change: `make` makes raw system calls, allocates nothing, and looks at nothing but `Shared`.
        let pid = unsafe {
            let top = stack.as_mut_ptr_range().end.cast::<libc::c_void>();
            let argument = std::ptr::from_ref(shared).cast_mut().cast::<libc::c_void>();
            libc::clone(make, top, flags, argument)
        };
        match pid {
            -1 => Err(last_errno()),
            pid => Ok(Self { pid: Pid::from_raw(pid).ok_or(Errno::INVAL)?, shared, _proc: proc }),
        }
    }

    /// Waits for the namespace and enters it. Where the helper could not make it, this process does, or says why not.
    pub(crate) fn enter(&self) -> Result<()> {
        let state = &self.shared.state;
        while state.load(Ordering::Acquire) == MAKING {
            // Woken, interrupted or too late: the loop looks again. A helper that was killed wakes nobody.
            let waited = futex::wait(state, futex::Flags::PRIVATE, MAKING, Some(&PATIENCE));
            if waited == Err(Errno::TIMEDOUT) && self.is_gone() {
                break;
            }
        }
        match state.load(Ordering::Acquire).checked_sub(MADE).and_then(|fd| RawFd::try_from(fd).ok()) {
            Some(fd) => {
                // SAFETY: the helper opened this descriptor in the table that both share, and has forgotten it.
                let made = unsafe { OwnedFd::from_raw_fd(fd) };
                move_into_link_name_space(made.as_fd(), Some(LinkNameSpaceType::Network))
            }
            // SAFETY: a new network namespace changes no memory and no descriptor.
            None => unsafe { unshare_unsafe(UnshareFlags::NEWNET) },
        }
    }

    /// Whether the helper has ended; it stays to be buried.
    fn is_gone(&self) -> bool {
        let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(self.pid), how), Ok(None) | Err(Errno::INTR))
    }

    /// Waits until the helper is gone.
    pub(crate) fn bury(self) -> Result<()> {
        loop {
            match waitpid(Some(self.pid), WaitOptions::empty()) {
                Err(Errno::INTR) => {}
                ended => return ended.map(drop),
            }
        }
    }
}

/// The helper's life. INVARIANT: nothing here allocates, unwinds or uses thread-local memory (`errno` is shared):
/// system calls go to the kernel directly.
extern "C" fn make(argument: *mut libc::c_void) -> libc::c_int {
    // SAFETY: the argument is the `Shared` that `start` leaked.
    let shared: &'static Shared = unsafe { &*argument.cast_const().cast::<Shared>() };
    // SAFETY: a new network namespace changes no memory and no descriptor.
    let made = unsafe { unshare_unsafe(UnshareFlags::NEWNET) };
    // SAFETY: who started this process keeps the descriptor until it has buried it.
    let proc = unsafe { BorrowedFd::borrow_raw(shared.proc) };
    let opened = made.and_then(|()| openat(proc, c"self/ns/net", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()));
    let state = match opened {
        Ok(fd) => u32::try_from(fd.into_raw_fd()).map_or(NOT_MADE, |fd| fd.saturating_add(MADE)),
        Err(_) => NOT_MADE,
    };
    shared.state.store(state, Ordering::Release);
    let _ = futex::wake(&shared.state, futex::Flags::PRIVATE, 1);
    0
}
