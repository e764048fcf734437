//! What a host is in truth: a name, an address, an address in disguise, a name that looks like another.

use std::net::{Ipv4Addr, Ipv6Addr};

/// What a host is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Ipv4(Ipv4Addr),
    Ipv6(Ipv6Addr),
    /// Decimal, octal, hexadecimal or shortened.
    OddAddress,
    LookAlike,
    /// Not a host: a slot, a wildcard, nothing.
    Other,
}

/// A host without its port and final dot.
pub(super) fn trim(host: &str) -> &str {
    let host = match host.strip_prefix('[').and_then(|h| h.split_once(']')) {
        Some((inner, _)) => inner,
        None => {
            host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit())).map_or(host, |(h, _)| h)
        }
    };
    host.trim_end_matches('.')
}

/// Judges a host.
pub(super) fn kind(host: &str) -> Kind {
    if host.is_empty() || host.len() > 253 {
        return Kind::Other;
    }
    if let Ok(address) = host.parse() {
        return Kind::Ipv4(address);
    }
    if let Ok(address) = host.parse() {
        return Kind::Ipv6(address);
    }
    if host.split('.').all(is_number) {
        // Up to three digits are a port or a placeholder, not an address.
        return if host.len() > 3 { Kind::OddAddress } else { Kind::Other };
    }
    if host.split('.').any(looks_like_another) {
        return Kind::LookAlike;
    }
    Kind::Name
}

/// A part of an address as browsers read it: decimal, octal or hexadecimal.
fn is_number(label: &str) -> bool {
    let lower = label.as_bytes();
    match lower {
        [b'0', b'x' | b'X', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit),
        [_, ..] => lower.iter().all(u8::is_ascii_digit),
        [] => false,
    }
}

/// Whether a label mixes scripts, or is written wholly in letters that look Latin.
fn looks_like_another(label: &str) -> bool {
    let decoded;
    let label = match label.get(..4).filter(|p| p.eq_ignore_ascii_case("xn--")) {
        Some(_) => match punycode(label.get(4..).unwrap_or_default()) {
            Some(text) => {
                decoded = text;
                decoded.as_str()
            }
            None => return true,
        },
        None if label.is_ascii() => return false,
        None => label,
    };
    let latin = label.chars().any(|c| c.is_ascii_alphabetic() || matches!(c, '\u{c0}'..='\u{24f}'));
    let similar = |c: char| matches!(c, '\u{370}'..='\u{52f}');
    let foreign = label.chars().any(similar);
    let disguised =
        foreign && label.chars().filter(|c| c.is_alphabetic()).all(|c| "асеорхуіјѕԁһӏԛԝνοαικρτυ".contains(c));
    let dots = label.chars().any(|c| matches!(c, '。' | '．' | '\u{2024}' | '\u{2044}' | '\u{2215}' | '\u{ff0f}'));
    (latin && foreign) || disguised || dots
}

/// Decodes a label after `xn--` (RFC 3492).
fn punycode(input: &str) -> Option<String> {
    let (basic, extended) = input.rsplit_once('-').unwrap_or(("", input));
    let mut output: Vec<char> = basic.chars().collect();
    let (mut n, mut i, mut bias) = (128_u32, 0_u32, 72_u32);
    let mut digits = extended.bytes();
    while digits.len() > 0 {
        if output.len() > 63 {
            return None;
        }
        let (old, mut weight, mut k) = (i, 1_u32, 36_u32);
        loop {
            let digit = match digits.next()? {
                b @ b'a'..=b'z' => u32::from(b - b'a'),
                b @ b'A'..=b'Z' => u32::from(b - b'A'),
                b @ b'0'..=b'9' => u32::from(b - b'0') + 26,
                _ => return None,
            };
            i = i.checked_add(digit.checked_mul(weight)?)?;
            let threshold = k.saturating_sub(bias).clamp(1, 26);
            if digit < threshold {
                break;
            }
            weight = weight.checked_mul(36 - threshold)?;
            k += 36;
        }
        let length = u32::try_from(output.len()).ok()? + 1;
        bias = adapt(i - old, length, old == 0);
        n = n.checked_add(i / length)?;
        i %= length;
        output.insert(usize::try_from(i).ok()?, char::from_u32(n)?);
        i += 1;
    }
    Some(output.into_iter().collect())
}

fn adapt(delta: u32, length: u32, first: bool) -> u32 {
    let mut delta = if first { delta / 700 } else { delta / 2 };
    delta += delta / length;
    let mut k = 0;
    while delta > 455 {
        delta /= 35;
        k += 36;
    }
    k + 36 * delta / (delta + 38)
}

/// Whether a name has a known ending and a label before it.
pub(super) fn is_registrable(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    psl::domain(lower.as_bytes()).is_some_and(|domain| domain.suffix().is_known())
}

/// Whether a host is one of the names or below one.
pub(super) fn is_below(host: &str, names: &[&str]) -> bool {
    names.iter().any(|name| host.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_in_disguise_are_seen() {
        for odd in ["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0x7f.1"] {
            assert_eq!(kind(odd), Kind::OddAddress, "{odd}");
        }
        for name in
            ["example.com", "1.example", "v1.2.3.dev", "0xcafe.io", "xn--bcher-kva.example", "münchen.de", "пример.рф"]
        {
            assert_eq!(kind(name), Kind::Name, "{name}");
        }
        for alike in ["gооgle.com", "xn--80ak6aa92e.com", "раура.com"] {
            assert_eq!(kind(alike), Kind::LookAlike, "{alike}");
        }
        assert_eq!(trim("[::1]:80"), "::1");
        assert_eq!(trim("example.com:8080"), "example.com");
    }
}
