//! A second process that does part of the work beside the first: it makes a network namespace, which takes the kernel
//! longer than everything else of a box. Small files are copied by whichever of the two has time.
//!
//! It shares the first one's memory and descriptors, so that nothing has to be carried over, and it is gone before
//! the box is shut.

use super::clone::last_errno;
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, open, openat, unlinkat};
use rustix::io::{Errno, Result};
use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType};
use rustix::process::{Pid, WaitId, WaitIdOptions, WaitOptions, waitid, waitpid};
use rustix::thread::{LinkNameSpaceType, Timespec, UnshareFlags, futex, move_into_link_name_space, unshare_unsafe};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

/// What is done beside the rest.
pub(crate) struct Work {
    /// Files to copy.
    pub(crate) copies: Option<Copies>,
    /// What to ask the routing of a new network namespace for; none where there is to be none.
    pub(crate) network: Option<Vec<u8>>,
}

/// Files to copy from one folder into another.
pub(crate) struct Copies {
    pub(crate) from: OwnedFd,
    pub(crate) into: OwnedFd,
    /// At most `MOST_COPIES` of them; those that are missing, too large or no plain files are left out.
    pub(crate) names: &'static [&'static str],
    pub(crate) most_bytes: u64,
    /// Files that are not copied but written as they stand here.
    pub(crate) texts: [(&'static str, &'static str); 3],
}

/// The most files that can be copied.
pub(crate) const MOST_COPIES: usize = 16;

/// A process that does its work, or has done it.
pub(crate) struct Aside {
    pid: Pid,
    shared: &'static Shared,
    /// What the helper works with, open until it is gone and no longer: all but one lead to the host.
    _held: Vec<OwnedFd>,
}

/// What both processes see. Each word is 0 until there is something to say.
struct Shared {
    copies: Option<Task>,
    request: Option<Vec<u8>>,
    /// The host's `/proc`, open before it is out of reach.
    proc: RawFd,
    /// `DONE` when every file to copy is open.
    opened: AtomicU32,
    /// `NOT_MADE`, or the number of a descriptor beyond `MADE`.
    network: AtomicU32,
    /// The number of the descriptor on which the routing answers, beyond `DONE`; valid once `network` is.
    routing: AtomicU32,
}

/// `Copies` with the numbers of its folders, in pieces: a file or a text each.
struct Task {
    from: RawFd,
    into: RawFd,
    names: &'static [&'static str],
    most_bytes: u64,
    texts: [(&'static str, &'static str); 3],
    /// The numbers of the open files; negative where there is none, or it was taken.
    files: [AtomicI32; MOST_COPIES],
    /// The next piece that nobody has taken.
    next: AtomicU32,
    /// How many pieces are finished.
    finished: AtomicU32,
    /// An error number of one that failed.
    error: AtomicI32,
}

const DONE: u32 = 1;
const NOT_MADE: u32 = 1;
const MADE: u32 = 2;
/// Nothing here needs more than the buffer that files pass through.
const STACK: usize = 32 << 10;
const BUFFER: usize = 8 << 10;
/// How long to wait before looking whether the helper is still there.
const PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

impl Aside {
    /// Starts it. Must be called in the user namespace that is to own the network.
    pub(crate) fn start(work: Work) -> Result<Self> {
        let proc = open("/proc", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        // Never freed: a process makes one box in its life, and the helper stands on them.
        let stack: &'static mut [MaybeUninit<u128>] = Box::leak(Box::new_uninit_slice(STACK / size_of::<u128>()));
        let [opened, network, routing] = [const { AtomicU32::new(0) }; 3];
        let Work { copies, network: request } = work;
        let copies = copies.map(|Copies { from, into, names, most_bytes, texts }| {
            let [next, finished] = [const { AtomicU32::new(0) }; 2];
            let task = Task {
                from: from.as_raw_fd(),
                into: into.as_raw_fd(),
                names,
                most_bytes,
                texts,
                files: [const { AtomicI32::new(-1) }; MOST_COPIES],
                next,
                finished,
                error: AtomicI32::new(0),
            };
            (task, [from, into])
        });
        let (copies, folders) = copies.unzip();
        let shared = Shared { copies, request, proc: proc.as_raw_fd(), opened, network, routing };
        let shared: &'static Shared = Box::leak(Box::new(shared));
        let held = folders.into_iter().flatten().chain([proc]).collect();
        let flags = libc::CLONE_VM | libc::CLONE_FILES | libc::SIGCHLD;
        // SAFETY: the helper has a stack of its own that is never freed, 16-byte aligned at its end, and is given a
        // pointer to `Shared`, which lives for ever. It shares this memory, so it must not touch what this thread may
        // change: `help` makes raw system calls, allocates nothing, and looks at nothing but `Shared`.
        let pid = unsafe {
            let top = stack.as_mut_ptr_range().end.cast::<libc::c_void>();
            let argument = std::ptr::from_ref(shared).cast_mut().cast::<libc::c_void>();
            libc::clone(help, top, flags, argument)
        };
        match pid {
            -1 => Err(last_errno()),
            pid => Ok(Self { pid: Pid::from_raw(pid).ok_or(Errno::INVAL)?, shared, _held: held }),
        }
    }

    /// Waits until every file to copy is open: from then on the folder may be covered.
    pub(crate) fn opened(&self) -> Result<()> {
        self.wait(&self.shared.opened).map(drop)
    }

    /// Copies what the helper has not got round to, and waits for the rest.
    pub(crate) fn copy(&self) -> Result<()> {
        let Some(task) = &self.shared.copies else { return Ok(()) };
        task.work();
        loop {
            let finished = task.finished.load(Ordering::Acquire);
            if finished >= task.pieces() {
                break;
            }
            let waited = futex::wait(&task.finished, futex::Flags::PRIVATE, finished, Some(&PATIENCE));
            if waited == Err(Errno::TIMEDOUT) && self.is_gone() && task.finished.load(Ordering::Acquire) == finished {
                return Err(Errno::SRCH);
            }
        }
        match task.error.load(Ordering::Acquire) {
            0 => Ok(()),
            error => Err(Errno::from_raw_os_error(error)),
        }
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

    /// Waits until the helper is gone.
    pub(crate) fn bury(self) -> Result<()> {
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
    if let Some(task) = &shared.copies {
        for (name, file) in task.names.iter().zip(&task.files) {
            let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
            if let Ok(opened) = openat(borrowed(task.from), *name, flags, Mode::empty()) {
                file.store(opened.into_raw_fd(), Ordering::Release);
            }
        }
        say(&shared.opened, DONE);
    }
    if let Some(request) = &shared.request {
        say(&shared.network, make_network(shared, request));
    }
    if let Some(task) = &shared.copies {
        task.work();
    }
    0
}

fn borrowed(number: RawFd) -> BorrowedFd<'static> {
    // SAFETY: who started this process keeps the descriptor until it has buried it.
    unsafe { BorrowedFd::borrow_raw(number) }
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

// INVARIANT: like all that the helper does, nothing here allocates, unwinds or uses thread-local memory.
impl Task {
    fn pieces(&self) -> u32 {
        let names = self.names.len().min(MOST_COPIES);
        u32::try_from(names + self.texts.len()).unwrap_or(u32::MAX)
    }

    /// Takes one piece after the other until none is left. Two may do so at once.
    fn work(&self) {
        loop {
            let piece = self.next.fetch_add(1, Ordering::AcqRel);
            if piece >= self.pieces() {
                return;
            }
            if let Err(e) = self.finish(usize::try_from(piece).unwrap_or(usize::MAX)) {
                self.error.store(e.raw_os_error(), Ordering::Release);
            }
            if self.finished.fetch_add(1, Ordering::AcqRel) + 1 == self.pieces() {
                let _ = futex::wake(&self.finished, futex::Flags::PRIVATE, 1);
            }
        }
    }

    fn finish(&self, piece: usize) -> Result<()> {
        if let (Some(name), Some(file)) = (self.names.get(piece), self.files.get(piece)) {
            let number = file.swap(-1, Ordering::AcqRel);
            if number < 0 {
                return Ok(());
            }
            // SAFETY: the helper opened this descriptor in the table that both share, and whoever swaps its number
            // out is the only one who knows it.
            let file = unsafe { OwnedFd::from_raw_fd(number) };
            return self.copy(name, file.as_fd());
        }
        let Some((name, text)) = self.texts.get(piece.wrapping_sub(self.names.len())) else { return Ok(()) };
        match self.make(name)? {
            Some(made) => write_all(made.as_fd(), text.as_bytes()),
            None => Ok(()),
        }
    }

    /// Copies a plain file that is not too large. One that grows meanwhile is cut, like one that was read a moment
    /// before.
    fn copy(&self, name: &str, file: BorrowedFd<'_>) -> Result<()> {
        let Ok(stat) = rustix::fs::fstat(file) else { return Ok(()) };
        let Ok(mut left) = u64::try_from(stat.st_size) else { return Ok(()) };
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile || left > self.most_bytes {
            return Ok(());
        }
        let Some(made) = self.make(name)? else { return Ok(()) };
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        while left > 0 {
            match rustix::io::read(file, &mut buffer) {
                Ok(([], _)) => break,
                Ok((bytes, _)) => {
                    let most = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
                    write_all(made.as_fd(), bytes.get(..most).unwrap_or_default())?;
                    left = left.saturating_sub(bytes.len() as u64);
                }
                Err(Errno::INTR) => {}
                // Better none than a part of one.
                Err(_) => return unlinkat(borrowed(self.into), name, AtFlags::empty()),
            }
        }
        Ok(())
    }

    /// Makes a file, unless there is one.
    fn make(&self, name: &str) -> Result<Option<OwnedFd>> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        match openat(borrowed(self.into), name, flags, Mode::from_raw_mode(0o644)) {
            Err(Errno::EXIST) => Ok(None),
            made => made.map(Some),
        }
    }
}

fn write_all(file: BorrowedFd<'_>, mut bytes: &[u8]) -> Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(file, bytes) {
            Ok(0) => return Err(Errno::IO),
            Ok(n) => bytes = bytes.get(n..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}
