//! What a run is given as its standard streams.

use crate::error::{Result, SandboxError};
use rustix::fd::BorrowedFd;
use rustix::fs::{FileType, fstat};

/// This process's own.
pub(crate) fn own() -> [BorrowedFd<'static>; 3] {
    [rustix::stdio::stdin(), rustix::stdio::stdout(), rustix::stdio::stderr()]
}

/// Whether one is a folder. Whoever holds a folder of the host can climb from it to every other, and the mount tree has
/// no say in that.
pub(crate) fn has_folder(streams: [BorrowedFd<'_>; 3]) -> bool {
    streams.iter().any(|s| fstat(s).is_ok_and(|s| FileType::from_raw_mode(s.st_mode) == FileType::Directory))
}

/// Refuses a run whose streams lead out of its box.
pub(crate) fn check() -> Result<()> {
    if has_folder(own()) {
        let why = "a standard stream is a folder, which would lead out of the box; give a file, a pipe or /dev/null";
        return Err(SandboxError::Refused(why.into()));
    }
    Ok(())
}
