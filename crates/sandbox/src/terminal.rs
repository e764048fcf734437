//! A terminal between the person's and the run's: bytes pass, and nothing else does. The run has no descriptor of the
//! real one, so it can neither put input into it nor change it.

use crate::plan::Keys;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::termios::{OptionalActions, Termios, isatty, tcgetattr, tcgetpgrp, tcgetwinsize, tcsetattr, tcsetwinsize};

/// The supervisor's side.
#[derive(Debug)]
pub(crate) struct Relay {
    controller: OwnedFd,
    /// The real terminal as it was.
    before: Option<Termios>,
    raw: bool,
    /// Whether the run reads keys.
    wanted: bool,
}

/// As much as is passed at a time.
const CHUNK: usize = 32 * 1024;

impl Relay {
    /// Takes the terminal over.
    pub(crate) fn new(controller: OwnedFd, keys: Keys) -> Self {
        let before = tcgetattr(rustix::stdio::stdin()).ok();
        let mut relay = Self { controller, before, raw: false, wanted: keys == Keys::AtOnce };
        relay.take();
        relay
    }

    /// Every key goes through unread, where this process is in the foreground.
    pub(crate) fn take(&mut self) {
        let Some(before) = &self.before else { return };
        if !in_foreground() || self.raw || !self.wanted {
            return;
        }
        let mut raw = before.clone();
        raw.make_raw();
        let streams = [rustix::stdio::stdout(), rustix::stdio::stderr()];
        if !streams.into_iter().all(isatty) {
            // Somebody else writes to the terminal too, and counts on it to end lines.
            raw.output_modes = before.output_modes;
        }
        self.raw = tcsetattr(rustix::stdio::stdin(), OptionalActions::Drain, &raw).is_ok();
        self.resize();
    }

    /// The run reads keys from now on.
    pub(crate) fn want(&mut self) {
        self.wanted = true;
        self.take();
    }

    /// The terminal as it was.
    pub(crate) fn give_back(&mut self) {
        if let (Some(before), true) = (&self.before, self.raw) {
            let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Drain, before);
            self.raw = false;
        }
    }

    /// The real terminal has another size now.
    pub(crate) fn resize(&self) {
        if let Ok(size) = tcgetwinsize(rustix::stdio::stdin()) {
            let _ = tcsetwinsize(&self.controller, size);
        }
    }

    /// Whether keys are to be read.
    pub(crate) fn listens(&self) -> bool {
        self.raw
    }

    /// Passes keys on. False when there are no more.
    pub(crate) fn keys(&self) -> bool {
        let mut bytes = [0u8; CHUNK];
        match rustix::io::read(rustix::stdio::stdin(), &mut bytes) {
            Ok(0) => false,
            Ok(n) => bytes.get(..n).is_some_and(|b| write_all(self.controller.as_fd(), b)),
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => true,
            Err(_) => false,
        }
    }

    /// Shows what the run wrote. False when it has closed its side.
    pub(crate) fn show(&self) -> bool {
        let mut bytes = [0u8; CHUNK];
        match rustix::io::read(&self.controller, &mut bytes) {
            Ok(0) => false,
            Ok(n) => bytes.get(..n).is_some_and(|b| write_all(screen(), b)),
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => true,
            Err(_) => false,
        }
    }

    /// Shows what is left.
    pub(crate) fn drain(&self) {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        loop {
            let mut fds = [PollFd::new(&self.controller, PollFlags::IN)];
            let waiting = poll(&mut fds, Some(&now)).is_ok_and(|n| n > 0);
            let [fd] = fds;
            if !(waiting && fd.revents().contains(PollFlags::IN) && self.show()) {
                return;
            }
        }
    }
}

impl AsFd for Relay {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.controller.as_fd()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.give_back();
    }
}

fn in_foreground() -> bool {
    tcgetpgrp(rustix::stdio::stdin()).is_ok_and(|group| group == rustix::process::getpgrp())
}

/// Where the person looks.
fn screen() -> BorrowedFd<'static> {
    let streams = [rustix::stdio::stdout(), rustix::stdio::stderr(), rustix::stdio::stdin()];
    streams.into_iter().find(|fd| isatty(fd)).unwrap_or_else(rustix::stdio::stderr)
}

fn write_all(fd: BorrowedFd<'_>, mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        match rustix::io::write(fd, bytes) {
            Ok(n) => bytes = bytes.get(n..).unwrap_or_default(),
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
            Err(_) => return false,
        }
    }
    true
}
