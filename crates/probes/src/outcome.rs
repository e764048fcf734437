//! What came of an attempt: results of the kernel in, one word and its reason out.

use serde::{Deserialize, Serialize};
use std::io;

/// What came of an attempt.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", content = "detail", rename_all = "lowercase")]
pub enum Outcome {
    /// It worked.
    Did(String),
    /// It was refused: an errno, a signal, or an answer without what was asked for.
    Refused(String),
    /// The mechanism is not on this machine, or not in this configuration.
    Absent(String),
    /// The attempt itself went wrong, so it says nothing.
    Broken(String),
}

impl Outcome {
    /// It worked, unless the result is an error.
    pub fn of<T>(result: io::Result<T>, detail: &str) -> Self {
        match result {
            Ok(_) => Self::Did(detail.to_owned()),
            Err(error) => Self::refused(&error),
        }
    }

    /// Refused with the name of an errno.
    #[must_use]
    pub fn refused(error: &io::Error) -> Self {
        Self::Refused(errno(error))
    }

    /// For calls made with arguments that are wrong on purpose: an error that the kernel gives only after its
    /// permission check means that the check was passed.
    pub fn gate<T>(result: io::Result<T>, after_the_check: &[i32]) -> Self {
        match result {
            Ok(_) => Self::Did("the call succeeded".to_owned()),
            Err(error) if error.raw_os_error().is_some_and(|e| after_the_check.contains(&e)) => {
                Self::Did(format!("past the permission check: {}", errno(&error)))
            }
            Err(error) => Self::refused(&error),
        }
    }

    /// It worked only if these bytes hold the canary.
    pub fn holds(result: io::Result<Vec<u8>>, canary: &str) -> Self {
        match result {
            Ok(bytes) if contains(&bytes, canary.as_bytes()) => Self::Did("the canary was read".to_owned()),
            Ok(bytes) => Self::Refused(format!("{} bytes without the canary", bytes.len())),
            Err(error) => Self::refused(&error),
        }
    }

    /// Did when true; refused with the other text when not.
    #[must_use]
    pub fn when(worked: bool, detail: &str, otherwise: &str) -> Self {
        if worked { Self::Did(detail.to_owned()) } else { Self::Refused(otherwise.to_owned()) }
    }

    /// Whether it worked.
    #[must_use]
    pub fn worked(&self) -> bool {
        matches!(self, Self::Did(_))
    }

    /// Undoes what worked, so that the next attempt finds what this one found.
    #[must_use]
    pub fn then(self, undo: impl FnOnce()) -> Self {
        if self.worked() {
            undo();
        }
        self
    }
}

/// Whether some bytes hold others.
#[must_use]
pub fn contains(bytes: &[u8], part: &[u8]) -> bool {
    !part.is_empty() && bytes.windows(part.len()).any(|w| w == part)
}

/// The name of an errno, or the error's own words.
#[must_use]
pub fn errno(error: &io::Error) -> String {
    let Some(number) = error.raw_os_error() else { return error.to_string() };
    let name = match number {
        libc::EPERM => "EPERM",
        libc::ENOENT => "ENOENT",
        libc::ESRCH => "ESRCH",
        libc::EIO => "EIO",
        libc::ENXIO => "ENXIO",
        libc::EBADF => "EBADF",
        libc::EAGAIN => "EAGAIN",
        libc::ENOMEM => "ENOMEM",
        libc::EACCES => "EACCES",
        libc::EFAULT => "EFAULT",
        libc::EBUSY => "EBUSY",
        libc::EEXIST => "EEXIST",
        libc::EXDEV => "EXDEV",
        libc::ENODEV => "ENODEV",
        libc::ENOTDIR => "ENOTDIR",
        libc::EISDIR => "EISDIR",
        libc::EINVAL => "EINVAL",
        libc::ENOTTY => "ENOTTY",
        libc::EROFS => "EROFS",
        libc::ENOSYS => "ENOSYS",
        libc::ELOOP => "ELOOP",
        libc::EOPNOTSUPP => "EOPNOTSUPP",
        libc::EAFNOSUPPORT => "EAFNOSUPPORT",
        libc::EPROTONOSUPPORT => "EPROTONOSUPPORT",
        libc::ESOCKTNOSUPPORT => "ESOCKTNOSUPPORT",
        libc::EADDRNOTAVAIL => "EADDRNOTAVAIL",
        libc::ENETUNREACH => "ENETUNREACH",
        libc::EHOSTUNREACH => "EHOSTUNREACH",
        libc::ECONNREFUSED => "ECONNREFUSED",
        libc::ECONNRESET => "ECONNRESET",
        libc::ETIMEDOUT => "ETIMEDOUT",
        libc::ENOTEMPTY => "ENOTEMPTY",
        libc::EPIPE => "EPIPE",
        _ => return format!("errno {number}"),
    };
    name.to_owned()
}
