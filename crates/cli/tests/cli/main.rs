//! The program as its users meet it: flags and files in; stdout, stderr and an exit code out.
#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a set-up that fails is a test that fails")]

mod bad_input;
mod derive;
mod diff;
mod explain;
mod folder;
mod generated;
#[path = "../program/mod.rs"]
mod program;
mod support;
mod tests;
mod violations;
