//! The few routing messages that give an empty network namespace its loopback.
//!
//! In: nothing but fixed values. Out: `lo` up, one address of each family on it, and (for an allowlist) a
//! route that makes every address local. All messages go in one write; only the last asks for an answer, since
//! errors are always told. Who sends them and who reads the answers may be two. No library reads what the kernel says.

use super::names::{OWN_V4, OWN_V6};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};

const NEW_LINK: u16 = 16;
const NEW_ADDRESS: u16 = 20;
const NEW_ROUTE: u16 = 24;
const REQUEST: u16 = 1;
const ACK: u16 = 4;
const CREATE_EXCLUSIVE: u16 = 0x600;
const V4: u8 = 2;
const V6: u8 = 10;
/// The loopback interface is the first one of every namespace.
const LO: u32 = 1;

/// What the loopback is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Up, and nothing else.
    Up,
    /// Up, and every address is local.
    EveryAddress,
}

/// What was set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Loopback {
    /// Whether IPv6 is there too.
    pub(crate) v6: bool,
}

impl Wanted {
    /// What to send to the routing of the namespace.
    pub(crate) fn request(self) -> Vec<u8> {
        match self {
            Self::Up => together(&[link_up()]),
            Self::EveryAddress => together(&[
                link_up(),
                address(V4, &OWN_V4.octets(), 32),
                local_route(V4),
                address(V6, &OWN_V6.octets(), 128),
                local_route(V6),
            ]),
        }
    }

    /// The number of the last message.
    fn last(self) -> u32 {
        match self {
            Self::Up => 0,
            Self::EveryAddress => 4,
        }
    }

    /// Sends the request and reads the answers.
    pub(crate) fn bring_about(self) -> Result<Loopback, Errno> {
        // Protocol 0 of this family is routing.
        let socket = rustix::net::socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
        rustix::net::send(&socket, &self.request(), SendFlags::empty())?;
        self.answered(&socket)
    }

    /// Reads the answers to a request that was sent on this socket. Without IPv6 there is still a box.
    pub(crate) fn answered(self, socket: &OwnedFd) -> Result<Loopback, Errno> {
        let refused = answers(socket, self.last())?;
        match refused.iter().find(|(number, _)| *number < 3) {
            Some((_, error)) => Err(*error),
            None => Ok(Loopback { v6: refused.is_empty() }),
        }
    }
}

fn link_up() -> Vec<u8> {
    let mut body = vec![0, 0, 0, 0];
    body.extend_from_slice(&LO.to_ne_bytes());
    body.extend_from_slice(&1_u32.to_ne_bytes());
    body.extend_from_slice(&1_u32.to_ne_bytes());
    message(NEW_LINK, 0, &body)
}

fn address(family: u8, octets: &[u8], bits: u8) -> Vec<u8> {
    // Family, prefix length, flags (no duplicate detection), scope (global), interface.
    let mut body = vec![family, bits, 2, 0];
    body.extend_from_slice(&LO.to_ne_bytes());
    attribute(&mut body, 2, octets);
    attribute(&mut body, 1, octets);
    message(NEW_ADDRESS, CREATE_EXCLUSIVE, &body)
}

fn local_route(family: u8) -> Vec<u8> {
    // Family, both prefix lengths, service, table local, protocol boot, scope host, type local, flags.
    let mut body = vec![family, 0, 0, 0, 255, 3, 254, 2, 0, 0, 0, 0];
    attribute(&mut body, 4, &LO.to_ne_bytes());
    message(NEW_ROUTE, CREATE_EXCLUSIVE, &body)
}

fn attribute(body: &mut Vec<u8>, kind: u16, data: &[u8]) {
    let length = u16::try_from(4 + data.len()).unwrap_or(4);
    body.extend_from_slice(&length.to_ne_bytes());
    body.extend_from_slice(&kind.to_ne_bytes());
    body.extend_from_slice(data);
    body.resize(body.len().next_multiple_of(4), 0);
}

fn message(kind: u16, flags: u16, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(16 + body.len()).unwrap_or(16);
    let mut out = length.to_ne_bytes().to_vec();
    out.extend_from_slice(&kind.to_ne_bytes());
    out.extend_from_slice(&(REQUEST | flags).to_ne_bytes());
    out.extend_from_slice(&[0; 8]);
    out.extend_from_slice(body);
    out
}

/// The messages in one, numbered.
fn together(messages: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (number, message) in (0_u32..).zip(messages) {
        let mut message = message.clone();
        if let Some(place) = message.get_mut(8..12) {
            place.copy_from_slice(&number.to_ne_bytes());
        }
        if usize::try_from(number).is_ok_and(|n| n + 1 == messages.len())
            && let Some(flags) = message.get_mut(6)
        {
            // The low byte of the flags, which are in host order; only little-endian machines are built for.
            *flags |= ACK.to_le_bytes()[0];
        }
        bytes.extend_from_slice(&message);
    }
    bytes
}

/// The messages that were refused, by number.
fn answers(socket: &OwnedFd, last: u32) -> Result<Vec<(u32, Errno)>, Errno> {
    let mut refused = Vec::new();
    let mut buffer = [0_u8; 4096];
    // Each message has one answer at most.
    for _ in 0..=last {
        let (_, length) = rustix::net::recv(socket, &mut buffer[..], RecvFlags::empty())?;
        let mut rest = buffer.get(..length).unwrap_or_default();
        while let Some((number, error, size)) = answer(rest) {
            if error != 0 {
                refused.push((number, Errno::from_raw_os_error(error)));
            }
            if number == last {
                return Ok(refused);
            }
            rest = rest.get(size..).unwrap_or_default();
        }
    }
    Err(Errno::PROTO)
}

/// The number of the message an answer is for, its error and its own length.
fn answer(bytes: &[u8]) -> Option<(u32, i32, usize)> {
    const ERROR: u16 = 2;
    let word = |at: usize| bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_ne_bytes);
    let length = usize::try_from(word(0)?).ok().filter(|n| *n >= 20 && *n <= bytes.len())?;
    let kind = bytes.get(4..6).and_then(|b| b.try_into().ok()).map(u16::from_ne_bytes)?;
    let error = i32::from_ne_bytes(word(16)?.to_ne_bytes()).checked_neg()?;
    (kind == ERROR && (0..4096).contains(&error)).then_some((word(8)?, error, length.next_multiple_of(4)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn messages_have_their_length_and_alignment() {
        for message in
            [link_up(), address(V4, &OWN_V4.octets(), 32), address(V6, &OWN_V6.octets(), 128), local_route(V6)]
        {
            assert_eq!(message.len() % 4, 0);
            assert_eq!(u32::from_ne_bytes(message[..4].try_into().unwrap()) as usize, message.len());
        }
    }

    #[test]
    fn the_last_message_is_the_one_that_is_answered() {
        for wanted in [Wanted::Up, Wanted::EveryAddress] {
            let request = wanted.request();
            let (mut rest, mut seen) = (request.as_slice(), Vec::new());
            while !rest.is_empty() {
                let word = |at: usize| u32::from_ne_bytes(rest[at..at + 4].try_into().unwrap());
                let flags = u16::from_ne_bytes(rest[6..8].try_into().unwrap());
                seen.push((word(8), flags & ACK != 0));
                rest = &rest[word(0) as usize..];
            }
            let expected: Vec<_> = (0..=wanted.last()).map(|n| (n, n == wanted.last())).collect();
            assert_eq!(seen, expected);
        }
    }

    proptest! {
        #[test]
        fn random_answers_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            if let Some((_, error, size)) = answer(&bytes) {
                prop_assert!(error >= 0 && size >= 20);
            }
        }
    }
}
