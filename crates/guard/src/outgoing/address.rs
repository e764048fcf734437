//! Addresses in arguments: text in, the hosts it would reach out, with their places. Read as a browser reads them, so
//! that `http:\\evil.net`, `https:evil.net` and `0x7f.1` are what they really are.

use std::ops::Range;

use url::Url;

/// An address in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) place: Range<usize>,
    /// The host in lower case, without its last dot; `None` where it cannot be read.
    pub(super) host: Option<String>,
    /// What follows the host can carry data.
    pub(super) tail: Range<usize>,
}

/// Schemes a browser takes with or without slashes.
const WEB: [&str; 5] = ["http", "https", "ws", "wss", "ftp"];

/// Addresses looked at in one text.
const MOST: usize = 1024;

/// The addresses of a text.
pub(super) fn addresses(text: &str) -> Vec<Address> {
    let mut found = Vec::new();
    let mut at = 0;
    while found.len() < MOST
        && let Some(colon) = text.get(at..).and_then(|rest| rest.find(':')).map(|colon| at + colon)
    {
        at = colon + 1;
        let before = text.get(..colon).unwrap_or_default();
        let length =
            before.bytes().rev().take(16).take_while(|b| b.is_ascii_alphanumeric() || b"+.-".contains(b)).count();
        let start = colon - length;
        let scheme = text.get(start..colon).unwrap_or_default().to_ascii_lowercase();
        let after = text.get(at..).unwrap_or_default();
        let is_web = WEB.iter().any(|web| scheme == *web) && !after.starts_with(char::is_whitespace);
        if scheme == "file" || scheme.is_empty() || !(is_web || after.starts_with("//")) {
            continue;
        }
        let end = at + after.find(|c: char| c.is_whitespace() || "\"'`<>".contains(c)).unwrap_or(after.len());
        found.push(address(text, start..end));
        at = end;
    }
    found
}

/// A whole text as an address, also without a scheme, and with the line breaks that a browser passes over.
pub(super) fn whole(text: &str) -> Option<Address> {
    let joined: String = text.trim().chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
    let mut address = match Url::parse(&joined) {
        Ok(url) if url.scheme() == "file" => return None,
        Ok(url) if url.host_str().is_some() => address(&joined, 0..joined.len()),
        _ => {
            let completed = format!("https://{}", joined.trim_start_matches('/'));
            address(&completed, 0..completed.len())
        }
    };
    address.place = 0..text.len();
    address.tail = 0..text.len();
    Some(address)
}

fn address(text: &str, place: Range<usize>) -> Address {
    let written = text.get(place.clone()).unwrap_or_default();
    let url = Url::parse(written).ok();
    let host = url.as_ref().and_then(Url::host_str).map(|host| host.trim_end_matches('.').to_ascii_lowercase());
    let path = written.find("://").map_or(0, |at| at + 3);
    let tail =
        written.get(path..).and_then(|rest| rest.find(['/', '?', '#', '\\'])).map_or(written.len(), |at| path + at);
    let tail = place.start + tail..place.end;
    Address { place, host: host.filter(|host| !host.is_empty()), tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(text: &str) -> Vec<String> {
        addresses(text).into_iter().map(|a| a.host.unwrap_or_else(|| "?".into())).collect()
    }

    #[test]
    fn hosts_are_what_a_browser_would_reach() {
        assert_eq!(hosts("see https://Good.example./x and http:\\\\evil.net/a"), ["good.example", "evil.net"]);
        assert_eq!(hosts("https:evil.net"), ["evil.net"]);
        assert_eq!(hosts("https://good.example@evil.net/"), ["evil.net"]);
        assert_eq!(hosts("curl 'http://0x7f.1/x'"), ["127.0.0.1"]);
        assert_eq!(hosts("wss://[::1]:80/"), ["[::1]"]);
        assert_eq!(hosts("postgres://db.internal/x"), ["db.internal"]);
        assert_eq!(hosts("https://ｅvil.net"), ["evil.net"]);
        assert_eq!(hosts("https://%"), ["?"]);
        assert!(hosts("a: b, http: x, file:///etc, 12:30, ::").is_empty());
        assert_eq!(whole("evil.net/x").unwrap().host.unwrap(), "evil.net");
        assert_eq!(whole("ht\ntps://ev\til.net").unwrap().host.unwrap(), "evil.net");
        assert_eq!(whole("//evil.net").unwrap().host.unwrap(), "evil.net");
    }
}
