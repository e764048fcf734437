//! How far a long scan has come, on a terminal and after a second only.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

/// What has been read so far.
#[derive(Debug, Default)]
pub(super) struct Progress {
    bytes: AtomicU64,
    line: Mutex<Line>,
}

/// The line on the terminal.
#[derive(Debug, Default, PartialEq)]
enum Line {
    #[default]
    Hidden,
    Shown,
    Ended,
}

const TICK: Duration = Duration::from_millis(500);

impl Progress {
    /// Starts to tell, where somebody is looking.
    pub(super) fn start() -> Arc<Self> {
        let progress = Arc::new(Self::default());
        if std::io::stderr().is_terminal() {
            let weak = Arc::downgrade(&progress);
            // Without a thread nothing is told, and nothing is lost.
            let _ = std::thread::Builder::new().name("progress".into()).spawn(move || tell(&weak));
        }
        progress
    }

    pub(super) fn add(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Takes the line away before something else is written.
    pub(super) fn hide(&self) {
        self.change(Line::Hidden);
    }

    /// Takes the line away for good.
    pub(super) fn end(&self) {
        self.change(Line::Ended);
    }

    fn change(&self, to: Line) {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        if *line == Line::Shown {
            let _ = write!(std::io::stderr(), "\r\u{1b}[K");
        }
        *line = to;
    }
}

fn tell(progress: &Weak<Progress>) {
    std::thread::sleep(TICK);
    loop {
        std::thread::sleep(TICK);
        let Some(progress) = progress.upgrade() else { return };
        let mut line = progress.line.lock().unwrap_or_else(PoisonError::into_inner);
        if *line == Line::Ended {
            return;
        }
        let read = progress.bytes.load(Ordering::Relaxed) >> 20;
        let _ = write!(std::io::stderr(), "\r\u{1b}[Kscanning: {read} MiB read");
        *line = Line::Shown;
    }
}
