//! Files of a run: which exist, which can be written, which are hidden or protected.
//!
//! `layout` turns the slice into a list of places; `tree` builds a root directory from it (tier A); `landlock` says
//! the same to Landlock (every tier); `placeholder` keeps names free that must not come into being;
//! `within` tells which path lies in which.

pub(crate) mod etc;
pub(crate) mod landlock;
pub(crate) mod layout;
pub(crate) mod placeholder;
pub(crate) mod toolchain;
pub(crate) mod tree;
pub(crate) mod within;
