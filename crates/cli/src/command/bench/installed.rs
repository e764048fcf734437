//! This program as an installation leaves it.

use crate::failure::Failure;
use std::path::{Path, PathBuf};

/// A copy of this program in `folder`, to be started many times.
///
/// What the linker wrote lies in memory in small pieces until it is read from the disk again, and starts a good deal
/// slower than a copy; every program it is compared with was installed.
pub(super) fn installed(folder: &Path) -> Result<PathBuf, Failure> {
    let program = std::env::current_exe().map_err(|e| Failure::Io(format!("cannot find this program: {e}")))?;
    let copy = folder.join("ringfence");
    std::fs::copy(&program, &copy).map_err(|e| Failure::io("copy this program to", &copy, e))?;
    Ok(copy)
}
