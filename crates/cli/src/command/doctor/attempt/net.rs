//! Attempts on sockets, each short of time: a box that swallows packets must not hold the doctor up.

use super::{Tried, said};
use rustix::net::{AddressFamily, Protocol, SocketType};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

const SHORT: Duration = Duration::from_millis(500);

fn open(address: SocketAddr) -> Result<TcpStream, String> {
    // A plain connect: where the supervisor makes it, a socket that does not wait is a different question.
    let stream = TcpStream::connect(address).map_err(said)?;
    let _ = stream.set_read_timeout(Some(SHORT));
    let _ = stream.set_write_timeout(Some(SHORT));
    Ok(stream)
}

fn hear(stream: &mut TcpStream, token: &str) -> Tried {
    let mut bytes = Vec::new();
    let mut part = [0u8; 1024];
    loop {
        match stream.read(&mut part) {
            Ok(0) => return Err("closed without the word".into()),
            Ok(n) => bytes.extend_from_slice(part.get(..n).unwrap_or_default()),
            Err(e) => return Err(said(e)),
        }
        if super::holds(&bytes, token) {
            return Ok(());
        }
        if bytes.len() > 64 * 1024 {
            return Err("too many words".into());
        }
    }
}

pub(super) fn connect(address: SocketAddr, token: &str) -> Tried {
    let mut stream = open(address)?;
    stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").map_err(said)?;
    hear(&mut stream, token)
}

pub(super) fn datagram(address: SocketAddr) -> Tried {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).map_err(said)?;
    socket.connect(address).map_err(said)?;
    let _ = socket.set_read_timeout(Some(SHORT));
    socket.send(b"doctor").map_err(said)?;
    // Sending tells nothing; the answer does.
    let mut answer = [0u8; 16];
    socket.recv(&mut answer).map(drop).map_err(said)
}

pub(super) fn abstract_name(name: &str) -> Tried {
    let address = std::os::unix::net::SocketAddr::from_abstract_name(name).map_err(said)?;
    UnixStream::connect_addr(&address).map(drop).map_err(said)
}

pub(super) fn own_loopback() -> Tried {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(said)?;
    let stream = TcpStream::connect(listener.local_addr().map_err(said)?).map_err(said)?;
    let (mut peer, _) = listener.accept().map_err(said)?;
    peer.write_all(b"word").map_err(said)?;
    let mut word = [0u8; 4];
    (&stream).read_exact(&mut word).map_err(said)
}

pub(super) fn own_unix(path: &Path) -> Tried {
    let listener = UnixListener::bind(path).map_err(said)?;
    UnixStream::connect(path).map_err(said)?;
    listener.accept().map(drop).map_err(said)
}

pub(super) fn socket(family: u16, kind: u32, protocol: u32) -> Tried {
    let protocol = std::num::NonZeroU32::new(protocol).map(Protocol::from_raw);
    let made = rustix::net::socket(AddressFamily::from_raw(family), SocketType::from_raw(kind), protocol);
    made.map(drop).map_err(said)
}

/// A question for the address of a name, over TCP: the one way that is the same in every tier.
pub(super) fn name(name: &str) -> Result<Ipv4Addr, String> {
    let mut question = vec![0x52, 0x46, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    for label in name.split('.') {
        question.push(u8::try_from(label.len()).map_err(|e| e.to_string())?);
        question.extend_from_slice(label.as_bytes());
    }
    question.extend_from_slice(&[0, 0, 1, 0, 1]);
    let mut stream = open((Ipv4Addr::LOCALHOST, 53).into())?;
    let len = u16::try_from(question.len()).map_err(|e| e.to_string())?;
    stream.write_all(&[len.to_be_bytes().as_slice(), &question].concat()).map_err(said)?;
    let mut len = [0u8; 2];
    stream.read_exact(&mut len).map_err(said)?;
    let mut answer = vec![0u8; u16::from_be_bytes(len).into()];
    stream.read_exact(&mut answer).map_err(said)?;
    match answer.get(3).map(|flags| flags & 0xf) {
        Some(0) => {}
        Some(3) => return Err("no such name".into()),
        code => return Err(format!("answer code {}", code.unwrap_or_default())),
    }
    // Behind the question: where the name stands, type, class, age, length; two bytes each, the age four.
    let address = answer.get(question.len() + 12..question.len() + 16).and_then(|b| b.first_chunk::<4>());
    address.map(|b| Ipv4Addr::from(*b)).ok_or_else(|| "no address".to_owned())
}

pub(super) fn resolve(name: &str) -> Tried {
    (name, 80).to_socket_addrs().map_err(said)?.next().map(drop).ok_or_else(|| "no address".to_owned())
}

pub(super) fn page(host: &str, port: u16, says: &str, token: &str) -> Tried {
    let address = match host.parse() {
        Ok(address) => address,
        Err(_) => name(host)?,
    };
    let mut stream = open((address, port).into())?;
    let request = format!("GET / HTTP/1.1\r\nHost: {says}:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).map_err(said)?;
    hear(&mut stream, token)
}
