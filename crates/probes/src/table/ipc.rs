//! Talking to processes outside without a network: unix sockets, System V objects, POSIX queues.

use super::own;
use crate::attempt::{self, ANSWER, answer, connect, reads_any, socket};
use crate::outcome::{Outcome, contains};
use crate::probe::{A_AND_B, ONLY_A, Probe};
use crate::raw;
use std::fs;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};

const OWN_SOCKET: (&str, crate::probe::Act) = ("talk over a unix socket of one's own", |c| {
    let path = c.scratch("talk.sock");
    let talked = UnixListener::bind(&path).and_then(|listener| {
        let client = UnixStream::connect(&path)?;
        let (mut server, _) = listener.accept()?;
        server.write_all(b"hi")?;
        answer(&mut &client)
    });
    let _ = fs::remove_file(&path);
    Outcome::of(talked, "talked")
});
const PAIRS: &str = "tier C has connected pairs only";
const OWN_SEGMENT: (&str, crate::probe::Act) = ("share memory of one's own", |_| {
    let made = raw::make_segment(b"own");
    Outcome::of(
        made.and_then(|id| {
            let read = raw::segment(id, 3);
            let _ = raw::call(libc::SYS_shmctl, [id as usize, libc::IPC_RMID as usize, 0]);
            read
        }),
        "shared",
    )
});
const SHARED: &str = "System V objects have one namespace there, so the filter refuses all of them";

pub(super) const PROBES: &[Probe] = &[
    Probe::new(
        "unix-path",
        "connect to a unix socket outside",
        |c| {
            let heard = UnixStream::connect(&c.sockets.0).and_then(|mut s| {
                s.set_read_timeout(Some(ANSWER))?;
                answer(&mut s)
            });
            Outcome::holds(heard, &c.canary)
        },
        OWN_SOCKET,
    )
    .twin_tiers(A_AND_B, PAIRS)
    .lesson("Landlock before its ninth version ignores unix sockets with a path"),
    Probe::new(
        "unix-path-datagram",
        "send a datagram to a unix socket outside",
        |c| Outcome::of(UnixDatagram::unbound().and_then(|s| s.send_to(b"hello", &c.sockets.1)), "sent"),
        own::PAIR,
    ),
    Probe::new(
        "unix-path-by-link",
        "connect to a unix socket outside through a link",
        |c| {
            let link = c.scratch("s");
            let _ = std::os::unix::fs::symlink(&c.sockets.0, &link);
            let heard = UnixStream::connect(&link).and_then(|mut s| {
                s.set_read_timeout(Some(ANSWER))?;
                answer(&mut s)
            });
            let _ = fs::remove_file(&link);
            Outcome::holds(heard, &c.canary)
        },
        own::PAIR,
    ),
    Probe::new(
        "unix-abstract",
        "connect to an abstract unix socket outside",
        |c| Outcome::holds(abstract_stream(&c.abstract_name), &c.canary),
        own::PAIR,
    ),
    Probe::new(
        "unix-abstract-datagram",
        "send a datagram to an abstract unix socket outside",
        |c| {
            let address = abstract_address(&format!("{}-d", c.abstract_name));
            let sent = socket(libc::AF_UNIX, libc::SOCK_DGRAM, 0).and_then(|s| connect(&s, &address));
            Outcome::of(sent, "connected")
        },
        own::PAIR,
    ),
    Probe::new(
        "unix-list",
        "see which unix sockets the host has",
        |c| {
            let list = attempt::read("/proc/net/unix").unwrap_or_default();
            Outcome::when(
                contains(&list, c.abstract_name.as_bytes()),
                "the host's is listed",
                "the host's is not listed",
            )
        },
        own::PAIR,
    )
    .tiers(ONLY_A, "without a network namespace the list is the host's"),
    Probe::new(
        "shm-attach",
        "attach a shared memory segment of the host",
        |c| {
            let [segment, ..] = c.sysv;
            Outcome::holds(raw::segment(segment, 64), &c.canary)
        },
        OWN_SEGMENT,
    )
    .twin_tiers(ONLY_A, SHARED),
    Probe::new(
        "shm-list",
        "see the host's shared memory segments",
        |c| {
            let [segment, ..] = c.sysv;
            let listed = fs::read_to_string("/proc/sysvipc/shm").unwrap_or_default();
            let id = segment.to_string();
            let seen = listed.lines().any(|l| l.split_whitespace().nth(1) == Some(id.as_str()));
            Outcome::when(seen, "listed", "not listed")
        },
        OWN_SEGMENT,
    )
    .tiers(ONLY_A, "without an ipc namespace the list is the host's"),
    Probe::new(
        "message-queue",
        "read a message queue of the host",
        |c| {
            let [_, queue, _] = c.sysv;
            let mut bytes = [0_u8; 256];
            let flags = (libc::IPC_NOWAIT | libc::MSG_NOERROR) as usize;
            let got = raw::call(libc::SYS_msgrcv, [queue as usize, bytes.as_mut_ptr() as usize, 200, 0, flags]);
            let outcome = Outcome::holds(got.map(|_| bytes.to_vec()), &c.canary);
            outcome.then(|| drop(raw::call(libc::SYS_msgsnd, [queue as usize, bytes.as_ptr() as usize, 200, 0])))
        },
        own::PAIR,
    ),
    Probe::new(
        "semaphore",
        "read a semaphore of the host",
        |c| {
            let [.., set] = c.sysv;
            let got = raw::call(libc::SYS_semctl, [set as usize, 0, libc::GETVAL as usize]);
            Outcome::when(got.as_ref().is_ok_and(|v| *v == 4242), "read", "not the host's")
        },
        own::THREAD,
    ),
    Probe::new("posix-queue", "open a POSIX queue of the host", |c| Outcome::of(queue(&c.queue), "opened"), own::PAIR),
    Probe::new(
        "posix-queue-mount",
        "list POSIX queues by their file system",
        |c| reads_any(format!("/dev/mqueue/{}", c.queue)),
        own::PAIR,
    )
    .unproven("the file system is mounted on few machines"),
];

fn queue(name: &str) -> io::Result<OwnedFd> {
    let name = attempt::path(std::path::Path::new(name))?;
    raw::open(libc::SYS_mq_open, [name.as_ptr() as usize, libc::O_RDONLY as usize, 0, 0])
}

pub(super) fn abstract_address(name: &str) -> Vec<u8> {
    let mut bytes = (libc::AF_UNIX as u16).to_ne_bytes().to_vec();
    bytes.push(0);
    bytes.extend(name.as_bytes());
    bytes
}

fn abstract_stream(name: &str) -> io::Result<Vec<u8>> {
    let socket = socket(libc::AF_UNIX, libc::SOCK_STREAM, 0)?;
    connect(&socket, &abstract_address(name))?;
    if !raw::readable(socket.as_raw_fd(), 1500) {
        return Err(io::Error::from_raw_os_error(libc::ETIMEDOUT));
    }
    answer(&mut fs::File::from(socket))
}
