//! A second process that does part of the work beside the first: it makes a network namespace, which takes the kernel
//! longer than everything else of a box. Small files are copied by whichever of the two has time, and it is the helper
//! that lets go of the host's files, for which the kernel makes everybody wait who asks.
//!
//! It shares the first one's memory and descriptors, so that nothing has to be carried over, and it is gone before
//! the box is shut.

use super::clone::last_errno;
use super::copies::{Copies, Task};
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
use rustix::fs::{Mode, OFlags, open, openat};
use rustix::io::{Errno, Result};
use rustix::mount::{UnmountFlags, unmount};
use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType};
use rustix::process::{Gid, Pid, Uid, WaitId, WaitIdOptions, WaitOptions, waitid, waitpid};
use rustix::thread::{
    LinkNameSpaceType, Timespec, UnshareFlags, futex, move_into_link_name_space, set_thread_groups, set_thread_res_gid,
    set_thread_res_uid, unshare_unsafe,
};
use std::mem::MaybeUninit;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// What is done beside the rest once the namespace is made.
pub(crate) struct Work {
    /// Files to copy.
    pub(crate) copies: Option<Copies>,
    /// What becomes the root.
    pub(crate) root: OwnedFd,
    /// As whom: somebody who may not have been known in the user namespace when the helper was started.
    pub(crate) owner: (Uid, Gid),
}

/// `Work` with the number of its folder.
struct Given {
    copies: Option<Task>,
    root: RawFd,
    owner: (Uid, Gid),
}

/// A process that does its work, or has done it.
pub(crate) struct Aside {
    pid: Pid,
    shared: &'static Shared,
    /// What the helper works with, open until it is gone and no longer: all but one lead to the host.
    held: Vec<OwnedFd>,
}

/// What both processes see. Each word is 0 until there is something to say.
struct Shared {
    request: Option<Vec<u8>>,
    /// The host's `/proc`, open before it is out of reach.
    proc: RawFd,
    given: OnceLock<Given>,
    /// `DONE` when there is work given.
    handed: AtomicU32,
    /// `NOT_MADE`, or the number of a descriptor beyond `MADE`.
    network: AtomicU32,
    /// The number of the descriptor on which the routing answers, beyond `DONE`; valid once `network` is.
    routing: AtomicU32,
    /// `DONE` when the root has changed, and the old one can go.
    entered: AtomicU32,
    /// `DONE` when the old root is gone, or an error number beyond it.
    left: AtomicU32,
}

const DONE: u32 = 1;
const NOT_MADE: u32 = 1;
const MADE: u32 = 2;
/// Nothing here needs more than the buffer that files pass through.
const STACK: usize = 32 << 10;
/// How long a word is looked at before sleeping: about as long as the helper has left to do.
const LOOK: Duration = Duration::from_micros(300);
/// How long to wait before looking whether the helper is still there.
const PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

impl Aside {
    /// Starts it, and has it make a network namespace and ask its routing for something; neither where there is nothing
    /// to ask. Must be called in the user namespace that is to own the network.
    pub(crate) fn start(request: Option<Vec<u8>>) -> Result<Self> {
        let proc = open("/proc", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        // Never freed: a process makes one box in its life, and the helper stands on them.
        let stack: &'static mut [MaybeUninit<u128>] = Box::leak(Box::new_uninit_slice(STACK / size_of::<u128>()));
        let [handed, network, routing, entered, left] = [const { AtomicU32::new(0) }; 5];
        let given = OnceLock::new();
        let shared = Shared { request, proc: proc.as_raw_fd(), given, handed, network, routing, entered, left };
        let shared: &'static Shared = Box::leak(Box::new(shared));
        let held = vec![proc];
        let flags = libc::CLONE_VM | libc::CLONE_FILES | libc::SIGCHLD;
        // SAFETY: the helper has a stack of its own that is never freed, 16-byte aligned at its end, and is given a
        // pointer to `Shared`, which lives for ever. It shares this memory, so it must not touch what this thread may
        // change: `help` makes raw system calls, allocates nothing, and looks at nothing but `Shared` and what it was given there.
        let pid = unsafe {
            let top = stack.as_mut_ptr_range().end.cast::<libc::c_void>();
            let argument = std::ptr::from_ref(shared).cast_mut().cast::<libc::c_void>();
            libc::clone(help, top, flags, argument)
        };
        match pid {
            -1 => Err(last_errno()),
            pid => Ok(Self { pid: Pid::from_raw(pid).ok_or(Errno::INVAL)?, shared, held }),
        }
    }

    /// Gives it more to do. Once: what is given later is left alone.
    pub(crate) fn give(&mut self, work: Work) {
        let Work { copies, root, owner } = work;
        let (copies, folders) = copies.map(Task::new).unzip();
        let given = Given { copies, root: root.as_raw_fd(), owner };
        self.held.extend(folders.into_iter().flatten().chain([root]));
        let _ = self.shared.given.set(given);
        say(&self.shared.handed, DONE);
    }

    /// Copies what the helper has not got round to, and waits for the rest.
    pub(crate) fn copy(&self) -> Result<()> {
        let Some(task) = self.shared.given.get().and_then(|g| g.copies.as_ref()) else { return Ok(()) };
        task.work();
        while let Some((word, finished)) = task.unfinished() {
            if watched(word, finished) {
                continue;
            }
            let waited = futex::wait(word, futex::Flags::PRIVATE, finished, Some(&PATIENCE));
            if waited == Err(Errno::TIMEDOUT) && self.is_gone() && word.load(Ordering::Acquire) == finished {
                return Err(Errno::SRCH);
            }
        }
        task.outcome()
    }

    /// The root has changed: the old one, which lies over it, can go. Until [`Self::bury`] has returned it is still
    /// there, and a `..` may lead into it.
    pub(crate) fn let_go(&self) {
        say(&self.shared.entered, DONE);
    }

    /// Waits for the namespace and enters it; hands out the socket on which its routing answers. Where the helper
    /// could not make it, this process does, or says why not, and nobody has asked the routing yet.
    pub(crate) fn enter(&self) -> Result<Option<OwnedFd>> {
        let made = self.wait(&self.shared.network).ok().and_then(|state| taken(state, MADE));
        match made {
            Some(made) => {
                move_into_link_name_space(made.as_fd(), Some(LinkNameSpaceType::Network))?;
                Ok(taken(self.shared.routing.load(Ordering::Acquire), DONE))
            }
            // SAFETY: a new network namespace changes no memory and no descriptor.
            None => unsafe { unshare_unsafe(UnshareFlags::NEWNET) }.map(|()| None),
        }
    }

    /// What a word says, once it says something; an error where nobody is left to say it.
    fn wait(&self, word: &AtomicU32) -> Result<u32> {
        loop {
            match word.load(Ordering::Acquire) {
                0 => {}
                said => return Ok(said),
            }
            if watched(word, 0) {
                continue;
            }
            // Woken, interrupted or too late: the loop looks again. A helper that was killed wakes nobody.
            let waited = futex::wait(word, futex::Flags::PRIVATE, 0, Some(&PATIENCE));
            if waited == Err(Errno::TIMEDOUT) && self.is_gone() && word.load(Ordering::Acquire) == 0 {
                return Err(Errno::SRCH);
            }
        }
    }

    /// Whether the helper has ended; it stays to be buried.
    fn is_gone(&self) -> bool {
        let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(self.pid), how), Ok(None) | Err(Errno::INTR))
    }

    /// Waits until the old root is gone, and then the helper.
    pub(crate) fn bury(self) -> Result<()> {
        match self.wait(&self.shared.left)?.checked_sub(DONE) {
            Some(0) => {}
            error => {
                return Err(Errno::from_raw_os_error(error.and_then(|e| i32::try_from(e).ok()).unwrap_or(libc::EIO)));
            }
        }
        loop {
            match waitpid(Some(self.pid), WaitOptions::empty()) {
                Err(Errno::INTR) => {}
                ended => return ended.map(drop),
            }
        }
    }
}

/// The descriptor that a word speaks of, counted from `base`. Each is taken once.
fn taken(word: u32, base: u32) -> Option<OwnedFd> {
    let number = word.checked_sub(base).and_then(|n| RawFd::try_from(n).ok()).filter(|n| *n > 2)?;
    // SAFETY: the helper opened this descriptor in the table that both share, and has forgotten it. Standard streams
    // are there before anything is made, so a number below them never stands for one of ours.
    Some(unsafe { OwnedFd::from_raw_fd(number) })
}

/// The helper's life. INVARIANT: nothing here allocates, unwinds or uses thread-local memory (`errno` is shared):
/// system calls go to the kernel directly, and names are short enough to be passed on the stack.
extern "C" fn help(argument: *mut libc::c_void) -> libc::c_int {
    // SAFETY: the argument is the `Shared` that `start` leaked.
    let shared: &'static Shared = unsafe { &*argument.cast_const().cast::<Shared>() };
    if let Some(request) = &shared.request {
        say(&shared.network, make_network(shared, request));
    }
    sleep_until_said(&shared.handed);
    let Some(given) = shared.given.get() else { return 1 };
    let (uid, gid) = given.owner;
    // As in the first process: who maps itself may not, and keeps the groups that it has outside.
    let _ = set_thread_groups(&[]);
    let known = set_thread_res_gid(gid, gid, gid).and_then(|()| set_thread_res_uid(uid, uid, uid));
    if let Some(task) = &given.copies {
        match known {
            Ok(()) => task.work(),
            // Whoever started this one has to do it alone, and hears of it.
            Err(e) => task.fail(e),
        }
    }
    sleep_until_said(&shared.entered);
    say(&shared.left, DONE + leave(given.root).err().map_or(0, |e| e.raw_os_error().unsigned_abs()));
    0
}

/// Whoever says it ends the helper too, should it die before.
fn sleep_until_said(word: &AtomicU32) {
    while word.load(Ordering::Acquire) == 0 {
        let _ = futex::wait(word, futex::Flags::PRIVATE, 0, None);
    }
}

/// Takes away what lies over a folder: the old root, which was put there when this became the new one.
fn leave(root: RawFd) -> Result<()> {
    rustix::process::fchdir(borrowed(root))?;
    unmount(c".", UnmountFlags::DETACH)
}

pub(super) fn borrowed(number: RawFd) -> BorrowedFd<'static> {
    // SAFETY: who started this process keeps the descriptor until it has buried it.
    unsafe { BorrowedFd::borrow_raw(number) }
}

/// Looks at a word for a while, and says whether it has changed. Whoever sleeps instead gives the processor away, and
/// may get it back much later than the word changes.
fn watched(word: &AtomicU32, was: u32) -> bool {
    let start = Instant::now();
    while start.elapsed() < LOOK {
        for _ in 0..100 {
            std::hint::spin_loop();
            if word.load(Ordering::Acquire) != was {
                return true;
            }
        }
    }
    false
}

fn say(word: &AtomicU32, what: u32) {
    word.store(what, Ordering::Release);
    let _ = futex::wake(word, futex::Flags::PRIVATE, 1);
}

/// Makes the namespace and asks its routing; what it answers is left for the first process to read.
fn make_network(shared: &Shared, request: &[u8]) -> u32 {
    // SAFETY: a new network namespace changes no memory and no descriptor.
    let made = unsafe { unshare_unsafe(UnshareFlags::NEWNET) };
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let opened = made.and_then(|()| openat(borrowed(shared.proc), c"self/ns/net", flags, Mode::empty()));
    let Ok(namespace) = opened else { return NOT_MADE };
    let number = |fd: OwnedFd, base: u32| u32::try_from(fd.into_raw_fd()).map_or(0, |n| n.saturating_add(base));
    // Protocol 0 of this family is routing.
    let routing = rustix::net::socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None);
    if let Ok(routing) = routing
        && rustix::net::send(&routing, request, SendFlags::empty()).is_ok()
    {
        shared.routing.store(number(routing, DONE), Ordering::Release);
    }
    number(namespace, MADE)
}
