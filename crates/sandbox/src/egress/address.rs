//! Which addresses a name may not lead to.
//!
//! In: a resolved address. Out: nothing, or the range that puts it off limits. A name that resolves to the
//! machine itself, its neighbours or a cloud's metadata service is how a name rule would be turned into a
//! hole (rebinding), so only an address rule opens these.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

/// IPv4 ranges that are not the open internet.
const V4: &[(Ipv4Addr, u32, &str)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8, "unspecified"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "private"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "carrier or metadata"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "loopback"),
    (Ipv4Addr::new(168, 63, 129, 16), 32, "metadata"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "link-local or metadata"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "private"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "reserved or metadata"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "documentation"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "relay"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "private"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "benchmark"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "documentation"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "documentation"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "multicast"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "reserved"),
];

/// IPv6 ranges inside global unicast that are not the open internet. All else outside `2000::/3` is refused.
const V6: &[(Ipv6Addr, u32, &str)] = &[
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, "protocol assignment"),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "documentation"),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "documentation"),
];

/// Why an address is off limits, or nothing.
pub fn off_limits(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(v4) => off_limits_v4(v4),
        IpAddr::V6(v6) => off_limits_v6(v6),
    }
}

fn off_limits_v4(address: Ipv4Addr) -> Option<&'static str> {
    let within = |net: Ipv4Addr, bits: u32| (address.to_bits() ^ net.to_bits()).checked_shr(32 - bits) == Some(0);
    V4.iter().find(|(net, bits, _)| within(*net, *bits)).map(|(_, _, what)| *what)
}

fn off_limits_v6(address: Ipv6Addr) -> Option<&'static str> {
    let within = |net: Ipv6Addr, bits: u32| (address.to_bits() ^ net.to_bits()).checked_shr(128 - bits) == Some(0);
    let low = |shift: u32| Ipv4Addr::from_bits((address.to_bits() >> shift) as u32);
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, ..] => return off_limits_v4(low(0)),
        [0x64, 0xff9b, 0, 0, 0, 0, ..] => return off_limits_v4(low(0)),
        [0x2002, ..] => return off_limits_v4(low(80)),
        [_, _, _, _, 0 | 0x200, 0x5efe, ..] if off_limits_v4(low(0)).is_some() => return Some("tunnelled private"),
        [0, 0, 0, 0, 0, 0, 0, 1] => return Some("loopback"),
        [first, ..] if first & 0xfe00 == 0xfc00 => return Some("private or metadata"),
        [first, ..] if first & 0xffc0 == 0xfe80 => return Some("link-local"),
        [first, ..] if first & 0xff00 == 0xff00 => return Some("multicast"),
        [first, ..] if first & 0xe000 != 0x2000 => return Some("reserved"),
        _ => {}
    }
    V6.iter().find(|(net, bits, _)| within(*net, *bits)).map(|(_, _, what)| *what)
}

/// Whether an address belongs to this machine: a packet to it would be sent from itself. Asks the routing
/// table; nothing is sent.
pub fn is_own(address: IpAddr) -> bool {
    let any: IpAddr = match address {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let source = UdpSocket::bind((any, 0)).and_then(|s| s.connect((address, 9)).and_then(|()| s.local_addr()));
    source.is_ok_and(|local| local.ip().to_canonical() == address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_inside_is_off_limits() {
        for text in [
            "127.0.0.1",
            "127.9.9.9",
            "0.0.0.0",
            "0.1.2.3",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "100.64.0.1",
            "100.100.100.200",
            "100.127.255.255",
            "169.254.169.254",
            "169.254.170.2",
            "192.0.0.192",
            "168.63.129.16",
            "198.18.0.1",
            "198.19.255.255",
            "192.0.2.1",
            "198.51.100.1",
            "203.0.113.9",
            "224.0.0.1",
            "239.255.255.250",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd00:ec2::254",
            "fd52:696e::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "::127.0.0.1",
            "::ffff:0:127.0.0.1",
            "64:ff9b::10.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2002:a9fe:a9fe::1",
            "2002:c0a8:101::1",
            "2001:db8::1",
            "2001::1",
            "2001:2::1",
            "3fff::1",
            "100::1",
            "5f00::1",
            "2600::5efe:10.0.0.1",
            "2600::200:5efe:7f00:1",
        ] {
            assert!(off_limits(text.parse().unwrap()).is_some(), "{text}");
        }
    }

    #[test]
    fn the_open_internet_is_not() {
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "172.15.255.255",
            "172.32.0.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450::1",
            "2001:200::1",
            "2001:4860::8888",
            "64:ff9b::8.8.8.8",
            "2002:808:808::1",
            "::ffff:8.8.8.8",
        ] {
            assert_eq!(off_limits(text.parse().unwrap()), None, "{text}");
        }
    }

    #[test]
    fn loopback_is_our_own() {
        assert!(is_own("127.0.0.1".parse().unwrap()));
        assert!(is_own("127.77.0.1".parse().unwrap()) || off_limits("127.77.0.1".parse().unwrap()).is_some());
    }
}
