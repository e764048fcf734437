//! The processes of a run, seen from the supervisor: how much they take, and ending them where no namespace does.

use rustix::process::{Pid, Signal};
use std::time::Duration;

/// What the processes of a run take together.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Usage {
    /// Bytes that are theirs alone, and their part of what they share.
    pub(crate) memory: u64,
    /// How many there are, threads included.
    pub(crate) processes: u64,
    /// Processor time, of the ended ones too.
    pub(crate) cpu: Duration,
}

/// The most processes that are looked at: more than any limit that makes sense.
const MOST: usize = 65_536;

/// All processes below one, and it.
pub(crate) fn of(first: Pid) -> Vec<i32> {
    let mut found = vec![first.as_raw_nonzero().get()];
    let mut at = 0;
    while let Some(pid) = found.get(at).copied() {
        at += 1;
        let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else { continue };
        for task in tasks.flatten() {
            let Ok(children) = std::fs::read_to_string(task.path().join("children")) else { continue };
            found.extend(children.split_ascii_whitespace().filter_map(|c| c.parse::<i32>().ok()));
        }
        if found.len() > MOST {
            break;
        }
    }
    found
}

/// What the processes below one take.
pub(crate) fn usage(first: Pid) -> Usage {
    let mut usage = Usage::default();
    let tick = 1_000_000_000 / 100;
    for pid in of(first) {
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { continue };
        // The name may hold anything, so fields are counted after its closing bracket.
        let Some((_, rest)) = stat.rsplit_once(") ") else { continue };
        let fields: Vec<&str> = rest.split(' ').collect();
        let number = |n: usize| fields.get(n).and_then(|f| f.parse::<u64>().ok()).unwrap_or(0);
        // utime, stime and those of buried children; threads; resident pages.
        let ticks = number(11) + number(12) + number(13) + number(14);
        usage.cpu += Duration::from_nanos(ticks.saturating_mul(tick));
        usage.processes += number(17).max(1);
        usage.memory += resident(pid).unwrap_or_else(|| number(21).saturating_mul(4096));
    }
    usage
}

/// Memory that is not file pages: what a bomb takes.
fn resident(pid: i32) -> Option<u64> {
    let statm = std::fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let mut fields = statm.split(' ').skip(1).map(|f| f.parse::<u64>().unwrap_or(0));
    let (resident, shared) = (fields.next()?, fields.next()?);
    Some(resident.saturating_sub(shared).saturating_mul(4096))
}

/// Ends every process below this one, until none is left: what a pid namespace does by itself. They are stopped first,
/// so that none makes new ones while others are ended.
pub(crate) fn end_all() {
    let own = rustix::process::getpid();
    for signal in [Signal::STOP, Signal::KILL, Signal::KILL, Signal::KILL] {
        let mut last = 0;
        for _ in 0..64 {
            let below: Vec<Pid> = of(own).into_iter().skip(1).filter_map(Pid::from_raw).collect();
            for pid in &below {
                let _ = rustix::process::kill_process(*pid, signal);
            }
            while let Ok(Some(_)) = rustix::process::wait(rustix::process::WaitOptions::NOHANG) {}
            if below.is_empty() || (signal == Signal::STOP && below.len() == last) {
                break;
            }
            last = below.len();
        }
    }
}
