//! What makes things comparable and tampering visible: canonical bytes, hashes, signatures, the hash chain of a run.
//!
//! Canonical JSON is RFC 8785 restricted to what the project writes: keys in order, whole numbers, no
//! insignificant white space. Types that are hashed declare their fields in order, so serialising them is
//! enough; the tests compare with an independent RFC 8785 implementation.
//!
//! The log of a run reads in this order: [`run_id`], [`kind`], [`event`], [`chain`], [`checkpoint`], [`verify`].
//! Time, ids and keys are arguments; nothing here reads a clock, a file or a random number.

pub mod chain;
pub mod checkpoint;
pub mod event;
pub mod fault;
mod hash;
mod hex;
pub mod json;
pub mod key;
pub mod kind;
pub mod run_id;
pub mod snippet;
pub mod time;
pub mod verify;

pub use hash::{Hasher, SealError, canonical_bytes, hash_bytes};
