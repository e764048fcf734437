//! Names as questions: a resolver that forwards what it is asked is a way out.

use super::egress::{REACH, to, with};
use crate::attempt::ANSWER;
use crate::context::{Context, Internet};
use crate::outcome::Outcome;
use crate::probe::Probe;
use std::fs;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpStream, UdpSocket};

const A: u16 = 1;
const TXT: u16 = 16;
const NULL: u16 = 10;
const ANY: u16 = 255;
const ALLOWED: (&str, crate::probe::Act) = ("ask for an allowed name", |c| with(c, |i| asks(c, &plain(&i.allowed), A)));
const ALLOWED_TCP: (&str, crate::probe::Act) =
    ("ask for an allowed name over TCP", |c| with(c, |i| told(asked_tcp(system(c), &plain(&i.allowed), A))));
const ALLOWED_CASE: (&str, crate::probe::Act) =
    ("ask for an allowed name in capitals", |c| with(c, |i| asks(c, &plain(&i.allowed.to_uppercase()), A)));

pub(super) const PROBES: &[Probe] = &[
    Probe::new("dns-denied", "ask for a name that holds a secret", |c| with(c, |i| asks(c, &leak(i), A)), ALLOWED)
        .allowlist(),
    Probe::new(
        "dns-denied-tcp",
        "ask for it over TCP",
        |c| with(c, |i| told(asked_tcp(system(c), &leak(i), A))),
        ALLOWED_TCP,
    )
    .allowlist(),
    Probe::new(
        "dns-own-resolver",
        "ask a resolver of one's own",
        |c| with(c, |i| told(asked(i.resolver.into(), &leak(i), A))),
        ALLOWED,
    )
    .allowlist(),
    Probe::new(
        "dns-own-resolver-tcp",
        "ask a resolver of one's own over TCP",
        |c| with(c, |i| told(asked_tcp(i.resolver.into(), &leak(i), A))),
        ALLOWED_TCP,
    )
    .allowlist(),
    Probe::new(
        "dns-below-allowed",
        "ask for a name below an allowed one",
        |c| with(c, |i| asks(c, &plain(&format!("c2VjcmV0.{}", i.allowed)), A)),
        ALLOWED,
    )
    .allowlist(),
    Probe::new(
        "dns-above-allowed",
        "ask for a name that begins with an allowed one",
        |c| with(c, |i| asks(c, &plain(&format!("{}.{}", i.allowed, i.denied)), A)),
        ALLOWED,
    )
    .allowlist(),
    Probe::new(
        "dns-ends-like-allowed",
        "ask for a name that ends like an allowed one",
        |c| with(c, |i| asks(c, &plain(&format!("not{}", i.allowed)), A)),
        ALLOWED,
    )
    .allowlist(),
    Probe::new("dns-text", "ask an allowed name for text", |c| with(c, |i| asks(c, &plain(&i.allowed), TXT)), ALLOWED)
        .allowlist(),
    Probe::new(
        "dns-null",
        "ask an allowed name for anything at all",
        |c| {
            with(c, |i| {
                let outcome = asks(c, &plain(&i.allowed), NULL);
                if outcome.worked() { outcome } else { asks(c, &plain(&i.denied), ANY) }
            })
        },
        ALLOWED,
    )
    .allowlist(),
    Probe::new(
        "dns-nul",
        "ask for an allowed name, a NUL and more",
        |c| {
            with(c, |i| {
                let mut labels = plain(&i.allowed);
                if let Some(last) = labels.last_mut() {
                    last.push(0);
                }
                labels.extend(plain(&i.denied));
                asks(c, &labels, A)
            })
        },
        ALLOWED_CASE,
    )
    .allowlist()
    .lesson("a NUL in a name passed a proxy for five months"),
    Probe::new(
        "dns-dot-in-label",
        "ask for an allowed name as one label below another",
        |c| {
            with(c, |i| {
                let mut labels = vec![i.allowed.clone().into_bytes()];
                labels.extend(plain(&i.denied));
                asks(c, &labels, A)
            })
        },
        ALLOWED_CASE,
    )
    .allowlist(),
    Probe::new(
        "dns-one-label",
        "ask for an allowed name as a single label",
        |c| with(c, |i| asks(c, &[i.allowed.clone().into_bytes()], A)),
        ALLOWED_CASE,
    )
    .allowlist(),
    Probe::new(
        "dns-space",
        "ask for an allowed name with a space after it",
        |c| with(c, |i| asks(c, &plain(&format!("{} ", i.allowed)), A)),
        ALLOWED_CASE,
    )
    .allowlist(),
    Probe::new(
        "dns-lookalike",
        "ask for a name that looks like an allowed one",
        |c| with(c, |i| asks(c, &plain(&i.allowed.replace('a', "\u{430}")), A)),
        ALLOWED_CASE,
    )
    .allowlist(),
    Probe::new(
        "dns-lookalike-punycode",
        "ask for its encoded form",
        |c| {
            with(c, |i| {
                let rest = i.allowed.trim_start_matches(|ch| ch != '.');
                asks(c, &plain(&format!("xn--llowed-7fg{rest}")), A)
            })
        },
        ALLOWED_CASE,
    )
    .allowlist(),
    Probe::new(
        "dns-wide-letters",
        "ask for an allowed name in full-width letters",
        |c| with(c, |i| asks(c, &plain(&i.allowed.replace('a', "\u{ff41}")), A)),
        ALLOWED_CASE,
    )
    .allowlist(),
    Probe::new(
        "dns-long",
        "ask for a name longer than names are",
        |c| {
            with(c, |i| {
                let mut labels = vec![vec![b's'; 63]; 4];
                labels.extend(plain(&i.denied));
                asks(c, &labels, A)
            })
        },
        ALLOWED,
    )
    .allowlist(),
    Probe::new(
        "dns-loop",
        "ask with a name that points to itself",
        |c| {
            let mut question = head();
            question.extend([0xc0, 12, 0, 1, 0, 1]);
            told(sent(system(c), &question))
        },
        ALLOWED,
    )
    .allowlist(),
    Probe::new(
        "dns-two-questions",
        "ask two questions at once",
        |c| {
            with(c, |i| {
                let mut question = head();
                if let Some(count) = question.get_mut(5) {
                    *count = 2;
                }
                question.extend(encoded(&leak(i), A));
                question.extend(encoded(&plain(&i.allowed), A));
                told(sent(system(c), &question))
            })
        },
        ALLOWED,
    )
    .allowlist(),
    Probe::new(
        "dns-multicast",
        "ask the neighbours",
        |c| {
            with(c, |i| {
                let mut question = head();
                question.extend(encoded(&leak(i), A));
                let heard = UdpSocket::bind("0.0.0.0:0").and_then(|s| {
                    s.set_read_timeout(Some(ANSWER))?;
                    s.send_to(&question, (Ipv4Addr::new(224, 0, 0, 251), 5353))?;
                    s.recv(&mut [0; 512])
                });
                Outcome::of(heard, "answered")
            })
        },
        ALLOWED,
    )
    .allowlist()
    .unproven("the fixture has no neighbours"),
    Probe::new(
        "name-of-denied",
        "look a denied name up as programs do",
        |c| with(c, |i| Outcome::of(super::egress::first(&i.denied, 80), "resolved")),
        REACH,
    )
    .allowlist(),
    Probe::new(
        "name-with-dot",
        "look a denied name up with a dot at its end",
        |c| with(c, |i| Outcome::of(super::egress::first(&format!("{}.", i.denied), 80), "resolved")),
        ("look an allowed name up with a dot at its end", |c| {
            with(c, |i| Outcome::of(super::egress::first(&format!("{}.", i.allowed), 80), "resolved"))
        }),
    )
    .allowlist(),
];

fn plain(name: &str) -> Vec<Vec<u8>> {
    name.split('.').map(|l| l.as_bytes().to_vec()).collect()
}

fn leak(internet: &Internet) -> Vec<Vec<u8>> {
    plain(&format!("aGVsbG8gd29ybGQ.{}", internet.denied))
}

/// The resolver that programs are told to use.
fn system(_: &Context) -> IpAddr {
    let text = fs::read_to_string("/etc/resolv.conf").unwrap_or_default();
    let named = text.lines().find_map(|l| l.strip_prefix("nameserver")?.trim().parse().ok());
    named.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST))
}

fn head() -> Vec<u8> {
    vec![0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]
}

fn encoded(labels: &[Vec<u8>], kind: u16) -> Vec<u8> {
    let mut bytes = Vec::new();
    for label in labels {
        bytes.push(u8::try_from(label.len()).unwrap_or(63));
        bytes.extend(label);
    }
    bytes.push(0);
    bytes.extend(kind.to_be_bytes());
    bytes.extend([0, 1]);
    bytes
}

fn asks(context: &Context, labels: &[Vec<u8>], kind: u16) -> Outcome {
    told(asked(system(context), labels, kind))
}

fn asked(server: IpAddr, labels: &[Vec<u8>], kind: u16) -> io::Result<Vec<u8>> {
    let mut question = head();
    question.extend(encoded(labels, kind));
    sent(server, &question)
}

fn sent(server: IpAddr, question: &[u8]) -> io::Result<Vec<u8>> {
    let socket = UdpSocket::bind(if server.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" })?;
    socket.set_read_timeout(Some(ANSWER))?;
    socket.connect(to(server, 53))?;
    socket.send(question)?;
    let mut bytes = vec![0; 2048];
    let n = socket.recv(&mut bytes)?;
    bytes.truncate(n);
    Ok(bytes)
}

fn asked_tcp(server: IpAddr, labels: &[Vec<u8>], kind: u16) -> io::Result<Vec<u8>> {
    let mut question = head();
    question.extend(encoded(labels, kind));
    let mut stream = TcpStream::connect_timeout(&to(server, 53), ANSWER)?;
    stream.set_read_timeout(Some(ANSWER))?;
    let length = u16::try_from(question.len()).map_err(io::Error::other)?;
    stream.write_all(&[length.to_be_bytes().as_slice(), &question].concat())?;
    let mut length = [0; 2];
    stream.read_exact(&mut length)?;
    let mut bytes = vec![0; usize::from(u16::from_be_bytes(length))];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// An answer counts only if it says yes and holds something.
fn told(answer: io::Result<Vec<u8>>) -> Outcome {
    match answer {
        Err(error) => Outcome::refused(&error),
        Ok(bytes) => {
            let code = bytes.get(3).map_or(15, |b| b & 15);
            let answers = bytes.get(6..8).map_or(0, |b| b.iter().fold(0_u32, |n, b| n * 256 + u32::from(*b)));
            Outcome::when(
                code == 0 && answers > 0,
                &format!("{answers} answers"),
                &format!("code {code}, {answers} answers"),
            )
        }
    }
}
