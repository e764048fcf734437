//! Figures, on demand: `cargo test --release -p ringfence-sandbox --test egress throughput -- --ignored --nocapture`.

use crate::support::{Sandbox, Server};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

const BYTES: usize = 512 << 20;

fn download(mut stream: TcpStream) -> f64 {
    let start = Instant::now();
    stream.write_all(&[1]).unwrap();
    let (mut got, mut buffer) = (0, vec![0; 1 << 17]);
    while let Ok(count @ 1..) = stream.read(&mut buffer) {
        got += count;
    }
    assert_eq!(got, BYTES);
    BYTES as f64 / start.elapsed().as_secs_f64() / 1e6
}

fn latency(connect: impl Fn() -> TcpStream) -> Duration {
    let mut all: Vec<_> = (0..300)
        .map(|_| {
            let start = Instant::now();
            let mut stream = connect();
            stream.write_all(b"\x02").unwrap();
            stream.read_exact(&mut [0; 1]).unwrap();
            start.elapsed()
        })
        .collect();
    all.sort();
    all[all.len() / 2]
}

fn serve(mut stream: TcpStream) {
    let mut first = [0; 1];
    stream.read_exact(&mut first).unwrap();
    if first == [2] {
        let _ = stream.write_all(&first);
        return;
    }
    let block = vec![7; 1 << 17];
    for _ in 0..BYTES / block.len() {
        stream.write_all(&block).unwrap();
    }
}

#[test]
#[ignore = "prints figures"]
fn throughput() {
    let server = Server::start(serve);
    let Some(inside) = Sandbox::open(server.rules(&["api.example"])) else { return };
    let boxes = (0..10).filter_map(|_| Sandbox::open(server.rules(&["api.example"])));
    println!("prepare, fastest of 10: {:?}", boxes.map(|b| b.preparation()).min());
    let address = SocketAddr::new(inside.resolve("api.example", 1).unwrap(), server.port());
    for _ in 0..5 {
        let direct = download(TcpStream::connect(server.address).unwrap());
        let before = egress_time();
        let through = download(inside.connect(address).unwrap());
        let spent = (egress_time() - before).as_secs_f64() * 1e9 / BYTES as f64;
        let share = through / direct * 100.0;
        println!(
            "direct {direct:.0} MB/s, through {through:.0} MB/s, {share:.0} %; egress thread {spent:.2} s for each GB"
        );
    }
    for _ in 0..3 {
        let direct = latency(|| TcpStream::connect(server.address).unwrap());
        // Sockets come from another process here: that trip is not egress.
        let through = latency(|| inside.connect(address).unwrap()).saturating_sub(trip(&inside));
        println!("new connection and one byte back, p50: direct {direct:?}, through {through:?}");
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    println!("{}", status.lines().find(|l| l.starts_with("VmRSS")).unwrap());
}

/// Processor time of the egress threads so far: what a busy machine does not change.
fn egress_time() -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().map(|t| t.unwrap().path());
    let egress = tasks.filter(|t| std::fs::read_to_string(t.join("comm")).is_ok_and(|c| c == "egress\n"));
    let spent = egress.map(|t| std::fs::read_to_string(t.join("schedstat")).unwrap());
    Duration::from_nanos(spent.map(|s| s.split(' ').next().unwrap().parse::<u64>().unwrap()).sum())
}

fn trip(inside: &Sandbox) -> Duration {
    let mut all: Vec<_> = (0..300)
        .map(|_| {
            let start = Instant::now();
            inside.udp("127.0.0.1:0");
            start.elapsed()
        })
        .collect();
    all.sort();
    all[all.len() / 2]
}
