//! Links: where they lead in truth, and what they carry.
//!
//! Finds `scheme://`, protocol-relative and script links wherever they stand (Markdown, HTML, CSS, plain text), reads
//! the host as a browser would, and looks at the query. An ordinary link is no hit.

mod allowlist;
mod host;
mod query;

use std::net::Ipv4Addr;

pub use allowlist::UrlAllowlist;

use super::catalogue::{
    URL_COLLECTOR, URL_DATA, URL_IMAGE_DATA, URL_IP, URL_LOOKALIKE, URL_ODD_IP, URL_OFF_LIST, URL_SCRIPT, URL_USERINFO,
};
use super::finder::Anchor;
use super::marks::Scan;
use crate::finding::Severity;
use host::Kind;
use query::Load;

pub(super) const ANCHORS: &[&str] = &["=\"//", "='//", "](//", "l(//"];
pub(super) const SCRIPT_ANCHORS: &[&str] = &["avascript:", "AVASCRIPT:", "ata:text/html", "bscript:"];

/// The longest link that is read.
const MAX_URL: usize = 2048;

/// Hosts that take whatever is sent to them.
const COLLECTORS: &[&str] = &[
    "webhook.site",
    "requestbin.com",
    "requestbin.net",
    "pipedream.net",
    "ngrok.io",
    "ngrok.app",
    "ngrok-free.app",
    "burpcollaborator.net",
    "oastify.com",
    "interact.sh",
    "oast.fun",
    "oast.live",
    "oast.pro",
    "oast.me",
    "beeceptor.com",
    "requestcatcher.com",
    "hookbin.com",
    "postb.in",
    "canarytokens.com",
    "dnslog.cn",
    "trycloudflare.com",
    "serveo.net",
    "loca.lt",
];

/// Hosts that hide where a link leads, or keep what is pasted.
const DETOURS: &[&str] = &[
    "bit.ly",
    "tinyurl.com",
    "goo.gl",
    "ow.ly",
    "is.gd",
    "cutt.ly",
    "rb.gy",
    "shorturl.at",
    "pastebin.com",
    "hastebin.com",
    "paste.ee",
    "transfer.sh",
    "file.io",
    "0x0.st",
    "ix.io",
];

/// Reads a link.
pub(super) fn read(scan: &mut Scan<'_>, anchor: Anchor) -> usize {
    let lead = scan.before(anchor.start, 8);
    let scheme = match lead.rfind(|c: char| !c.is_ascii_alphabetic()) {
        Some(i) => {
            lead.get(i + lead.get(i..).and_then(|l| l.chars().next()).map_or(1, char::len_utf8)..).unwrap_or_default()
        }
        None => lead,
    };
    let relative = scan.raw.get(anchor.start..anchor.end).is_none_or(|a| a != "://");
    if !relative && !["http", "https", "ftp", "ws", "wss"].iter().any(|s| scheme.eq_ignore_ascii_case(s)) {
        return anchor.end;
    }
    let rest = scan.raw.get(anchor.end..).unwrap_or_default();
    let length = extent(rest);
    scan.pay(length);
    let after = rest.get(..length).unwrap_or_default();
    let start = if relative { anchor.end - 2 } else { anchor.start - scheme.len() };
    let link = Link { after, start, end: anchor.end + length };
    if after.len() >= 3 && (!relative || after.contains('.')) {
        link.judge(scan);
    }
    link.end
}

/// How long a link is: up to white space, a quotation mark or a bracket that it did not open.
fn extent(rest: &str) -> usize {
    let mut depth = 0_usize;
    let mut last = ' ';
    for (i, c) in rest.char_indices() {
        let ends = match c {
            '"' | '\'' | '`' | '\\' | '^' => true,
            // A slot for data: `?q=<answer>`, `?q=[SECRET]`.
            '<' | '[' if last == '=' => {
                depth += 1;
                false
            }
            '>' | ']' if depth > 0 => {
                depth -= 1;
                false
            }
            // An address of the sixth version stands in brackets.
            '[' => i > 0,
            ']' => !rest.starts_with('['),
            '<' | '>' | ')' => true,
            _ if c.is_ascii() => c.is_whitespace() || c.is_control(),
            // A full stop of another script ends the sentence, unless a name goes on after it.
            _ => {
                !c.is_alphanumeric()
                    && !rest.get(i + c.len_utf8()..).is_some_and(|r| r.starts_with(|n: char| n.is_ascii_alphanumeric()))
            }
        };
        if ends && !(depth > 0 && c == ' ') || i >= MAX_URL {
            return i;
        }
        last = c;
    }
    rest.len()
}

struct Link<'a> {
    /// What stands after `//`.
    after: &'a str,
    start: usize,
    end: usize,
}

impl Link<'_> {
    fn judge(&self, scan: &mut Scan<'_>) {
        let part = self.start..self.end;
        let authority = self.after.split(['/', '?', '#']).next().unwrap_or_default();
        let (user, host) = authority.rsplit_once('@').map_or(("", authority), |(u, h)| (u, h));
        let host = host::trim(host);
        match host::kind(host) {
            Kind::Ipv4(address) if is_public(address) => scan.hit(&URL_IP, part.clone()),
            Kind::Ipv6(address) if !address.is_loopback() && !address.is_unspecified() => {
                scan.hit(&URL_IP, part.clone())
            }
            Kind::OddAddress => scan.hit(&URL_ODD_IP, part.clone()),
            Kind::LookAlike => scan.hit(&URL_LOOKALIKE, part.clone()),
            _ => {}
        }
        let name = user.split(':').next().unwrap_or_default();
        if name.contains('.') && host::is_registrable(name) && !name.eq_ignore_ascii_case(host) {
            scan.hit(&URL_USERINFO, part.clone());
        }
        let lower = host.to_ascii_lowercase();
        if host::is_below(&lower, COLLECTORS) {
            scan.hit_as(&URL_COLLECTOR, Severity::Warn, part.clone());
        } else if host::is_below(&lower, DETOURS) {
            scan.hit(&URL_COLLECTOR, part.clone());
        }
        if !scan.urls.is_empty() && !scan.urls.covers(&lower) && !lower.is_empty() {
            scan.hit(&URL_OFF_LIST, part.clone());
        }
        self.load(scan);
    }

    /// What the link carries.
    fn load(&self, scan: &mut Scan<'_>) {
        let load = query::load(self.after);
        if load == Load::Nothing {
            return;
        }
        let image = is_image(scan.before(self.start, 160));
        let part = self.start..self.end;
        match (load, image) {
            (Load::PrivateSlot, true) => scan.hit(&URL_IMAGE_DATA, part),
            (Load::PrivateSlot, false) | (Load::Slot, true) => scan.hit(&URL_DATA, part),
            (Load::Dense, true) | (Load::Slot, false) => scan.hit_as(&URL_DATA, Severity::Info, part),
            (Load::Dense, false) | (Load::Nothing, _) => {}
        }
    }
}

/// Whether a link that follows is the address of an image: Markdown, a Markdown reference, HTML or CSS.
fn is_image(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let tail = line.trim_end_matches(['"', '\'', ' ', '<']);
    let markdown = tail.ends_with("](")
        && line.rfind("![").is_some_and(|i| line.get(i..).is_some_and(|l| l.matches("](").count() == 1));
    let lower = line.to_ascii_lowercase();
    let html =
        lower.rfind("<img").is_some_and(|i| lower.get(i..).is_some_and(|l| !l.contains('>'))) || tail.ends_with("url(");
    markdown || html
}

fn is_public(address: Ipv4Addr) -> bool {
    !(address.is_loopback()
        || address.is_private()
        || address.is_unspecified()
        || address.is_documentation()
        || address.is_link_local()
        || address.is_broadcast())
}

/// Reads a link that runs code. Pages use `javascript:void(0)` and the like: only Markdown and long code count.
pub(super) fn script(scan: &mut Scan<'_>, anchor: Anchor) -> usize {
    let before = scan.before(anchor.start, 24);
    let lead = before.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let markdown = lead.ends_with("](") || lead.ends_with("](<");
    let html = ["href=\"", "href='", "src=\"", "src='", "href=", "src="]
        .iter()
        .any(|a| lead.to_ascii_lowercase().ends_with(a));
    if !markdown && !html {
        return anchor.end;
    }
    let rest = scan.after(anchor.end, 120);
    let code = rest.split(['"', '\'', ')', '\n', ' ']).next().unwrap_or_default();
    let sends =
        ["fetch(", "document.cookie", "location=", "location.href", "eval(", "atob(", "xmlhttprequest", "base64,"]
            .iter()
            .any(|s| rest.to_ascii_lowercase().contains(s));
    let page = scan.raw.get(anchor.start..anchor.end).is_some_and(|a| a.starts_with("ata:"));
    if markdown || sends || page {
        let severity = if markdown || sends { Severity::Warn } else { Severity::Info };
        scan.hit_as(&URL_SCRIPT, severity, anchor.start - (before.len() - lead.len())..anchor.end + code.len());
    }
    anchor.end
}
