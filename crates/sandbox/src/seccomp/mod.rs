//! The system call filter: what a run never needs and an attacker would, refused by the kernel.
//!
//! In: the tier, the network, whether programs may be started. Out: one program for the kernel. Rights on files
//! and names are never decided here: a filter cannot read memory.

mod assemble;
mod profile;

pub(crate) use assemble::{Action, Rule, Test, program};
pub(crate) use profile::{Ask, Profile, rules};
