//! Starting a program without copying this process first.

use super::clone::last_errno;
use super::exec::Image;
use rustix::fd::{AsRawFd, BorrowedFd};
use rustix::io::{Errno, Result};
use rustix::process::Pid;
use std::mem::MaybeUninit;

/// Starts a program in a session of its own, with every signal as a fresh program finds it. Its standard streams are
/// those of this process, or the ones given.
pub(crate) fn spawn(image: &Image, streams: Option<[BorrowedFd<'_>; 3]>) -> Result<Pid> {
    let mut actions = MaybeUninit::<libc::posix_spawn_file_actions_t>::uninit();
    let mut attributes = MaybeUninit::<libc::posix_spawnattr_t>::uninit();
    let mut signals = MaybeUninit::<libc::sigset_t>::uninit();
    let mut pid: libc::pid_t = 0;
    let (args, env) = image.lists();
    // SAFETY: each structure is initialised before it is used and destroyed after; the lists end in null and point
    // into `image`; all of them outlive the call. `posix_spawn` shares memory with the child only until it has become
    // the program, while this thread waits.
    let done = unsafe {
        libc::posix_spawn_file_actions_init(actions.as_mut_ptr());
        libc::posix_spawnattr_init(attributes.as_mut_ptr());
        for (number, stream) in streams.iter().flatten().enumerate() {
            libc::posix_spawn_file_actions_adddup2(actions.as_mut_ptr(), stream.as_raw_fd(), number as i32);
        }
        libc::sigemptyset(signals.as_mut_ptr());
        libc::posix_spawnattr_setsigmask(attributes.as_mut_ptr(), signals.as_ptr());
        libc::sigfillset(signals.as_mut_ptr());
        libc::posix_spawnattr_setsigdefault(attributes.as_mut_ptr(), signals.as_ptr());
        let flags = libc::POSIX_SPAWN_SETSIGMASK | libc::POSIX_SPAWN_SETSIGDEF | i32::from(libc::POSIX_SPAWN_SETSID);
        libc::posix_spawnattr_setflags(attributes.as_mut_ptr(), flags as libc::c_short);
        let done = libc::posix_spawn(
            &raw mut pid,
            image.path().as_ptr(),
            actions.as_ptr(),
            attributes.as_ptr(),
            args.as_ptr().cast(),
            env.as_ptr().cast(),
        );
        libc::posix_spawnattr_destroy(attributes.as_mut_ptr());
        libc::posix_spawn_file_actions_destroy(actions.as_mut_ptr());
        done
    };
    match done {
        0 => Pid::from_raw(pid).ok_or(Errno::INVAL),
        -1 => Err(last_errno()),
        errno => Err(Errno::from_raw_os_error(errno)),
    }
}
