//! Snapshots of real folders, edited as a hostile run would, and restored. As root everything runs a second time
//! as an unprivileged user.

mod hostile;
mod interrupted;
mod limits;
mod property;
mod restore;
mod support;
mod unprivileged;
