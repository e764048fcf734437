//! Attempts that would end the run they are made in: each is run alone, and stops by itself where no limit does.

use crate::context::Context;
use crate::outcome::Outcome;
use crate::probe::Act;
use crate::raw;
use std::fs::{self, File};
use std::io::Write;
use std::time::{Duration, Instant};

/// An attempt to use up the machine.
#[derive(Clone, Copy, Debug)]
pub struct Bomb {
    /// Its name.
    pub name: &'static str,
    /// What is tried, in one sentence.
    pub what: &'static str,
    /// The attempt: it works if it reaches its own bound.
    pub act: Act,
}

/// Every bomb. The bounds are above the limits that a test sets and far below what hurts a machine.
pub const BOMBS: &[Bomb] = &[
    Bomb { name: "processes", what: "start 1,500 processes", act: |_| processes(1500) },
    Bomb { name: "memory", what: "use 1 GiB of memory", act: |_| memory(1 << 30) },
    Bomb { name: "memory-shared", what: "use 1 GiB of memory of eight processes", act: |_| shared(1 << 30, 8) },
    Bomb {
        name: "memory-files",
        what: "use 1 GiB of memory by files in /dev/shm and /tmp",
        act: |_| files_in_memory(1 << 30),
    },
    Bomb { name: "file", what: "write a file of 256 MiB", act: |c| file(c, 256 << 20) },
    Bomb { name: "descriptors", what: "open 5,000 files", act: |_| descriptors(5000) },
    Bomb { name: "processor", what: "use 20 seconds of processor time", act: |_| processor(Duration::from_secs(20)) },
    Bomb {
        name: "wall",
        what: "last 30 seconds",
        act: |_| {
            std::thread::sleep(Duration::from_secs(30));
            Outcome::Did("30 seconds".to_owned())
        },
    },
];

fn processes(most: usize) -> Outcome {
    let mut children = Vec::new();
    let mut end = Outcome::Did(format!("{most} processes"));
    while children.len() < most {
        match raw::fork() {
            Ok(None) => {
                std::thread::sleep(Duration::from_secs(8));
                raw::exit(0)
            }
            Ok(Some(pid)) => children.push(pid),
            Err(error) => {
                end = Outcome::Refused(format!("{error} after {} processes", children.len()));
                break;
            }
        }
    }
    for pid in children {
        let _ = raw::call(libc::SYS_kill, [pid as usize, libc::SIGKILL as usize]);
        let _ = raw::wait(pid);
    }
    end
}

fn fill(bytes: usize) -> Result<Vec<Vec<u8>>, usize> {
    let mut parts = Vec::new();
    for n in 0..bytes / (1 << 20) {
        let mut part = Vec::new();
        if part.try_reserve_exact(1 << 20).is_err() {
            return Err(n);
        }
        part.resize(1 << 20, 7);
        parts.push(part);
    }
    Ok(parts)
}

fn memory(bytes: usize) -> Outcome {
    match fill(bytes) {
        Ok(parts) => Outcome::Did(format!("{} MiB", parts.len())),
        Err(n) => Outcome::Refused(format!("no more after {n} MiB")),
    }
}

fn shared(bytes: usize, processes: usize) -> Outcome {
    let mut children = Vec::new();
    for _ in 0..processes {
        match raw::fork() {
            Ok(None) => {
                let held = fill(bytes / processes);
                std::thread::sleep(Duration::from_secs(2));
                raw::exit(i32::from(held.is_err()))
            }
            Ok(Some(pid)) => children.push(pid),
            Err(error) => return Outcome::refused(&error),
        }
    }
    let ended: Vec<i32> = children.into_iter().filter_map(|pid| raw::wait(pid).ok()).collect();
    Outcome::when(ended.iter().all(|s| *s == 0), "all held their share", "not all held their share")
}

/// Small files, so that the limit on the size of one does not end it first.
fn files_in_memory(bytes: usize) -> Outcome {
    let part = vec![7_u8; 8 << 20];
    let mut made = Vec::new();
    for folder in ["/dev/shm".into(), std::env::temp_dir()] {
        while made.len() * part.len() < bytes {
            let path = folder.join(format!("bomb-{}-{}", std::process::id(), made.len()));
            let written = fs::write(&path, &part);
            made.push(path);
            if written.is_err() {
                break;
            }
        }
    }
    let written = made.iter().filter(|p| fs::metadata(p).is_ok_and(|m| m.len() == part.len() as u64)).count();
    for path in &made {
        let _ = fs::remove_file(path);
    }
    Outcome::when(written * part.len() >= bytes, "written", &format!("no more after {} MiB", written * 8))
}

fn file(context: &Context, bytes: usize) -> Outcome {
    raw::ignore(libc::SIGXFSZ);
    let path = context.scratch("big");
    let part = vec![7_u8; 1 << 20];
    let written = File::create(&path).and_then(|mut f| (0..bytes >> 20).try_for_each(|_| f.write_all(&part)));
    let _ = fs::remove_file(&path);
    Outcome::of(written, "written")
}

fn descriptors(most: usize) -> Outcome {
    let mut open = Vec::new();
    while open.len() < most {
        match File::open("/dev/null") {
            Ok(file) => open.push(file),
            Err(error) => return Outcome::Refused(format!("{error} after {}", open.len())),
        }
    }
    Outcome::Did(format!("{most} open"))
}

fn processor(time: Duration) -> Outcome {
    let start = Instant::now();
    let mut n = 0_u64;
    while start.elapsed() < time {
        n = std::hint::black_box(n.wrapping_add(1));
    }
    Outcome::Did(format!("{time:?}"))
}
