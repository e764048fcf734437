//! Prints what a derivation costs: three levels, 200 rules, 100 tools, then up to 10,000 rules and 5,000 tools.
//!
//! A derivation is everything after parsing: merge, violations, contradictions, gaps, five slices, provenance,
//! canonical JSON and its hash. Run with `cargo bench --bench derive`; `-- --quick` for a short look.

use std::hint::black_box;
use std::time::{Duration, Instant};

use ringfence_workload::{Size, Workload, derived};

const SEED: u64 = 2024;
const SIZES: [(usize, usize); 5] = [(200, 100), (500, 250), (1_000, 500), (2_000, 1_000), (10_000, 5_000)];

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let budget = Duration::from_millis(if quick { 300 } else { 3_000 });
    println!(
        "{:>7}{:>7}{:>12}{:>12}{:>12}{:>14}{:>11}",
        "rules", "tools", "min µs", "P50 µs", "P99 µs", "ns per item", "JSON KiB"
    );
    for (rules, tools) in SIZES {
        row(Size { rules, tools, questions: 1 }, budget);
    }
}

fn row(size: Size, budget: Duration) {
    let workload = Workload::new(size, SEED);
    let set = workload.policy_set().expect("the workload reads");
    let bytes = serde_json::to_vec(&derived(&set).expect("the workload derives").config).expect("it serialises").len();
    let mut times = Vec::new();
    let start = Instant::now();
    while start.elapsed() < budget || times.len() < 20 {
        let before = Instant::now();
        let derivation = black_box(derived(black_box(&set)).expect("the workload derives"));
        // What is measured is how long the caller waits for the config, not how long it takes to free it.
        times.push(before.elapsed().as_secs_f64() * 1e6);
        drop(derivation);
    }
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    let items = (size.rules + size.tools) as f64;
    println!(
        "{:>7}{:>7}{:>12.1}{:>12.1}{:>12.1}{:>14.0}{:>11}",
        size.rules,
        size.tools,
        at(0.0),
        at(0.5),
        at(0.99),
        at(0.5) * 1e3 / items,
        bytes / 1024
    );
}
