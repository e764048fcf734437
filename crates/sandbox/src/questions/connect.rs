//! Connections where there is no network namespace: the supervisor makes them, on a copy of the run's own socket.
//!
//! The address is read once, into the supervisor's memory; what is decided on it is what is connected to. Internet
//! connections go to the egress thread, which knows names; loopback only reaches servers of the run itself; paths of
//! sockets only those below the run's own folders.

use crate::descendants;
use crate::egress::{NetEvent, OriginTable, Verdict, Via, Why};
use crate::event::{Event, Witness};
use crate::fs::layout::{Access, Layout};
use crate::sys::{Notification, NotifyFd, Reply};
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;
use rustix::net::{SocketAddrUnix, bind, connect, getsockname};
use rustix::process::Pid;
use std::ffi::OsStr;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Makes connections for a run.
pub(crate) struct Connector {
    /// Where the egress thread listens, and where it answers names; none without a network.
    pub(crate) egress: Option<Doors>,
    /// Folders whose sockets may be connected to.
    pub(crate) folders: Vec<PathBuf>,
    /// The run's first process.
    pub(crate) first: Pid,
}

/// The egress thread's doors on the host's loopback.
pub(crate) struct Doors {
    pub(crate) table: Arc<OriginTable>,
    pub(crate) connections: SocketAddr,
    pub(crate) names: SocketAddr,
}

impl Connector {
    pub(crate) fn folders(layout: &Layout) -> Vec<PathBuf> {
        let written = layout.binds.iter().filter(|b| b.access == Access::Write);
        written.map(|b| b.path.clone()).collect()
    }

    pub(super) fn answer(&self, fd: &NotifyFd, question: &Notification, witness: &dyn Witness) {
        let reply = match self.connect(fd, question, witness) {
            Ok(()) => Reply::Value(0),
            Err(e) => Reply::Fail(e),
        };
        let _ = fd.answer(question.id, reply);
    }

    /// Only on the loopback, and done here: the socket cannot change in between.
    pub(super) fn listen(&self, fd: &NotifyFd, question: &Notification) {
        let [number, backlog, ..] = question.args;
        let done = fd.take_descriptor(question.pid, number as i32).and_then(|socket| {
            if !fd.still_waits(question.id) {
                return Err(Errno::SRCH);
            }
            let is_unix = rustix::net::sockopt::socket_domain(&socket)? == rustix::net::AddressFamily::UNIX;
            let own = getsockname(&socket)?;
            let loopback =
                SocketAddr::try_from(own).is_ok_and(|a| a.ip().to_canonical().is_loopback() && a.port() != 0);
            match is_unix || loopback {
                true => rustix::net::listen(&socket, backlog as i32),
                false => Err(Errno::ACCESS),
            }
        });
        let reply = done.map_or_else(Reply::Fail, |()| Reply::Value(0));
        let _ = fd.answer(question.id, reply);
    }

    fn connect(&self, fd: &NotifyFd, question: &Notification, witness: &dyn Witness) -> rustix::io::Result<()> {
        let [number, address, len, ..] = question.args;
        let len = usize::try_from(len as u32).unwrap_or(0).min(128);
        let bytes = fd.read_memory(question.pid, address, len)?;
        let socket = fd.take_descriptor(question.pid, number as i32)?;
        // Only now is it certain that both came from the asker.
        if !fd.still_waits(question.id) {
            return Err(Errno::SRCH);
        }
        match family(&bytes) {
            Some(libc::AF_UNIX) => self.path(&socket, bytes.get(2..).unwrap_or_default()),
            Some(libc::AF_INET | libc::AF_INET6) => {
                let there = internet(&bytes).ok_or(Errno::INVAL)?;
                self.internet(&socket, there, witness)
            }
            Some(libc::AF_UNSPEC) => Err(Errno::INVAL),
            _ => Err(Errno::AFNOSUPPORT),
        }
    }

    /// A socket in the file system, reached through a descriptor that cannot be exchanged any more.
    fn path(&self, socket: &OwnedFd, name: &[u8]) -> rustix::io::Result<()> {
        // A name that starts with a zero is an abstract one: it belongs to the host.
        let name = name.split(|b| *b == 0).next().filter(|n| !n.is_empty()).ok_or(Errno::ACCESS)?;
        let path = Path::new(OsStr::from_bytes(name));
        for folder in &self.folders {
            let Ok(relative) = path.strip_prefix(folder) else { continue };
            let root = rustix::fs::open(folder, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
            let target = openat2(&root, relative, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), resolve)?;
            let through = format!("/proc/self/fd/{}", target.as_raw_fd());
            return connect(socket, &SocketAddrUnix::new(through.as_str())?);
        }
        Err(Errno::ACCESS)
    }

    fn internet(&self, socket: &OwnedFd, there: SocketAddr, witness: &dyn Witness) -> rustix::io::Result<()> {
        if there.ip().to_canonical().is_loopback() {
            if there.port() == 53
                && let Some(doors) = &self.egress
            {
                return through(socket, doors, doors.names, there);
            }
            if own_listener(self.first, there.port()) {
                return connect(socket, &there);
            }
            witness.event(Event::Net(NetEvent {
                verdict: Verdict::Denied,
                host: there.ip().to_string(),
                port: Some(there.port()),
                via: Via::Connect,
                why: Why::AddressNotNamed,
                detail: "a service of the host".into(),
                rule: None,
                count: 1,
            }));
            return Err(Errno::CONNREFUSED);
        }
        let Some(doors) = &self.egress else { return Err(Errno::NETUNREACH) };
        let door = if there.port() == 53 { doors.names } else { doors.connections };
        through(socket, doors, door, there)
    }
}

/// Connects to a door of the egress thread, which is told first where the connection was going.
fn through(socket: &OwnedFd, doors: &Doors, door: SocketAddr, there: SocketAddr) -> rustix::io::Result<()> {
    let v6 = rustix::net::sockopt::socket_domain(socket)? == rustix::net::AddressFamily::INET6;
    let mapped = |a: SocketAddr| match (a.ip(), v6) {
        (IpAddr::V4(ip), true) => SocketAddr::new(ip.to_ipv6_mapped().into(), a.port()),
        _ => a,
    };
    let own: SocketAddr = getsockname(socket)?.try_into().unwrap_or(SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)));
    if own.port() == 0 {
        bind(socket, &mapped(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))))?;
    }
    let own: SocketAddr = getsockname(socket)?.try_into()?;
    let client = SocketAddr::new(own.ip().to_canonical(), own.port());
    doors.table.expect(client, there).map_err(|_| Errno::AGAIN)?;
    match connect(socket, &mapped(door)) {
        Ok(()) => Ok(()),
        // A socket that does not wait is connected a moment later; its owner is told so.
        Err(Errno::INPROGRESS) => Err(Errno::INPROGRESS),
        Err(e) => {
            doors.table.forget(&client);
            Err(e)
        }
    }
}

fn family(bytes: &[u8]) -> Option<i32> {
    bytes.first_chunk::<2>().map(|b| i32::from(u16::from_ne_bytes(*b)))
}

fn internet(bytes: &[u8]) -> Option<SocketAddr> {
    let port = u16::from_be_bytes(*bytes.get(2..4)?.first_chunk()?);
    match family(bytes)? {
        libc::AF_INET => Some((Ipv4Addr::from(*bytes.get(4..8)?.first_chunk::<4>()?), port).into()),
        _ => Some((Ipv6Addr::from(*bytes.get(8..24)?.first_chunk::<16>()?), port).into()),
    }
}

/// Whether a process of the run listens on a port: its socket is among those of the run's processes.
fn own_listener(first: Pid, port: u16) -> bool {
    let mut inodes = Vec::new();
    for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
        let Ok(text) = std::fs::read_to_string(table) else { continue };
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split_ascii_whitespace().collect();
            let local =
                fields.get(1).and_then(|l| l.rsplit_once(':')).and_then(|(_, p)| u16::from_str_radix(p, 16).ok());
            // State 0A is listening; field 9 is the inode.
            if local == Some(port) && fields.get(3) == Some(&"0A") {
                inodes.extend(fields.get(9).map(|i| format!("socket:[{i}]")));
            }
        }
    }
    if inodes.is_empty() {
        return false;
    }
    // Every listener on that port must be the run's own: which one answers is the kernel's choice.
    let owned: Vec<String> = descendants::of(first).into_iter().flat_map(sockets_of).collect();
    inodes.iter().all(|i| owned.contains(i))
}

fn sockets_of(pid: i32) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(format!("/proc/{pid}/fd")) else { return Vec::new() };
    let links = entries.flatten().filter_map(|e| std::fs::read_link(e.path()).ok());
    links.map(|l| l.to_string_lossy().into_owned()).filter(|l| l.starts_with("socket:")).collect()
}
