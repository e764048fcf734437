//! Questions, honest and otherwise.

use crate::support::{Sandbox, Server, address_in, question};
use ringfence_sandbox::egress::{Rules, Via, Why};
use std::io::{Read, Write};

fn ask(inside: &Sandbox, message: &[u8], resolver: &str) -> Vec<u8> {
    let socket = inside.udp(if resolver.starts_with('[') { "[::]:0" } else { "0.0.0.0:0" });
    socket.connect(resolver).unwrap();
    socket.send(message).unwrap();
    let mut answer = vec![0; 2000];
    let length = socket.recv(&mut answer).unwrap();
    answer.truncate(length);
    answer
}

fn code(answer: &[u8]) -> u8 {
    answer[3] & 15
}

#[test]
fn any_resolver_address_answers_and_only_for_allowed_names() {
    let server = Server::echo();
    let Some(inside) = Sandbox::open(server.rules(&["api.example"])) else { return };
    let allowed = question(&[b"api", b"example"], 1);
    let mut seen = Vec::new();
    for resolver in ["8.8.8.8:53", "127.0.0.1:53", "127.0.0.53:53", "[2001:4860:4860::8888]:53", "[::1]:53"] {
        seen.push(address_in(&ask(&inside, &allowed, resolver)).unwrap());
        assert_eq!(code(&ask(&inside, &question(&[b"evil", b"example"], 1), resolver)), 3);
    }
    seen.dedup();
    assert_eq!(seen.len(), 1, "a name keeps its address");
    let event = inside.denied(Why::NameNotAllowed);
    assert_eq!((event.host.as_str(), event.via), ("evil.example", Via::Dns));
}

#[test]
fn spellings_of_one_name_are_one_name() {
    let rules = Rules::parse(&["bücher.example", "*.cdn.example"]).unwrap();
    let Some(inside) = Sandbox::open(rules) else { return };
    let one = inside.resolve("xn--bcher-kva.example", 1);
    assert!(one.is_some());
    assert_eq!(inside.resolve("XN--BCHER-KVA.EXAMPLE", 1), one);
    assert!(inside.resolve("a.cdn.example", 1).is_some());
    assert_eq!(inside.resolve("A.CDN.example", 1), inside.resolve("a.cdn.example", 1));
    assert_eq!(inside.resolve("cdn.example", 1), None);
    assert_eq!(inside.resolve("acdn.example", 1), None);
    assert_eq!(inside.resolve("a.cdn.example.evil", 1), None);
}

#[test]
fn names_that_are_none_are_refused_and_told() {
    let Some(inside) = Sandbox::open(Rules::parse(&["api.example", "*.cdn.example"]).unwrap()) else { return };
    for labels in [
        &[&b"api.example"[..]][..],
        &[b"api\0", b"example"],
        &[b"a\0.cdn", b"example"],
        &[b"evil.com\0", b"cdn", b"example"],
        &[b"a b", b"cdn", b"example"],
        &[b"a\n", b"cdn", b"example"],
        &[b"-", b"cdn", b"example"],
        &[b"xn--\xff", b"cdn", b"example"],
        &[b"xn--zzzzzzz9999", b"cdn", b"example"],
        &[],
    ] {
        assert_eq!(code(&ask(&inside, &question(labels, 1), "8.8.8.8:53")), 3, "{labels:?}");
    }
    inside.event("NUL", |e| e.why == Why::NameMalformed && e.host == "evil.com\\x00.cdn.example");
    assert!(inside.resolve("a.cdn.example", 1).is_some(), "the twin");
}

#[test]
fn data_in_names_stays_inside() {
    let Some(inside) = Sandbox::open(Rules::parse(&["api.example"]).unwrap()) else { return };
    for n in 0..300 {
        assert_eq!(inside.resolve(&format!("c2VjcmV0{n}.exfil.example"), 16), None);
    }
    let events = inside.close();
    assert_eq!(events.iter().map(|e| e.count).sum::<u64>(), 300);
}

#[test]
fn other_records_are_empty_for_allowed_names() {
    let Some(inside) = Sandbox::open(Rules::parse(&["api.example"]).unwrap()) else { return };
    for kind in [2, 5, 15, 16, 33, 64, 65, 255] {
        let answer = ask(&inside, &question(&[b"api", b"example"], kind), "1.1.1.1:53");
        assert_eq!((code(&answer), answer[7]), (0, 0), "{kind}");
        assert_eq!(code(&ask(&inside, &question(&[b"x", b"example"], kind), "1.1.1.1:53")), 3, "{kind}");
    }
    let pointer = question(&[b"1", b"0", b"19", b"198", b"in-addr", b"arpa"], 12);
    assert_eq!(code(&ask(&inside, &pointer, "1.1.1.1:53")), 3);
    assert_eq!(inside.resolve("localhost", 1), Some("127.0.0.1".parse().unwrap()));
}

#[test]
fn questions_over_tcp_get_the_same_answers() {
    let Some(inside) = Sandbox::open(Rules::parse(&["api.example"]).unwrap()) else { return };
    let mut stream = inside.connect("9.9.9.9:53".parse().unwrap()).unwrap();
    let framed = |labels: &[&[u8]]| {
        let message = question(labels, 1);
        [&u16::try_from(message.len()).unwrap().to_be_bytes()[..], &message].concat()
    };
    let both = [framed(&[b"api", b"example"]), framed(&[b"evil", b"example"])].concat();
    let (early, late) = both.split_at(20);
    stream.write_all(early).unwrap();
    stream.write_all(late).unwrap();
    let mut next = || {
        let mut length = [0; 2];
        stream.read_exact(&mut length).unwrap();
        let mut answer = vec![0; usize::from(u16::from_be_bytes(length))];
        stream.read_exact(&mut answer).unwrap();
        answer
    };
    assert_eq!(address_in(&next()), inside.resolve("api.example", 1));
    assert_eq!(code(&next()), 3);
    stream.write_all(&[0xff, 0xff, 1]).unwrap();
    assert_eq!(stream.read(&mut [0; 9]).unwrap_or(0), 0, "a message of 64 KiB is not waited for");
}

#[test]
fn hostile_messages_do_not_stop_the_answers() {
    let Some(inside) = Sandbox::open(Rules::parse(&["api.example"]).unwrap()) else { return };
    let socket = inside.udp("0.0.0.0:0");
    socket.connect("8.8.8.8:53").unwrap();
    let mut two = question(&[b"api", b"example"], 1);
    two[5] = 2;
    two.extend_from_slice(&question(&[b"evil", b"example"], 1)[12..]);
    socket.send(&two).unwrap();
    let mut answer = [0; 100];
    let length = socket.recv(&mut answer).unwrap();
    assert_eq!((code(&answer), length), (1, 12), "several questions at once");
    for length in 0..200_usize {
        let noise: Vec<u8> = (0..length).map(|n| u8::try_from((n * 31 + length * 7) % 256).unwrap()).collect();
        let _ = socket.send(&noise);
    }
    let _ = socket.send(&[0; 9000]);
    assert!(inside.resolve("api.example", 1).is_some());
    inside.denied(Why::DnsMalformed);
}

#[test]
fn a_full_table_refuses_new_names_and_keeps_old_ones() {
    let Some(inside) = Sandbox::open(Rules::parse(&["*.example"]).unwrap()) else { return };
    let first = inside.resolve("first.example", 1);
    let socket = inside.udp("0.0.0.0:0");
    socket.connect("8.8.8.8:53").unwrap();
    let padding = [b'a'; 60];
    let mut answer = [0; 600];
    let mut full = false;
    for n in 0..20_000 {
        let number = format!("n{n}");
        let labels: [&[u8]; 5] = [number.as_bytes(), &padding, &padding, &padding, b"example"];
        socket.send(&question(&labels, 1)).unwrap();
        socket.recv(&mut answer).unwrap();
        if code(&answer) == 2 {
            full = true;
            break;
        }
    }
    assert!(full);
    inside.denied(Why::NamesFull);
    assert_eq!(inside.resolve("first.example", 1), first);
}

#[test]
fn ordinary_programs_resolve() {
    let Some(inside) = Sandbox::open(Rules::parse(&["api.example"]).unwrap()) else { return };
    let script = "import socket; print(sorted({a[4][0] for a in socket.getaddrinfo('api.example', 443, flags=socket.AI_ADDRCONFIG)}))";
    let out = inside.run(&format!("python3 -c \"{script}\""));
    if out.contains("not found") {
        eprintln!("SKIPPED: no python3 here");
        return;
    }
    assert!(out.contains("198.19.0.0") && out.contains("fd52:696e:6766::1:0"), "{out}");
}
