//! The policy core: from policy documents to one explained sandbox config.
//!
//! Everything here is pure: no I/O, no clock, no randomness, no global. Read the modules in the order the
//! data flows: text → [`node`] → [`document`] → [`policy_set`] → [`cascade`] → [`resolve`] → [`mod@derive`] →
//! [`decide`] and [`mod@explain`]. The merge rule of every field is in [`fields`].

pub mod cascade;
pub mod catalog;
pub mod config;
pub mod constraint;
pub mod contradiction;
pub mod decide;
pub mod derive;
pub mod diagnostic;
pub mod diff;
pub mod document;
pub mod emit;
pub mod explain;
pub mod fields;
pub mod gap;
pub mod http;
pub mod leaves;
pub mod ledger;
pub mod level;
pub mod library;
pub mod node;
pub mod pack;
mod path_index;
pub mod pattern;
pub mod policy_set;
pub mod provenance;
pub mod quantity;
pub mod question;
pub mod read;
pub mod reference;
pub mod resolve;
pub mod rules;
pub mod scale;
pub mod schema;
pub mod sets;
pub mod slice;
pub mod span;
pub mod spec;
pub mod steps;
pub mod strictness;
pub mod tools;

pub use ringfence_seal::time;
