//! The proxy door: same rules, same checks.

use crate::support::{Sandbox, Server, exchange, exchange_all};
use crate::tls::{hello, sni};
use ringfence_sandbox::egress::{Via, Why};
use std::io::{Read, Write};
use std::net::TcpStream;

fn door(inside: &Sandbox) -> TcpStream {
    inside.connect(([127, 0, 0, 1], inside.proxy_port).into()).unwrap()
}

#[test]
fn connect_reaches_allowed_names_only() {
    let server = Server::echo();
    let port = server.port();
    let Some(inside) = Sandbox::open(server.rules(&["api.example"])) else { return };
    let mut stream = door(&inside);
    exchange(&mut stream, format!("CONNECT API.example.:{port} HTTP/1.1\r\n\r\n").as_bytes(), "200 Connection");
    exchange(&mut stream, b"\x01tunnelled", "tunnelled");
    for (target, why) in [
        (format!("evil.example:{port}"), Why::NameNotAllowed),
        ("api.example:1".to_owned(), Why::PortNotAllowed),
        (format!("127.0.0.1:{port}"), Why::AddressNotNamed),
        (format!("[::1]:{port}"), Why::AddressNotNamed),
        (format!("api.example%00.evil:{port}"), Why::NameMalformed),
        (format!("0x7f000001:{port}"), Why::NameMalformed),
        (format!("2130706433:{port}"), Why::NameMalformed),
        ("api.example".to_owned(), Why::NameMalformed),
    ] {
        let request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n\x01x");
        let got = String::from_utf8(exchange_all(&mut door(&inside), request.as_bytes())).unwrap();
        assert!(got.starts_with("HTTP/1.1 403") && got.contains(why.code()), "{target} {got}");
        assert_eq!(inside.denied(why).via, Via::Proxy);
    }
}

#[test]
fn what_follows_a_connect_is_looked_at() {
    let server = Server::echo();
    let port = server.port();
    let Some(inside) = Sandbox::open(server.rules(&["api.example"])) else { return };
    let connect = format!("CONNECT api.example:{port} HTTP/1.1\r\nHost: api.example:{port}\r\n\r\n");
    for tail in ["GET /smuggled HTTP/1.1\r\nHost: evil.example\r\n\r\n", "CONNECT evil.example:443 HTTP/1.1\r\n\r\n"] {
        let got = exchange_all(&mut door(&inside), format!("{connect}{tail}").as_bytes());
        let got = String::from_utf8_lossy(&got);
        assert!(got.contains("200 Connection") && got.contains("403 Forbidden") && !got.contains("/smuggled"), "{got}");
    }
    inside.denied(Why::HostMismatch);
    inside.denied(Why::ConnectRefused);
    for (server_name, passes) in [(&b"api.example"[..], true), (b"evil.example", false)] {
        let bytes = [connect.as_bytes(), &hello(&[sni(server_name)], 9000), b"\x17\x03\x03\0\x06sealed"].concat();
        let mut stream = door(&inside);
        if passes {
            exchange(&mut stream, &bytes, "sealed");
        } else {
            assert!(!String::from_utf8_lossy(&exchange_all(&mut stream, &bytes)).contains("sealed"));
            inside.denied(Why::SniMismatch);
        }
    }
    let body = format!("CONNECT api.example:{port} HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc");
    assert!(String::from_utf8_lossy(&exchange_all(&mut door(&inside), body.as_bytes())).contains("403"));
}

#[test]
fn plain_requests_are_forwarded_one_by_one() {
    let server = Server::start(|mut stream| {
        let mut bytes = [0; 4096];
        let count = stream.read(&mut bytes).unwrap();
        stream.write_all(&[b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", &bytes[..count]].concat()).unwrap();
    });
    let port = server.port();
    let Some(inside) = Sandbox::open(server.rules(&["api.example"])) else { return };
    let ask = |host: &str, more: &str| {
        let request = format!(
            "GET http://{host}:{port}/x HTTP/1.1\r\nHost: {host}:{port}\r\nProxy-Connection: keep-alive\r\n\r\n{more}"
        );
        String::from_utf8_lossy(&exchange_all(&mut door(&inside), request.as_bytes())).into_owned()
    };
    let got = ask("api.example", "");
    assert!(
        got.contains("GET /x HTTP/1.1\r\n") && got.contains("Connection: close") && !got.contains("Proxy-"),
        "{got}"
    );
    assert!(ask("evil.example", "").contains(Why::NameNotAllowed.code()));
    let got = ask("api.example", "GET http://evil.example/smuggled HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    assert!(!got.contains("smuggled"), "{got}");
    // A request as an origin server gets it, and an address that means a name inside only.
    let got = exchange_all(&mut door(&inside), b"GET / HTTP/1.1\r\nHost: api.example\r\n\r\n");
    assert!(String::from_utf8_lossy(&got).contains("403"));
    let address = inside.resolve("api.example", 1).unwrap().to_string();
    assert!(ask(&address, "").contains(Why::HostMismatch.code()));
}

fn socks(place: &[u8], port: u16) -> Vec<u8> {
    [b"\x05\x01\0\x05\x01\0", place, &port.to_be_bytes()].concat()
}

fn name(name: &[u8]) -> Vec<u8> {
    [&[3, u8::try_from(name.len()).unwrap()], name].concat()
}

#[test]
fn socks_reaches_allowed_names_only() {
    let server = Server::echo();
    let port = server.port();
    let Some(inside) = Sandbox::open(server.rules(&["api.example"])) else { return };
    let mut stream = door(&inside);
    exchange(&mut stream, &[&socks(&name(b"api.example"), port)[..], b"\x01tunnelled"].concat(), "tunnelled");
    let std::net::IpAddr::V4(stands_for) = inside.resolve("api.example", 1).unwrap() else { panic!() };
    let place = [&[1][..], &stands_for.octets()].concat();
    exchange(&mut door(&inside), &[&socks(&place, port)[..], b"\x01tunnelled"].concat(), "tunnelled");
    for (place, code, why) in [
        (name(b"evil.example"), 2, Why::NameNotAllowed),
        (name(b"evil.example\0.api.example"), 2, Why::NameMalformed),
        (name(b"api.example\0"), 2, Why::NameMalformed),
        (name(b"api.example "), 2, Why::NameMalformed),
        (name(b""), 2, Why::NameMalformed),
        (name(b"127.0.0.1"), 2, Why::AddressNotNamed),
        (vec![1, 127, 0, 0, 1], 2, Why::AddressNotNamed),
        ([&[4][..], &[0; 15], &[1]].concat(), 2, Why::AddressNotNamed),
        (vec![9, 1, 1], 8, Why::SocksUnsupported),
    ] {
        let got = exchange_all(&mut door(&inside), &socks(&place, port));
        assert_eq!(got.get(..4), Some(&[5, 0, 5, code][..]), "{place:?}");
        inside.denied(why);
    }
    let got = exchange_all(&mut door(&inside), b"\x05\x01\0\x05\x03\0\x01\x08\x08\x08\x08\0\x35");
    assert_eq!(got.get(..4), Some(&[5, 0, 5, 7][..]), "UDP through SOCKS");
    let tail = b"GET /smuggled HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    let got = exchange_all(&mut door(&inside), &[&socks(&name(b"api.example"), port)[..], tail].concat());
    assert!(!String::from_utf8_lossy(&got).contains("/smuggled"));
}

#[test]
fn a_server_that_is_not_there_is_told() {
    let server = Server::echo();
    let gone = std::net::TcpListener::bind((server.address.ip(), 0)).unwrap().local_addr().unwrap().port();
    let list = [format!("gone.example:{gone}"), format!("{}:{gone}", server.address.ip())];
    let rules = ringfence_sandbox::egress::Rules::parse(&list).unwrap();
    let Some(inside) = Sandbox::open(server.leads_here(rules, "gone.example")) else { return };
    let got = exchange_all(&mut door(&inside), format!("CONNECT gone.example:{gone} HTTP/1.1\r\n\r\n").as_bytes());
    assert!(got.starts_with(b"HTTP/1.1 502"));
    let got = exchange_all(&mut door(&inside), &socks(&name(b"gone.example"), gone));
    assert_eq!(got.get(..4), Some(&[5, 0, 5, 4][..]));
    assert!(exchange_all(&mut inside.reach("gone.example", gone), b"\x01x").is_empty());
}
