//! Bytes both ways: order, ends, amounts, numbers.

use crate::support::{Sandbox, Server, exchange};
use ringfence_sandbox::egress::namespace::prepare_on_host;
use ringfence_sandbox::egress::{EventSink, LiveRules, NetEvent, Origin, OriginTable, Role, spawn_thread};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::thread;

#[test]
fn a_server_may_speak_first() {
    let server = Server::start(|mut stream| {
        stream.write_all(b"220 ready\r\n").unwrap();
        crate::support::echo(stream);
    });
    let Some(inside) = Sandbox::open(server.rules(&["mail.example"])) else { return };
    let mut stream = inside.reach("mail.example", server.port());
    exchange(&mut stream, b"", "220 ready");
    exchange(&mut stream, b"EHLO me\r\n", "EHLO me");
}

#[test]
fn each_side_ends_on_its_own() {
    let server = Server::start(|mut stream| {
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        stream.write_all(format!("{} bytes", all.len()).as_bytes()).unwrap();
    });
    let Some(inside) = Sandbox::open(server.rules(&["api.example"])) else { return };
    let mut stream = inside.reach("api.example", server.port());
    stream.write_all(&[1; 100_000]).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut got = String::new();
    stream.read_to_string(&mut got).unwrap();
    assert_eq!(got, "100000 bytes");
    // A client that says nothing at all.
    let mut stream = inside.reach("api.example", server.port());
    stream.shutdown(Shutdown::Write).unwrap();
    got.clear();
    stream.read_to_string(&mut got).unwrap();
    assert_eq!(got, "0 bytes");
}

#[test]
fn a_lot_arrives_whole_though_the_reader_is_slow() {
    const COUNT: usize = 64 << 20;
    let server = Server::start(|mut stream| {
        stream.read_exact(&mut [0; 1]).unwrap();
        let block: Vec<u8> = (0..=255).cycle().take(1 << 16).collect();
        for _ in 0..COUNT / block.len() {
            stream.write_all(&block).unwrap();
        }
    });
    let Some(inside) = Sandbox::open(server.rules(&["api.example"])) else { return };
    let mut stream = inside.reach("api.example", server.port());
    stream.write_all(&[1]).unwrap();
    thread::sleep(std::time::Duration::from_millis(200));
    let (mut at, mut buffer) = (0, vec![0; 100_003]);
    loop {
        let count = stream.read(&mut buffer).unwrap();
        if count == 0 {
            break;
        }
        for byte in &buffer[..count] {
            assert_eq!(usize::from(*byte), at % 256);
            at += 1;
        }
    }
    assert_eq!(at, COUNT);
}

#[test]
fn a_thousand_connections() {
    let server = Server::echo();
    let Some(inside) = Sandbox::open(server.rules(&["api.example"])) else { return };
    let address = SocketAddr::new(inside.resolve("api.example", 1).unwrap(), server.port());
    let mut open: Vec<TcpStream> = Vec::new();
    for n in 0..1000 {
        let mut stream = inside.connect(address).unwrap();
        exchange(&mut stream, format!("\x01{n}").as_bytes(), &n.to_string());
        if open.len() < 100 {
            open.push(stream);
        }
    }
    for (n, stream) in open.iter_mut().enumerate() {
        exchange(stream, format!("again {n}").as_bytes(), &format!("again {n}"));
    }
    assert_eq!(inside.close().len(), 1, "one event for all of them");
}

#[test]
fn stopping_closes_everything() {
    let server = Server::echo();
    let Some(inside) = Sandbox::open(server.rules(&["api.example"])) else { return };
    let mut stream = inside.reach("api.example", server.port());
    exchange(&mut stream, b"\x01x", "x");
    inside.close();
    assert!(matches!(stream.read(&mut [0; 9]), Ok(0) | Err(_)));
}

struct Silent;

impl EventSink for Silent {
    fn net(&self, _: NetEvent) {}
}

#[test]
fn without_a_namespace_only_announced_connections_are_served() {
    let server = Server::echo();
    let sockets = prepare_on_host().unwrap();
    let (header, fds) = sockets.into_fds();
    let door = fds.get(2).unwrap().as_fd().try_clone_to_owned().unwrap();
    let there = std::net::TcpListener::from(door).local_addr().unwrap();
    assert_eq!(header.ports().into_iter().next(), Some(0));
    assert_eq!(header.count(), 3);
    let sockets = ringfence_sandbox::egress::Sockets::from_fds(&header, fds).unwrap();
    let table = Arc::new(OriginTable::default());
    let rules = LiveRules::new(server.rules(&["api.example"]));
    let handle = spawn_thread(sockets, rules, Origin::Table(table.clone()), Arc::new(Silent)).unwrap();
    let connect = |announce: bool| {
        use rustix::net::{AddressFamily, SocketType, bind, connect, getsockname, socket};
        let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
        bind(&socket, &SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        if announce {
            table.expect(getsockname(&socket).unwrap().try_into().unwrap(), server.address).unwrap();
        }
        connect(&socket, &there).unwrap();
        TcpStream::from(socket)
    };
    exchange(&mut connect(true), b"\x01x", "x");
    assert!(matches!(connect(false).read(&mut [0; 9]), Ok(0) | Err(_)));
    assert!(matches!(Role::Transparent(0), Role::Transparent(_)));
    handle.stop().unwrap();
}
