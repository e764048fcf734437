//! What a waiting call's arguments point at. All of it is the asker's word, and may change.

use crate::sys::{Notification, NotifyFd};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

const LONGEST: usize = 4096;

/// A path in the asker's memory. Read page by page: the text may end where its memory does.
pub(super) fn text(fd: &NotifyFd, question: &Notification, argument: usize) -> Option<PathBuf> {
    let mut address = *question.args.get(argument)?;
    let mut bytes = Vec::new();
    while bytes.len() < LONGEST {
        let to_page_end = 4096 - usize::try_from(address % 4096).ok()?;
        let part = fd.read_memory(question.pid, address, to_page_end.min(LONGEST - bytes.len())).ok()?;
        if let Some(end) = part.iter().position(|b| *b == 0) {
            bytes.extend_from_slice(part.get(..end)?);
            return Some(PathBuf::from(OsStr::from_bytes(&bytes)));
        }
        if part.is_empty() {
            return None;
        }
        address = address.checked_add(part.len() as u64)?;
        bytes.extend(part);
    }
    None
}

/// The path as the asker means it: below its folder, or below the folder a descriptor stands for. Dots are resolved by
/// text; whoever acts on it resolves it again and follows no link.
pub(super) fn absolute(fd: &NotifyFd, question: &Notification, folder: Option<usize>, path: usize) -> Option<PathBuf> {
    let path = text(fd, question, path)?;
    if path.is_absolute() {
        return plain(&path);
    }
    let folder = folder.and_then(|n| question.args.get(n)).map_or(libc::AT_FDCWD, |a| *a as i32);
    let link = match folder {
        libc::AT_FDCWD => format!("/proc/{}/cwd", question.pid),
        n => format!("/proc/{}/fd/{n}", question.pid),
    };
    let folder = std::fs::read_link(link).ok()?;
    plain(&folder.join(path))
}

fn plain(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::RootDir => out.push("/"),
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            Component::Normal(name) => out.push(name),
            Component::Prefix(_) => return None,
        }
    }
    Some(out)
}

/// The program of an `execve` or `execveat`.
pub(super) fn program(fd: &NotifyFd, question: &Notification) -> Option<PathBuf> {
    if i64::from(question.number) == libc::SYS_execve {
        absolute(fd, question, None, 0)
    } else {
        absolute(fd, question, Some(0), 1)
    }
}
