//! The name that a TLS client says must be the name it was let out for.

use super::egress::{exchange, with};
use crate::attempt::{ANSWER, answer};
use crate::context::Context;
use crate::outcome::{Outcome, contains};
use crate::probe::Probe;
use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

const HELLO: (&str, crate::probe::Act) =
    ("greet an allowed name by its name", |c| with(c, |i| greets(c, &hello(&[i.allowed.as_bytes()]))));
const HELLO_PIECES: (&str, crate::probe::Act) = ("greet an allowed name by its name in small pieces", |c| {
    with(c, |i| pieces(c, &hello(&[i.allowed.as_bytes()]), &i.allowed))
});

pub(super) const PROBES: &[Probe] = &[
    Probe::new(
        "sni-other",
        "connect to an allowed name and greet a denied one",
        |c| with(c, |i| greets(c, &hello(&[i.denied.as_bytes()]))),
        HELLO,
    )
    .allowlist(),
    Probe::new(
        "sni-pieces",
        "the same in pieces of one byte",
        |c| with(c, |i| pieces(c, &hello(&[i.denied.as_bytes()]), &i.denied)),
        HELLO_PIECES,
    )
    .allowlist(),
    Probe::new(
        "sni-records",
        "the same cut into several records",
        |c| with(c, |i| greets(c, &records(&hello(&[i.denied.as_bytes()])))),
        HELLO,
    )
    .allowlist(),
    Probe::new(
        "sni-two",
        "greet both an allowed name and a denied one",
        |c| with(c, |i| greets(c, &hello(&[i.allowed.as_bytes(), i.denied.as_bytes()]))),
        HELLO,
    )
    .allowlist(),
    Probe::new(
        "sni-nul",
        "greet an allowed name, a NUL and a denied one",
        |c| {
            with(c, |i| {
                let name = format!("{}\0.{}", i.allowed, i.denied);
                greets(c, &hello(&[name.as_bytes()]))
            })
        },
        HELLO,
    )
    .allowlist(),
    Probe::new(
        "sni-address",
        "greet an address",
        |c| {
            with(c, |i| {
                let address = i.denied_address.to_string();
                greets(c, &hello(&[address.as_bytes()]))
            })
        },
        HELLO,
    )
    .allowlist(),
    Probe::new(
        "sni-below",
        "greet a name below the allowed one",
        |c| {
            with(c, |i| {
                let name = format!("other.{}", i.allowed);
                greets(c, &hello(&[name.as_bytes()]))
            })
        },
        HELLO,
    )
    .allowlist(),
    Probe::new(
        "sni-second",
        "greet the allowed name twice, the second time a denied one, in one flight",
        |c| {
            with(c, |i| {
                let flight = [hello(&[i.denied.as_bytes()]), hello(&[i.allowed.as_bytes()])].concat();
                greets(c, &flight)
            })
        },
        HELLO,
    )
    .allowlist(),
];

/// A greeting with these names: just enough of TLS for a server to read whom it is for.
fn hello(names: &[&[u8]]) -> Vec<u8> {
    let list: Vec<u8> = names.iter().flat_map(|n| [&[0], sized(n).as_slice()].concat()).collect();
    let server_name = [vec![0, 0], sized(&sized(&list))].concat();
    let versions = [vec![0, 43], sized(&[2, 3, 4])].concat();
    let extensions = sized(&[server_name, versions].concat());
    let body = [vec![3, 3], vec![7; 32], vec![0], sized(&[0x13, 0x01]), vec![1, 0], extensions].concat();
    let length = u32::try_from(body.len()).unwrap_or(0).to_be_bytes();
    let handshake = [&[1], length.get(1..).unwrap_or_default(), &body].concat();
    [&[22, 3, 1], sized(&handshake).as_slice()].concat()
}

/// Bytes after their length.
fn sized(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).unwrap_or(0);
    [length.to_be_bytes().as_slice(), bytes].concat()
}

/// The same handshake in records of twenty bytes.
fn records(hello: &[u8]) -> Vec<u8> {
    let handshake = hello.get(5..).unwrap_or_default();
    handshake.chunks(20).flat_map(|part| [&[22, 3, 1], sized(part).as_slice()].concat()).collect()
}

fn greets(context: &Context, hello: &[u8]) -> Outcome {
    with(context, |i| Outcome::holds(exchange(&i.allowed, 443, hello), &context.canary))
}

fn pieces(context: &Context, hello: &[u8], name: &str) -> Outcome {
    with(context, |i| {
        let heard = super::egress::first(&i.allowed, 443)
            .and_then(|a| TcpStream::connect_timeout(&a, ANSWER))
            .and_then(|mut s| {
                s.set_nodelay(true)?;
                s.set_read_timeout(Some(ANSWER))?;
                for byte in hello {
                    s.write_all(&[*byte])?;
                    std::thread::sleep(Duration::from_micros(200));
                }
                // The service answers every piece it reads; the last answer tells of the last piece.
                let mut all = Vec::new();
                while let Ok(part) = answer(&mut s) {
                    if part.is_empty() {
                        break;
                    }
                    all.extend(part);
                    s.set_read_timeout(Some(Duration::from_millis(200)))?;
                }
                Ok(all)
            });
        match heard {
            Ok(bytes) => Outcome::when(
                contains(&bytes, context.canary.as_bytes()),
                &format!("{name} was greeted"),
                "no greeting came back",
            ),
            Err(error) => Outcome::refused(&error),
        }
    })
}
