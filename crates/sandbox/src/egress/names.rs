//! Names and the synthetic addresses that stand for them.
//!
//! In: an allowed name that was asked for. Out: one IPv4 and one IPv6 address that mean this name for the
//! rest of the run. Nothing is ever forgotten or reused: an address never comes to mean another name.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

/// The address that stands on the loopback interface itself, so that programs see an IPv4 network.
pub const OWN_V4: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 1);
/// The same for IPv6.
pub const OWN_V6: Ipv6Addr = Ipv6Addr::new(0xfd52, 0x696e, 0x6766, 0, 0, 0, 0, 1);

/// First IPv4 address that stands for a name.
const FIRST_V4: u32 = Ipv4Addr::new(198, 19, 0, 0).to_bits();
/// First IPv6 address that stands for a name.
const FIRST_V6: u128 = Ipv6Addr::new(0xfd52, 0x696e, 0x6766, 0, 0, 0, 1, 0).to_bits();
/// Names in one run.
const MOST_NAMES: usize = 65_536;
/// Bytes of all names in one run.
const MOST_BYTES: usize = 2 << 20;

/// What an address means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// It stands for this name.
    Name(Arc<str>),
    /// It is in the synthetic range and stands for nothing.
    Nothing,
    /// It is just an address.
    Address(IpAddr),
}

/// The table of one run.
#[derive(Debug)]
pub(crate) struct Names {
    numbers: HashMap<Arc<str>, u16>,
    names: Vec<Arc<str>>,
    bytes: usize,
    most: usize,
}

impl Default for Names {
    fn default() -> Self {
        Self::with_room_for(MOST_NAMES)
    }
}

impl Names {
    pub(crate) fn with_room_for(most: usize) -> Self {
        Self { numbers: HashMap::new(), names: Vec::new(), bytes: 0, most: most.min(MOST_NAMES) }
    }

    /// The addresses of a canonical name, or nothing when the table is full.
    pub(crate) fn addresses(&mut self, name: &str) -> Option<(Ipv4Addr, Ipv6Addr)> {
        let number = match self.numbers.get(name) {
            Some(number) => *number,
            None => self.insert(name)?,
        };
        let (v4, v6) = (FIRST_V4 | u32::from(number), FIRST_V6 | u128::from(number));
        Some((Ipv4Addr::from_bits(v4), Ipv6Addr::from_bits(v6)))
    }

    fn insert(&mut self, name: &str) -> Option<u16> {
        if self.names.len() >= self.most || self.bytes + name.len() > MOST_BYTES {
            return None;
        }
        let number = u16::try_from(self.names.len()).ok()?;
        let name: Arc<str> = Arc::from(name);
        self.bytes += name.len();
        self.names.push(name.clone());
        self.numbers.insert(name, number);
        Some(number)
    }

    /// What an address means.
    pub(crate) fn meaning(&self, address: IpAddr) -> Meaning {
        let address = address.to_canonical();
        let number = match address {
            IpAddr::V4(v4) if v4.octets().starts_with(&[198, 18]) => None,
            IpAddr::V4(v4) if v4.octets().starts_with(&[198, 19]) => Some(v4.to_bits() ^ FIRST_V4),
            IpAddr::V6(v6) if v6.to_bits() >> 64 == FIRST_V6 >> 64 => u32::try_from(v6.to_bits() ^ FIRST_V6).ok(),
            _ => return Meaning::Address(address),
        };
        let name = number.and_then(|n| usize::try_from(n).ok()).and_then(|n| self.names.get(n));
        name.map_or(Meaning::Nothing, |name| Meaning::Name(name.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_means_its_name_for_ever() {
        let mut names = Names::default();
        for n in 0..MOST_NAMES {
            assert!(names.addresses(&format!("n{n}.example")).is_some());
        }
        assert_eq!(names.addresses("one-too-many.example"), None);
        for n in [0, 1, 255, 256, 65_535] {
            let name = format!("n{n}.example");
            let (v4, v6) = names.addresses(&name).unwrap();
            assert_eq!(names.meaning(v4.into()), Meaning::Name(Arc::from(name.as_str())));
            assert_eq!(names.meaning(v6.into()), Meaning::Name(Arc::from(name.as_str())));
            assert_eq!(names.meaning(v4.to_ipv6_mapped().into()), Meaning::Name(Arc::from(name.as_str())));
        }
    }

    #[test]
    fn the_rest_of_the_range_means_nothing() {
        let mut names = Names::default();
        names.addresses("a.example").unwrap();
        for text in [
            "198.18.0.1",
            "198.18.0.0",
            "198.19.0.1",
            "198.19.255.255",
            "fd52:696e:6766::1",
            "fd52:696e:6766::",
            "fd52:696e:6766::1:1",
            "fd52:696e:6766::2:0",
            "fd52:696e:6766::ffff:ffff:ffff:ffff",
        ] {
            assert_eq!(names.meaning(text.parse().unwrap()), Meaning::Nothing, "{text}");
        }
        for text in ["198.20.0.0", "127.0.0.1", "8.8.8.8", "fd52:696e:6767::1"] {
            assert_eq!(names.meaning(text.parse().unwrap()), Meaning::Address(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn long_names_fill_the_table_by_bytes() {
        let mut names = Names::default();
        let full = (0..MOST_NAMES).find(|n| names.addresses(&format!("{n:0250}")).is_none());
        assert_eq!(full, Some(MOST_BYTES / 250));
    }
}
