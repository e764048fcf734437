//! The host that an HTTP client names must be the name it was let out for, in every request.

use super::egress::{exchange, first, with};
use crate::attempt::{ANSWER, answer, hex};
use crate::context::{Context, Internet};
use crate::outcome::{Outcome, contains};
use crate::probe::Probe;
use std::io::{self, Write};
use std::net::TcpStream;
use std::time::Duration;

const GET: (&str, crate::probe::Act) = ("fetch with the right host", |c| one(c, |i| request(&i.allowed)));
const TWICE: (&str, crate::probe::Act) = ("fetch twice over one connection", |c| {
    with(c, |i| {
        let both = two(i, &request(&i.allowed), &request(&i.allowed));
        Outcome::when(both.is_ok_and(|b| contains(&b, c.canary.as_bytes())), "fetched twice", "the second was refused")
    })
});
const CAPITALS: (&str, crate::probe::Act) =
    ("fetch with the host in capitals", |c| one(c, |i| request(&i.allowed.to_uppercase())));
const WITH_PORT: (&str, crate::probe::Act) =
    ("fetch with the host and its port", |c| one(c, |i| request(&format!("{}:80", i.allowed))));
const UPGRADE: (&str, crate::probe::Act) = ("ask for a WebSocket", |c| {
    one(c, |i| {
        let host = &i.allowed;
        format!(
            "GET /chat HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
    })
});
const POST: (&str, crate::probe::Act) = ("send a body with its length", |c| {
    one(c, |i| format!("POST / HTTP/1.1\r\nHost: {}\r\nContent-Length: 5\r\n\r\nhello", i.allowed))
});

pub(super) const PROBES: &[Probe] = &[
    Probe::new("host-other", "connect to an allowed name and ask for a denied host", |c| one(c, |i| request(&i.denied)), GET).allowlist(),
    Probe::new("host-second-request", "ask for a denied host in the second request", |c| with(c, |i| {
        seen(two(i, &request(&i.allowed), &request(&i.denied)), i)
    }), TWICE).allowlist().lesson("authorise every request on a kept connection"),
    Probe::new("host-pipelined", "send the second request without waiting", |c| with(c, |i| {
        seen(said(i, format!("{}{}", request(&i.allowed), request(&i.denied)).as_bytes()), i)
    }), TWICE).allowlist(),
    Probe::new("host-twice", "name two hosts in one request", |c| with(c, |i| {
        let both = format!("GET / HTTP/1.1\r\nHost: {}\r\nHost: {}\r\n\r\n", i.allowed, i.denied);
        seen(said(i, both.as_bytes()), i)
    }), GET).allowlist(),
    Probe::new("host-absolute", "name one host in the line and another in the header", |c| with(c, |i| {
        let both = format!("GET http://{}/ HTTP/1.1\r\nHost: {}\r\n\r\n", i.denied, i.allowed);
        seen(said(i, both.as_bytes()), i)
    }), WITH_PORT).allowlist(),
    Probe::new("host-user", "name a host after what looks like a user", |c| one_denied(c, |i| request(&format!("{}@{}", i.allowed, i.denied))), WITH_PORT)
        .allowlist(),
    Probe::new("host-space", "put a space before the colon of the host header", |c| one_denied(c, |i| {
        format!("GET / HTTP/1.1\r\nHost : {}\r\nHost: {}\r\n\r\n", i.denied, i.allowed)
    }), GET).allowlist(),
    Probe::new("host-folded", "continue the host header on the next line", |c| one_denied(c, |i| {
        format!("GET / HTTP/1.1\r\nHost: {}\r\n {}\r\n\r\n", i.allowed, i.denied)
    }), GET).allowlist(),
    Probe::new("host-line-feeds", "end lines with line feeds alone", |c| one_denied(c, |i| {
        format!("GET / HTTP/1.1\nHost: {}\n\n", i.denied)
    }), CAPITALS).allowlist(),
    Probe::new("host-nul", "put a NUL and a denied host after the allowed one", |c| one_denied(c, |i| {
        request(&format!("{}\0{}", i.allowed, i.denied))
    }), CAPITALS).allowlist(),
    Probe::new("host-none", "name no host at all", |c| one(c, |_| "GET / HTTP/1.1\r\nAccept: */*\r\n\r\n".to_owned()), GET).allowlist(),
    Probe::new("host-address", "name an address as host", |c| one(c, |i| request(&i.denied_address.to_string())), GET).allowlist(),
    Probe::new("smuggle-length", "hide a request in a body with two lengths", |c| one_denied(c, |i| {
        let hidden = request(&i.denied);
        format!("POST / HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\nContent-Length: 0\r\n\r\n{hidden}", i.allowed, hidden.len())
    }), POST).allowlist(),
    Probe::new("smuggle-chunks", "hide a request behind a length and chunks", |c| one_denied(c, |i| {
        let hidden = request(&i.denied);
        let length = hidden.len() + 5;
        format!("POST / HTTP/1.1\r\nHost: {}\r\nContent-Length: {length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}", i.allowed)
    }), POST).allowlist(),
    Probe::new("smuggle-connect", "ask the server of an allowed name to connect elsewhere", |c| one_denied(c, |i| {
        format!("CONNECT {}:443 HTTP/1.1\r\nHost: {}\r\n\r\n", i.denied, i.denied)
    }), UPGRADE).allowlist().lesson("a CONNECT relayed inside the sandbox was accepted"),
    Probe::new("host-two-protocols", "speak HTTP/2 without asking and name a denied host", |c| with(c, |i| {
        seen(said(i, &second_version(&i.denied)), i)
    }), ("speak HTTP/2 without asking and name the allowed host", |c| with(c, |i| {
        Outcome::holds(exchange(&i.allowed, 80, &second_version(&i.allowed)), &c.canary)
    }))).allowlist(),
];

fn request(host: &str) -> String {
    format!("GET /{host} HTTP/1.1\r\nHost: {host}\r\n\r\n")
}

fn one(context: &Context, request: impl Fn(&Internet) -> String) -> Outcome {
    with(context, |i| Outcome::holds(exchange(&i.allowed, 80, request(i).as_bytes()), &context.canary))
}

/// Works only if the service read the denied name.
fn one_denied(context: &Context, request: impl Fn(&Internet) -> String) -> Outcome {
    with(context, |i| seen(said(i, request(i).as_bytes()), i))
}

fn seen(heard: io::Result<Vec<u8>>, internet: &Internet) -> Outcome {
    match heard {
        Err(error) => Outcome::refused(&error),
        Ok(bytes) => {
            let said = contains(&bytes, hex(internet.denied.as_bytes()).as_bytes());
            Outcome::when(said, "the service read the denied name", "the service did not read it")
        }
    }
}

/// Everything that comes back, until nothing does.
fn said(internet: &Internet, words: &[u8]) -> io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect_timeout(&first(&internet.allowed, 80)?, ANSWER)?;
    stream.set_read_timeout(Some(Duration::from_millis(700)))?;
    stream.write_all(words)?;
    let mut all = answer(&mut stream)?;
    while let Ok(part) = answer(&mut stream) {
        if part.is_empty() || all.len() > 65536 {
            break;
        }
        all.extend(part);
    }
    Ok(all)
}

/// The answer to the second of two requests over one connection.
fn two(internet: &Internet, one: &str, other: &str) -> io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect_timeout(&first(&internet.allowed, 80)?, ANSWER)?;
    stream.set_read_timeout(Some(ANSWER))?;
    stream.write_all(one.as_bytes())?;
    answer(&mut stream)?;
    stream.write_all(other.as_bytes())?;
    answer(&mut stream)
}

/// The preface, empty settings, and one request with plain header fields.
fn second_version(host: &str) -> Vec<u8> {
    let mut fields = vec![0x82, 0x86, 0x84, 0x01];
    fields.push(u8::try_from(host.len()).unwrap_or(0));
    fields.extend(host.as_bytes());
    let length = u32::try_from(fields.len()).unwrap_or(0).to_be_bytes();
    let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    bytes.extend([0, 0, 0, 4, 0, 0, 0, 0, 0]);
    bytes.extend(length.get(1..).unwrap_or_default());
    bytes.extend([1, 5, 0, 0, 0, 1]);
    bytes.extend(fields);
    bytes
}
