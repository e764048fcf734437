//! Loading a filter program. What it says is made by `crate::seccomp`.

use super::clone::last_errno;
use rustix::fd::{FromRawFd, OwnedFd};
use rustix::io::{Errno, Result};

/// One instruction of a filter, as the kernel lays it out.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Instruction {
    /// Operation.
    pub(crate) code: u16,
    /// Instructions to skip when a test holds.
    pub(crate) jump_true: u8,
    /// Instructions to skip when it does not.
    pub(crate) jump_false: u8,
    /// Operand.
    pub(crate) value: u32,
}

/// Puts a filter on the process for good.
pub(crate) fn load_filter(program: &[Instruction]) -> Result<()> {
    load(program, 0).map(drop)
}

/// Puts a filter on the process for good, and hands out the descriptor where its questions arrive.
pub(crate) fn load_filter_with_listener(program: &[Instruction]) -> Result<OwnedFd> {
    let fd = load(program, libc::SECCOMP_FILTER_FLAG_NEW_LISTENER)?;
    let fd = i32::try_from(fd).map_err(|_| Errno::BADF)?;
    // SAFETY: the kernel has just made this descriptor for us, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

fn load(program: &[Instruction], flags: libc::c_ulong) -> Result<libc::c_long> {
    let len = u16::try_from(program.len()).map_err(|_| Errno::INVAL)?;
    // `Instruction` has the layout of `sock_filter`.
    let fprog = libc::sock_fprog { len, filter: program.as_ptr().cast_mut().cast() };
    // SAFETY: `fprog` points to `len` instructions that outlive the call; the kernel copies and checks them.
    let done = unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const fprog) };
    if done == -1 { Err(last_errno()) } else { Ok(done) }
}

/// Has a command start behind a filter of one instruction that lets every call pass.
pub(crate) fn behind_open_filter(command: &mut std::process::Command) {
    use std::os::unix::process::CommandExt;
    const PASS: [Instruction; 1] =
        [Instruction { code: 0x06, jump_true: 0, jump_false: 0, value: libc::SECCOMP_RET_ALLOW }];
    // SAFETY: between fork and exec only two system calls are made, on constants; nothing is allocated and no lock is
    // taken.
    unsafe {
        command.pre_exec(|| {
            rustix::thread::set_no_new_privs(true)?;
            Ok(load_filter(&PASS)?)
        });
    }
}

/// The version of Landlock's interface; 0 where the kernel has none or it is off.
pub(crate) fn landlock_version() -> i32 {
    // SAFETY: the documented way to ask for the version: no attributes, size zero, flag one.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0usize, 1u32) };
    i32::try_from(version).map_or(0, |v| v.max(0))
}
