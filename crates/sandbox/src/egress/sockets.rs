//! The sockets that are made inside the box and served from outside.
//!
//! In: descriptors from the launcher. Out: the same in the supervisor, each with its role. A small header
//! travels with the descriptors so that both sides mean the same thing.

use rustix::fd::OwnedFd;
use std::collections::BTreeSet;

/// The most ports an allowlist may have a listener for; with the fixed sockets one message still carries all.
pub const MOST_PORTS: usize = 96;
const VERSION: u8 = 1;

/// What a socket is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// DNS over UDP.
    DnsUdp,
    /// DNS over TCP.
    DnsTcp,
    /// Connections to this port of any address; 0 where the port comes from the origin table.
    Transparent(u16),
    /// The proxy door on this port of 127.0.0.1.
    Proxy(u16),
}

/// Which descriptor is what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header(Vec<Role>);

/// The sockets of one box.
#[derive(Debug)]
pub struct Sockets {
    pub(crate) all: Vec<(Role, OwnedFd)>,
}

/// Why descriptors and header do not make a set of sockets.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum SocketsError {
    /// The header cannot be read.
    #[error("the header of the egress sockets cannot be read")]
    Header,
    /// Another number of descriptors than the header says.
    #[error("the egress header names {named} sockets and {came} came")]
    Count {
        /// As many as the header names.
        named: usize,
        /// As many as there were.
        came: usize,
    },
}

impl SocketsError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Header => "egress.sockets_header",
            Self::Count { .. } => "egress.sockets_count",
        }
    }
}

impl Header {
    /// The bytes to send along.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![VERSION];
        for role in &self.0 {
            let (kind, port) = match role {
                Role::DnsUdp => (0, 53),
                Role::DnsTcp => (1, 53),
                Role::Transparent(port) => (2, *port),
                Role::Proxy(port) => (3, *port),
            };
            out.push(kind);
            out.extend_from_slice(&u16::to_be_bytes(port));
        }
        out
    }

    /// Reads what was sent along.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SocketsError> {
        let roles = bytes.strip_prefix(&[VERSION]).filter(|r| r.len() % 3 == 0).ok_or(SocketsError::Header)?;
        let role = |chunk: &[u8]| match chunk {
            [0, ..] => Ok(Role::DnsUdp),
            [1, ..] => Ok(Role::DnsTcp),
            [2, high, low] => Ok(Role::Transparent(u16::from_be_bytes([*high, *low]))),
            [3, high, low] => Ok(Role::Proxy(u16::from_be_bytes([*high, *low]))),
            _ => Err(SocketsError::Header),
        };
        roles.chunks(3).map(role).collect::<Result<_, _>>().map(Self)
    }

    /// How many descriptors belong to it.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The port of the proxy door.
    pub fn proxy_port(&self) -> Option<u16> {
        self.0.iter().find_map(|role| if let Role::Proxy(port) = role { Some(*port) } else { None })
    }

    /// The ports that have a listener. Empty where every port comes through one listener.
    pub fn ports(&self) -> BTreeSet<u16> {
        self.0.iter().filter_map(|role| if let Role::Transparent(port) = role { Some(*port) } else { None }).collect()
    }
}

impl Sockets {
    /// The header that describes these sockets.
    pub fn header(&self) -> Header {
        Header(self.all.iter().map(|(role, _)| *role).collect())
    }

    /// The port of the proxy door.
    pub fn proxy_port(&self) -> Option<u16> {
        self.header().proxy_port()
    }

    /// The descriptors in the order of the header, to be sent by `SCM_RIGHTS`.
    pub fn into_fds(self) -> (Header, Vec<OwnedFd>) {
        (self.header(), self.all.into_iter().map(|(_, fd)| fd).collect())
    }

    /// Puts together what arrived.
    pub fn from_fds(header: &Header, fds: Vec<OwnedFd>) -> Result<Self, SocketsError> {
        if header.count() != fds.len() {
            return Err(SocketsError::Count { named: header.count(), came: fds.len() });
        }
        Ok(Self { all: header.0.iter().copied().zip(fds).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_header_survives_the_trip() {
        let header = Header(vec![Role::DnsUdp, Role::DnsTcp, Role::Transparent(443), Role::Proxy(3128)]);
        assert_eq!(Header::from_bytes(&header.to_bytes()), Ok(header.clone()));
        assert_eq!((header.proxy_port(), header.count()), (Some(3128), 4));
        assert_eq!(Sockets::from_fds(&header, vec![]).unwrap_err().code(), "egress.sockets_count");
        for bad in [&[][..], &[9, 0, 0, 0], &[1, 0], &[1, 4, 0, 0]] {
            assert_eq!(Header::from_bytes(bad), Err(SocketsError::Header));
        }
    }

    proptest! {
        #[test]
        fn random_headers_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let _ = Header::from_bytes(&bytes);
        }
    }
}
