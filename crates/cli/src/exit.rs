//! The exit codes, named once.
//!
//! They sit in one high range so that they collide with no interpreter; `run` passes the child's own code
//! through beside them.

use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done, nothing found.
    Done,
    /// A defence of the demo did not hold.
    NotHeld,
    /// An internal or I/O error, or a command line that cannot be read.
    Internal,
    /// A policy is invalid, or a level relaxes a level above.
    Invalid,
    /// Findings at or above the threshold: a failing test, a change that was to fail, a stale file.
    Findings,
    /// The run had denials and was to fail for them.
    Denied,
    /// A required layer cannot be enforced here.
    Unavailable,
    /// The run was aborted: a limit, strikes, a pause.
    Aborted,
    /// The command to run was not found.
    NotFound,
    /// Tampering: a log that is broken or cut short.
    Tampered,
}

impl Exit {
    /// The number the process ends with.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::NotHeld => 1,
            Self::Internal => 119,
            Self::Invalid => 120,
            Self::Findings => 121,
            Self::Denied => 122,
            Self::Unavailable => 124,
            Self::Aborted => 126,
            Self::NotFound => 127,
            Self::Tampered => 125,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}
