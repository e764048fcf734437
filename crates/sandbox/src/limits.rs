//! Limits of a run: what one process may take by rlimits, what all of them may take together by the supervisor's count.

use crate::descendants;
use crate::error::{During, Result};
use ringfence_policy::slice;
use rustix::process::{Pid, Resource, Rlimit, setrlimit};
use std::time::{Duration, Instant};

/// The numbers of the slice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Limits {
    pub(crate) memory: Option<u64>,
    pub(crate) processes: Option<u64>,
    pub(crate) cpu: Option<Duration>,
    pub(crate) wall: Option<Duration>,
    pub(crate) file_size: Option<u64>,
    pub(crate) open_files: Option<u64>,
}

impl From<&slice::Limits> for Limits {
    fn from(l: &slice::Limits) -> Self {
        Self {
            memory: l.memory_bytes,
            processes: l.processes,
            cpu: l.cpu_ms.map(Duration::from_millis),
            wall: l.wall_ms.map(Duration::from_millis),
            file_size: l.file_size_bytes,
            open_files: l.open_files,
        }
    }
}

impl Limits {
    /// Sets what holds for each process. A limit that is already tighter stays.
    pub(crate) fn apply(&self, own_namespace: bool) -> Result<()> {
        let seconds = self.cpu.map(|c| c.as_secs().max(1) + u64::from(c.subsec_nanos() > 0));
        let mut limits = vec![
            (Resource::Core, Some(0)),
            (Resource::Fsize, self.file_size),
            (Resource::Nofile, self.open_files),
            (Resource::Cpu, seconds),
            (Resource::Data, self.memory),
        ];
        if own_namespace {
            // Counted in the run's own user namespace; outside one it would count the user's other programs too.
            limits.push((Resource::Nproc, self.processes));
        }
        for (resource, value) in limits {
            let Some(value) = value else { continue };
            let now = rustix::process::getrlimit(resource);
            let value = now.maximum.map_or(value, |most| most.min(value));
            setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) }).during("set a limit")?;
        }
        Ok(())
    }
}

/// Why a run was ended by its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exceeded {
    /// Time on the clock.
    Wall,
    /// Processor time of all processes.
    Cpu,
    /// Memory of all processes.
    Memory,
    /// Processes, for longer than a moment.
    Processes,
}

impl Exceeded {
    /// The field of the policy.
    pub fn field(self) -> &'static str {
        match self {
            Self::Wall => "wall",
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Processes => "processes",
        }
    }
}

/// The supervisor's own count.
#[derive(Debug)]
pub(crate) struct Watch {
    limits: Limits,
    started: Instant,
    /// Looks in a row that found the run at its limit of processes.
    full: u32,
}

/// How often the count is taken.
const EVERY: Duration = Duration::from_millis(100);
/// A build may touch its limit; a fork bomb stays there.
const FULL_FOR: u32 = 20;

impl Watch {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self { limits: limits.clone(), started: Instant::now(), full: 0 }
    }

    /// When to look next; never where nothing is limited.
    pub(crate) fn next(&self) -> Option<Duration> {
        let counted = self.limits.memory.is_some() || self.limits.processes.is_some() || self.limits.cpu.is_some();
        let wall = self.limits.wall.map(|w| w.saturating_sub(self.started.elapsed()) + Duration::from_millis(1));
        match (counted, wall) {
            (true, Some(wall)) => Some(wall.min(EVERY)),
            (true, None) => Some(EVERY),
            (false, wall) => wall,
        }
    }

    /// Looks at the run, and says what it has exceeded.
    pub(crate) fn look(&mut self, first: Pid) -> Option<Exceeded> {
        if self.limits.wall.is_some_and(|w| self.started.elapsed() >= w) {
            return Some(Exceeded::Wall);
        }
        if self.limits.memory.is_none() && self.limits.processes.is_none() && self.limits.cpu.is_none() {
            return None;
        }
        let usage = descendants::usage(first);
        if self.limits.memory.is_some_and(|m| usage.memory > m) {
            return Some(Exceeded::Memory);
        }
        if self.limits.cpu.is_some_and(|c| usage.cpu > c) {
            return Some(Exceeded::Cpu);
        }
        let at_limit = self.limits.processes.is_some_and(|p| usage.processes.saturating_add(2) >= p);
        self.full = if at_limit { self.full + 1 } else { 0 };
        (self.full >= FULL_FOR).then_some(Exceeded::Processes)
    }
}
