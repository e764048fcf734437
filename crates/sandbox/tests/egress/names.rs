//! Which names and addresses are reached.

use crate::support::{Sandbox, Server, exchange, exchange_all};
use ringfence_sandbox::egress::{Rules, Verdict, Via, Why};
use std::net::SocketAddr;

#[test]
fn an_allowed_name_is_reached_over_both_families() {
    let server = Server::echo();
    let Some(inside) = Sandbox::open(server.rules(&["api.example"])) else { return };
    for kind in [1, 28] {
        let address = inside.resolve("api.example", kind).unwrap();
        assert_eq!(address.is_ipv6(), kind == 28);
        let mut stream = inside.connect(SocketAddr::new(address, server.port())).unwrap();
        exchange(&mut stream, b"\x01hello", "hello");
    }
    let allowed = inside.event("allowed", |e| e.verdict == Verdict::Allowed);
    assert_eq!((allowed.host.as_str(), allowed.port, allowed.via), ("api.example", Some(server.port()), Via::Connect));
    assert_eq!(allowed.rule.as_deref(), Some(format!("api.example:{}", server.port()).as_str()));
}

#[test]
fn an_address_that_nobody_named_is_reset() {
    let server = Server::echo();
    let Some(inside) = Sandbox::open(server.rules(&["api.example"])) else { return };
    inside.resolve("api.example", 1).unwrap();
    for (address, why) in [
        ("93.184.216.34", Why::AddressNotNamed),
        ("127.0.0.1", Why::AddressNotNamed),
        ("169.254.169.254", Why::AddressNotNamed),
        ("2606:4700::1111", Why::AddressNotNamed),
        ("::1", Why::AddressNotNamed),
        ("198.19.0.7", Why::AddressUnknown),
        ("198.18.0.1", Why::AddressUnknown),
        ("fd52:696e:6766::1:77", Why::AddressUnknown),
    ] {
        let to = SocketAddr::new(address.parse().unwrap(), server.port());
        let got = inside.connect(to).map(|mut s| exchange_all(&mut s, b"\x01hello"));
        assert!(got.unwrap_or_default().is_empty(), "{address}");
        let event = inside.event(address, |e| e.host == address && e.why == why);
        assert_eq!((event.verdict, event.port), (Verdict::Denied, Some(server.port())));
    }
}

#[test]
fn an_address_that_is_named_is_reached() {
    let server = Server::echo();
    let Some(inside) = Sandbox::open(server.rules(&["api.example"])) else { return };
    let mut stream = inside.connect(server.address).unwrap();
    exchange(&mut stream, b"\x01hello", "hello");
}

#[test]
fn a_port_that_is_not_allowed_for_the_name_is_refused() {
    let (one, two) = (Server::echo(), Server::echo());
    let list = [format!("one.example:{}", one.port()), format!("two.example:{}", two.port()), two.address.to_string()];
    let rules = two.leads_here(Rules::parse(&list).unwrap(), "two.example");
    let rules = two.leads_here(rules, "one.example");
    let Some(inside) = Sandbox::open(rules) else { return };
    let mut stream = inside.reach("one.example", two.port());
    assert!(exchange_all(&mut stream, b"\x01x").is_empty());
    assert_eq!(inside.denied(Why::PortNotAllowed).host, "one.example");
    exchange(&mut inside.reach("two.example", two.port()), b"\x01x", "x");
    // No rule names this port at all: nobody listens.
    let address = inside.resolve("one.example", 1).unwrap();
    assert_eq!(inside.connect(SocketAddr::new(address, 9)).unwrap_err().kind(), std::io::ErrorKind::ConnectionRefused);
}

#[test]
fn a_name_that_leads_inside_is_refused_unless_the_address_is_named() {
    let server = Server::echo();
    let port = server.port();
    let rules = Rules::parse(&[format!("*.rebind.example:{port}"), format!("*:{port}")]).unwrap();
    let mut rules = server.leads_here(rules, "a.rebind.example");
    for (name, address) in [
        ("b.rebind.example", "169.254.169.254"),
        ("c.rebind.example", "10.0.0.1"),
        ("d.rebind.example", "::ffff:127.0.0.1"),
        ("e.rebind.example", "::1"),
        ("f.rebind.example", "64:ff9b::7f00:1"),
        ("g.rebind.example", "0.0.0.0"),
        ("localtest.example", "127.0.0.1"),
    ] {
        rules = rules.with_addresses(name, vec![address.parse().unwrap()]).unwrap();
    }
    let Some(inside) = Sandbox::open(rules) else { return };
    for name in ["a", "b", "c", "d", "e", "f", "g"].map(|n| format!("{n}.rebind.example")) {
        let mut stream = inside.reach(&name, port);
        assert!(exchange_all(&mut stream, b"\x01x").is_empty(), "{name}");
        inside.event(&name, |e| e.host == name && e.why == Why::AddressOffLimits && !e.detail.is_empty());
    }
    // The twin: the same name, with the address named too.
    let rules = Rules::parse(&[format!("*.rebind.example:{port}"), server.address.to_string()]).unwrap();
    inside.rules.replace(server.leads_here(rules, "a.rebind.example"));
    exchange(&mut inside.reach("a.rebind.example", port), b"\x01x", "x");
}

#[test]
fn udp_has_no_way_out() {
    let server = Server::echo();
    let Some(inside) = Sandbox::open(server.rules(&["api.example"])) else { return };
    for to in ["8.8.8.8:443", "8.8.8.8:5353", "127.0.0.1:123"] {
        let socket = inside.udp("0.0.0.0:0");
        socket.connect(to).unwrap();
        socket.send(b"out").unwrap();
        let error = socket.recv(&mut [0; 16]).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::ConnectionRefused, "{to}");
    }
}

#[test]
fn a_socket_outside_is_not_what_the_box_sees() {
    // The host's own loopback service is not there, even on its very address and port.
    let (server, hidden) = (Server::echo(), Server::echo());
    let Some(inside) = Sandbox::open(server.rules(&["api.example"])) else { return };
    assert_eq!(inside.connect(hidden.address).unwrap_err().kind(), std::io::ErrorKind::ConnectionRefused);
    exchange(&mut inside.connect(server.address).unwrap(), b"\x01x", "x");
}
