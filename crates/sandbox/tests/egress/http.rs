//! Plain HTTP: every request is for the host of its connection.

use crate::support::{Sandbox, Server, exchange, exchange_all, http_rule};
use ringfence_sandbox::egress::{Rules, Why};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

const GOOD: &str = "GET /one HTTP/1.1\r\nHost: api.example\r\n\r\n";

fn start() -> Option<(Server, Sandbox)> {
    let server = Server::http();
    let inside = Sandbox::open(server.rules(&["api.example", "other.example"]))?;
    Some((server, inside))
}

#[test]
fn requests_for_the_name_pass_one_after_another_and_at_once() {
    let Some((server, inside)) = start() else { return };
    let mut stream = inside.reach("api.example", server.port());
    exchange(&mut stream, GOOD.as_bytes(), "GET /one");
    let port = server.port();
    let two = format!(
        "GET /two HTTP/1.1\r\nHost: API.example:{port}\r\n\r\nGET /three HTTP/1.1\r\nhost: api.example.\r\n\r\n"
    );
    exchange(&mut stream, two.as_bytes(), "GET /three");
    let whole = format!("GET http://api.example:{port}/four HTTP/1.1\r\nHost: api.example:{port}\r\n\r\n");
    exchange(&mut stream, whole.as_bytes(), "/four");
}

#[test]
fn a_request_for_another_host_is_answered_here() {
    let Some((server, inside)) = start() else { return };
    for (request, why) in [
        ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", Why::HostMismatch),
        ("GET / HTTP/1.1\r\nHost: other.example\r\n\r\n", Why::HostMismatch),
        ("GET / HTTP/1.1\r\nHost: api.example:1\r\n\r\n", Why::HostMismatch),
        ("GET / HTTP/1.1\r\nHost: api.example\r\nHost: evil.example\r\n\r\n", Why::HostMissing),
        ("GET / HTTP/1.1\r\n\r\n", Why::HostMissing),
        ("GET http://evil.example/ HTTP/1.1\r\nHost: api.example\r\n\r\n", Why::HostMismatch),
        ("GET http://api.example@evil.example/ HTTP/1.1\r\nHost: api.example\r\n\r\n", Why::HostMismatch),
        ("CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n", Why::ConnectRefused),
        ("CONNECT api.example:443 HTTP/1.1\r\nHost: api.example\r\n\r\n", Why::ConnectRefused),
        ("GET / HTTP/1.1\r\nHost: api.example\r\n X: folded\r\n\r\n", Why::HttpMalformed),
        ("GET / HTTP/1.1\nHost: evil.example\r\nHost: api.example\r\n\r\n", Why::HttpMalformed),
    ] {
        let mut stream = inside.reach("api.example", server.port());
        let got = String::from_utf8(exchange_all(&mut stream, request.as_bytes())).unwrap();
        assert!(got.starts_with("HTTP/1.1 403 ") && got.contains(why.code()), "{request:?}: {got}");
        assert!(got.contains("how_to_allow"));
        inside.denied(why);
    }
}

#[test]
fn a_second_request_for_another_host_is_refused_after_the_first_answer() {
    let Some((server, inside)) = start() else { return };
    let bad = "GET /secret HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    for pieces in [vec![GOOD.to_owned(), bad.to_owned()], vec![format!("{GOOD}{bad}")]] {
        let mut stream = inside.reach("api.example", server.port());
        if pieces.len() > 1 {
            exchange(&mut stream, pieces[0].as_bytes(), "GET /one");
        }
        let got = String::from_utf8(exchange_all(&mut stream, pieces[pieces.len() - 1].as_bytes())).unwrap();
        assert!(!got.contains("/secret"), "{got}");
        assert!(got.ends_with("}\n") && got.contains("403 Forbidden"), "{got}");
    }
    inside.denied(Why::HostMismatch);
}

#[test]
fn a_request_hidden_in_a_body_stays_a_body() {
    let server = Server::echo();
    let Some(inside) = Sandbox::open(server.rules(&["api.example"])) else { return };
    let hidden = "GET /hidden HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    let length = hidden.len();
    // A body that looks like a request is a body; what follows it is judged.
    let fine = format!("POST / HTTP/1.1\r\nHost: api.example\r\nContent-Length: {length}\r\n\r\n{hidden}");
    let mut stream = inside.reach("api.example", server.port());
    exchange(&mut stream, fine.as_bytes(), "/hidden");
    for request in [
        format!("POST / HTTP/1.1\r\nHost: api.example\r\nContent-Length: 0\r\n\r\n{hidden}"),
        format!(
            "POST / HTTP/1.1\r\nHost: api.example\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n{hidden}"
        ),
        format!(
            "POST / HTTP/1.1\r\nHost: api.example\r\nTransfer-Encoding: chunked\r\nContent-Length: {length}\r\n\r\n0\r\n\r\n{hidden}"
        ),
        format!("POST / HTTP/1.1\r\nHost: api.example\r\nTransfer-Encoding: chunked\r\n\r\n0 \r\n\r\n{hidden}"),
        format!("POST / HTTP/1.1\r\nHost: api.example\r\nTransfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n{hidden}"),
        format!("GET / HTTP/1.1\r\nHost: api.example\r\nContent-Length: 2\r\nContent-Length: 0\r\n\r\n{hidden}"),
    ] {
        let mut stream = inside.reach("api.example", server.port());
        let got = exchange_all(&mut stream, request.as_bytes());
        assert!(!String::from_utf8_lossy(&got).contains("/hidden"), "{request:?}");
    }
}

#[test]
fn bodies_pass_whole() {
    let server = Server::echo();
    let Some(inside) = Sandbox::open(server.rules(&["api.example"])) else { return };
    let body = "x".repeat(300_000);
    let length = body.len();
    for request in [
        format!("PUT / HTTP/1.1\r\nHost: api.example\r\nContent-Length: {length}\r\n\r\n{body}"),
        format!(
            "PUT / HTTP/1.1\r\nHost: api.example\r\nTransfer-Encoding: chunked\r\n\r\n{length:x};q=1\r\n{body}\r\n0\r\nT: 1\r\n\r\n"
        ),
    ] {
        let mut stream = inside.reach("api.example", server.port());
        let mut writer = stream.try_clone().unwrap();
        let sent = request.clone();
        let writing = std::thread::spawn(move || {
            writer.write_all(sent.as_bytes()).unwrap();
            writer.shutdown(Shutdown::Write).unwrap();
        });
        let mut got = String::new();
        stream.read_to_string(&mut got).unwrap();
        writing.join().unwrap();
        assert!(got == request, "{} of {}", got.len(), request.len());
    }
}

fn websocket(mut stream: TcpStream) {
    let mut head = [0; 2048];
    let count = stream.read(&mut head).unwrap();
    let text = String::from_utf8_lossy(&head[..count]).into_owned();
    assert!(!text.contains("early"), "nothing passes before the answer: {text}");
    let answer = if text.contains("/no") {
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno"
    } else {
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello"
    };
    stream.write_all(answer.as_bytes()).unwrap();
    crate::support::echo(stream);
}

#[test]
fn a_change_of_protocol_opens_only_when_the_server_agrees() {
    let server = Server::start(websocket);
    let Some(inside) = Sandbox::open(server.rules(&["api.example"])) else { return };
    let ask = |path: &str| {
        format!("GET {path} HTTP/1.1\r\nHost: api.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
    };
    let mut stream = inside.reach("api.example", server.port());
    exchange(&mut stream, format!("{}early", ask("/yes")).as_bytes(), "early");
    exchange(&mut stream, b"\x81\x02hi", "hi");
    // Refused by the server: what follows is HTTP and judged.
    let mut stream = inside.reach("api.example", server.port());
    let bad = format!("{}GET /early HTTP/1.1\r\nHost: evil.example\r\n\r\n", ask("/no"));
    let got = String::from_utf8(exchange_all(&mut stream, bad.as_bytes())).unwrap();
    assert!(got.contains("no") && !got.contains("/early") && got.contains("403"), "{got}");
    inside.denied(Why::HostMismatch);
}

#[test]
fn a_change_of_protocol_comes_first_or_not_at_all() {
    let Some((server, inside)) = start() else { return };
    let late = "GET / HTTP/1.1\r\nHost: api.example\r\nUpgrade: websocket\r\n\r\n";
    let got = exchange_all(&mut inside.reach("api.example", server.port()), format!("{GOOD}{late}").as_bytes());
    assert!(String::from_utf8_lossy(&got).contains(Why::LateUpgrade.code()));
}

#[test]
fn methods_and_paths_are_kept() {
    let server = Server::http();
    let port = server.port();
    let rule = http_rule(&format!("api.example:{port}"), "GET", &["/v1", "/v1/*"]);
    let Some(inside) = Sandbox::open(server.rules(&["api.example", "other.example"]).with_http(rule)) else {
        return;
    };
    let ask = |line: &str, more: &str| {
        let mut stream = inside.reach("api.example", port);
        stream.write_all(format!("{line} HTTP/1.1\r\nHost: api.example\r\n{more}\r\n").as_bytes()).unwrap();
        let mut buffer = [0; 1024];
        let count = stream.read(&mut buffer).unwrap_or(0);
        String::from_utf8_lossy(&buffer[..count]).into_owned()
    };
    assert!(ask("GET /v1/x", "").contains("200 OK"));
    for (line, more) in [
        ("POST /v1/x", ""),
        ("GET /v2", ""),
        ("GET /v1/../v2", ""),
        ("GET /v1/%2e%2e/v2", ""),
        ("GET /v1", "X-HTTP-Method-Override: DELETE\r\n"),
        ("GET /v1", "Upgrade: h2c\r\n"),
    ] {
        let got = ask(line, more);
        assert!(got.starts_with("HTTP/1.1 403"), "{line} {more} {got}");
    }
    inside.denied(Why::HttpRule);
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    let got = exchange_all(&mut inside.reach("api.example", port), preface);
    assert!(String::from_utf8_lossy(&got).contains(Why::Uncheckable.code()));
    assert!(exchange_all(&mut inside.reach("api.example", port), b"\x01raw").is_empty());
    // The twin: a host without such rules.
    let mut stream = inside.reach("other.example", port);
    exchange(&mut stream, b"DELETE /v2 HTTP/1.1\r\nHost: other.example\r\n\r\n", "DELETE /v2");
}

#[test]
fn http_2_in_the_clear_passes_without_rules() {
    let server = Server::echo();
    let Some(inside) = Sandbox::open(server.rules(&["api.example"])) else { return };
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0frames";
    exchange(&mut inside.reach("api.example", server.port()), preface, "frames");
}

#[test]
fn the_ports_of_the_web_are_for_the_web() {
    let Some(server) = Server::start_on(443, crate::support::echo) else { return };
    let rules = Rules::parse(&["api.example".to_owned(), server.address.to_string()]).unwrap();
    let Some(inside) = Sandbox::open(server.leads_here(rules, "api.example")) else { return };
    for bytes in [&b"SSH-2.0-OpenSSH_9\r\n"[..], b"\0\x01\x02", b"\x80\x2e\x01\x03\x01", b"EHLO me\r\n"] {
        let got = exchange_all(&mut inside.reach("api.example", 443), bytes);
        assert!(got.is_empty(), "{got:?}");
        inside.denied(Why::NotWeb);
    }
    exchange(&mut inside.reach("api.example", 443), GOOD.as_bytes(), "GET /one");
}
