//! The way out by address and by name, where some names are allowed.

use super::own;
use crate::attempt::{self, ANSWER, answer, connect, echoes, hears, sockaddr, socket};
use crate::context::{Context, Internet};
use crate::outcome::Outcome;
use crate::probe::{ONLY_A, Probe};
use crate::raw;
use std::fs::File;
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream, ToSocketAddrs};
use std::os::fd::AsRawFd;

pub(super) const REACH: (&str, crate::probe::Act) =
    ("fetch from an allowed name", |c| with(c, |i| fetched(c, &i.allowed, 80)));
const REACH_RAW: (&str, crate::probe::Act) = ("talk to a server of an allowed name that speaks first", |c| {
    with(c, |i| {
        let heard = TcpStream::connect((i.allowed.as_str(), 9000)).and_then(|mut s| {
            s.set_read_timeout(Some(ANSWER))?;
            answer(&mut s)
        });
        Outcome::holds(heard, &c.canary)
    })
});

pub(super) const PROBES: &[Probe] = &[
    Probe::new(
        "denied-name",
        "fetch from a name that is not allowed",
        |c| with(c, |i| fetched(c, &i.denied, 80)),
        REACH,
    )
    .allowlist(),
    Probe::new(
        "denied-address",
        "fetch from an address instead of a name",
        |c| with(c, |i| hears(to(i.denied_address, 80), c)),
        REACH,
    )
    .allowlist(),
    Probe::new(
        "denied-address6",
        "fetch from an IPv6 address",
        |c| with(c, |i| hears(to(i.denied_address6, 80), c)),
        REACH,
    )
    .allowlist(),
    Probe::new(
        "denied-address-mapped",
        "fetch from an IPv4 address inside IPv6",
        |c| with(c, |i| hears(to(i.denied_address.to_ipv6_mapped(), 80), c)),
        REACH,
    )
    .allowlist(),
    Probe::new(
        "allowed-address",
        "fetch from the address of an allowed name without the name",
        |c| with(c, |i| hears(to(i.allowed_address, 80), c)),
        REACH,
    )
    .allowlist()
    .tiers(ONLY_A, "the supervisor cannot tell by whose question an address was learnt"),
    Probe::new(
        "denied-port",
        "reach an allowed name on a port that is not",
        |c| with(c, |i| fetched(c, &i.allowed, i.closed_port)),
        REACH_RAW,
    )
    .allowlist(),
    Probe::new(
        "denied-udp",
        "send a datagram to an address",
        |c| with(c, |i| echoes(to(i.denied_address, 9), c)),
        REACH,
    )
    .allowlist(),
    Probe::new(
        "allowed-udp",
        "send a datagram to an allowed name",
        |c| {
            with(c, |i| match first(&i.allowed, 443) {
                Ok(address) => echoes(address, c),
                Err(error) => Outcome::refused(&error),
            })
        },
        REACH,
    )
    .allowlist(),
    Probe::new(
        "denied-mptcp",
        "reach an address over multipath TCP",
        |c| {
            with(c, |i| {
                let heard = socket(libc::AF_INET, libc::SOCK_STREAM, libc::IPPROTO_MPTCP).and_then(|s| {
                    connect(&s, &sockaddr(to(i.denied_address, 80)))?;
                    said(s.into())
                });
                Outcome::holds(heard, &c.canary)
            })
        },
        REACH,
    )
    .allowlist(),
    Probe::new(
        "denied-fast-open",
        "reach an address with the first bytes",
        |c| {
            with(c, |i| {
                let address = sockaddr(to(i.denied_address, 80));
                let heard = socket(libc::AF_INET, libc::SOCK_STREAM, 0).and_then(|s| {
                    let words = b"hello\n";
                    let arguments = [
                        s.as_raw_fd() as usize,
                        words.as_ptr() as usize,
                        words.len(),
                        libc::MSG_FASTOPEN as usize,
                        address.as_ptr() as usize,
                        address.len(),
                    ];
                    raw::call(libc::SYS_sendto, arguments)?;
                    said(s.into())
                });
                Outcome::holds(heard, &c.canary)
            })
        },
        REACH,
    )
    .allowlist(),
    Probe::new("rebinding-private", "reach a private address by an allowed name", |c| rebound(c, 0), REACH)
        .allowlist()
        .lesson("check the resolved address, and dial that same address"),
    Probe::new("rebinding-loopback", "reach the host's loopback by an allowed name", |c| rebound(c, 1), REACH)
        .allowlist(),
    Probe::new("rebinding-metadata", "reach the cloud's metadata by an allowed name", |c| rebound(c, 2), REACH)
        .allowlist(),
    Probe::new(
        "metadata-address",
        "reach the cloud's metadata by its address",
        |c| hears(to(Ipv4Addr::new(169, 254, 169, 254), 80), c),
        REACH,
    )
    .allowlist(),
    Probe::new("private-address", "reach a private address", |c| hears(to(Ipv4Addr::new(10, 77, 0, 1), 80), c), REACH)
        .allowlist(),
    Probe::new(
        "supervisor-port",
        "reach the supervisor's own dialler by loopback",
        |c| {
            // Ports that a proxy would listen on, and the host's service behind them.
            let ports = [3128_u16, 8080, 1080, 53, 80, 443];
            let open = ports.into_iter().map(|p| hears(to(Ipv4Addr::LOCALHOST, p), c)).find(Outcome::worked);
            open.unwrap_or(Outcome::Refused("none answers with the host's words".to_owned()))
        },
        REACH,
    )
    .allowlist(),
    Probe::new(
        "address-spelled-oddly",
        "reach loopback by an address spelled oddly",
        |c| {
            let spelled = ["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0"];
            let heard = spelled
                .iter()
                .map(|name| TcpStream::connect((*name, c.loopback_port)).and_then(|s| attempt::listen(s, b"hello\n")));
            let open = heard.map(|h| Outcome::holds(h, &c.canary)).find(Outcome::worked);
            open.unwrap_or(Outcome::Refused("none is reached".to_owned()))
        },
        own::START,
    )
    .allowlist(),
];

/// The internet of this run; a probe that needs it is not run without.
pub(super) fn with(context: &Context, act: impl FnOnce(&Internet) -> Outcome) -> Outcome {
    context.network.as_ref().map_or_else(|| Outcome::Broken("there is no network".to_owned()), act)
}

pub(super) fn to(address: impl Into<IpAddr>, port: u16) -> SocketAddr {
    SocketAddr::new(address.into(), port)
}

pub(super) fn first(name: &str, port: u16) -> io::Result<SocketAddr> {
    (name, port).to_socket_addrs()?.next().ok_or_else(|| io::Error::other("no address"))
}

/// Connects to a name and takes what comes back.
pub(super) fn exchange(name: &str, port: u16, words: &[u8]) -> io::Result<Vec<u8>> {
    let stream = TcpStream::connect_timeout(&first(name, port)?, ANSWER)?;
    attempt::listen(stream, words)
}

fn fetched(context: &Context, name: &str, port: u16) -> Outcome {
    let request = format!("GET / HTTP/1.1\r\nHost: {name}\r\n\r\n");
    Outcome::holds(exchange(name, port, request.as_bytes()), &context.canary)
}

fn rebound(context: &Context, which: usize) -> Outcome {
    with(context, |i| match i.rebinding.get(which) {
        Some(name) => fetched(context, name, 80),
        None => Outcome::Broken("the fixture has no such name".to_owned()),
    })
}

fn said(mut file: File) -> io::Result<Vec<u8>> {
    let _ = file.write_all(b"hello\n");
    if !raw::readable(file.as_raw_fd(), 1500) {
        return Err(io::Error::from_raw_os_error(libc::ETIMEDOUT));
    }
    answer(&mut file)
}
