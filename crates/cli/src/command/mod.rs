//! One file per command: read the flags, call the core, print.

pub(crate) mod allow;
pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod derive;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod guard;
pub(crate) mod init;
pub(crate) mod learn;
pub(crate) mod log;
pub(crate) mod man;
pub(crate) mod run;
pub(crate) mod scan;
pub(crate) mod schema;
pub(crate) mod test;
pub(crate) mod train;
pub(crate) mod undo;
