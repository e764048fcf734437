//! Why something could not be kept or found, with a stable code for each reason.

use ringfence_seal::event::EventError;
use ringfence_seal::fault::Break;
use ringfence_seal::run_id::RunId;
use std::io;
use std::path::{Path, PathBuf};

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Nothing says where the state is kept.
    #[error("there is no place for logs and keys: set RINGFENCE_STATE, XDG_STATE_HOME or HOME")]
    NoState,
    /// A relative path would mean another place in every folder.
    #[error("RINGFENCE_STATE has to be an absolute path, not `{}`", .0.display())]
    Relative(PathBuf),
    /// The machine got in the way.
    #[error("cannot {what} `{}`: {source}", path.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// Where.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// Somebody else could read or change what is kept there.
    #[error("`{}` cannot be trusted: {why}", path.display())]
    Unsafe {
        /// The folder or file.
        path: PathBuf,
        /// Why not.
        why: &'static str,
    },
    /// A key file holds no key.
    #[error("`{}` holds no key: {why}", path.display())]
    BadKey {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// The id is taken.
    #[error("there is a run `{0}` already")]
    RunExists(RunId),
    /// Nothing has that name.
    #[error("there is no run `{0}`")]
    NoSuchRun(String),
    /// Nothing was recorded yet.
    #[error("there are no runs in `{}`", .0.display())]
    NoRuns(PathBuf),
    /// More than one run has an id that starts like this.
    #[error("`{text}` is the start of {count} run ids, such as `{one}` and `{other}`")]
    Ambiguous {
        /// What was asked for.
        text: String,
        /// How many there are.
        count: usize,
        /// One of them.
        one: RunId,
        /// Another.
        other: RunId,
    },
    /// Another process writes to the log.
    #[error("another process writes the log of run `{0}`")]
    InUse(RunId),
    /// The log has its signed end.
    #[error("the log of run `{0}` is finished")]
    Finished(RunId),
    /// The log does not hold together, so nothing is added to it.
    #[error("the log of run `{run_id}` is broken at {found}")]
    Broken {
        /// The run.
        run_id: RunId,
        /// The first broken link.
        found: Box<Break>,
    },
    /// The event cannot be sealed.
    #[error(transparent)]
    Event(#[from] EventError),
    /// The log has reached its bound; the run has to end.
    #[error("the log of run `{run_id}` has reached its bound of {bound} bytes")]
    Full {
        /// The run.
        run_id: RunId,
        /// The bound.
        bound: u64,
    },
    /// A write failed half way and could not be taken back.
    #[error("the log of run `{0}` cannot be written any more: a failed write could not be taken back")]
    Stuck(RunId),
}

impl StoreError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoState | Self::Relative(_) => "store.no_state",
            Self::Io { .. } => "store.io",
            Self::Unsafe { .. } => "store.unsafe_path",
            Self::BadKey { .. } => "store.bad_key",
            Self::RunExists(_) => "store.run_exists",
            Self::NoSuchRun(_) | Self::NoRuns(_) => "store.no_such_run",
            Self::Ambiguous { .. } => "store.ambiguous_run",
            Self::InUse(_) => "store.log_in_use",
            Self::Finished(_) => "store.log_finished",
            Self::Broken { .. } => "store.log_broken",
            Self::Event(e) => e.code(),
            Self::Full { .. } => "store.log_full",
            Self::Stuck(_) => "store.log_stuck",
        }
    }

    /// An I/O error at a path.
    pub(crate) fn io(what: &'static str, path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Io { what, path: path.clone(), source }
    }
}
