//! The one place with `unsafe`: system calls by number, fork, signals and memory of other owners.
//!
//! In come numbers and addresses, out come results with their errno. Nothing here judges what a result means.
//! The callers are attackers on purpose: what they hand to the kernel may be wrong, and the kernel has to say so.
#![expect(unsafe_code, reason = "the attacker makes raw system calls")]

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Makes a system call. Addresses are passed as numbers; whoever passes one keeps what it points to alive.
///
/// # Errors
/// The errno of the kernel.
pub fn call<const N: usize>(number: libc::c_long, arguments: [usize; N]) -> io::Result<usize> {
    let at = |n: usize| arguments.get(n).copied().unwrap_or(0);
    // SAFETY: the kernel checks numbers and addresses itself. The callers pass addresses of live buffers of the
    // length they state, and run in a child of their own, so that a mistake ends that child alone.
    let result = unsafe { libc::syscall(number, at(0), at(1), at(2), at(3), at(4), at(5)) };
    usize::try_from(result).map_err(|_| io::Error::last_os_error())
}

/// Makes a system call that returns a descriptor.
///
/// # Errors
/// The errno of the kernel.
pub fn open<const N: usize>(number: libc::c_long, arguments: [usize; N]) -> io::Result<OwnedFd> {
    let fd = call(number, arguments)?;
    let fd = RawFd::try_from(fd).map_err(io::Error::other)?;
    // SAFETY: the kernel has just made this descriptor and nobody else holds it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Forks. The child gets `None`; it must end with [`exit`].
///
/// # Errors
/// The errno of the kernel.
pub fn fork() -> io::Result<Option<i32>> {
    // SAFETY: the attacker is single-threaded, so the child's copy is whole.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(None),
        pid => Ok(Some(pid)),
    }
}

/// Ends the process without running anything else.
pub fn exit(code: i32) -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(code) }
}

/// Waits for a child; the raw wait status.
///
/// # Errors
/// The errno of the kernel.
pub fn wait(pid: i32) -> io::Result<i32> {
    let mut status = 0;
    // SAFETY: `status` outlives the call.
    match unsafe { libc::waitpid(pid, &raw mut status, libc::__WALL) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(status),
    }
}

/// Whether a wait status says the child was stopped.
#[must_use]
pub fn stopped(status: i32) -> bool {
    libc::WIFSTOPPED(status)
}

/// The signal that ended a child, if one did.
#[must_use]
pub fn ended_by(status: i32) -> Option<i32> {
    libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status))
}

/// A pipe: reading end, writing end.
///
/// # Errors
/// The errno of the kernel.
pub fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0 as RawFd; 2];
    call(libc::SYS_pipe2, [ends.as_mut_ptr() as usize, libc::O_CLOEXEC as usize])?;
    let [reading, writing] = ends;
    // SAFETY: both descriptors were made by the call above.
    Ok(unsafe { (OwnedFd::from_raw_fd(reading), OwnedFd::from_raw_fd(writing)) })
}

/// Waits until a descriptor can be read, or for so many milliseconds.
#[must_use]
pub fn readable(fd: RawFd, milliseconds: i32) -> bool {
    let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    // SAFETY: one live entry.
    unsafe { libc::poll(&raw mut poll, 1, milliseconds) > 0 }
}

static SIGNALS: AtomicUsize = AtomicUsize::new(0);

extern "C" fn count(_: libc::c_int) {
    SIGNALS.fetch_add(1, Ordering::SeqCst);
}

/// Counts these signals from now on instead of dying of them.
pub fn count_signals(signals: &[i32]) {
    let handler = count as extern "C" fn(libc::c_int);
    for signal in signals {
        // SAFETY: the handler only adds to an atomic.
        unsafe { libc::signal(*signal, handler as libc::sighandler_t) };
    }
}

/// How many counted signals arrived.
pub fn signals_counted() -> usize {
    SIGNALS.load(Ordering::SeqCst)
}

/// Ignores a signal.
pub fn ignore(signal: i32) {
    // SAFETY: no handler is involved.
    unsafe { libc::signal(signal, libc::SIG_IGN) };
}

/// Attaches a System V segment read-only and copies its first bytes.
///
/// # Errors
/// The errno of the kernel.
pub fn segment(id: i32, bytes: usize) -> io::Result<Vec<u8>> {
    let address = call(libc::SYS_shmat, [id as usize, 0, libc::SHM_RDONLY as usize])?;
    // SAFETY: the kernel mapped at least one page here, and callers ask for less than a page.
    let copy = unsafe { std::slice::from_raw_parts(address as *const u8, bytes.min(4096)) }.to_vec();
    call(libc::SYS_shmdt, [address])?;
    Ok(copy)
}

/// Makes a System V segment that holds these bytes, open to everybody.
///
/// # Errors
/// The errno of the kernel.
pub fn make_segment(bytes: &[u8]) -> io::Result<i32> {
    let id = call(libc::SYS_shmget, [libc::IPC_PRIVATE as usize, 4096, (libc::IPC_CREAT | 0o666) as usize])?;
    let address = call(libc::SYS_shmat, [id, 0, 0])?;
    // SAFETY: a page was mapped at `address`, and at most a page is copied.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, bytes.len().min(4096)) };
    call(libc::SYS_shmdt, [address])?;
    i32::try_from(id).map_err(io::Error::other)
}

/// `getpid` through the 32-bit entry, which a filter for 64-bit numbers alone does not see.
#[cfg(target_arch = "x86_64")]
#[must_use]
pub fn getpid_by_int80() -> Option<i32> {
    let result: i64;
    // SAFETY: number 20 is getpid on i386: no arguments, no memory.
    unsafe {
        std::arch::asm!("int 0x80", inlateout("rax") 20_i64 => result,
            out("r8") _, out("r9") _, out("r10") _, out("r11") _, options(nostack));
    }
    Some(result as i32)
}

/// There is no 32-bit entry to try on this processor.
#[cfg(not(target_arch = "x86_64"))]
#[must_use]
pub fn getpid_by_int80() -> Option<i32> {
    None
}

/// A program that starts with this descriptor open under this number, as a careless caller would leave it.
pub fn inherit(command: &mut Command, file: File, number: RawFd) {
    // SAFETY: dup2 is async-signal-safe, and the command holds the file for as long as it can be spawned.
    unsafe {
        command.pre_exec(move || match libc::dup2(file.as_raw_fd(), number) {
            -1 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        });
    }
}

/// A program that starts in a session of its own whose terminal is its standard input.
pub fn own_terminal(command: &mut Command) {
    // SAFETY: setsid and ioctl are async-signal-safe.
    unsafe {
        command.pre_exec(|| {
            libc::setsid();
            match libc::ioctl(0, libc::TIOCSCTTY, 0) {
                -1 => Err(io::Error::last_os_error()),
                _ => Ok(()),
            }
        });
    }
}

/// A pseudo-terminal: its master, and the path of its slave.
///
/// # Errors
/// The errno of the kernel.
pub fn terminal() -> io::Result<(OwnedFd, String)> {
    let path = CString::new("/dev/ptmx")?;
    let flags = (libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC) as usize;
    let master = open(libc::SYS_openat, [libc::AT_FDCWD as usize, path.as_ptr() as usize, flags])?;
    let fd = master.as_raw_fd() as usize;
    let unlock = 0_i32;
    call(libc::SYS_ioctl, [fd, libc::TIOCSPTLCK as usize, (&raw const unlock) as usize])?;
    let mut number = 0_u32;
    call(libc::SYS_ioctl, [fd, libc::TIOCGPTN as usize, (&raw mut number) as usize])?;
    Ok((master, format!("/dev/pts/{number}")))
}
