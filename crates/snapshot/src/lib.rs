//! The files of a repo as they were before a run, and the way back to them.
//!
//! In: a folder. Out: a snapshot folder with one manifest and one file for each file of the repo, cloned where
//! the filesystem shares blocks and copied where not; later the list of what differs, and the folder as it was.
//!
//! What a run leaves behind is hostile. Every step goes through an open folder and one name in it, no link is
//! followed, no mount is crossed, no existing file is written to, and nothing is deleted: what the run made is
//! moved aside first.

mod bytes;
mod carry;
mod changes;
mod content;
mod entry;
mod error;
mod exclude;
mod install;
mod manifest;
mod metadata;
mod mirror;
mod open;
mod scan;
mod snapshot;
mod take;
mod trail;
mod undo;

pub use changes::{Changes, Failure, Tally};
pub use error::SnapshotError;
pub use manifest::Header;
pub use snapshot::{Limits, Progress, Restored, Snapshot, Taken};
