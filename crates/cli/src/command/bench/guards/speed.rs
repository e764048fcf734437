//! What a scan costs: throughput, a short output, growth with size, and hostile inputs beside benign ones.
//!
//! The clock is the processor time of this thread: what else runs on the machine does not count, waiting does not either.

use super::hostile;
use crate::command::bench::measure::Spread;
use crate::output::Output;
use ringfence_guard::Scanner;
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;
use std::hint::black_box;
use std::time::{Duration, Instant};

const SHORT: usize = 2 << 10;
/// How many short outputs are timed together: more than a cache remembers.
const SHORTS: usize = 500;
const SIZES: [usize; 4] = [64 << 10, 1 << 20, 16 << 20, 64 << 20];
/// The size of a hostile input and of the benign one beside it.
const HOSTILE: usize = 256 << 10;
const HOSTILE_QUICK: usize = 64 << 10;

/// What was timed, on one core.
#[derive(Debug, Serialize)]
pub(super) struct Speed {
    /// Bytes of benign text.
    pub(super) benign_bytes: usize,
    /// The best of all rounds.
    pub(super) benign_mb_per_s: f64,
    /// An output of 2 KiB, each another one.
    pub(super) short: Spread,
    pub(super) growth: Vec<Size>,
    pub(super) hostile: Vec<Hostile>,
}

/// Throughput at one size.
#[derive(Debug, Serialize)]
pub(super) struct Size {
    pub(super) bytes: usize,
    pub(super) mb_per_s: f64,
}

/// What a hostile input costs.
#[derive(Debug, Serialize)]
pub(super) struct Hostile {
    pub(super) what: &'static str,
    pub(super) mb_per_s: f64,
    /// Time per byte, as a multiple of that of benign text in the same rounds.
    pub(super) times_benign: f64,
}

/// Times the scanner on benign text.
pub(super) fn measure(scanner: &Scanner, benign: &str, quick: bool, output: &Output) -> Speed {
    let budget = if quick { Duration::from_millis(150) } else { Duration::from_secs(1) };
    let (rounds, hostile_bytes) = if quick { (3, HOSTILE_QUICK) } else { (9, HOSTILE) };
    output.note("timing benign text, 2 KiB outputs\n");
    let best = |text: &str, budget: Duration| mb_per_s(text.len(), fastest(scanner, text, budget));
    let benign_mb_per_s = best(benign, budget * 2);
    let short = shorts(scanner, benign, budget);
    let sizes = SIZES.iter().copied().filter(|bytes| !quick || *bytes <= 1 << 20);
    let growth = sizes.map(|bytes| {
        output.note(&format!("timing {} KiB\n", bytes >> 10));
        Size { bytes, mb_per_s: best(&repeated(benign, bytes), budget) }
    });
    let growth = growth.collect();
    output.note("timing hostile inputs\n");
    let hostile = hostile(scanner, benign, rounds, hostile_bytes);
    Speed { benign_bytes: benign.len(), benign_mb_per_s, short, growth, hostile }
}

fn shorts(scanner: &Scanner, benign: &str, budget: Duration) -> Spread {
    let texts: Vec<&str> = pieces(benign, SHORT).take(SHORTS).collect();
    let start = Instant::now();
    let mut times = Vec::new();
    while start.elapsed() < budget {
        for text in &texts {
            times.push(u64::try_from(time(scanner, text).as_nanos()).unwrap_or(u64::MAX));
        }
    }
    Spread::of(times)
}

/// Every input in turn with the benign one: what disturbs the machine disturbs both.
fn hostile(scanner: &Scanner, benign: &str, rounds: usize, bytes: usize) -> Vec<Hostile> {
    let plain = repeated(benign, bytes);
    let measured = |(what, text): (&'static str, String)| {
        let (mut bad, mut good) = (Duration::MAX, Duration::MAX);
        for _ in 0..rounds {
            good = good.min(time(scanner, &plain));
            bad = bad.min(time(scanner, &text));
        }
        let [mb_per_s, of_benign] = [mb_per_s(text.len(), bad), mb_per_s(plain.len(), good)];
        Hostile { what, mb_per_s, times_benign: of_benign / mb_per_s }
    };
    hostile::inputs(bytes).into_iter().map(measured).collect()
}

fn time(scanner: &Scanner, text: &str) -> Duration {
    let start = busy();
    let report = black_box(scanner.scan(black_box(text)));
    let taken = busy().saturating_sub(start);
    drop(report);
    taken
}

/// How long this thread has been working.
fn busy() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

fn fastest(scanner: &Scanner, text: &str, budget: Duration) -> Duration {
    let start = Instant::now();
    let mut fastest = time(scanner, text);
    while start.elapsed() < budget {
        fastest = fastest.min(time(scanner, text));
    }
    fastest
}

fn mb_per_s(bytes: usize, taken: Duration) -> f64 {
    bytes as f64 / 1e6 / taken.as_secs_f64().max(1e-9)
}

/// A text over and over, to about so many bytes.
fn repeated(text: &str, bytes: usize) -> String {
    let mut out = String::with_capacity(bytes);
    while out.len() < bytes {
        let piece = pieces(text, bytes - out.len()).next().unwrap_or("empty ");
        out.push_str(piece);
    }
    out
}

/// A text in pieces of about so many bytes.
fn pieces(text: &str, bytes: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let at = rest.ceil_char_boundary(bytes.min(rest.len()));
        let (piece, later) = rest.split_at(at);
        rest = later;
        (!piece.is_empty()).then_some(piece)
    })
}
