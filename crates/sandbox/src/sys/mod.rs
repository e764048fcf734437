//! The system calls that no safe crate offers, each behind a safe function.
//!
//! This is the only place with `unsafe`. Every block says why it is sound; nothing here decides anything.

#![expect(unsafe_code, reason = "system calls without a safe wrapper")]

mod aside;
mod clone;
mod copies;
mod exec;
mod mount;
mod names;
mod notify;
mod seccomp;
mod signal;
mod spawn;

pub(crate) use aside::{Aside, Work};
pub(crate) use clone::{Forked, clone_with, exit_now, fork};
pub(crate) use copies::Copies;
pub(crate) use exec::{Image, close_on_exec_from, exec};
pub(crate) use mount::{MountAttr, set_mount_attr};
pub(crate) use names::names_by_files_and_dns;
pub(crate) use notify::{Notification, NotifyFd, Reply, reaches_others};
pub(crate) use seccomp::{Instruction, behind_open_filter, landlock_version, load_filter, load_filter_with_listener};
pub(crate) use signal::{SignalFd, block_signals, die_by, ignore, reset_signals};
pub(crate) use spawn::spawn;
