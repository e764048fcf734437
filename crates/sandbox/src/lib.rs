//! The kernel ring: one command, run in a box that the kernel enforces.
//!
//! The kernel slice of a sandbox config and a command go in; the command's own ending comes out, and events while it
//! runs. Tier A builds namespaces with a root of their own; tiers B and C do without and have Landlock, seccomp and
//! the supervisor. A box tries what it must refuse before its command starts.
//!
//! ```text
//! Request → plan → launch ─┬─ init (inside): identity, network, tree, limits, Landlock, filter, self-check, command
//!                          └─ supervise (outside): signals, terminal, questions, egress, limits, clean-up
//! ```

mod control;
mod descendants;
pub mod egress;
mod env;
mod error;
mod event;
mod fs;
mod init;
mod landlock_support;
mod launch;
mod limits;
mod plan;
mod programs;
mod questions;
mod seccomp;
mod selfcheck;
mod session;
mod streams;
mod supervise;
mod sys;
mod terminal;

pub use env::Variable;
pub use error::{Result, SandboxError};
pub use event::{Ending, Event, Started, Witness};
pub use fs::layout::Place;
pub use limits::Exceeded;
pub use plan::Request;
pub use session::{Session, serve};
pub use supervise::{Changes, Unchanged, run};

/// Ends this process at once, with nothing tidied up: what it wrote must be flushed.
pub fn leave(code: u8) -> ! {
    sys::exit_now(i32::from(code))
}

/// For a statically linked program, before it looks up a name: by `/etc/hosts` and DNS, with nothing loaded for it.
pub fn names_by_files_and_dns() {
    sys::names_by_files_and_dns();
}

/// Has a command start behind a filter that lets every call pass: the least that any filter costs, to measure with.
pub fn behind_open_filter(command: &mut std::process::Command) {
    sys::behind_open_filter(command);
}

/// Ends this process as its command ended, so that whoever waits sees the same.
pub fn die_by(signal: i32) -> ! {
    sys::die_by(signal)
}
