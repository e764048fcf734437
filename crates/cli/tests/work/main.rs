//! Ordinary work in a box that lets a repo be written and a registry be reached: the tools must not notice.
//!
//! Every test runs as root and as a user without rights, with the real tools of the machine and with packages from a
//! registry that the test itself serves. A tool that is missing fails the test that needs it.
#![expect(clippy::expect_used, clippy::panic, reason = "a set-up that fails is a test that fails")]

mod builds;
mod git;
mod job_control;
mod loopback;
mod packages;
mod places;
mod registry;
mod signals;
mod streams;
mod terminal;
mod tools;
mod world;
