//! Rules that change while connections are open.

use crate::support::{Sandbox, Server, exchange, exchange_all, http_rule};
use ringfence_sandbox::egress::{Rules, Why};
use std::io::Read;

#[test]
fn tightening_closes_what_is_no_longer_covered() {
    let server = Server::echo();
    let port = server.port();
    let Some(inside) = Sandbox::open(server.rules(&["a.example", "b.example"])) else { return };
    let mut a = inside.reach("a.example", port);
    let mut b = inside.reach("b.example", port);
    exchange(&mut a, b"\x01one", "one");
    exchange(&mut b, b"\x01one", "one");
    inside.rules.replace(server.rules(&["b.example"]));
    assert!(matches!(a.read(&mut [0; 9]), Ok(0) | Err(_)));
    assert_eq!(inside.denied(Why::RulesChanged).host, "a.example");
    exchange(&mut b, b"two", "two");
    assert_eq!(inside.resolve("a.example", 1), None);
    // The address that stood for the name still means it, and is refused for it.
    let mut again = inside.connect((std::net::Ipv4Addr::new(198, 19, 0, 0), port).into()).unwrap();
    assert!(exchange_all(&mut again, b"\x01x").is_empty());
    inside.denied(Why::NameNotAllowed);
    // Without the rule for the address, the name alone does not lead inside any more.
    inside.rules.replace(server.leads_here(Rules::parse(&[format!("b.example:{port}")]).unwrap(), "b.example"));
    assert!(matches!(b.read(&mut [0; 9]), Ok(0) | Err(_)));
}

#[test]
fn widening_opens_names_and_says_which_ports_it_cannot() {
    let server = Server::echo();
    let port = server.port();
    let Some(inside) = Sandbox::open(server.rules(&["a.example"])) else { return };
    assert_eq!(inside.resolve("b.example", 1), None);
    let more = server.rules(&["a.example", "b.example"]);
    assert!(inside.rules.replace(more).without_listener.is_empty());
    exchange(&mut inside.reach("b.example", port), b"\x01x", "x");
    let change = inside.rules.replace(Rules::parse(&["c.example:7".to_owned(), format!("a.example:{port}")]).unwrap());
    assert_eq!(change.without_listener, [7]);
}

#[test]
fn kept_connections_are_judged_by_the_rules_of_the_moment() {
    let server = Server::http();
    let port = server.port();
    let Some(inside) = Sandbox::open(server.rules(&["a.example"])) else { return };
    let mut plain = inside.reach("a.example", port);
    let mut raw = inside.reach("a.example", port);
    exchange(&mut plain, b"POST /x HTTP/1.1\r\nHost: a.example\r\n\r\n", "POST /x");
    exchange(&mut raw, b"\x01\r\n\r\n", "200 OK");
    let rule = http_rule(&format!("a.example:{port}"), "GET", &["/*"]);
    inside.rules.replace(server.rules(&["a.example"]).with_http(rule));
    assert!(matches!(raw.read(&mut [0; 9]), Ok(0) | Err(_)), "what cannot be checked is closed");
    let got = exchange(&mut plain, b"GET /y HTTP/1.1\r\nHost: a.example\r\n\r\n", "GET /y");
    assert!(got.contains("200 OK"));
    let got = exchange_all(&mut plain, b"POST /z HTTP/1.1\r\nHost: a.example\r\n\r\n");
    assert!(String::from_utf8_lossy(&got).contains(Why::HttpRule.code()));
}

#[test]
fn nothing_is_allowed_when_the_list_is_empty() {
    let Some(inside) = Sandbox::open(Rules::default()) else { return };
    assert_eq!(inside.resolve("a.example", 1), None);
    assert_eq!(inside.resolve("localhost", 28), Some("::1".parse().unwrap()));
    for address in ["1.1.1.1:443", "127.0.0.1:80", "[2606:4700::1111]:443"] {
        assert!(inside.connect(address.parse().unwrap()).is_err());
    }
}
