//! Becoming another program.

use super::clone::last_errno;
use rustix::io::Errno;
use std::ffi::{CStr, CString, c_char};

/// A program with its arguments and environment, laid out before the copy so that nothing is allocated after.
pub(crate) struct Image {
    path: CString,
    args: Vec<CString>,
    env: Vec<CString>,
}

impl Image {
    /// Collects what `execve` takes.
    pub(crate) fn new(path: CString, args: Vec<CString>, env: Vec<CString>) -> Self {
        Self { path, args, env }
    }

    /// Arguments and environment as the system calls take them: pointers into this image, null at the end.
    pub(super) fn lists(&self) -> (Vec<*const c_char>, Vec<*const c_char>) {
        let list = |items: &[CString]| -> Vec<*const c_char> {
            items.iter().map(|i| i.as_ptr()).chain(std::iter::once(std::ptr::null())).collect()
        };
        (list(&self.args), list(&self.env))
    }

    /// The same run by the shell.
    pub(crate) fn by_shell(&self) -> Self {
        let words = [c"sh".to_owned(), self.path.clone()];
        let args = words.into_iter().chain(self.args.iter().skip(1).cloned()).collect();
        Self { path: c"/bin/sh".to_owned(), args, env: self.env.clone() }
    }

    /// The file.
    pub(crate) fn path(&self) -> &CStr {
        &self.path
    }
}

/// Becomes the program, or says why not.
pub(crate) fn exec(image: &Image) -> Errno {
    let (args, env) = image.lists();
    // SAFETY: the lists end in null and point into `image`, which outlives the call.
    unsafe { libc::execve(image.path.as_ptr(), args.as_ptr(), env.as_ptr()) };
    last_errno()
}

/// Marks every descriptor from `first` on to be closed by `exec`: what a program was not given on purpose, it must
/// not find.
pub(crate) fn close_on_exec_from(first: u32) -> Result<(), Errno> {
    // SAFETY: takes numbers and closes nothing in this process.
    match unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) } {
        -1 => Err(last_errno()),
        _ => Ok(()),
    }
}
