//! The log of a run on disk: written, killed, torn, forged, found again.
#![expect(clippy::expect_used, clippy::panic, reason = "a set-up that fails is a test that fails")]

mod crash;
mod run_log;
mod runs;
mod support;
