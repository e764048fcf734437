//! The host's own services on loopback, by every way to get a packet there.

use crate::attempt::{self, ANSWER, answer, connect, echoes, hears, listen, sockaddr, socket};
use crate::context::Context;
use crate::outcome::Outcome;
use crate::probe::{A_AND_B, ONLY_A, Probe};
use crate::raw;
use std::fs::File;
use std::io::{self, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsRawFd, OwnedFd};

const SERVE: (&str, crate::probe::Act) = ("serve and call oneself on loopback", |_| served("127.0.0.1:0"));
const SERVE6: (&str, crate::probe::Act) = ("serve and call oneself on IPv6 loopback", |_| served("[::1]:0"));
const ECHO: (&str, crate::probe::Act) = ("send oneself a datagram", |_| {
    let echoed = UdpSocket::bind("127.0.0.1:0").and_then(|s| {
        s.set_read_timeout(Some(ANSWER))?;
        s.send_to(b"own", s.local_addr()?)?;
        s.recv(&mut [0; 8])
    });
    Outcome::of(echoed, "echoed")
});
const SERVES: &str = "the host's loopback is shared there: a server of one's own would be the host's neighbour";

pub(super) const PROBES: &[Probe] = &[
    Probe::new(
        "loopback-tcp",
        "call a service on the host's loopback",
        |c| hears(c.loopback(Ipv4Addr::LOCALHOST), c),
        SERVE,
    )
    .twin_allowlist()
    .twin_tiers(ONLY_A, SERVES),
    Probe::new(
        "loopback-tcp6",
        "call a service on the host's IPv6 loopback",
        |c| hears(c.loopback(Ipv6Addr::LOCALHOST), c),
        SERVE6,
    )
    .twin_allowlist()
    .twin_tiers(ONLY_A, SERVES),
    Probe::new(
        "loopback-mapped",
        "call loopback as an IPv4 address inside IPv6",
        |c| hears(c.loopback(Ipv4Addr::LOCALHOST.to_ipv6_mapped()), c),
        SERVE,
    )
    .twin_allowlist()
    .twin_tiers(ONLY_A, SERVES),
    Probe::new("loopback-any", "call loopback as address zero", |c| hears(c.loopback(Ipv4Addr::UNSPECIFIED), c), SERVE)
        .twin_allowlist()
        .twin_tiers(ONLY_A, SERVES),
    Probe::new(
        "loopback-any6",
        "call loopback as the zero address of IPv6",
        |c| hears(c.loopback(Ipv6Addr::UNSPECIFIED), c),
        SERVE6,
    )
    .twin_allowlist()
    .twin_tiers(ONLY_A, SERVES),
    Probe::new(
        "loopback-127-2",
        "call another address of the loopback network",
        |c| hears(c.loopback(Ipv4Addr::new(127, 0, 0, 2)), c),
        SERVE,
    )
    .twin_allowlist()
    .twin_tiers(ONLY_A, SERVES),
    Probe::new(
        "loopback-name",
        "call loopback by its name",
        |c| {
            let stream = TcpStream::connect(("localhost", c.loopback_port));
            Outcome::holds(stream.and_then(|s| listen(s, b"hello\n")), &c.canary)
        },
        SERVE,
    )
    .twin_allowlist()
    .twin_tiers(ONLY_A, SERVES),
    Probe::new(
        "loopback-udp",
        "send a datagram to the host's loopback",
        |c| echoes(c.loopback(Ipv4Addr::LOCALHOST), c),
        ECHO,
    )
    .twin_allowlist()
    .twin_tiers(ONLY_A, SERVES),
    Probe::new(
        "loopback-udp6",
        "send a datagram to the host's IPv6 loopback",
        |c| echoes(c.loopback(Ipv6Addr::LOCALHOST), c),
        ECHO,
    )
    .twin_allowlist()
    .twin_tiers(ONLY_A, SERVES),
    Probe::new(
        "loopback-mptcp",
        "call the host's loopback over multipath TCP",
        |c| {
            let heard = socket(libc::AF_INET, libc::SOCK_STREAM, libc::IPPROTO_MPTCP)
                .and_then(|s| connect(&s, &sockaddr(c.loopback(Ipv4Addr::LOCALHOST))).map(|_| s))
                .and_then(heard);
            Outcome::holds(heard, &c.canary)
        },
        SERVE,
    )
    .twin_allowlist()
    .twin_tiers(ONLY_A, SERVES),
    Probe::new(
        "fast-open-sendto",
        "call with the first bytes, so that no connect is seen",
        |c| Outcome::holds(fast(c, sends_to), &c.canary),
        SERVE,
    )
    .twin_allowlist()
    .twin_tiers(ONLY_A, SERVES)
    .lesson("sendto with MSG_FASTOPEN passes the connect hook"),
    Probe::new(
        "fast-open-sendmsg",
        "the same by sendmsg",
        |c| Outcome::holds(fast(c, sends_message), &c.canary),
        SERVE,
    )
    .twin_allowlist()
    .twin_tiers(ONLY_A, SERVES),
    Probe::new(
        "fast-open-sendmmsg",
        "the same by sendmmsg",
        |c| Outcome::holds(fast(c, sends_messages), &c.canary),
        SERVE,
    )
    .twin_allowlist()
    .twin_tiers(ONLY_A, SERVES),
    Probe::new(
        "fast-open-option",
        "connect late, by an option of the socket",
        |c| {
            let called = socket(libc::AF_INET, libc::SOCK_STREAM, 0).and_then(|s| {
                let on = 1_i32;
                let fd = s.as_raw_fd() as usize;
                let option = [fd, libc::IPPROTO_TCP as usize, 30, (&raw const on) as usize, 4];
                raw::call(libc::SYS_setsockopt, option)?;
                connect(&s, &sockaddr(c.loopback(Ipv4Addr::LOCALHOST)))?;
                heard(s)
            });
            Outcome::holds(called, &c.canary)
        },
        SERVE,
    )
    .twin_allowlist()
    .twin_tiers(ONLY_A, SERVES),
    Probe::new(
        "connect-nonblocking",
        "call without waiting for the connection",
        |c| {
            let called = socket(libc::AF_INET, libc::SOCK_STREAM | libc::SOCK_NONBLOCK, 0).and_then(|s| {
                match connect(&s, &sockaddr(c.loopback(Ipv4Addr::LOCALHOST))) {
                    Err(error) if error.raw_os_error() != Some(libc::EINPROGRESS) => return Err(error),
                    _ => std::thread::sleep(std::time::Duration::from_millis(50)),
                }
                heard(s)
            });
            Outcome::holds(called, &c.canary)
        },
        SERVE,
    )
    .twin_allowlist()
    .twin_tiers(ONLY_A, SERVES),
    Probe::new(
        "reconnect",
        "unconnect a socket and connect it elsewhere",
        |c| {
            let called = socket(libc::AF_INET, libc::SOCK_DGRAM, 0).and_then(|s| {
                let _ = connect(&s, &[0_u8; 16]);
                connect(&s, &sockaddr(c.loopback(Ipv4Addr::LOCALHOST)))?;
                heard(s)
            });
            Outcome::holds(called, &c.canary)
        },
        ECHO,
    )
    .twin_allowlist()
    .twin_tiers(ONLY_A, SERVES),
    Probe::new(
        "bind-host-port",
        "take a port on the host",
        |c| {
            // In a namespace of its own the port is free; on the host the fixture holds it.
            let bound = TcpListener::bind(c.loopback(Ipv4Addr::LOCALHOST));
            match bound {
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                    Outcome::Did("the port is the host's".to_owned())
                }
                Err(error) => Outcome::refused(&error),
                Ok(_) => Outcome::Refused("the port is free in here, so this is not the host".to_owned()),
            }
        },
        SERVE,
    )
    .tiers(A_AND_B, "tier C has no allowlist")
    .twin_allowlist()
    .twin_tiers(ONLY_A, SERVES),
];

fn served(address: &str) -> Outcome {
    let served = TcpListener::bind(address).and_then(|listener| {
        let mut client = TcpStream::connect_timeout(&listener.local_addr()?, ANSWER)?;
        let (mut server, _) = listener.accept()?;
        server.write_all(b"own")?;
        client.set_read_timeout(Some(ANSWER))?;
        answer(&mut client)
    });
    Outcome::of(served, "served")
}

fn heard(socket: OwnedFd) -> io::Result<Vec<u8>> {
    let mut file = File::from(socket);
    file.write_all(b"hello\n")?;
    wait_for(&mut file)
}

fn wait_for(file: &mut File) -> io::Result<Vec<u8>> {
    if !raw::readable(file.as_raw_fd(), 1500) {
        return Err(io::Error::from_raw_os_error(libc::ETIMEDOUT));
    }
    answer(file)
}

type Sends = fn(&OwnedFd, &[u8]) -> io::Result<usize>;

fn fast(context: &Context, sends: Sends) -> io::Result<Vec<u8>> {
    let address: SocketAddr = context.loopback(Ipv4Addr::LOCALHOST);
    let socket = attempt::socket(libc::AF_INET, libc::SOCK_STREAM, 0)?;
    sends(&socket, &sockaddr(address))?;
    wait_for(&mut File::from(socket))
}

const WORDS: &[u8] = b"hello\n";

fn sends_to(socket: &OwnedFd, address: &[u8]) -> io::Result<usize> {
    let fd = socket.as_raw_fd() as usize;
    let flags = libc::MSG_FASTOPEN as usize;
    raw::call(
        libc::SYS_sendto,
        [fd, WORDS.as_ptr() as usize, WORDS.len(), flags, address.as_ptr() as usize, address.len()],
    )
}

/// A message header as the kernel reads it: name, its length, vector, its length, control, its length, flags.
fn header(address: &[u8], vector: &[usize; 2]) -> [usize; 8] {
    [address.as_ptr() as usize, address.len(), vector.as_ptr() as usize, 1, 0, 0, 0, 0]
}

fn sends_message(socket: &OwnedFd, address: &[u8]) -> io::Result<usize> {
    let vector = [WORDS.as_ptr() as usize, WORDS.len()];
    let header = header(address, &vector);
    raw::call(libc::SYS_sendmsg, [socket.as_raw_fd() as usize, header.as_ptr() as usize, libc::MSG_FASTOPEN as usize])
}

fn sends_messages(socket: &OwnedFd, address: &[u8]) -> io::Result<usize> {
    let vector = [WORDS.as_ptr() as usize, WORDS.len()];
    let header = header(address, &vector);
    raw::call(
        libc::SYS_sendmmsg,
        [socket.as_raw_fd() as usize, header.as_ptr() as usize, 1, libc::MSG_FASTOPEN as usize],
    )
}
