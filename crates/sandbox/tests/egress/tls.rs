//! TLS hellos that agree with the name of their connection, and others.

use crate::support::{Sandbox, Server, exchange, exchange_all, http_rule};
use ringfence_sandbox::egress::{HiddenHello, Why};
use std::io::Write;
use std::thread::sleep;
use std::time::Duration;

fn block(data: &[u8]) -> Vec<u8> {
    [&u16::try_from(data.len()).unwrap().to_be_bytes(), data].concat()
}

fn extension(kind: u16, data: &[u8]) -> Vec<u8> {
    [&kind.to_be_bytes()[..], &block(data)].concat()
}

pub(crate) fn sni(name: &[u8]) -> Vec<u8> {
    extension(0, &block(&[&[0][..], &block(name)].concat()))
}

pub(crate) fn hello(extensions: &[Vec<u8>], cut: usize) -> Vec<u8> {
    let body = [&[3, 3][..], &[7; 32], &[0], &block(&[0x13, 1]), &[1, 0], &block(&extensions.concat())].concat();
    let message = [&[1, 0][..], &u16::try_from(body.len()).unwrap().to_be_bytes(), &body].concat();
    message.chunks(cut).flat_map(|c| [&[0x16, 3, 1][..], &block(c)].concat()).collect()
}

/// What a client sends after its hello: nobody can read it, HTTP/2 or not.
const SEALED: &[u8] = b"\x17\x03\x03\0\x06sealed";
const ALERT: &[u8] = &[0x15, 3, 3, 0, 2, 2, 49];

#[test]
fn a_hello_for_the_name_passes_however_it_is_cut() {
    let server = Server::echo();
    let Some(inside) = Sandbox::open(server.rules(&["api.example"])) else { return };
    for (name, cut) in [(&b"api.example"[..], 9000), (b"API.Example", 9000), (b"api.example", 11), (b"api.example", 5)]
    {
        let mut stream = inside.reach("api.example", server.port());
        exchange(&mut stream, &[&hello(&[sni(name)], cut), SEALED].concat(), "sealed");
    }
    // Byte by byte, with time between them.
    let mut stream = inside.reach("api.example", server.port());
    stream.set_nodelay(true).unwrap();
    for byte in hello(&[sni(b"api.example"), extension(16, b"\0\x03\x02h2")], 9000) {
        stream.write_all(&[byte]).unwrap();
        sleep(Duration::from_micros(300));
    }
    exchange(&mut stream, SEALED, "sealed");
    exchange(&mut stream, b"more of it", "more of it");
}

#[test]
fn a_hello_for_another_name_never_reaches_the_server() {
    let server = Server::echo();
    let Some(inside) = Sandbox::open(server.rules(&["api.example", "other.example"])) else { return };
    for (extensions, why) in [
        (vec![sni(b"evil.example")], Why::SniMismatch),
        (vec![sni(b"other.example")], Why::SniMismatch),
        (vec![sni(b"api.example.evil")], Why::SniMismatch),
        (vec![sni(b"127.0.0.1")], Why::SniMismatch),
        (vec![], Why::SniMissing),
        (vec![sni(b"api.example"), sni(b"evil.example")], Why::TlsMalformed),
        (vec![sni(b"api.example\0.evil")], Why::TlsMalformed),
        (vec![sni(b"api.example"), extension(0xfe0d, &[0; 60])], Why::EncryptedHello),
    ] {
        let mut stream = inside.reach("api.example", server.port());
        let got = exchange_all(&mut stream, &[&hello(&extensions, 9000), SEALED].concat());
        assert!(got == ALERT || got.is_empty(), "{got:?}");
        inside.denied(why);
    }
    let mut stream = inside.reach("api.example", server.port());
    assert!(!exchange_all(&mut stream, b"\x16\x03\x01\0\0").starts_with(&[0x16]));
}

#[test]
fn a_second_hello_is_checked_like_the_first() {
    let server = Server::echo();
    let Some(inside) = Sandbox::open(server.rules(&["api.example"])) else { return };
    let good = hello(&[sni(b"api.example")], 9000);
    let bad = hello(&[sni(b"evil.example")], 9000);
    let change = b"\x14\x03\x03\0\x01\x01";
    let mut stream = inside.reach("api.example", server.port());
    exchange(&mut stream, &[&good[..], change, &good, change, SEALED].concat(), "sealed");
    let mut stream = inside.reach("api.example", server.port());
    let got = exchange_all(&mut stream, &[&good[..], change, &bad, SEALED].concat());
    let text = String::from_utf8_lossy(&got);
    assert!(!text.contains("evil.example") && !text.contains("sealed"), "{text}");
    inside.denied(Why::SniMismatch);
}

#[test]
fn a_hidden_hello_passes_where_the_rules_say_so() {
    let server = Server::echo();
    let rules = server.rules(&["api.example"]).with_hidden_hello(HiddenHello::Pass);
    let Some(inside) = Sandbox::open(rules) else { return };
    let bytes = hello(&[sni(b"api.example"), extension(0xfe0d, &[0; 60])], 9000);
    exchange(&mut inside.reach("api.example", server.port()), &[&bytes, SEALED].concat(), "sealed");
}

#[test]
fn an_address_needs_no_server_name() {
    let server = Server::echo();
    let Some(inside) = Sandbox::open(server.rules(&["api.example"])) else { return };
    exchange(&mut inside.connect(server.address).unwrap(), &[&hello(&[], 9000), SEALED].concat(), "sealed");
    let got = exchange_all(&mut inside.connect(server.address).unwrap(), &hello(&[sni(b"evil.example")], 9000));
    assert!(got == ALERT || got.is_empty());
}

#[test]
fn http_rules_are_not_escaped_by_tls() {
    let server = Server::echo();
    let rule = http_rule(&format!("api.example:{}", server.port()), "GET", &["/*"]);
    let Some(inside) = Sandbox::open(server.rules(&["api.example"]).with_http(rule)) else { return };
    let got = exchange_all(&mut inside.reach("api.example", server.port()), &hello(&[sni(b"api.example")], 9000));
    assert!(got == ALERT || got.is_empty());
    inside.denied(Why::Uncheckable);
}
