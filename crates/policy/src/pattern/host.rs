//! Hosts: exact or `*.suffix`, label by label, lower case, A-labels, optional port.
//!
//! `*.example.com` covers any name *below* `example.com`, never `example.com` itself. `*` covers every
//! name and no address: an address must be named. Never a substring or prefix test.

use crate::read::clip;
use crate::sets::{Nested, Pattern};
use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

/// The ports a pattern without a port stands for.
const DEFAULT_PORTS: [u16; 2] = [80, 443];

/// One host in canonical form: a lower-case A-label name, or an IP address as the standard prints it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Host<'a> {
    name: Cow<'a, str>,
    is_address: bool,
}

/// A set of names on one port.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostPattern {
    name: Arc<str>,
    /// Everything below `name`, or every name when `name` is empty.
    below: bool,
    port: u16,
}

impl<'a> Host<'a> {
    /// Reads a host without a port. Borrows when the text is canonical already.
    pub fn parse(text: &'a str) -> Result<Self, String> {
        if is_plain_name(text) {
            return Ok(Self { name: Cow::Borrowed(text), is_address: false });
        }
        if let Some(inner) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
            return address(inner).ok_or_else(|| format!("`{}` is not an IPv6 address", clip(text)));
        }
        if text.contains(':') {
            return address(text).ok_or_else(|| format!("`{}` is not a host", clip(text)));
        }
        let name = canonical_name(text)?;
        if last_label(&name).bytes().all(|b| b.is_ascii_digit()) || last_label(&name).starts_with("0x") {
            return address(&name).ok_or_else(|| format!("`{}` looks like an address and is not one", clip(text)));
        }
        Ok(Self { name, is_address: false })
    }

    /// Reads `host` or `host:port`.
    pub fn parse_with_port(text: &'a str) -> Result<(Self, Option<u16>), String> {
        let (host, port) = split_port(text)?;
        Ok((Self::parse(host)?, port))
    }

    /// The canonical text.
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// The same host, owning its text.
    pub fn into_owned(self) -> Host<'static> {
        Host { name: Cow::Owned(self.name.into_owned()), is_address: self.is_address }
    }

    /// Whether this is an IP address rather than a name.
    pub fn is_address(&self) -> bool {
        self.is_address
    }

    /// Calls `found` with each suffix under which a pattern could cover this host: the name itself, what
    /// stands after each dot, and the empty one. Stops when `found` answers true.
    pub fn suffixes(&self, mut found: impl FnMut(&str, bool) -> bool) -> bool {
        if found(&self.name, false) {
            return true;
        }
        !self.is_address && suffixes_of(&self.name, |s| found(s, true))
    }
}

fn suffixes_of(name: &str, mut found: impl FnMut(&str) -> bool) -> bool {
    let mut rest = name;
    while let Some((_, tail)) = rest.split_once('.') {
        if found(tail) {
            return true;
        }
        rest = tail;
    }
    !name.is_empty() && found("")
}

fn address(text: &str) -> Option<Host<'static>> {
    let ip: IpAddr = text.parse().ok()?;
    Some(Host { name: Cow::Owned(ip.to_canonical().to_string()), is_address: true })
}

/// Whether a text is canonical as it stands, in one pass: lower-case labels, none of them an A-label, the last
/// one starting with a letter, so that it cannot be an address. Anything else takes the long way.
fn is_plain_name(text: &str) -> bool {
    let mut start = 0;
    let bytes = text.as_bytes();
    let sound = |label: &[u8]| match label {
        [first, .., last] => label.len() <= 63 && *first != b'-' && *last != b'-' && !label.starts_with(b"xn--"),
        [only] => *only != b'-',
        [] => false,
    };
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => {}
            b'.' if bytes.get(start..at).is_some_and(sound) => start = at + 1,
            _ => return false,
        }
    }
    let last = bytes.get(start..).unwrap_or_default();
    bytes.len() <= 253 && sound(last) && last.first().is_some_and(u8::is_ascii_lowercase)
}

fn last_label(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// `host:8080` → (`host`, 8080); brackets around an IPv6 address; two colons and no brackets is an address.
fn split_port(text: &str) -> Result<(&str, Option<u16>), String> {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, _)) if host.contains(':') && !host.ends_with(']') => return Ok((text, None)),
        Some((host, port)) if !text.ends_with(']') => (host, port),
        _ => return Ok((text, None)),
    };
    let number =
        (!port.is_empty() && port.bytes().all(|b| b.is_ascii_digit())).then(|| port.parse::<u16>().ok()).flatten();
    match number {
        Some(n) if n > 0 => Ok((host, Some(n))),
        _ => Err(format!("`{}` is not a port", clip(port))),
    }
}

/// Lower case, A-labels, no trailing dot, every label valid.
fn canonical_name(text: &str) -> Result<Cow<'_, str>, String> {
    let bad = || format!("`{}` is not a host name", clip(text));
    let text = text.strip_suffix('.').unwrap_or(text);
    if text.is_empty() || text.len() > 253 * 4 {
        return Err(bad());
    }
    let plain =
        text.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' | b'_')) && !text.contains("xn--");
    let name = if plain {
        Cow::Borrowed(text)
    } else {
        let ascii = idna::domain_to_ascii_cow(text.as_bytes(), idna::AsciiDenyList::URL).map_err(|_| bad())?;
        Cow::Owned(ascii.into_owned())
    };
    let label_ok = |l: &str| {
        (1..=63).contains(&l.len())
            && l.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'))
            && !l.starts_with('-')
            && !l.ends_with('-')
    };
    if name.len() <= 253 && name.split('.').all(label_ok) { Ok(name) } else { Err(bad()) }
}

impl HostPattern {
    /// The suffix or name of the pattern, whether it covers only what is below, and the port.
    pub fn parts(&self) -> (&str, bool, u16) {
        (&self.name, self.below, self.port)
    }

    /// Whether the pattern covers this host on this port.
    pub fn matches(&self, host: &Host<'_>, port: u16) -> bool {
        self.port == port && host.suffixes(|name, below| *self.name == *name && self.below == below)
    }

    /// A host that the pattern covers and that no narrower pattern is likely to name, to ask about it.
    pub fn sample(&self) -> String {
        match (self.below, &*self.name) {
            (false, name) => name.to_owned(),
            (true, "") => "any-other-name.invalid".to_owned(),
            (true, name) if name.len() > 200 => format!("x.{name}"),
            (true, name) => format!("any-other-name.{name}"),
        }
    }

    fn search(set: &[Self], name: &str, below: bool, port: u16) -> Option<usize> {
        // Every name is asked about `*` in the end, which stands first where it stands at all.
        if name.is_empty() && set.first().is_none_or(|first| !first.name.is_empty()) {
            return None;
        }
        set.binary_search_by(|p| (&*p.name, p.below, p.port).cmp(&(name, below, port))).ok()
    }

    /// The text without the port.
    fn host_text(&self) -> String {
        match (self.below, &*self.name) {
            (true, "") => "*".to_owned(),
            (true, name) => format!("*.{name}"),
            (false, name) if name.contains(':') => format!("[{name}]"),
            (false, name) => name.to_owned(),
        }
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host_text(), self.port)
    }
}

impl Pattern for HostPattern {
    const WHAT: &'static str = "a host pattern";
    const EXAMPLE: &'static str = "*.example.com";

    fn parse(text: &str) -> Result<Vec<Self>, String> {
        let (host, port) = split_port(text)?;
        let (name, below): (Arc<str>, bool) = match host {
            "*" => (Arc::from(""), true),
            _ => match host.strip_prefix("*.") {
                Some(suffix) => {
                    let host = Host::parse(suffix)?;
                    if host.is_address {
                        return Err(format!("`{}` puts a `*` before an address", clip(text)));
                    }
                    (Arc::from(host.as_str()), true)
                }
                None if host.contains('*') => {
                    return Err(format!("`{}` has a `*` that is not the whole first label", clip(text)));
                }
                None => (Arc::from(Host::parse(host)?.as_str()), false),
            },
        };
        let ports = port.map_or_else(|| DEFAULT_PORTS.to_vec(), |p| vec![p]);
        Ok(ports.into_iter().map(|port| Self { name: name.clone(), below, port }).collect())
    }

    /// Ports 80 and 443 of one host print as the bare host, as they were written.
    fn groups(members: &[Self]) -> Vec<(String, Vec<usize>)> {
        let mut out: Vec<(String, Vec<usize>)> = Vec::with_capacity(members.len());
        let mut at = 0;
        for group in members.chunk_by(|a, b| a.name == b.name && a.below == b.below) {
            if let [first, second] = group
                && [first.port, second.port] == DEFAULT_PORTS
            {
                out.push((first.host_text(), vec![at, at + 1]));
                at += 2;
                continue;
            }
            let numbered = (at..).zip(group);
            let is_default = |p: &Self| DEFAULT_PORTS.contains(&p.port);
            let (pair, rest): (Vec<_>, Vec<_>) = numbered.partition(|(_, p)| is_default(p));
            let bare = pair.len() == DEFAULT_PORTS.len();
            if let (true, Some(first)) = (bare, group.first()) {
                out.push((first.host_text(), pair.iter().map(|(n, _)| *n).collect()));
            } else {
                out.extend(pair.iter().map(|(n, p)| (p.to_string(), vec![*n])));
            }
            out.extend(rest.iter().map(|(n, p)| (p.to_string(), vec![*n])));
            at += group.len();
        }
        out
    }
}

impl Nested for HostPattern {
    fn wider(&self, set: &[Self], found: &mut dyn FnMut(usize) -> bool) -> bool {
        let is_address = !self.below && (self.name.contains(':') || self.name.parse::<IpAddr>().is_ok());
        !is_address && suffixes_of(&self.name, |s| Self::search(set, s, true, self.port).is_some_and(&mut *found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The short way accepts nothing that the long way would refuse or change.
        #[test]
        fn the_short_way_agrees_with_the_long_way(text in "[a-c0x.:_-]{0,20}|(xn--)?[a-z]{1,3}(\\.[a-z0-9-]{1,4}){0,3}\\.?") {
            if is_plain_name(&text) {
                prop_assert_eq!(canonical_name(&text), Ok(Cow::Borrowed(text.as_str())));
                prop_assert!(address(&text).is_none());
                prop_assert!(!last_label(&text).bytes().all(|b| b.is_ascii_digit()));
            }
        }
    }
}
