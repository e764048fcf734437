//! The door for programs that insist on a proxy: the same decision, asked in other words.

use super::egress::{REACH, to, with};
use crate::attempt::{ANSWER, answer, hex};
use crate::context::{Context, Internet};
use crate::outcome::{Outcome, contains};
use crate::probe::Probe;
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream, ToSocketAddrs};

const FETCH: (&str, crate::probe::Act) = ("fetch from an allowed name through the proxy", |c| {
    with(c, |i| {
        let line = format!("GET http://{0}/ HTTP/1.1\r\nHost: {0}\r\n", i.allowed);
        asks(c, i, &line, None, None)
    })
});
const TUNNEL: (&str, crate::probe::Act) = ("tunnel to an allowed name through the proxy", |c| {
    with(c, |i| tunnel(c, i, &format!("{}:80", i.allowed), &i.allowed, None))
});

pub(super) const PROBES: &[Probe] = &[
    Probe::new(
        "connect-denied",
        "tunnel to a denied name",
        |c| with(c, |i| tunnel(c, i, &format!("{}:80", i.denied), &i.denied, None)),
        TUNNEL,
    )
    .allowlist(),
    Probe::new(
        "connect-address",
        "tunnel to an address",
        |c| with(c, |i| tunnel(c, i, &format!("{}:80", i.denied_address), &i.denied, None)),
        TUNNEL,
    )
    .allowlist(),
    Probe::new(
        "connect-loopback",
        "tunnel to the host's loopback",
        |c| with(c, |i| tunnel(c, i, &to(Ipv4Addr::LOCALHOST, c.loopback_port).to_string(), "localhost", None)),
        TUNNEL,
    )
    .allowlist(),
    Probe::new(
        "connect-port",
        "tunnel to an allowed name on another port",
        |c| with(c, |i| tunnel(c, i, &format!("{}:{}", i.allowed, i.closed_port), &i.allowed, None)),
        TUNNEL,
    )
    .allowlist(),
    Probe::new(
        "connect-nul",
        "tunnel to a denied name with an allowed one after a NUL",
        |c| with(c, |i| tunnel(c, i, &format!("{}\0.{}:80", i.denied, i.allowed), &i.denied, None)),
        TUNNEL,
    )
    .allowlist()
    .lesson("a NUL in a name passed a proxy for five months"),
    Probe::new(
        "connect-user",
        "tunnel to a name after what looks like a user",
        |c| with(c, |i| tunnel(c, i, &format!("{}@{}:80", i.allowed, i.denied), &i.denied, None)),
        TUNNEL,
    )
    .allowlist(),
    Probe::new(
        "connect-other-host",
        "tunnel to an allowed name and ask for a denied host inside",
        |c| with(c, |i| tunnel(c, i, &format!("{}:80", i.allowed), &i.denied, Some(&i.denied))),
        TUNNEL,
    )
    .allowlist()
    .lesson("CONNECT is a promise about the first hop, not about what is said"),
    Probe::new(
        "connect-smuggled",
        "send a second tunnel's line with the first",
        |c| {
            with(c, |i| {
                let line = format!(
                    "CONNECT {0}:80 HTTP/1.1\r\nHost: {0}\r\n\r\nCONNECT {1}:80 HTTP/1.1\r\nHost: {1}\r\n",
                    i.allowed, i.denied
                );
                asks(c, i, &line, Some(&i.denied), Some(&i.denied))
            })
        },
        TUNNEL,
    )
    .allowlist(),
    Probe::new(
        "proxy-denied",
        "fetch from a denied name through the proxy",
        |c| with(c, |i| asks(c, i, &format!("GET http://{0}/ HTTP/1.1\r\nHost: {0}\r\n", i.denied), None, None)),
        FETCH,
    )
    .allowlist(),
    Probe::new(
        "proxy-host-differs",
        "name one host to the proxy and another in the header",
        |c| {
            with(c, |i| {
                asks(
                    c,
                    i,
                    &format!("GET http://{}/ HTTP/1.1\r\nHost: {}\r\n", i.allowed, i.denied),
                    None,
                    Some(&i.denied),
                )
            })
        },
        FETCH,
    )
    .allowlist(),
    Probe::new(
        "proxy-rebinding",
        "fetch from an allowed name with a private address through the proxy",
        |c| {
            with(c, |i| {
                let name = i.rebinding.first().cloned().unwrap_or_default();
                asks(c, i, &format!("GET http://{name}/ HTTP/1.1\r\nHost: {name}\r\n"), None, None)
            })
        },
        REACH,
    )
    .allowlist(),
];

/// Where the proxy is, and the words that open it.
fn door(internet: &Internet) -> Option<(SocketAddr, String)> {
    if let Some(naive) = internet.naive_proxy {
        return Some((naive, String::new()));
    }
    let names = ["RINGFENCE_PROXY", "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"];
    let url = names.iter().find_map(|n| std::env::var(n).ok())?;
    let rest = url.strip_prefix("http://").unwrap_or(&url).trim_end_matches('/').to_owned();
    let (user, place) = rest.rsplit_once('@').map_or((None, rest.as_str()), |(u, p)| (Some(u), p));
    let address = place.to_socket_addrs().ok()?.next()?;
    let words = user.map_or_else(String::new, |u| format!("Proxy-Authorization: Basic {}\r\n", base64(u.as_bytes())));
    Some((address, words))
}

/// Sends a request to the proxy. It worked if the canary came back, and the name that had to be read was read.
fn asks(context: &Context, internet: &Internet, line: &str, then: Option<&str>, read: Option<&str>) -> Outcome {
    let Some((address, words)) = door(internet) else { return Outcome::Absent("there is no proxy".to_owned()) };
    let request = format!("{line}{words}\r\n");
    let heard = TcpStream::connect_timeout(&address, ANSWER).and_then(|mut stream| {
        stream.set_read_timeout(Some(ANSWER))?;
        stream.write_all(request.as_bytes())?;
        let mut all = answer(&mut stream)?;
        if let Some(host) = then {
            stream.write_all(format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes())?;
            all = answer(&mut stream)?;
        }
        Ok(all)
    });
    judged(heard, context, read)
}

fn tunnel(context: &Context, internet: &Internet, target: &str, host: &str, read: Option<&str>) -> Outcome {
    let line = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n");
    asks(context, internet, &line, Some(host), read)
}

fn judged(heard: io::Result<Vec<u8>>, context: &Context, read: Option<&str>) -> Outcome {
    match heard {
        Err(error) => Outcome::refused(&error),
        Ok(bytes) => {
            let came = contains(&bytes, context.canary.as_bytes());
            let named = read.is_none_or(|name| contains(&bytes, hex(name.as_bytes()).as_bytes()));
            let line = String::from_utf8_lossy(&bytes).lines().next().unwrap_or_default().to_owned();
            Outcome::when(came && named, "the service answered", &format!("it said `{line}`"))
        }
    }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for part in bytes.chunks(3) {
        let word = part.iter().fold(0_u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - part.len()));
        for n in 0..4 {
            let letter = LETTERS.get((word >> (18 - 6 * n)) as usize & 63).copied().unwrap_or(b'=');
            out.push(if n > part.len() { '=' } else { char::from(letter) });
        }
    }
    out
}
