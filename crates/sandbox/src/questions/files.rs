//! File calls: a broker that opens files on the run's behalf where endings count, and an eye on what is refused.

use super::memory;
use crate::event::{Event, Witness};
use crate::fs::layout::{Access, Layout};
use crate::sys::{Notification, NotifyFd, Reply};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{Mode, OFlags, ResolveFlags, mkdirat, openat2};
use rustix::io::Errno;
use std::path::{Path, PathBuf};

/// Writes files with allowed endings below the writable folders. The box itself has no right to write there, so this
/// is the only way, and it decides and acts on its own copy of the name.
#[derive(Debug)]
pub(crate) struct Broker {
    roots: Vec<(PathBuf, OwnedFd)>,
    endings: Vec<String>,
    scratch: Vec<PathBuf>,
}

/// Which arguments of a call hold the folder, the path, the flags and the mode.
struct Shape {
    folder: Option<usize>,
    path: usize,
    flags: Option<usize>,
    mode: Option<usize>,
}

fn shape(number: i64) -> Option<Shape> {
    let shape = |folder, path, flags, mode| Some(Shape { folder, path, flags, mode });
    match number {
        libc::SYS_openat => shape(Some(0), 1, Some(2), Some(3)),
        libc::SYS_mkdirat => shape(Some(0), 1, None, Some(2)),
        libc::SYS_unlinkat | libc::SYS_mknodat => shape(Some(0), 1, None, None),
        libc::SYS_renameat2 | libc::SYS_linkat => shape(Some(2), 3, None, None),
        libc::SYS_symlinkat => shape(Some(1), 2, None, None),
        libc::SYS_truncate => shape(None, 0, None, None),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_open => shape(None, 0, Some(1), Some(2)),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_creat => shape(None, 0, None, Some(1)),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_mkdir => shape(None, 0, None, Some(1)),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_rmdir | libc::SYS_unlink | libc::SYS_mknod => shape(None, 0, None, None),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_rename | libc::SYS_link | libc::SYS_symlink => shape(None, 1, None, None),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_renameat => shape(Some(2), 3, None, None),
        _ => None,
    }
}

const WRITES: i32 = libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC;

impl Broker {
    /// A broker for the writable folders of a layout, opened before the box is made.
    pub(crate) fn new(layout: &Layout) -> Option<Self> {
        let endings = layout.extensions.clone()?;
        let open = |path: &Path| {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            rustix::fs::open(path, flags, Mode::empty()).ok()
        };
        let written = layout.binds.iter().filter(|b| b.access == Access::Write);
        let roots = written.filter_map(|b| Some((b.path.clone(), open(&b.path)?))).collect();
        let scratch =
            if layout.scratch { vec!["/tmp".into(), "/dev".into(), layout.home.clone()] } else { vec!["/dev".into()] };
        Some(Self { roots, endings, scratch })
    }

    pub(super) fn answer(&self, fd: &NotifyFd, question: &Notification, witness: &dyn Witness) {
        let number = i64::from(question.number);
        let refuse = |path: PathBuf| {
            let _ = fd.answer(question.id, Reply::Fail(Errno::ACCESS));
            witness.event(Event::FileDenied { path, write: true });
        };
        let Some((shape, path)) = shape(number)
            .and_then(|s| Some((memory::absolute(fd, question, s.folder, s.path)?, s)).map(|(p, s)| (s, p)))
        else {
            let _ = fd.answer(question.id, Reply::Fail(Errno::FAULT));
            return;
        };
        // The run's own files and devices: Landlock and the mounts decide on them as always.
        if self.scratch.iter().any(|s| path.starts_with(s)) && !self.roots.iter().any(|(r, _)| path.starts_with(r)) {
            let _ = fd.answer(question.id, Reply::Continue);
            return;
        }
        let root = self.roots.iter().find_map(|(root, fd)| Some((path.strip_prefix(root).ok()?.to_owned(), fd)));
        let Some((relative, root)) = root else { return refuse(path) };
        if !fd.still_waits(question.id) {
            return;
        }
        let mode = shape.mode.and_then(|n| question.args.get(n)).map_or(0o644, |m| *m as u32 & 0o777);
        let done = match number {
            libc::SYS_mkdirat => make(root, &relative, mode).map(|()| None),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_mkdir => make(root, &relative, mode).map(|()| None),
            libc::SYS_openat => self.open(root, &relative, flags(question, &shape), mode).map(Some),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_open => self.open(root, &relative, flags(question, &shape), mode).map(Some),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_creat => {
                self.open(root, &relative, libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC, mode).map(Some)
            }
            _ => Err(Errno::ACCESS),
        };
        match done {
            Ok(None) => drop(fd.answer(question.id, Reply::Value(0))),
            Ok(Some(file)) => {
                let close = flags(question, &shape) & libc::O_CLOEXEC != 0;
                let _ = fd.answer_with(question.id, file.as_fd(), close);
            }
            Err(Errno::ACCESS | Errno::PERM | Errno::LOOP | Errno::XDEV) => refuse(path),
            Err(e) => drop(fd.answer(question.id, Reply::Fail(e))),
        }
    }

    fn open(&self, root: &OwnedFd, relative: &Path, flags: i32, mode: u32) -> rustix::io::Result<OwnedFd> {
        let ending = relative.extension().and_then(|e| e.to_str()).unwrap_or_default();
        if !self.endings.iter().any(|e| e == ending) {
            return Err(Errno::ACCESS);
        }
        const KEPT: i32 =
            libc::O_ACCMODE | libc::O_CREAT | libc::O_EXCL | libc::O_TRUNC | libc::O_APPEND | libc::O_NONBLOCK;
        let flags =
            OFlags::from_bits_truncate((flags & KEPT) as u32) | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NOCTTY;
        let mode = if flags.contains(OFlags::CREATE) { Mode::from_raw_mode(mode & 0o666) } else { Mode::empty() };
        let file = openat2(root, relative, flags, mode, beneath())?;
        let kind = rustix::fs::fstat(&file)?.st_mode & libc::S_IFMT;
        if kind == libc::S_IFREG { Ok(file) } else { Err(Errno::ACCESS) }
    }
}

fn beneath() -> ResolveFlags {
    ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_XDEV
}

fn flags(question: &Notification, shape: &Shape) -> i32 {
    shape.flags.and_then(|n| question.args.get(n)).map_or(0, |f| *f as i32)
}

fn make(root: &OwnedFd, relative: &Path, mode: u32) -> rustix::io::Result<()> {
    let (Some(name), parent) = (relative.file_name(), relative.parent()) else { return Err(Errno::EXIST) };
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    match parent.filter(|p| !p.as_os_str().is_empty()) {
        Some(parent) => {
            let dir = openat2(root, parent, flags, Mode::empty(), beneath())?;
            mkdirat(dir, name, Mode::from_raw_mode(mode))
        }
        None => mkdirat(root, name, Mode::from_raw_mode(mode)),
    }
}

/// Tells of a file call that the box is going to refuse. Only a hint: the call itself goes on and meets the walls.
pub(super) fn watch(fd: &NotifyFd, question: &Notification, layout: &Layout, witness: &dyn Witness) {
    let Some(shape) = shape(i64::from(question.number)) else { return };
    let Some(path) = memory::absolute(fd, question, shape.folder, shape.path) else { return };
    let write = shape.flags.is_none() || flags(question, &shape) & WRITES != 0;
    if layout.full || path.starts_with("/proc") || path.starts_with("/dev") {
        return;
    }
    let own = layout.scratch && (path.starts_with("/tmp") || path.starts_with(&layout.home));
    let shown = layout.etc && path.starts_with("/etc") && !write;
    let hidden = layout.hidden.iter().any(|h| path.starts_with(h));
    let protected = layout.protected.iter().any(|p| path.starts_with(p));
    let refused = match layout.access(&path) {
        _ if hidden => true,
        Some(Access::Read) => write,
        Some(Access::Write) => write && protected,
        Some(Access::CopyOnWrite) => false,
        // What the host has not either is no denial.
        None => !own && !shown && (write || path.exists()),
    };
    // What lies under the run's own home and exists outside was kept from it.
    let missed = own && layout.access(&path).is_none() && !path.starts_with("/tmp") && path.exists();
    if refused || missed {
        witness.event(Event::FileDenied { path, write });
    }
}
