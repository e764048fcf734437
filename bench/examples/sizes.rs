use ringfence_bench::ringfence::{derived, policy_set};
use ringfence_bench::workload::{Size, Workload};
fn main() {
    let w = Workload::new(Size { rules: 200, tools: 100, questions: 1 }, 2024);
    let set = policy_set(&w).unwrap();
    for _ in 0..300 { std::hint::black_box(derived(&set).unwrap()); }
}
