//! The kernel's own surface: calls that ordinary programs do without.

use super::own;
use crate::attempt::{self, in_own_child};
use crate::outcome::Outcome;
use crate::probe::Probe;
use crate::raw;
use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd};

const POLL: (&str, crate::probe::Act) =
    ("wait for events", |_| Outcome::of(raw::open(libc::SYS_epoll_create1, [libc::EPOLL_CLOEXEC as usize]), "ready"));
const CLOCK: (&str, crate::probe::Act) = ("read the clock", |_| {
    let mut now = [0_i64; 2];
    Outcome::of(raw::call(libc::SYS_clock_gettime, [0, now.as_mut_ptr() as usize]), "read")
});
const NAME: (&str, crate::probe::Act) = ("read the host's name", |_| {
    let mut name = [0_u8; 65 * 6];
    Outcome::of(raw::call(libc::SYS_uname, [name.as_mut_ptr() as usize]), "read")
});
const MEMORY: (&str, crate::probe::Act) = ("make a file in memory", |_| {
    Outcome::of(raw::open(libc::SYS_memfd_create, [c"own".as_ptr() as usize, libc::MFD_CLOEXEC as usize]), "made")
});

pub(super) const PROBES: &[Probe] = &[
    Probe::new(
        "io-uring",
        "make a ring for system calls that no filter sees",
        |_| {
            let mut parameters = [0_u32; 30];
            Outcome::of(raw::open(libc::SYS_io_uring_setup, [2, parameters.as_mut_ptr() as usize]), "made")
        },
        POLL,
    ),
    Probe::new(
        "bpf-map",
        "make a table for kernel programs",
        |_| {
            let attributes = [2_u32, 4, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            Outcome::of(raw::open(libc::SYS_bpf, [0, attributes.as_ptr() as usize, 64]), "made")
        },
        POLL,
    )
    .as_root(),
    Probe::new(
        "bpf-program",
        "load a program into the kernel",
        |_| {
            // r0 = 0; exit.
            let program = [0x0000_0000_0000_00b7_u64, 0x95];
            let mut attributes = [0_u64; 16];
            for (slot, value) in
                attributes.iter_mut().zip([0x2_0000_0001, program.as_ptr() as u64, c"GPL".as_ptr() as u64])
            {
                *slot = value;
            }
            Outcome::of(raw::open(libc::SYS_bpf, [5, attributes.as_ptr() as usize, 128]), "loaded")
        },
        POLL,
    )
    .as_root(),
    Probe::new(
        "perf",
        "measure by the kernel's counters",
        |_| {
            // A software clock of oneself, user space only: the least that can be asked for.
            let mut attributes = [0_u64; 16];
            for (slot, value) in attributes.iter_mut().zip([(128 << 32) | 1, 0, 0, 0, 0, (1 << 5) | (1 << 6)]) {
                *slot = value;
            }
            let arguments = [attributes.as_ptr() as usize, 0, usize::MAX, usize::MAX, 0];
            Outcome::of(raw::open(libc::SYS_perf_event_open, arguments), "measured")
        },
        CLOCK,
    ),
    Probe::new(
        "userfaultfd",
        "handle page faults in user space",
        |_| Outcome::of(raw::open(libc::SYS_userfaultfd, [1 | libc::O_CLOEXEC as usize]), "handled"),
        MEMORY,
    ),
    Probe::new(
        "fanotify",
        "watch whole file systems",
        |_| Outcome::of(raw::open(libc::SYS_fanotify_init, [0x200, 0]), "watched"),
        ("watch the repo", |c| {
            let watch = raw::open(libc::SYS_inotify_init1, [libc::IN_CLOEXEC as usize]);
            let watched = watch.and_then(|w| {
                let path = attempt::path(&c.repo)?;
                raw::call(libc::SYS_inotify_add_watch, [w.as_raw_fd() as usize, path.as_ptr() as usize, 0x100])
            });
            Outcome::of(watched, "watched")
        }),
    ),
    Probe::new(
        "open-by-handle",
        "open a secret by its number on the disk",
        |c| {
            let Some((kind, bytes)) = &c.handle else {
                return Outcome::Absent("the file system has no handles".into());
            };
            let mut handle = (bytes.len() as u32).to_ne_bytes().to_vec();
            handle.extend(kind.to_ne_bytes());
            handle.extend(bytes);
            let opened = File::open(&c.repo).and_then(|repo| {
                raw::open(libc::SYS_open_by_handle_at, [repo.as_raw_fd() as usize, handle.as_ptr() as usize, 0])
            });
            Outcome::holds(opened.and_then(whole), &c.canary)
        },
        own::READ,
    )
    .as_root()
    .lesson("the way out of early containers"),
    Probe::new(
        "kexec",
        "load another kernel",
        |_| Outcome::gate(raw::call(libc::SYS_kexec_load, [0, 1000, 0, 0]), &[libc::EINVAL]),
        NAME,
    )
    .as_root(),
    Probe::new(
        "init-module",
        "load a module",
        |_| {
            Outcome::gate(
                raw::call(libc::SYS_init_module, [0, 0, c"".as_ptr() as usize]),
                &[libc::ENOEXEC, libc::EFAULT],
            )
        },
        NAME,
    )
    .as_root(),
    Probe::new(
        "finit-module",
        "load a module from a file",
        |_| Outcome::gate(raw::call(libc::SYS_finit_module, [usize::MAX, c"".as_ptr() as usize, 0]), &[libc::EBADF]),
        NAME,
    )
    .as_root(),
    Probe::new(
        "delete-module",
        "unload a module that does not exist",
        |_| {
            Outcome::gate(raw::call(libc::SYS_delete_module, [c"ringfence_none".as_ptr() as usize, 0]), &[libc::ENOENT])
        },
        NAME,
    )
    .as_root(),
    Probe::new(
        "reboot",
        "restart the machine, with a wrong password",
        |_| Outcome::gate(raw::call(libc::SYS_reboot, [1, 2, 3, 0]), &[libc::EINVAL]),
        NAME,
    )
    .as_root(),
    Probe::new(
        "set-time-zone",
        "set the kernel's time zone to what it is",
        |_| {
            let mut zone = [0_i32; 2];
            let got = raw::call(libc::SYS_gettimeofday, [0, zone.as_mut_ptr() as usize]);
            Outcome::of(got.and_then(|_| raw::call(libc::SYS_settimeofday, [0, zone.as_ptr() as usize])), "set")
        },
        CLOCK,
    )
    .as_root(),
    Probe::new(
        "set-host-name",
        "set the host's name to what it is",
        |_| {
            let mut names = [0_u8; 65 * 6];
            let got = raw::call(libc::SYS_uname, [names.as_mut_ptr() as usize]);
            let length = names.iter().skip(65).take_while(|b| **b != 0).count();
            let start = names.as_ptr() as usize + 65;
            Outcome::of(got.and_then(|_| raw::call(libc::SYS_sethostname, [start, length])), "set")
        },
        NAME,
    )
    .as_root(),
    Probe::new(
        "add-key",
        "put a key into the kernel's store",
        |_| {
            let (kind, name) = (c"user".as_ptr() as usize, c"ringfence:probe".as_ptr() as usize);
            Outcome::of(
                raw::call(libc::SYS_add_key, [kind, name, b"x".as_ptr() as usize, 1, (-2_isize) as usize]),
                "put",
            )
        },
        MEMORY,
    ),
    Probe::new(
        "request-key",
        "ask the kernel's store for a key",
        |_| {
            let (kind, name) = (c"user".as_ptr() as usize, c"ringfence:none".as_ptr() as usize);
            let asked = raw::call(libc::SYS_request_key, [kind, name, 0, 0]);
            // 126 and following: no such key, expired, revoked, rejected.
            Outcome::gate(asked, &[126, 127, 128, 129])
        },
        MEMORY,
    ),
    Probe::new(
        "session-keyring",
        "read the caller's keyring",
        |_| {
            let mut bytes = [0_u8; 256];
            let described = raw::call(libc::SYS_keyctl, [6, (-3_isize) as usize, bytes.as_mut_ptr() as usize, 256, 0]);
            Outcome::gate(described, &[126])
        },
        MEMORY,
    ),
    Probe::new(
        "port-access",
        "reach the machine's ports",
        |_| Outcome::of(raw::call(libc::SYS_ioperm, [0x80, 1, 1]), "reached"),
        CLOCK,
    )
    .as_root(),
    Probe::new(
        "port-level",
        "raise the level of port access",
        |_| in_own_child(|| raw::call(libc::SYS_iopl, [3])),
        CLOCK,
    )
    .as_root(),
    Probe::new(
        "syslog",
        "read the kernel's log by its call",
        |_| {
            let mut bytes = [0_u8; 256];
            Outcome::of(raw::call(libc::SYS_syslog, [3, bytes.as_mut_ptr() as usize, 256]), "read")
        },
        CLOCK,
    )
    .as_root(),
    Probe::new(
        "accounting",
        "switch process accounting, to a file that does not exist",
        |_| Outcome::gate(raw::call(libc::SYS_acct, [c"/nowhere/acct".as_ptr() as usize]), &[libc::ENOENT]),
        CLOCK,
    )
    .as_root(),
    Probe::new(
        "hang-up",
        "hang up the terminal",
        |_| {
            // Done for real it would end the run's terminal, so it is tried in a session without one.
            in_own_child(|| {
                raw::call(libc::SYS_setsid, [])?;
                raw::call(libc::SYS_vhangup, [])
            })
        },
        ("start a session", |_| in_own_child(|| raw::call(libc::SYS_setsid, []))),
    )
    .as_root(),
    Probe::new(
        "numa-move",
        "move pages of a process outside",
        |c| {
            let mut status = [0_i32; 1];
            let page = [c.victim.address & !4095];
            let arguments = [c.victim.pid as usize, 1, page.as_ptr() as usize, 0, status.as_mut_ptr() as usize, 2];
            Outcome::of(raw::call(libc::SYS_move_pages, arguments), "looked at")
        },
        MEMORY,
    ),
    Probe::new(
        "compare-kernel",
        "compare kernel objects with a process outside",
        |c| {
            let pid = std::process::id() as usize;
            Outcome::of(raw::call(libc::SYS_kcmp, [pid, c.victim.pid as usize, 2, 0, 0]), "compared")
        },
        MEMORY,
    ),
    Probe::new(
        "advise-victim",
        "advise the kernel on memory of a process outside",
        |c| {
            let advised = raw::open(libc::SYS_pidfd_open, [c.victim.pid as usize, 0]).and_then(|fd| {
                let vector = [c.victim.address & !4095, 4096];
                raw::call(libc::SYS_process_madvise, [fd.as_raw_fd() as usize, vector.as_ptr() as usize, 1, 20, 0])
            });
            Outcome::of(advised, "advised")
        },
        MEMORY,
    )
    .as_root(),
];

fn whole(fd: OwnedFd) -> std::io::Result<Vec<u8>> {
    use std::io::Read;
    let mut bytes = Vec::new();
    File::from(fd).take(4096).read_to_end(&mut bytes)?;
    Ok(bytes)
}
