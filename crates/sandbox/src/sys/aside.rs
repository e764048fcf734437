//! Making a network namespace beside the rest of the work: it takes the kernel longer than everything else of a box.

use super::clone::last_errno;
use rustix::fd::{AsFd, FromRawFd, OwnedFd};
use rustix::io::{Errno, Result};
use rustix::process::{Pid, WaitOptions, waitpid};
use rustix::thread::{ThreadNameSpaceType, UnshareFlags, futex, move_into_thread_name_spaces};
use std::sync::atomic::{AtomicU32, Ordering};

/// A process that has made, or makes, a network namespace.
pub(crate) struct NetworkAside {
    pid: Pid,
    pidfd: OwnedFd,
    shared: &'static Shared,
}

/// What both processes see.
struct Shared {
    /// `MAKING`, `MADE`, or more: an error number beyond `FAILED`.
    made: AtomicU32,
    /// Set when the other process may go.
    over: AtomicU32,
}

const MAKING: u32 = 0;
const MADE: u32 = 1;
const FAILED: u32 = 2;
/// The helper calls the kernel a few times, and nothing else.
const STACK: usize = 16 << 10;

impl NetworkAside {
    /// Starts it. Must be called in the user namespace that is to own the network.
    pub(crate) fn start() -> Result<Self> {
        // Never freed: a process makes one box in its life, and the helper may still stand on it.
        let stack: &'static mut [u128] = Box::leak(vec![0u128; STACK / 16].into_boxed_slice());
        let shared: &'static Shared =
            Box::leak(Box::new(Shared { made: AtomicU32::new(MAKING), over: AtomicU32::new(0) }));
        let flags = libc::CLONE_VM | libc::CLONE_PIDFD | libc::SIGCHLD;
        let mut pidfd: libc::c_int = -1;
        // SAFETY: the helper has a stack of its own that is never freed, 16-byte aligned at its end, and is given a
        // pointer to `Shared`, which lives for ever. It shares this memory, so it must not touch what this thread may
        // change: `make` makes raw system calls, allocates nothing, and looks at nothing but `Shared`, by atomics.
        // The kernel writes the descriptor to `pidfd` before the call returns.
        let pid = unsafe {
            let top = stack.as_mut_ptr_range().end.cast::<libc::c_void>();
            let argument = std::ptr::from_ref(shared).cast_mut().cast::<libc::c_void>();
            libc::clone(make, top, flags, argument, &raw mut pidfd)
        };
        if pid == -1 {
            return Err(last_errno());
        }
        let pid = Pid::from_raw(pid).ok_or(Errno::INVAL)?;
        // SAFETY: the kernel has just made this descriptor for us, and nobody else knows it.
        let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
        Ok(Self { pid, pidfd, shared })
    }

    /// Waits for the namespace and enters it. The helper is gone afterwards.
    pub(crate) fn enter(self) -> Result<()> {
        let entered = match wait_while(&self.shared.made, MAKING) {
            MADE => move_into_thread_name_spaces(self.pidfd.as_fd(), ThreadNameSpaceType::NETWORK),
            failed => Err(Errno::from_raw_os_error(i32::try_from(failed.saturating_sub(FAILED)).unwrap_or(0))),
        };
        tell(&self.shared.over, 1);
        loop {
            match waitpid(Some(self.pid), WaitOptions::empty()) {
                Err(Errno::INTR) => {}
                ended => break ended.and(entered),
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
    let made = match unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWNET) } {
        Ok(()) => MADE,
        Err(e) => FAILED.saturating_add(e.raw_os_error().unsigned_abs()),
    };
    tell(&shared.made, made);
    wait_while(&shared.over, 0);
    0
}

fn tell(word: &AtomicU32, value: u32) {
    word.store(value, Ordering::Release);
    let _ = futex::wake(word, futex::Flags::PRIVATE, 1);
}

fn wait_while(word: &AtomicU32, value: u32) -> u32 {
    loop {
        match word.load(Ordering::Acquire) {
            now if now != value => return now,
            _ => _ = futex::wait(word, futex::Flags::PRIVATE, value, None),
        }
    }
}
