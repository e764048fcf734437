//! `ringfence run`, `allow` and `learn` as their users meet them.
#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a set-up that fails is a test that fails")]

mod allow;
mod cache;
mod denials;
mod learn;
mod record;
mod support;
