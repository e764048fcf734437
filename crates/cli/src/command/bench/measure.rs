//! Repeating something for a while, and what the times say.

use serde::Serialize;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// The fewest repetitions that a median is taken of.
const FEWEST: usize = 20;

/// The quickest, the middle and the slow end of many times, in nanoseconds.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Spread {
    pub(super) runs: usize,
    pub(super) min_ns: u64,
    pub(super) p50_ns: u64,
    pub(super) p99_ns: u64,
}

impl Spread {
    /// What these times say.
    pub(super) fn of(mut times: Vec<u64>) -> Self {
        times.sort_unstable();
        let at = |percent: usize| times.get(times.len().saturating_sub(1) * percent / 100).copied().unwrap_or(0);
        Self { runs: times.len(), min_ns: at(0), p50_ns: at(50), p99_ns: at(99) }
    }

    /// The same for one of several things that were timed together.
    pub(super) fn each(self, count: usize) -> Self {
        let share = |ns: u64| ns / u64::try_from(count.max(1)).unwrap_or(u64::MAX);
        Self { runs: self.runs, min_ns: share(self.min_ns), p50_ns: share(self.p50_ns), p99_ns: share(self.p99_ns) }
    }
}

/// Times `work` again and again until the budget is spent. What it hands back is dropped off the clock.
pub(super) fn repeat<T, E>(budget: Duration, mut work: impl FnMut() -> Result<T, E>) -> Result<Spread, E> {
    let start = Instant::now();
    let mut times = Vec::new();
    while start.elapsed() < budget || times.len() < FEWEST {
        times.push(timed(&mut work)?.0);
    }
    Ok(Spread::of(times))
}

/// How many nanoseconds something took.
pub(super) fn timed<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<(u64, T), E> {
    let before = Instant::now();
    let made = work()?;
    Ok((u64::try_from(before.elapsed().as_nanos()).unwrap_or(u64::MAX), made))
}

/// Says what is being measured, to a person who waits.
pub(super) fn progress(what: &str) {
    if std::io::stderr().is_terminal() {
        eprintln!("measuring {what} …");
    }
}
