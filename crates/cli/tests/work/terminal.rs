//! A terminal with a program on it, and somebody at the keys.

use crate::world::World;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};
use std::ffi::OsString;
use std::process::{Child, ExitStatus, Stdio};

/// The keys and the screen.
pub(crate) struct Terminal {
    controller: OwnedFd,
    /// Kept, so that the terminal outlives its programs and can be asked how they left it.
    user: OwnedFd,
    child: Child,
    screen: Vec<u8>,
    seen: usize,
}

/// How long a text is waited for before the test is given up.
const PATIENCE: Timespec = Timespec { tv_sec: 30, tv_nsec: 0 };

const SIZE: Winsize = Winsize { ws_row: 33, ws_col: 101, ws_xpixel: 0, ws_ypixel: 0 };

impl Terminal {
    /// Starts a program on a terminal of its own, as `setsid` does.
    pub(crate) fn start(world: &World, words: &[OsString]) -> Self {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let controller = openpt(flags).expect("a terminal");
        unlockpt(&controller).expect("a terminal");
        let user = ioctl_tiocgptpeer(&controller, flags).expect("a terminal");
        tcsetwinsize(&controller, SIZE).expect("a size");
        let stream = || Stdio::from(user.try_clone().expect("a descriptor"));
        let on_terminal = ["setsid", "--ctty", "--wait"].map(OsString::from);
        let mut command = world.outside(on_terminal.iter().chain(words));
        let child = command.stdin(stream()).stdout(stream()).stderr(stream()).spawn().expect("it starts");
        Self { controller, user, child, screen: Vec::new(), seen: 0 }
    }

    pub(crate) fn keys(&mut self, keys: &str) {
        let mut bytes = keys.as_bytes();
        while !bytes.is_empty() {
            let n = rustix::io::write(&self.controller, bytes).expect("keys");
            bytes = bytes.get(n..).unwrap_or_default();
        }
    }

    pub(crate) fn resize(&self, rows: u16, columns: u16) {
        tcsetwinsize(&self.controller, Winsize { ws_row: rows, ws_col: columns, ..SIZE }).expect("a size");
    }

    /// Waits until the screen shows a text after what was waited for before.
    pub(crate) fn sees(&mut self, text: &str) {
        self.until(text);
    }

    /// The same, and what stood before the text.
    pub(crate) fn until(&mut self, text: &str) -> String {
        loop {
            let fresh = self.screen.get(self.seen..).unwrap_or_default();
            if let Some(at) = fresh.windows(text.len()).position(|w| w == text.as_bytes()) {
                let before = String::from_utf8_lossy(fresh.get(..at).unwrap_or_default()).into_owned();
                self.seen += at + text.len();
                return before;
            }
            assert!(self.more(), "`{text}` did not come; the screen shows:\n{}", self.shown());
        }
    }

    fn more(&mut self) -> bool {
        let mut fds = [PollFd::new(&self.controller, PollFlags::IN)];
        if !poll(&mut fds, Some(&PATIENCE)).is_ok_and(|n| n > 0) {
            return false;
        }
        let mut bytes = [0; 4096];
        match rustix::io::read(&self.controller, &mut bytes) {
            Ok(n) if n > 0 => {
                self.screen.extend(bytes.get(..n).unwrap_or_default());
                true
            }
            _ => false,
        }
    }

    /// All that was on the screen.
    pub(crate) fn shown(&self) -> String {
        String::from_utf8_lossy(&self.screen).into_owned()
    }

    /// How the terminal is set now.
    pub(crate) fn modes(&self) -> Termios {
        tcgetattr(&self.user).expect("modes")
    }

    /// Waits for the program's end.
    pub(crate) fn end(&mut self) -> ExitStatus {
        self.child.wait().expect("an end")
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
