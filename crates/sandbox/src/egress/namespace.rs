//! Prepares the network of a box from inside a fresh network namespace.
//!
//! In: the ports of the allowlist. Out: listening sockets for the supervisor. Runs in the launcher, which has
//! one thread and still has its capabilities; a few system calls, no process, no file. After it, nothing in
//! the namespace leads out: every address is the box itself, and only these sockets are answered from outside.

use super::netlink::{Loopback, Wanted};
use super::sockets::{MOST_PORTS, Role, Sockets};
use nix::sys::socket::{setsockopt, sockopt};
use ringfence_policy::scale::NetworkMode;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, listen, socket_with};
use std::collections::BTreeSet;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

const DNS: u16 = 53;
const BACKLOG: i32 = 1024;
/// Where the proxy door is, unless the allowlist itself needs that port.
pub const PROXY_PORT: u16 = 3128;

/// What is wanted beside the transparent path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether there is a proxy door for programs that insist on one.
    pub proxy: ProxyDoor,
}

/// The proxy door.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProxyDoor {
    /// On 127.0.0.1.
    #[default]
    Open,
    /// There is none.
    Absent,
}

impl Default for Options {
    fn default() -> Self {
        Self { proxy: ProxyDoor::Open }
    }
}

/// Why the network of a box could not be made.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// The loopback interface.
    #[error("the loopback of the box cannot be set up: {0}")]
    Loopback(Errno),
    /// A socket.
    #[error("a socket for {what} cannot be made in the box: {error}")]
    Socket {
        /// What it is for.
        what: &'static str,
        /// What the kernel said.
        error: Errno,
    },
    /// More ports than there may be listeners.
    #[error("the allowlist names {0} ports, and {MOST_PORTS} is the most a box can listen on")]
    TooManyPorts(usize),
}

impl PrepareError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Loopback(_) => "egress.loopback",
            Self::Socket { .. } => "egress.socket",
            Self::TooManyPorts(_) => "egress.too_many_ports",
        }
    }
}

/// Network `none`: a loopback that works, and nothing else.
pub fn prepare_isolated() -> Result<(), PrepareError> {
    isolated(None)
}

/// The same where somebody may have asked the routing already, on this socket.
pub(crate) fn isolated(asked: Option<&OwnedFd>) -> Result<(), PrepareError> {
    loopback(Wanted::Up, asked).map(drop)
}

/// Network `allowlist`: every address is local, and these sockets answer.
pub fn prepare(ports: &BTreeSet<u16>, options: Options) -> Result<Sockets, PrepareError> {
    transparent(ports, options, None)
}

/// The same where somebody may have asked the routing already, on this socket.
pub(crate) fn transparent(
    ports: &BTreeSet<u16>,
    options: Options,
    asked: Option<&OwnedFd>,
) -> Result<Sockets, PrepareError> {
    if ports.len() > MOST_PORTS {
        return Err(PrepareError::TooManyPorts(ports.len()));
    }
    let loopback = loopback(Wanted::EveryAddress, asked)?;
    let any: SocketAddr =
        if loopback.v6 { (Ipv6Addr::UNSPECIFIED, 0).into() } else { (Ipv4Addr::UNSPECIFIED, 0).into() };
    let on = |port: u16| SocketAddr::new(any.ip(), port);
    let made = |what| move |error| PrepareError::Socket { what, error };
    let mut all = Vec::with_capacity(ports.len() + 3);
    all.push((Role::DnsUdp, udp(on(DNS)).map_err(made("DNS over UDP"))?));
    all.push((Role::DnsTcp, tcp(on(DNS)).map_err(made("DNS over TCP"))?));
    for port in ports.iter().copied().filter(|port| *port != DNS && *port != 0) {
        all.push((Role::Transparent(port), tcp(on(port)).map_err(made("a port of the allowlist"))?));
    }
    if options.proxy == ProxyDoor::Open {
        let (port, socket) = proxy_door().map_err(made("the proxy door"))?;
        all.push((Role::Proxy(port), socket));
    }
    Ok(Sockets { all })
}

/// What to ask the routing of the namespace for; nothing where the network is the host's.
pub(crate) fn request(mode: NetworkMode) -> Option<Vec<u8>> {
    match mode {
        NetworkMode::Host => None,
        NetworkMode::None => Some(Wanted::Up.request()),
        NetworkMode::Allowlist => Some(Wanted::EveryAddress.request()),
    }
}

fn loopback(wanted: Wanted, asked: Option<&OwnedFd>) -> Result<Loopback, PrepareError> {
    asked.map_or_else(|| wanted.bring_about(), |socket| wanted.answered(socket)).map_err(PrepareError::Loopback)
}

/// Sockets on the host's own loopback, for boxes without a network namespace. Only connections that the
/// origin table announces are served.
pub fn prepare_on_host() -> Result<Sockets, PrepareError> {
    let own = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let made = |what| move |error| PrepareError::Socket { what, error };
    Ok(Sockets {
        all: vec![
            (Role::DnsUdp, udp(own).map_err(made("DNS over UDP"))?),
            (Role::DnsTcp, tcp(own).map_err(made("DNS over TCP"))?),
            (Role::Transparent(0), tcp(own).map_err(made("connections"))?),
        ],
    })
}

fn socket_of(address: SocketAddr, kind: SocketType) -> Result<OwnedFd, Errno> {
    let family = if address.is_ipv6() { AddressFamily::INET6 } else { AddressFamily::INET };
    let socket = socket_with(family, kind, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK, None)?;
    if address.is_ipv6() {
        // One socket hears both families.
        rustix::net::sockopt::set_ipv6_v6only(&socket, false)?;
    }
    Ok(socket)
}

fn tcp(address: SocketAddr) -> Result<OwnedFd, Errno> {
    let socket = socket_of(address, SocketType::STREAM)?;
    bind(&socket, &address)?;
    listen(&socket, BACKLOG)?;
    Ok(socket)
}

fn udp(address: SocketAddr) -> Result<OwnedFd, Errno> {
    let socket = socket_of(address, SocketType::DGRAM)?;
    // The asked address is the one that must answer.
    let told = if address.is_ipv6() {
        // IPv6 answers only from addresses of an interface unless told otherwise.
        rustix::net::sockopt::set_ipv6_freebind(&socket, true)?;
        setsockopt(&socket, sockopt::Ipv6RecvPacketInfo, &true)
    } else {
        setsockopt(&socket, sockopt::Ipv4PacketInfo, &true)
    };
    told.map_err(|error| Errno::from_raw_os_error(error as i32))?;
    bind(&socket, &address)?;
    Ok(socket)
}

/// The usual port if it is free, else any.
fn proxy_door() -> Result<(u16, OwnedFd), Errno> {
    let at = |port: u16| tcp((Ipv4Addr::LOCALHOST, port).into());
    let socket = match at(PROXY_PORT) {
        Err(Errno::ADDRINUSE) => at(0)?,
        other => other?,
    };
    let bound: SocketAddr = rustix::net::getsockname(&socket)?.try_into()?;
    Ok((bound.port(), socket))
}
