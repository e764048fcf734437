//! Sockets beyond the few kinds that ordinary programs use.

use super::own;
use crate::attempt::{connect, opens_socket, socket};
use crate::outcome::Outcome;
use crate::probe::Probe;
use std::io;

const TCP: (&str, crate::probe::Act) = ("make a TCP socket", |_| opens_socket(libc::AF_INET, libc::SOCK_STREAM, 0));
const UDP: (&str, crate::probe::Act) = ("make a UDP socket", |_| opens_socket(libc::AF_INET, libc::SOCK_DGRAM, 0));
const TCP6: (&str, crate::probe::Act) =
    ("make a TCP socket for IPv6", |_| opens_socket(libc::AF_INET6, libc::SOCK_STREAM, 0));
const IPPROTO_SMC: i32 = 256;

pub(super) const PROBES: &[Probe] = &[
    Probe::new(
        "raw-ip",
        "make a raw IPv4 socket",
        |_| opens_socket(libc::AF_INET, libc::SOCK_RAW, libc::IPPROTO_ICMP),
        TCP,
    )
    .twin_allowlist()
    .as_root(),
    Probe::new(
        "raw-ip6",
        "make a raw IPv6 socket",
        |_| opens_socket(libc::AF_INET6, libc::SOCK_RAW, libc::IPPROTO_ICMPV6),
        TCP6,
    )
    .twin_allowlist()
    .as_root(),
    Probe::new(
        "raw-type-bits",
        "make a raw socket with flags in the type",
        |_| opens_socket(libc::AF_INET, libc::SOCK_RAW | libc::SOCK_NONBLOCK, libc::IPPROTO_UDP),
        TCP,
    )
    .twin_allowlist()
    .as_root(),
    Probe::new(
        "ping",
        "make an echo socket",
        |_| opens_socket(libc::AF_INET, libc::SOCK_DGRAM, libc::IPPROTO_ICMP),
        UDP,
    )
    .twin_allowlist(),
    Probe::new("packet", "make a packet socket", |_| opens_socket(libc::AF_PACKET, libc::SOCK_RAW, 0x0300), TCP)
        .twin_allowlist()
        .as_root(),
    Probe::new(
        "packet-cooked",
        "make a cooked packet socket",
        |_| opens_socket(libc::AF_PACKET, libc::SOCK_DGRAM, 0),
        TCP,
    )
    .twin_allowlist()
    .as_root(),
    Probe::new(
        "netlink-uevent",
        "listen to the kernel's device events",
        |_| opens_socket(libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_KOBJECT_UEVENT),
        own::PAIR,
    ),
    Probe::new(
        "netlink-audit",
        "talk to the kernel's audit",
        |_| opens_socket(libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_AUDIT),
        own::PAIR,
    ),
    Probe::new(
        "netlink-netfilter",
        "talk to the kernel's packet filter",
        |_| opens_socket(libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_NETFILTER),
        own::PAIR,
    ),
    Probe::new(
        "netlink-diag",
        "list the sockets of others",
        |_| opens_socket(libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_SOCK_DIAG),
        own::PAIR,
    ),
    Probe::new(
        "netlink-generic",
        "talk to the kernel's generic families",
        |_| opens_socket(libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_GENERIC),
        own::PAIR,
    ),
    Probe::new(
        "netlink-xfrm",
        "talk to the kernel's IPsec",
        |_| opens_socket(libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_XFRM),
        own::PAIR,
    ),
    Probe::new(
        "vsock",
        "make a socket to the virtual machine's host",
        |_| opens_socket(libc::AF_VSOCK, libc::SOCK_STREAM, 0),
        own::PAIR,
    )
    .lesson("vsock has no namespace; ten peers leave it open"),
    Probe::new(
        "vsock-connect",
        "connect to the virtual machine's host",
        |_| {
            let mut address = (libc::AF_VSOCK as u16).to_ne_bytes().to_vec();
            address.extend([0; 2]);
            address.extend(9_u32.to_ne_bytes());
            address.extend(2_u32.to_ne_bytes());
            address.extend([0; 4]);
            let connected =
                socket(libc::AF_VSOCK, libc::SOCK_STREAM | libc::SOCK_NONBLOCK, 0).and_then(|s| connect(&s, &address));
            Outcome::gate(
                connected,
                &[libc::EINPROGRESS, libc::ECONNRESET, libc::ECONNREFUSED, libc::ENODEV, libc::ETIMEDOUT],
            )
        },
        own::PAIR,
    ),
    Probe::new(
        "alg",
        "make a socket to the kernel's ciphers",
        |_| opens_socket(libc::AF_ALG, libc::SOCK_SEQPACKET, 0),
        own::PAIR,
    ),
    Probe::new(
        "bluetooth",
        "make a bluetooth socket",
        |_| opens_socket(libc::AF_BLUETOOTH, libc::SOCK_RAW, 1),
        own::PAIR,
    ),
    Probe::new(
        "xdp",
        "make a socket that goes around the network stack",
        |_| opens_socket(libc::AF_XDP, libc::SOCK_RAW, 0),
        own::PAIR,
    )
    .as_root(),
    Probe::new(
        "key",
        "make a socket to the kernel's key store for IPsec",
        |_| opens_socket(libc::AF_KEY, libc::SOCK_RAW, 2),
        own::PAIR,
    )
    .as_root(),
    Probe::new("rare-families", "make a socket of any family that few programs know", rare, own::PAIR)
        .unproven("a lean kernel has none of them"),
    Probe::new(
        "mptcp",
        "make a multipath TCP socket",
        |_| opens_socket(libc::AF_INET, libc::SOCK_STREAM, libc::IPPROTO_MPTCP),
        TCP,
    )
    .twin_allowlist()
    .lesson("Landlock's TCP rights do not cover multipath TCP"),
    Probe::new(
        "mptcp6",
        "make a multipath TCP socket for IPv6",
        |_| opens_socket(libc::AF_INET6, libc::SOCK_STREAM, libc::IPPROTO_MPTCP),
        TCP6,
    )
    .twin_allowlist(),
    Probe::new(
        "sctp",
        "make an SCTP socket",
        |_| opens_socket(libc::AF_INET, libc::SOCK_STREAM, libc::IPPROTO_SCTP),
        TCP,
    )
    .twin_allowlist(),
    Probe::new("smc", "make an SMC socket", |_| opens_socket(libc::AF_INET, libc::SOCK_STREAM, IPPROTO_SMC), TCP)
        .twin_allowlist(),
    Probe::new(
        "udplite",
        "make a UDP-Lite socket",
        |_| opens_socket(libc::AF_INET, libc::SOCK_DGRAM, libc::IPPROTO_UDPLITE),
        UDP,
    )
    .twin_allowlist(),
    Probe::new("dccp", "make a DCCP socket", |_| opens_socket(libc::AF_INET, 6, libc::IPPROTO_DCCP), TCP)
        .twin_allowlist(),
];

/// Every family but the usual ones and those with a probe of their own.
fn rare(_: &crate::context::Context) -> Outcome {
    let named = [
        libc::AF_UNIX,
        libc::AF_INET,
        libc::AF_INET6,
        libc::AF_NETLINK,
        libc::AF_PACKET,
        libc::AF_VSOCK,
        libc::AF_ALG,
        libc::AF_BLUETOOTH,
        libc::AF_XDP,
        libc::AF_KEY,
    ];
    let kinds = [libc::SOCK_STREAM, libc::SOCK_DGRAM, libc::SOCK_RAW, libc::SOCK_SEQPACKET];
    let open = (3..64).filter(|f| !named.contains(f)).find(|f| kinds.iter().any(|k| socket(*f, *k, 0).is_ok()));
    match open {
        Some(family) => Outcome::Did(format!("family {family} opens")),
        None => Outcome::refused(&io::Error::from_raw_os_error(libc::EAFNOSUPPORT)),
    }
}
