//! Answers questions, over UDP from the address that was asked, and over TCP.

use super::wire::{Kind, LONGEST, Question, Reply, Unread, read, write};
use crate::egress::context::{Context, denial};
use crate::egress::event::{Via, Why};
use crate::egress::pump::{fill, write_all};
use nix::cmsg_space;
use nix::libc;
use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, SockaddrStorage, recvmsg, sendmsg};
use ringfence_policy::pattern::Host;
use std::io::{self, IoSlice, IoSliceMut};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::os::fd::AsRawFd;
use std::rc::Rc;
use std::time::Duration;
use tokio::io::Interest;
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(10);
const MOST_QUESTIONS: usize = 256;

/// The answer to a message, if it deserves one.
fn answer(context: &Context, message: &[u8]) -> Option<Vec<u8>> {
    match read(message) {
        Ok(question) => Some(write(&question, judge(context, &question))),
        Err(Unread::Drop) => None,
        Err(Unread::Answer(bytes)) => {
            context.tell(&denial(b"", None, Via::Dns, Why::DnsMalformed));
            Some(bytes)
        }
    }
}

fn judge(context: &Context, question: &Question) -> Reply {
    let refuse = |host: &[u8], why| {
        context.tell(&denial(host, None, Via::Dns, why));
        Reply::NoSuchName
    };
    let name = match &question.name {
        Ok(name) => name,
        Err(bytes) => return refuse(bytes, Why::NameMalformed),
    };
    let Ok(host) = Host::parse(name) else { return refuse(name.as_bytes(), Why::NameMalformed) };
    let name = host.as_str();
    if name == "localhost" || name.ends_with(".localhost") {
        return localhost(question.kind);
    }
    if name.ends_with(".in-addr.arpa") || name.ends_with(".ip6.arpa") {
        // Programs ask for the names of addresses all the time; there are none, and that is no event.
        return Reply::NoSuchName;
    }
    if host.is_address() {
        return refuse(name.as_bytes(), Why::AddressNotNamed);
    }
    if !context.live.current().names(&host) {
        return refuse(name.as_bytes(), Why::NameNotAllowed);
    }
    if question.kind == Kind::Other {
        return Reply::NoData;
    }
    match (context.names.borrow_mut().addresses(name), question.kind) {
        (Some((v4, _)), Kind::A) => Reply::A(v4),
        (Some((_, v6)), _) => Reply::Aaaa(v6),
        (None, _) => {
            refuse(name.as_bytes(), Why::NamesFull);
            Reply::ServerFailure
        }
    }
}

/// `localhost` is the box itself.
fn localhost(kind: Kind) -> Reply {
    match kind {
        Kind::A => Reply::A(Ipv4Addr::LOCALHOST),
        Kind::Aaaa => Reply::Aaaa(Ipv6Addr::LOCALHOST),
        Kind::Other => Reply::NoData,
    }
}

/// Who asked, and which address was asked.
struct Asked {
    client: SockaddrStorage,
    at: Option<ControlMessageOwned>,
    length: usize,
}

/// Answers datagrams for ever.
pub(crate) async fn over_udp(context: Rc<Context>, socket: UdpSocket) -> io::Result<()> {
    let mut buffer = vec![0; LONGEST];
    loop {
        let asked = match socket.async_io(Interest::READABLE, || receive(&socket, &mut buffer)).await {
            Ok(asked) => asked,
            // A client that is gone makes the next read fail; it is nobody else's problem.
            Err(_) => {
                tokio::time::sleep(Duration::from_millis(5)).await;
                continue;
            }
        };
        let Some(asked) = asked else { continue };
        let served = address_of(&asked.client).is_some_and(|client| context.origin.serves(&client));
        if let (true, Some(message)) = (served, buffer.get(..asked.length))
            && let Some(reply) = answer(&context, message)
        {
            // A full socket loses an answer, as networks do.
            let _ = send(&socket, &asked, &reply);
        }
    }
}

fn receive(socket: &UdpSocket, buffer: &mut [u8]) -> io::Result<Option<Asked>> {
    let mut space = cmsg_space!(libc::in6_pktinfo, libc::in_pktinfo);
    let mut parts = [IoSliceMut::new(buffer)];
    let got = recvmsg::<SockaddrStorage>(socket.as_raw_fd(), &mut parts, Some(&mut space), MsgFlags::MSG_DONTWAIT)?;
    let whole = !got.flags.contains(MsgFlags::MSG_TRUNC);
    let is_place = |c: &ControlMessageOwned| {
        matches!(c, ControlMessageOwned::Ipv4PacketInfo(_) | ControlMessageOwned::Ipv6PacketInfo(_))
    };
    let at = got.cmsgs().ok().and_then(|mut all| all.find(is_place));
    Ok(got.address.filter(|_| whole).map(|client| Asked { client, at, length: got.bytes }))
}

fn send(socket: &UdpSocket, asked: &Asked, reply: &[u8]) -> io::Result<usize> {
    let parts = [IoSlice::new(reply)];
    let to = Some(&asked.client);
    let (fd, flags) = (socket.as_raw_fd(), MsgFlags::MSG_DONTWAIT);
    Ok(match &asked.at {
        Some(ControlMessageOwned::Ipv4PacketInfo(info)) => {
            let mut from = *info;
            (from.ipi_ifindex, from.ipi_spec_dst) = (0, from.ipi_addr);
            sendmsg(fd, &parts, &[ControlMessage::Ipv4PacketInfo(&from)], flags, to)
        }
        Some(ControlMessageOwned::Ipv6PacketInfo(info)) => {
            let mut from = *info;
            from.ipi6_ifindex = 0;
            sendmsg(fd, &parts, &[ControlMessage::Ipv6PacketInfo(&from)], flags, to)
        }
        _ => sendmsg(fd, &parts, &[], flags, to),
    }?)
}

fn address_of(storage: &SockaddrStorage) -> Option<SocketAddr> {
    let v4 = storage.as_sockaddr_in().map(|a| SocketAddrV4::from(*a).into());
    v4.or_else(|| storage.as_sockaddr_in6().map(|a| SocketAddrV6::from(*a).into()))
}

/// Answers the questions of one connection, a bounded number of them.
pub(crate) async fn over_tcp(context: &Context, client: &TcpStream) -> io::Result<()> {
    let mut buffer = Vec::new();
    for _ in 0..MOST_QUESTIONS {
        let length = loop {
            if let Some(([high, low], rest)) = buffer.split_first_chunk::<2>() {
                let length = usize::from(u16::from_be_bytes([*high, *low]));
                if length > LONGEST {
                    return Ok(());
                }
                if rest.len() >= length {
                    break length;
                }
            }
            match timeout(PATIENCE, fill(client, &mut buffer)).await {
                Ok(Ok(1..)) => {}
                _ => return Ok(()),
            }
        };
        let Some(reply) = buffer.get(2..2 + length).and_then(|message| answer(context, message)) else { return Ok(()) };
        buffer.drain(..2 + length);
        let size = u16::try_from(reply.len()).unwrap_or(0).to_be_bytes();
        match timeout(PATIENCE, write_all(client, &[&size[..], &reply].concat())).await {
            Ok(Ok(())) => {}
            _ => return Ok(()),
        }
    }
    Ok(())
}
