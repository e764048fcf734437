//! Runs one attempt in a child of its own: an attempt in, an outcome out, whatever the attempt does to itself.

use crate::context::Context;
use crate::outcome::Outcome;
use crate::probe::Act;
use crate::raw;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// How long one attempt may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Runs an attempt. A child that is killed was refused; one that says nothing in time was refused too.
pub fn run(act: Act, context: &Context) -> Outcome {
    let Ok((reading, writing)) = raw::pipe() else { return Outcome::Broken("no pipe".to_owned()) };
    match raw::fork() {
        Err(error) => Outcome::Broken(format!("no child: {error}")),
        Ok(None) => {
            drop(reading);
            tell(act, context, writing);
            raw::exit(0)
        }
        Ok(Some(pid)) => {
            drop(writing);
            hear(pid, reading, context)
        }
    }
}

fn tell(act: Act, context: &Context, writing: OwnedFd) {
    // A group of its own, so that everything an attempt leaves behind can be ended with it.
    let _ = raw::call(libc::SYS_setpgid, [0, 0]);
    let outcome = catch_unwind(AssertUnwindSafe(|| act(context)));
    let outcome = outcome.unwrap_or_else(|_| Outcome::Broken("the attempt panicked".to_owned()));
    if let Ok(bytes) = serde_json::to_vec(&outcome) {
        let _ = File::from(writing).write_all(&bytes);
    }
}

fn hear(pid: i32, reading: OwnedFd, context: &Context) -> Outcome {
    let end = Instant::now() + PATIENCE;
    let mut bytes = Vec::new();
    let mut file = File::from(reading);
    let mut late = false;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() || !raw::readable(file.as_raw_fd(), i32::try_from(left.as_millis()).unwrap_or(0)) {
            late = bytes.is_empty();
            break;
        }
        let mut part = [0; 4096];
        match file.read(&mut part) {
            Ok(0) | Err(_) => break,
            Ok(n) => bytes.extend_from_slice(part.get(..n).unwrap_or_default()),
        }
    }
    for target in [-pid, pid] {
        if late || target < 0 {
            let _ = raw::call(libc::SYS_kill, [target as usize, libc::SIGKILL as usize]);
        }
    }
    let status = raw::wait(pid).unwrap_or(0);
    if let Ok(outcome) = serde_json::from_slice::<Outcome>(&bytes) {
        return missing(outcome, context);
    }
    match raw::ended_by(status) {
        _ if late => Outcome::Refused("nothing came of it in time".to_owned()),
        Some(signal) => Outcome::Refused(format!("ended by signal {signal}")),
        None => Outcome::Broken("the child said nothing".to_owned()),
    }
}

/// Without a fence, these errors say that the kernel has no such thing.
fn missing(outcome: Outcome, context: &Context) -> Outcome {
    match outcome {
        Outcome::Refused(detail)
            if context.control
                && ["ENOSYS", "EAFNOSUPPORT", "EPROTONOSUPPORT", "ESOCKTNOSUPPORT"].contains(&detail.as_str()) =>
        {
            Outcome::Absent(format!("{detail}: not in this kernel"))
        }
        other => other,
    }
}
