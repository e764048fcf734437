//! Prints what one decision costs in each engine, after checking that all of them decide alike.
//!
//! Run with `cargo bench` in this folder. Add `-- --quick` for a short look.

use std::time::{Duration, Instant};

use ringfence_bench::cedar::Cedar;
use ringfence_bench::check::{expected, first_difference};
use ringfence_bench::reference::Reference;
use ringfence_bench::rego::{Interpreted, Rego};
use ringfence_bench::ringfence::Ringfence;
use ringfence_bench::timing::{Figures, clock_cost, fitting, measure};
use ringfence_workload::{Effect, Size, Workload};
use ringfence_bench::{Engine, LoadResult};

const SEED: u64 = 2024;
const MAIN: Size = Size { rules: 200, tools: 100, questions: 1_000 };
const LARGER: [Size; 2] =
    [Size { rules: 1_000, tools: 500, questions: 1_000 }, Size { rules: 10_000, tools: 5_000, questions: 1_000 }];

type Load = for<'w> fn(&'w Workload) -> LoadResult<Box<dyn Engine + 'w>>;

/// The engines in the order of the table. Ratios are against the first.
const ENGINES: [Load; 7] = [
    |w| Ok(Box::new(Ringfence::new(w)?)),
    |w| Ok(Box::new(Cedar::groups(w)?)),
    |w| Ok(Box::new(Cedar::rules(w)?)),
    |w| Ok(Box::new(Rego::index(w)?)),
    |w| Ok(Box::new(Interpreted::index(w)?)),
    |w| Ok(Box::new(Rego::rules(w)?)),
    |w| Ok(Box::new(Reference::new(w))),
];

/// Engines without rules: the least any encoding could cost. Their answers are not checked.
const FLOORS: [Load; 2] = [|_| Ok(Box::new(Cedar::floor()?)), |_| Ok(Box::new(Rego::floor()?))];

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let budget = Duration::from_millis(if quick { 300 } else { 3_000 });
    println!("clock read: {:.0} ns, taken off P50 and P99; at most {budget:?} per engine", clock_cost());
    table(MAIN, budget, &FLOORS);
    for size in LARGER {
        table(size, budget, &[]);
    }
}

fn table(size: Size, budget: Duration, floors: &[Load]) {
    let workload = Workload::new(size, SEED);
    let expected = expected(&workload);
    heading(&workload, &expected);
    let mut baseline = None;
    for load in ENGINES {
        let row = checked_row(load, &workload, &expected, budget);
        let base = *baseline.get_or_insert(row.figures.pass);
        row.print(base);
    }
    for load in floors {
        let row = floor_row(*load, &workload, budget);
        row.print(baseline.unwrap_or(row.figures.pass));
    }
}

fn heading(workload: &Workload, expected: &[Effect]) {
    let count = |effect| expected.iter().filter(|&&answer| answer == effect).count();
    println!(
        "\n{} rules, {} tools, {} questions ({} allow, {} ask, {} deny)",
        workload.rule_count(),
        workload.tools.len(),
        workload.questions.len(),
        count(Effect::Allow),
        count(Effect::Ask),
        count(Effect::Deny),
    );
    println!("{:<28}{:>10}{:>14}{:>12}{:>12}{:>9}", "engine", "load ms", "ns/decision", "P50 ns", "P99 ns", "ratio");
}

struct Row {
    name: String,
    load: Duration,
    figures: Figures,
    note: String,
}

impl Row {
    fn print(&self, base: f64) {
        let Figures { pass, p50, p99 } = self.figures;
        println!(
            "{:<28}{:>10.1}{:>14.0}{:>12.0}{:>12.0}{:>8.2}x{}",
            self.name,
            self.load.as_secs_f64() * 1e3,
            pass,
            p50,
            p99,
            pass / base,
            self.note,
        );
    }
}

fn loaded(load: Load, workload: &Workload) -> (Box<dyn Engine + '_>, Duration) {
    let start = Instant::now();
    let engine = load(workload).expect("an engine could not load the workload");
    (engine, start.elapsed())
}

/// The main table is checked on every question; a larger one on every question that is then timed.
fn checked_row(load: Load, workload: &Workload, expected: &[Effect], budget: Duration) -> Row {
    let (mut engine, load) = loaded(load, workload);
    let all = &workload.questions;
    let timed = fitting(engine.as_mut(), all, budget);
    let checked = if workload.rule_count() <= MAIN.rules { all } else { timed };
    if let Some(difference) = first_difference(engine.as_mut(), checked, expected) {
        panic!("the engines disagree: {difference:?}");
    }
    let note = match timed.len() {
        count if count < all.len() => format!("  capped: first {count} questions"),
        _ => String::new(),
    };
    let figures = measure(engine.as_mut(), timed, budget);
    Row { name: engine.name().to_owned(), load, figures, note }
}

fn floor_row(load: Load, workload: &Workload, budget: Duration) -> Row {
    let (mut engine, load) = loaded(load, workload);
    let figures = measure(engine.as_mut(), &workload.questions, budget);
    Row { name: engine.name().to_owned(), load, figures, note: String::new() }
}
