//! What a run tells while it goes on.

use crate::egress::NetEvent;
use crate::limits::Exceeded;
use ringfence_policy::scale::Tier;
use std::path::PathBuf;

/// Something that happened.
#[derive(Debug, Clone)]
pub enum Event {
    /// A name or an address was asked for, and reached or refused.
    Net(NetEvent),
    /// A file could not be used. What the run says it wanted is a hint: it may have changed its mind since.
    FileDenied {
        /// The file.
        path: PathBuf,
        /// Whether it was to be written.
        write: bool,
    },
    /// A program could not be started.
    ExecDenied {
        /// The program.
        program: PathBuf,
    },
    /// A session was called: a command is handed to its box.
    Called {
        /// The command's words.
        args: Vec<Vec<u8>>,
        /// Where it is to run.
        cwd: PathBuf,
    },
    /// A program was asked for that the box has. Told only where the run is observed.
    ExecSeen {
        /// The program.
        program: PathBuf,
    },
    /// A limit was exceeded; the run ends.
    Limit(Exceeded),
    /// Something came into being on a protected name.
    ProtectedBroken(PathBuf),
    /// The box changed while the run went on.
    RulesChanged {
        /// Ports that are allowed now and have no listener: they work from the next run on.
        next_run: Vec<u16>,
    },
}

/// How the box turned out.
#[derive(Debug, Clone)]
pub struct Started {
    /// The tier.
    pub tier: Tier,
    /// Why no stronger one: tier and reason.
    pub not: Vec<(Tier, String)>,
    /// What the box tried and refused just before the command started.
    pub refused: Vec<String>,
    /// Rules that nothing enforces here, given up by name.
    pub given_up: Vec<String>,
    /// Landlock's interface version; 0 for none.
    pub landlock: i32,
    /// How limits on the whole run are kept.
    pub limits: &'static str,
    /// The first process.
    pub pid: i32,
}

/// Who is told. Called from the supervisor and from its network thread.
pub trait Witness: Send + Sync {
    /// The box is being built, by another process: now is the time for what must be there before the command starts.
    /// It starts after this has returned, and not at all after an error. Called again where a tier did not work.
    ///
    /// # Errors
    ///
    /// Why there must be no run.
    fn building(&self) -> std::result::Result<(), String> {
        Ok(())
    }
    /// The box stands, the command starts.
    fn started(&self, started: &Started);
    /// The command runs, and the supervisor has nothing to do: what the end will need can be fetched now.
    fn idle(&self) {}
    /// Something happened.
    fn event(&self, event: Event);
    /// The command has ended so, and nothing more will be said of it. The box is still being taken down: what has to be
    /// written can be written meanwhile. Not called where something may turn up once the box is gone, or after an error.
    fn ending(&self, _ending: Ending) {}
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The command ended by itself.
    Exited(i32),
    /// It was ended by a signal.
    Signaled(i32),
    /// The supervisor ended it.
    Aborted(Exceeded),
    /// The run's first process is gone without a word.
    Lost,
}
