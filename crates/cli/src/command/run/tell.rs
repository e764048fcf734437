//! Tells a person about a run.

use ringfence_sandbox::{Event, Started, Witness};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Collects what is to be told.
pub(super) struct Teller {
    quiet: bool,
    denied: AtomicBool,
    lines: Mutex<Vec<String>>,
}

impl Teller {
    pub(super) fn new(quiet: bool) -> Self {
        Self { quiet, denied: AtomicBool::new(false), lines: Mutex::default() }
    }

    pub(super) fn summary(&self) -> bool {
        if !self.quiet
            && let Ok(lines) = self.lines.lock()
        {
            for line in lines.iter() {
                eprintln!("{line}");
            }
        }
        self.denied.load(Ordering::Relaxed)
    }
}

impl Witness for Teller {
    fn started(&self, started: &Started) {
        if !self.quiet {
            eprintln!("ringfence: {started:?}");
        }
    }

    fn event(&self, event: Event) {
        if let Ok(mut lines) = self.lines.lock() {
            lines.push(format!("{event:?}"));
        }
    }
}
