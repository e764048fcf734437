//! Processes outside: their memory, files, environment, and the levers on them.

use super::own;
use crate::attempt::{read, reads, with_own_child};
use crate::context::Context;
use crate::outcome::{Outcome, contains};
use crate::probe::{ONLY_A, Probe};
use crate::raw;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::path::Path;

const SIGNAL: (&str, crate::probe::Act) = ("signal a child of one's own", |_| {
    with_own_child(|pid| Outcome::of(raw::call(libc::SYS_kill, [pid as usize, 0]), "reached"))
});
const TRACE: (&str, crate::probe::Act) = ("trace a child of one's own", |_| with_own_child(traces));
const TRACING: &str =
    "tracing is a lever on the supervisor where processes share one namespace, so those tiers refuse it";
const OWN_LIMIT: (&str, crate::probe::Act) = ("lower a limit of one's own", |_| {
    let none = 0;
    let mut now = [0_u64; 2];
    let got = raw::call(libc::SYS_prlimit64, [none, libc::RLIMIT_CORE as usize, 0, now.as_mut_ptr() as usize]);
    let set =
        got.and_then(|_| raw::call(libc::SYS_prlimit64, [none, libc::RLIMIT_CORE as usize, now.as_ptr() as usize, 0]));
    Outcome::of(set, "set")
});
const SHOWN: &str = "without a pid namespace /proc lists every process";

pub(super) const PROBES: &[Probe] = &[
    Probe::new(
        "own-environment",
        "find the supervisor's secret in one's own environment",
        |c| {
            let found = std::env::vars_os()
                .any(|(n, v)| n == *c.variable || contains(v.as_encoded_bytes(), c.canary.as_bytes()));
            Outcome::when(found, "it was passed on", "not there")
        },
        ("find PATH in one's own environment", |_| {
            Outcome::when(std::env::var_os("PATH").is_some(), "there", "no PATH")
        }),
    ),
    Probe::new(
        "environ-of-victim",
        "read the environment of a process outside",
        |c| reads(c.victim_file("environ"), c),
        OWN_ENVIRON,
    )
    .lesson("CAP_PERFMON reads it although tracing is refused"),
    Probe::new(
        "environ-of-pid1",
        "find the secret in the environment of process 1",
        |c| Outcome::holds(read("/proc/1/environ"), &c.canary),
        OWN_ENVIRON,
    )
    .lesson("bubblewrap's first process keeps the original environment")
    .unproven("process 1 outside does not hold the canary; inside it is the supervisor's child"),
    Probe::new(
        "environ-of-parent",
        "find the secret in the environment of the parent",
        |c| reads(format!("/proc/{}/environ", c.parent), c),
        OWN_ENVIRON,
    ),
    Probe::new(
        "environ-of-anybody",
        "find the secret in the environment of any process",
        |c| {
            let found =
                pids().find(|p| read(format!("/proc/{p}/environ")).is_ok_and(|b| contains(&b, c.canary.as_bytes())));
            found.map_or(Outcome::Refused("in none".into()), |pid| Outcome::Did(format!("in process {pid}")))
        },
        OWN_ENVIRON,
    ),
    Probe::new(
        "memory-of-victim",
        "read the memory of a process outside by /proc",
        |c| {
            let at = c.victim.address as u64;
            Outcome::holds(memory(&c.victim_file("mem"), at, c.canary.len()), &c.canary)
        },
        ("read one's own memory by /proc", |_| {
            let own = b"own".to_vec();
            Outcome::of(memory(Path::new("/proc/self/mem"), own.as_ptr() as u64, own.len()), "read")
        }),
    ),
    Probe::new(
        "memory-of-parent",
        "read the memory of the supervisor",
        |c| {
            if c.parent == 0 {
                return Outcome::Refused("the parent cannot be named".into());
            }
            let parent = c.parent;
            let maps = read(format!("/proc/{parent}/maps"));
            let start = maps.and_then(|m| {
                let text = String::from_utf8_lossy(&m).into_owned();
                let start = text.split('-').next().and_then(|a| u64::from_str_radix(a, 16).ok());
                start.ok_or_else(|| io::Error::other("no mapping is shown"))
            });
            let bytes = start.and_then(|at| memory(Path::new(&format!("/proc/{parent}/mem")), at, 16));
            Outcome::of(bytes, "read")
        },
        OWN_ENVIRON,
    ),
    Probe::new(
        "maps-of-victim",
        "read where a process outside keeps what",
        |c| crate::attempt::reads_any(c.victim_file("maps")),
        OWN_ENVIRON,
    ),
    Probe::new(
        "root-of-victim",
        "read a secret by the root of a process outside",
        |c| reads(super::files::below(&format!("/proc/{}/root", c.victim.pid), &c.secret()), c),
        own::READ,
    ),
    Probe::new(
        "cwd-of-victim",
        "read a secret by the working directory of a process outside",
        |c| reads(c.victim_file("cwd/.ssh/id_ed25519"), c),
        own::READ,
    ),
    Probe::new(
        "fd-of-victim",
        "open a descriptor of a process outside by /proc",
        |c| reads(c.victim_file(&format!("fd/{}", c.victim.descriptor)), c),
        own::READ,
    ),
    Probe::new(
        "root-of-anybody",
        "read a secret by the root of any process",
        |c| {
            let tail = c.secret();
            let found = pids().find(|p| reads(super::files::below(&format!("/proc/{p}/root"), &tail), c).worked());
            found.map_or(Outcome::Refused("by none".into()), |pid| Outcome::Did(format!("by process {pid}")))
        },
        own::READ,
    ),
    Probe::new(
        "pidfd-getfd",
        "take a descriptor from a process outside",
        |c| {
            let taken = pidfd(c.victim.pid).and_then(|fd| {
                raw::open(libc::SYS_pidfd_getfd, [fd.as_raw_fd() as usize, c.victim.descriptor as usize, 0])
            });
            Outcome::holds(taken.and_then(read_at_start), &c.canary)
        },
        ("name a child of one's own by a descriptor", |_| with_own_child(|pid| Outcome::of(pidfd(pid), "named"))),
    ),
    Probe::new("ptrace-victim", "trace a process outside", |c| foreign(c, traces), TRACE).twin_tiers(ONLY_A, TRACING),
    Probe::new(
        "ptrace-parent",
        "trace the supervisor",
        |c| {
            if c.parent == 0 { Outcome::Refused("the parent cannot be named".into()) } else { traces(c.parent) }
        },
        TRACE,
    )
    .twin_tiers(ONLY_A, TRACING),
    Probe::new(
        "process-vm-readv",
        "copy memory from a process outside",
        |c| {
            let mut bytes = vec![0_u8; c.canary.len()];
            let read = copied(
                libc::SYS_process_vm_readv,
                c.victim.pid,
                bytes.as_mut_ptr() as usize,
                c.victim.address,
                bytes.len(),
            );
            Outcome::holds(read.map(|_| bytes), &c.canary)
        },
        ("copy memory from oneself", |_| {
            let (mut to, from) = ([0_u8; 4], *b"mine");
            let pid = std::process::id() as i32;
            Outcome::of(
                copied(libc::SYS_process_vm_readv, pid, to.as_mut_ptr() as usize, from.as_ptr() as usize, 4),
                "copied",
            )
        }),
    )
    .twin_tiers(ONLY_A, TRACING),
    Probe::new(
        "process-vm-writev",
        "copy memory into a process outside",
        |c| {
            let same = c.canary.as_bytes().to_vec();
            let written =
                copied(libc::SYS_process_vm_writev, c.victim.pid, same.as_ptr() as usize, c.victim.address, same.len());
            Outcome::of(written, "written")
        },
        own::START,
    ),
    Probe::new(
        "kill-victim",
        "send a signal to a process outside",
        |c| foreign(c, |pid| Outcome::of(raw::call(libc::SYS_kill, [pid as usize, libc::SIGUSR1 as usize]), "sent")),
        SIGNAL,
    ),
    Probe::new(
        "tgkill-victim",
        "send a signal to a thread outside",
        |c| {
            foreign(c, |pid| {
                let pid = pid as usize;
                Outcome::of(raw::call(libc::SYS_tgkill, [pid, pid, libc::SIGUSR1 as usize]), "sent")
            })
        },
        SIGNAL,
    ),
    Probe::new(
        "sigqueue-victim",
        "queue a signal to a process outside",
        |c| {
            foreign(c, |pid| {
                let mut info = [0_i32; 32];
                for (slot, value) in info.iter_mut().zip([libc::SIGUSR1, 0, -1]) {
                    *slot = value;
                }
                let arguments = [pid as usize, libc::SIGUSR1 as usize, info.as_ptr() as usize];
                Outcome::of(raw::call(libc::SYS_rt_sigqueueinfo, arguments), "sent")
            })
        },
        SIGNAL,
    ),
    Probe::new(
        "pidfd-signal-victim",
        "send a signal by a descriptor of a process outside",
        |c| {
            foreign(c, |pid| {
                let sent = pidfd(pid).and_then(|fd| {
                    raw::call(libc::SYS_pidfd_send_signal, [fd.as_raw_fd() as usize, libc::SIGUSR1 as usize, 0, 0])
                });
                Outcome::of(sent, "sent")
            })
        },
        SIGNAL,
    ),
    Probe::new(
        "kill-group-victim",
        "send a signal to a group outside",
        |c| foreign(c, |pid| Outcome::of(raw::call(libc::SYS_kill, [(-pid) as usize, libc::SIGUSR1 as usize]), "sent")),
        SIGNAL,
    ),
    Probe::new(
        "kill-everybody",
        "send a signal to every process",
        |c| {
            if c.control {
                return Outcome::Absent("never without a fence".into());
            }
            let _ = raw::call(libc::SYS_kill, [usize::MAX, libc::SIGUSR1 as usize]);
            Outcome::Refused("whether it arrived is counted by the victim".into())
        },
        SIGNAL,
    )
    .unproven("it would reach processes that are not the fixture's; the victim counts what arrives"),
    Probe::new(
        "sigio-victim",
        "have the kernel send a signal outside for a descriptor",
        |c| foreign(c, owned_signal),
        SIGNAL,
    )
    .unproven("the kernel tells the sender nothing; the victim counts what arrives")
    .lesson("F_SETOWN sends on behalf of whoever set it"),
    Probe::new(
        "prlimit-victim",
        "change a limit of a process outside to what it is",
        |c| {
            foreign(c, |pid| {
                let mut now = [0_u64; 2];
                let pid = pid as usize;
                let got =
                    raw::call(libc::SYS_prlimit64, [pid, libc::RLIMIT_CPU as usize, 0, now.as_mut_ptr() as usize]);
                Outcome::of(
                    got.and_then(|_| {
                        raw::call(libc::SYS_prlimit64, [pid, libc::RLIMIT_CPU as usize, now.as_ptr() as usize, 0])
                    }),
                    "set",
                )
            })
        },
        OWN_LIMIT,
    )
    .lesson("limits are not Landlock's; only a pid namespace or a filter on the pid stops this"),
    Probe::new(
        "priority-of-victim",
        "change the priority of a process outside to what it is",
        |c| foreign(c, |pid| Outcome::of(raw::call(libc::SYS_setpriority, [0, pid as usize, 0]), "set")),
        ("change one's own priority", |_| Outcome::of(raw::call(libc::SYS_setpriority, [0, 0, 5]), "set")),
    ),
    Probe::new(
        "affinity-of-victim",
        "pin a process outside to the processors it has",
        |c| {
            foreign(c, |pid| {
                let mut mask = [0_u64; 16];
                let got = raw::call(libc::SYS_sched_getaffinity, [pid as usize, 128, mask.as_mut_ptr() as usize]);
                Outcome::of(
                    got.and_then(|_| {
                        raw::call(libc::SYS_sched_setaffinity, [pid as usize, 128, mask.as_ptr() as usize])
                    }),
                    "set",
                )
            })
        },
        ("pin oneself", |_| {
            let mut mask = [0_u64; 16];
            let got = raw::call(libc::SYS_sched_getaffinity, [0, 128, mask.as_mut_ptr() as usize]);
            Outcome::of(
                got.and_then(|_| raw::call(libc::SYS_sched_setaffinity, [0, 128, mask.as_ptr() as usize])),
                "set",
            )
        }),
    ),
    Probe::new(
        "oom-score-of-victim",
        "write the memory score of a process outside",
        |c| crate::attempt::writes_the_same(c.victim_file("oom_score_adj")),
        ("read one's own memory score", |_| crate::attempt::reads_any("/proc/self/oom_score_adj")),
    ),
    Probe::new(
        "see-victim",
        "see that a process outside exists",
        |c| {
            let seen =
                pids().find(|p| read(format!("/proc/{p}/cmdline")).is_ok_and(|b| contains(&b, c.canary.as_bytes())));
            seen.map_or(Outcome::Refused("not seen".into()), |pid| Outcome::Did(format!("seen as {pid}")))
        },
        ("see oneself", |_| Outcome::when(pids().any(|p| p == std::process::id()), "seen", "not seen")),
    )
    .tiers(ONLY_A, SHOWN),
    Probe::new(
        "probe-victim",
        "ask whether a process outside exists",
        |c| foreign(c, |pid| Outcome::of(raw::call(libc::SYS_getpgid, [pid as usize]), "it exists")),
        SIGNAL,
    )
    .tiers(ONLY_A, SHOWN),
];

const OWN_ENVIRON: (&str, crate::probe::Act) =
    ("read one's own environment by /proc", |_| crate::attempt::reads_any("/proc/self/environ"));

fn pids() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|e| e.file_name().to_str()?.parse().ok())
}

/// Acts on the victim, unless its number means another process in here.
fn foreign(context: &Context, act: impl FnOnce(i32) -> Outcome) -> Outcome {
    let shown = read(context.victim_file("cmdline"));
    match shown {
        Ok(bytes) if !contains(&bytes, context.canary.as_bytes()) => {
            Outcome::Refused("that number is another process in here".to_owned())
        }
        _ => act(context.victim.pid),
    }
}

fn traces(pid: i32) -> Outcome {
    let pid = pid as usize;
    let seized = raw::call(libc::SYS_ptrace, [libc::PTRACE_SEIZE as usize, pid, 0, 0]);
    let outcome = Outcome::of(seized, "traced");
    outcome.then(|| {
        let _ = raw::call(libc::SYS_ptrace, [libc::PTRACE_INTERRUPT as usize, pid, 0, 0]);
        let _ = raw::wait(pid as i32);
        let _ = raw::call(libc::SYS_ptrace, [libc::PTRACE_DETACH as usize, pid, 0, 0]);
    })
}

fn memory(path: &Path, at: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    fs::File::open(path)?.read_exact_at(&mut bytes, at)?;
    Ok(bytes)
}

fn pidfd(pid: i32) -> io::Result<OwnedFd> {
    raw::open(libc::SYS_pidfd_open, [pid as usize, 0])
}

fn read_at_start(fd: OwnedFd) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; 4096];
    let n = fs::File::from(fd).read_at(&mut bytes, 0)?;
    bytes.truncate(n);
    Ok(bytes)
}

fn copied(number: libc::c_long, pid: i32, here: usize, there: usize, length: usize) -> io::Result<usize> {
    let (local, remote) = ([here, length], [there, length]);
    raw::call(number, [pid as usize, local.as_ptr() as usize, 1, remote.as_ptr() as usize, 1, 0])
}

/// The owner of a socket gets a signal when something arrives. The kernel checks when it sends, and tells nobody;
/// whether the signal arrived is counted by the victim.
fn owned_signal(pid: i32) -> Outcome {
    use std::io::Write;
    let Ok((one, mut other)) = std::os::unix::net::UnixStream::pair() else {
        return Outcome::Refused("no sockets".to_owned());
    };
    let fd = one.as_raw_fd() as usize;
    let set = raw::call(libc::SYS_fcntl, [fd, libc::F_SETOWN as usize, pid as usize]);
    let set = set.and_then(|_| raw::call(libc::SYS_fcntl, [fd, libc::F_SETFL as usize, libc::O_ASYNC as usize]));
    let _ = other.write_all(b"x");
    match set {
        Err(error) => Outcome::refused(&error),
        Ok(_) => Outcome::Refused("whether it arrived is counted by the victim".to_owned()),
    }
}
