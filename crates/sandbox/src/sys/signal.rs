//! Signals as something to read, and as what a process dies of.

use super::clone::last_errno;
use rustix::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};
use rustix::io::Result;

/// Signals that wait to be read.
#[derive(Debug)]
pub(crate) struct SignalFd(OwnedFd);

impl SignalFd {
    /// Reads the given signals from now on. They must be blocked.
    pub(crate) fn new(signals: &[i32]) -> Result<Self> {
        let set = set_of(signals);
        // SAFETY: `set` outlives the call; -1 asks for a new descriptor.
        let fd = unsafe { libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) };
        if fd < 0 {
            return Err(last_errno());
        }
        // SAFETY: the kernel has just made this descriptor for us, and nobody else knows it.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// The next waiting signal.
    pub(crate) fn next(&self) -> Option<i32> {
        let mut info = [0u8; size_of::<libc::signalfd_siginfo>()];
        match rustix::io::read(&self.0, &mut info) {
            // The number is the first field.
            Ok(n) if n == info.len() => info.first_chunk::<4>().map(|b| i32::from_ne_bytes(*b)),
            _ => None,
        }
    }
}

impl AsFd for SignalFd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

fn set_of(signals: &[i32]) -> libc::sigset_t {
    // SAFETY: `sigemptyset` fills the set; `sigaddset` takes numbers and refuses bad ones.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        for signal in signals {
            libc::sigaddset(&raw mut set, *signal);
        }
        set
    }
}

/// Blocks exactly these signals.
pub(crate) fn block_signals(signals: &[i32]) {
    let set = set_of(signals);
    // SAFETY: `set` outlives the call; the old mask is not asked for.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, &raw const set, std::ptr::null_mut()) };
}

/// Every signal back to what a fresh program finds: default action, nothing blocked.
pub(crate) fn reset_signals() {
    for signal in 1..=64 {
        // SAFETY: SIG_DFL is always a valid action; signals that cannot be set answer an error, which is fine.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    block_signals(&[]);
}

/// A signal that is thrown away.
pub(crate) fn ignore(signal: i32) {
    // SAFETY: SIG_IGN is always a valid action.
    unsafe { libc::signal(signal, libc::SIG_IGN) };
}

/// Ends this process the way its child ended, so that whoever waits for it sees the same.
pub(crate) fn die_by(signal: i32) -> ! {
    let _ = rustix::process::setrlimit(
        rustix::process::Resource::Core,
        rustix::process::Rlimit { current: Some(0), maximum: Some(0) },
    );
    block_signals(&[]);
    // SAFETY: SIG_DFL is always a valid action, and raising a signal takes a number.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
    super::exit_now(128_i32.saturating_add(signal))
}
