//! Why a run could not be started or kept.

use rustix::io::Errno;
use std::path::{Path, PathBuf};

/// Why there is no run.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// A mechanism that the policy needs is missing here.
    #[error("{what} cannot be enforced here: {why}")]
    Unavailable {
        /// What cannot be enforced.
        what: String,
        /// Why not.
        why: String,
        /// What to do.
        help: String,
    },
    /// The command does not exist, or is not visible inside.
    #[error("`{command}` {why}")]
    NotFound {
        /// The command.
        command: String,
        /// What is wrong with it.
        why: String,
    },
    /// Something in the repo or the policy stands in the way.
    #[error("{0}")]
    Refused(String),
    /// A step of building the box failed.
    #[error("cannot {step}{}: {errno}", at(path))]
    Setup {
        /// The step.
        step: String,
        /// What it was done to.
        path: Option<PathBuf>,
        /// Why.
        errno: Errno,
    },
}

fn at(path: &Option<PathBuf>) -> String {
    path.as_ref().map(|p| format!(" `{}`", p.display())).unwrap_or_default()
}

impl SandboxError {
    /// A step that failed.
    pub(crate) fn step(step: &str, errno: Errno) -> Self {
        Self::Setup { step: step.to_owned(), path: None, errno }
    }

    /// A step that failed at a path.
    pub(crate) fn at(step: &str, path: &Path, errno: Errno) -> Self {
        Self::Setup { step: step.to_owned(), path: Some(path.to_owned()), errno }
    }

    /// The stable name of the kind.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unavailable { .. } => "kernel.unavailable",
            Self::NotFound { .. } => "kernel.command_not_found",
            Self::Refused(_) => "kernel.refused",
            Self::Setup { .. } => "kernel.setup_failed",
        }
    }
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, SandboxError>;

/// Says what was being done when a system call failed.
pub(crate) trait During<T> {
    /// The step.
    fn during(self, step: &str) -> Result<T>;
    /// The step and the path.
    fn during_at(self, step: &str, path: &Path) -> Result<T>;
}

impl<T> During<T> for rustix::io::Result<T> {
    fn during(self, step: &str) -> Result<T> {
        self.map_err(|e| SandboxError::step(step, e))
    }

    fn during_at(self, step: &str, path: &Path) -> Result<T> {
        self.map_err(|e| SandboxError::at(step, path, e))
    }
}

impl<T> During<T> for std::io::Result<T> {
    fn during(self, step: &str) -> Result<T> {
        self.map_err(|e| SandboxError::step(step, Errno::from_io_error(&e).unwrap_or(Errno::IO)))
    }

    fn during_at(self, step: &str, path: &Path) -> Result<T> {
        self.map_err(|e| SandboxError::at(step, path, Errno::from_io_error(&e).unwrap_or(Errno::IO)))
    }
}
