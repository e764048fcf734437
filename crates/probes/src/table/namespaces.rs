//! Namespaces: new ones, those of others, and the calls that make them by another name.

use super::own;
use crate::attempt::in_own_child;
use crate::context::Context;
use crate::outcome::Outcome;
use crate::probe::Probe;
use crate::raw;
use std::fs::File;
use std::os::fd::AsRawFd;

macro_rules! unshare {
    ($name:literal, $what:literal, $flag:expr) => {
        Probe::new($name, $what, |_| in_own_child(|| raw::call(libc::SYS_unshare, [$flag as usize])), own::THREAD)
    };
}

macro_rules! join {
    ($name:literal, $what:literal, $file:literal) => {
        Probe::new($name, $what, |c| joins(&c.victim_file(concat!("ns/", $file))), own::START).as_root()
    };
}

const CLONE_NEWTIME: i32 = 0x80;

pub(super) const PROBES: &[Probe] = &[
    unshare!("unshare-user", "make a user namespace", libc::CLONE_NEWUSER),
    unshare!("unshare-mount", "make a mount namespace", libc::CLONE_NEWNS).as_root(),
    unshare!("unshare-pid", "make a pid namespace", libc::CLONE_NEWPID).as_root(),
    unshare!("unshare-net", "make a network namespace", libc::CLONE_NEWNET).as_root(),
    unshare!("unshare-ipc", "make an ipc namespace", libc::CLONE_NEWIPC).as_root(),
    unshare!("unshare-uts", "make a namespace for host names", libc::CLONE_NEWUTS).as_root(),
    unshare!("unshare-cgroup", "make a cgroup namespace", libc::CLONE_NEWCGROUP).as_root(),
    unshare!("unshare-time", "make a time namespace", CLONE_NEWTIME).as_root(),
    unshare!(
        "unshare-all",
        "make a user namespace and all the others in it",
        libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWNET | libc::CLONE_NEWIPC
    ),
    Probe::new("clone-user", "start a child in a user namespace", |_| clones(libc::CLONE_NEWUSER), own::START),
    Probe::new(
        "clone-user-net",
        "start a child in user and network namespaces",
        |_| clones(libc::CLONE_NEWUSER | libc::CLONE_NEWNET),
        own::START,
    ),
    Probe::new(
        "clone3-user",
        "start a child in a user namespace by the call whose flags no filter reads",
        |_| clones3(libc::CLONE_NEWUSER as u64),
        own::THREAD,
    )
    .lesson("flags of clone3 lie in memory; answer ENOSYS and the C library uses clone"),
    join!("setns-mount", "join the mounts of a process outside", "mnt"),
    join!("setns-net", "join the network of a process outside", "net"),
    join!("setns-pid", "join the processes of a process outside", "pid"),
    join!("setns-uts", "join the host name of a process outside", "uts"),
    join!("setns-ipc", "join the shared memory of a process outside", "ipc"),
    Probe::new(
        "setns-pidfd",
        "join everything of a process outside by its descriptor",
        |c| {
            let flags = (libc::CLONE_NEWNS | libc::CLONE_NEWNET) as usize;
            let joined = raw::open(libc::SYS_pidfd_open, [c.victim.pid as usize, 0]);
            match joined {
                Err(error) => Outcome::refused(&error),
                Ok(fd) => in_own_child(|| raw::call(libc::SYS_setns, [fd.as_raw_fd() as usize, flags])),
            }
        },
        own::START,
    )
    .as_root(),
    Probe::new(
        "setns-parent",
        "join the mounts of the supervisor",
        |c: &Context| joins(std::path::Path::new(&format!("/proc/{}/ns/mnt", c.parent))),
        own::START,
    )
    .as_root(),
    Probe::new(
        "setns-first",
        "join the mounts of process 1",
        |_| joins(std::path::Path::new("/proc/1/ns/mnt")),
        own::START,
    )
    .unproven("process 1 of some machines is out of reach for root too"),
];

fn joins(path: &std::path::Path) -> Outcome {
    match File::open(path) {
        Err(error) => Outcome::refused(&error),
        Ok(file) => in_own_child(|| raw::call(libc::SYS_setns, [file.as_raw_fd() as usize, 0])),
    }
}

fn clones(flags: i32) -> Outcome {
    let flags = (flags | libc::SIGCHLD) as usize;
    match raw::call(libc::SYS_clone, [flags, 0, 0, 0, 0]) {
        Err(error) => Outcome::refused(&error),
        Ok(0) => raw::exit(0),
        Ok(pid) => {
            let _ = raw::wait(pid as i32);
            Outcome::Did("the child ran".to_owned())
        }
    }
}

fn clones3(flags: u64) -> Outcome {
    // struct clone_args: flags, pidfd, child_tid, parent_tid, exit_signal, and three words that stay zero.
    let arguments = [flags, 0, 0, 0, libc::SIGCHLD as u64, 0, 0, 0];
    match raw::call(libc::SYS_clone3, [arguments.as_ptr() as usize, size_of_val(&arguments)]) {
        Err(error) => Outcome::refused(&error),
        Ok(0) => raw::exit(0),
        Ok(pid) => {
            let _ = raw::wait(pid as i32);
            Outcome::Did("the child ran".to_owned())
        }
    }
}
