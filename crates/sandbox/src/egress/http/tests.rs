use super::*;
use proptest::prelude::*;

fn get(lines: &str) -> Result<Head, Why> {
    read(format!("GET / HTTP/1.1\r\n{lines}\r\n").as_bytes())
}

#[test]
fn a_plain_request() {
    let head = read(b"POST /a?b HTTP/1.1\r\nhost: API.example.:8080\r\nContent-Length: 5\r\n\r\n").unwrap();
    assert_eq!((head.method.as_str(), head.path.as_str()), ("POST", "/a?b"));
    assert_eq!((head.host.as_str(), head.port), ("api.example", Some(8080)));
    assert_eq!((head.body, head.upgrade, head.absolute), (Body::Length(5), Upgrade::None, false));
}

#[test]
fn what_could_be_read_twice_is_refused() {
    for (lines, why) in [
        ("", Why::HostMissing),
        ("Host: a.example\r\nHost: b.example\r\n", Why::HostMissing),
        ("Host: a.example\r\nhOST: a.example\r\n", Why::HostMissing),
        ("Host:\r\n", Why::HostMismatch),
        ("Host: a.example, b.example\r\n", Why::HostMismatch),
        ("Host: user@a.example\r\n", Why::HostMismatch),
        ("Host: a.example/b\r\n", Why::HostMismatch),
        ("Host: a.example:0\r\n", Why::HostMismatch),
        ("Host: a.example:99999\r\n", Why::HostMismatch),
        ("Host: a.example:\r\n", Why::HostMismatch),
        ("Host: ä.example\r\n", Why::HostMismatch),
        ("Host: a.example\r\nContent-Length: 1\r\nContent-Length: 2\r\n", Why::HttpMalformed),
        ("Host: a.example\r\nContent-Length: 1\r\nContent-Length: 1\r\n", Why::HttpMalformed),
        ("Host: a.example\r\nContent-Length: 1, 1\r\n", Why::HttpMalformed),
        ("Host: a.example\r\nContent-Length: +1\r\n", Why::HttpMalformed),
        ("Host: a.example\r\nContent-Length: 0x10\r\n", Why::HttpMalformed),
        ("Host: a.example\r\nContent-Length: 9999999999999999999\r\n", Why::HttpMalformed),
        ("Host: a.example\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n", Why::HttpMalformed),
        ("Host: a.example\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", Why::HttpMalformed),
        ("Host: a.example\r\nTransfer-Encoding: xchunked\r\n", Why::HttpMalformed),
        ("Host: a.example\r\nTransfer-Encoding: gzip, chunked\r\n", Why::HttpMalformed),
        ("Host: a.example\r\nTransfer-Encoding : chunked\r\n", Why::HttpMalformed),
        ("Host: a.example\r\nX: 1\r\n folded\r\n", Why::HttpMalformed),
        ("Host: a.example\r\nX: 1\r\n\tfolded\r\n", Why::HttpMalformed),
        (" Host: a.example\r\n", Why::HttpMalformed),
        ("Host: a.example\nX: b\r\n", Why::HttpMalformed),
        ("Host: a.example\rX: b\r\n", Why::HttpMalformed),
        ("Host: a.example\r\nX: \0\r\n", Why::HttpMalformed),
        ("Host : a.example\r\n", Why::HttpMalformed),
        ("no colon\r\nHost: a.example\r\n", Why::HttpMalformed),
    ] {
        assert_eq!(get(lines), Err(why), "{lines:?}");
    }
    assert!(get("Host: a.example\r\n").is_ok());
    assert!(get("Host: a.example\r\nTransfer-Encoding: Chunked\r\n").is_ok());
    assert_eq!(read(b"GET / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"), Err(Why::HttpMalformed));
    assert_eq!(read(b"\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"), Err(Why::HttpMalformed));
    assert_eq!(read(b"GET /\x7f HTTP/1.1\r\nHost: a\r\n\r\n"), Err(Why::HttpMalformed));
    assert_eq!(read("GET /é HTTP/1.1\r\nHost: a\r\n\r\n".as_bytes()), Err(Why::HttpMalformed));
    assert_eq!(read(b"GET / HTTP/2.0\r\nHost: a\r\n\r\n"), Err(Why::HttpMalformed));
}

#[test]
fn whole_uris_agree_with_the_host_line() {
    let ask = |target: &str, host: &str| read(format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes());
    let head = ask("http://A.example/x?y", "a.example").unwrap();
    assert_eq!((head.path.as_str(), head.absolute, head.port), ("/x?y", true, None));
    assert_eq!(ask("HTTP://a.example:8080?q", "a.example:8080").unwrap().path, "/?q");
    assert_eq!(ask("http://a.example", "a.example:80").unwrap().path, "/");
    for (target, host) in [
        ("http://b.example/", "a.example"),
        ("http://a.example:81/", "a.example"),
        ("http://a.example@b.example/", "a.example"),
        ("http://b.example@a.example/", "a.example"),
        ("http://a.example\\@b.example/", "a.example"),
        ("https://a.example/", "a.example"),
        ("ftp://a.example/", "a.example"),
        ("a.example/", "a.example"),
        ("http:///", "a.example"),
    ] {
        assert!(ask(target, host).is_err(), "{target} {host}");
    }
}

#[test]
fn a_tunnel_needs_a_host_and_a_port() {
    let ask = |target: &str, lines: &str| read(format!("CONNECT {target} HTTP/1.1\r\n{lines}\r\n").as_bytes());
    let head = ask("A.example:443", "Host: a.example\r\n").unwrap();
    assert_eq!((head.host.as_str(), head.port), ("a.example", Some(443)));
    assert!(ask("a.example:443", "").is_ok());
    assert!(ask("[2600::1]:443", "").is_ok());
    for (target, lines) in [
        ("a.example", ""),
        ("a.example:", ""),
        ("a.example:443/", ""),
        ("http://a.example:443", ""),
        ("u@a.example:443", ""),
        ("a.example%00:443", ""),
        ("a.example:443", "Host: b.example\r\n"),
        ("a.example:443", "Host: a.example\r\nHost: a.example\r\n"),
    ] {
        assert!(ask(target, lines).is_err(), "{target} {lines}");
    }
}

#[test]
fn a_proxied_head_is_rewritten_for_one_request() {
    let bytes = b"GET http://a.example/x HTTP/1.1\r\nHost: a.example\r\nProxy-Authorization: s\r\nConnection: keep-alive\r\nUpgrade: h2c\r\nA: b\r\n\r\n";
    let out = for_origin(&read(bytes).unwrap(), bytes).unwrap();
    assert_eq!(out, b"GET /x HTTP/1.1\r\nHost: a.example\r\nA: b\r\nConnection: close\r\n\r\n");
}

#[test]
fn chunked_bodies_end_where_they_end() {
    let body = b"5;x=y\r\nhello\r\n0\r\nT: v\r\n\r\n";
    for cut in 0..body.len() {
        let mut chunks = Chunks::START;
        let rest = [&body[cut..], b"GET / HTTP/1.1"].concat();
        assert_eq!(chunks.take(&body[..cut]), Ok(cut));
        assert_eq!(chunks.take(&rest), Ok(body.len() - cut));
        assert_eq!(chunks, Chunks::Done);
    }
    for bad in [
        "\r\n",
        "x\r\n",
        "5\nhello",
        "5 \r\nhello",
        "-5\r\n",
        "0x5\r\n",
        "5\r\nhelloXX",
        "5\r\nhello\n",
        "0\r\n \r\n",
        "fffffffffffffffff\r\n",
        "5\rhello",
        "5;a\x00\r\n",
        "0\r\nT\x01\r\n",
        ";x\r\n",
        "0\r\nT: v\n\r\n",
    ] {
        let mut chunks = Chunks::START;
        assert!(chunks.take(bad.as_bytes()).is_err(), "{bad:?}");
    }
}

#[test]
fn size_lines_and_trailers_are_bounded() {
    for endless in [
        format!("5{}", ";".repeat(70_000)),
        format!("5;{}", "x".repeat(70_000)),
        format!("0\r\n{}", "T: v\r\n".repeat(5_000)),
    ] {
        let mut chunks = Chunks::START;
        assert!(chunks.take(endless.as_bytes()).is_err());
    }
}

#[test]
fn a_switch_is_seen() {
    assert_eq!(read_answer(b"HTTP/1.1 101 Switching\r\nA: b\r\n\r\nraw"), Answer::Switches(32));
    assert_eq!(read_answer(b"HTTP/1.1 100 Continue\r\n\r\nHTTP"), Answer::Interim(25));
    assert_eq!(read_answer(b"HTTP/1.1 200 OK\r\n\r\n"), Answer::Stays);
    assert_eq!(read_answer(b"HTTP/1.1 101 Sw"), Answer::Need);
    assert_eq!(read_answer(b"SSH-2.0"), Answer::Stays);
    let up = get("Host: a\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n").unwrap();
    assert_eq!(up.upgrade, Upgrade::WebSocket);
    assert_eq!(get("Host: a\r\nUpgrade: h2c\r\n").unwrap().upgrade, Upgrade::Other);
    assert_eq!(get("Host: a\r\nUpgrade: websocket\r\nUpgrade: h2c\r\n").unwrap().upgrade, Upgrade::Other);
}

proptest! {
    #[test]
    fn random_heads_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&bytes);
        read_answer(&bytes);
        let mut chunks = Chunks::START;
        let _ = chunks.take(&bytes);
        end_of_head(&bytes, bytes.len() / 2);
        authority(&bytes);
    }

    #[test]
    fn nearly_good_heads_never_panic(text in "(GET|POST|CONNECT) [a-z:/@*?.]{0,12} HTTP/1.[01]\r\n(Host: [a-z:@.]{0,9}\r\n|TE: x\r\n|Upgrade: h2c\r\n){0,3}\r\n") {
        if let Ok(head) = read(text.as_bytes()) {
            prop_assert_eq!(head.length, text.len());
            for_origin(&head, text.as_bytes());
        }
    }

    /// However a chunked body is cut, the same bytes belong to it.
    #[test]
    fn cuts_do_not_matter(sizes in proptest::collection::vec(1_usize..40, 0..6), cut in 0_usize..300) {
        let mut body = Vec::new();
        for size in &sizes {
            body.extend_from_slice(format!("{size:x}\r\n{}\r\n", "d".repeat(*size)).as_bytes());
        }
        body.extend_from_slice(b"0\r\n\r\n");
        let length = body.len();
        body.extend_from_slice(b"GET /smuggled");
        let cut = cut.min(body.len());
        let mut chunks = Chunks::START;
        let first = chunks.take(&body[..cut]).unwrap();
        let second = if first == cut { chunks.take(&body[cut..]).unwrap() } else { 0 };
        prop_assert_eq!(first + second, length);
    }
}
