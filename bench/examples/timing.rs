use ringfence_bench::ringfence::{derived, policy_set};
use ringfence_bench::workload::{Size, Workload};
fn main() {
    let w = Workload::new(Size { rules: 200, tools: 100, questions: 1 }, 2024);
    let set = policy_set(&w).unwrap();
    let mut t = vec![];
    for _ in 0..5000 { let b = std::time::Instant::now(); std::hint::black_box(derived(&set).unwrap()); t.push(b.elapsed()); }
    t.sort(); println!("min {:?} p50 {:?} p99 {:?}", t[0], t[2500], t[4950]);
}
