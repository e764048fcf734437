//! Snapshots of real folders, edited as a hostile run would, and restored. As root everything runs a second time
//! as an unprivileged user.
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a set-up that fails is a test that fails"
)]

mod hostile;
mod interrupted;
mod limits;
mod property;
mod restore;
mod support;
mod unprivileged;
