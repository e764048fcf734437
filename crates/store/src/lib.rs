//! What outlives a run. For now: the event log of each run as a file, and the key that vouches for it.
//!
//! ```text
//! <state>/keys/log.ed25519        the key that signs checkpoints
//! <state>/keys/log.pub            the keys that check them, one a line
//! <state>/runs/<run id>/log.jsonl the log
//! <state>/runs/<run id>/log.torn  what a crash left of a last line
//! ```
//!
//! Writing goes through [`run_log`], reading through [`runs`]. Folders are 0700 and files 0600; a folder that is a
//! symbolic link, belongs to somebody else or can be written by others is refused.

pub mod edge;
mod error;
mod folder;
pub mod keys;
pub mod lines;
pub mod run_log;
pub mod runs;
pub mod state;

pub use error::StoreError;
