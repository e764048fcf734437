//! Measuring one engine: whole passes for the typical cost, single decisions for the tail.
//!
//! Two figures, because a clock read costs about as much as a fast decision:
//!
//! - a *pass* times all questions together, so the clock is read twice in all; the figure is the median pass;
//! - *single* decisions are timed one by one, with the clock's own cost taken off, for P50 and P99.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::Engine;
use ringfence_workload::Question;

/// Nanoseconds per decision.
#[derive(Clone, Copy, Debug)]
pub struct Figures {
    pub pass: f64,
    pub p50: f64,
    pub p99: f64,
}

const FEWEST_PASSES: u32 = 3;
const MOST_PASSES: usize = 200;
const TRIAL: usize = 20;

/// As many of the questions as the engine can go through a few times within the budget.
pub fn fitting<'q>(engine: &mut dyn Engine, questions: &'q [Question], budget: Duration) -> &'q [Question] {
    let trial = &questions[..TRIAL.min(questions.len())];
    let start = Instant::now();
    ask_all(engine, trial);
    let each = start.elapsed().as_nanos().max(1) / trial.len().max(1) as u128;
    // The check, the passes and the single decisions each go through the questions.
    let rounds = u128::from(2 * FEWEST_PASSES + 1);
    let fit = budget.as_nanos() / (each.max(1) * rounds);
    let count = usize::try_from(fit).unwrap_or(usize::MAX);
    &questions[..count.clamp(trial.len(), questions.len())]
}

pub fn measure(engine: &mut dyn Engine, questions: &[Question], budget: Duration) -> Figures {
    let mut passes = repeat(budget / 2, || {
        let start = Instant::now();
        ask_all(engine, questions);
        vec![nanos(start) / questions.len() as f64]
    });
    let clock = clock_cost();
    let mut singles = repeat(budget / 2, || {
        let each = questions.iter().map(|question| (ask_one(engine, question) - clock).max(0.0));
        each.collect()
    });
    Figures { pass: quantile(&mut passes, 0.5), p50: quantile(&mut singles, 0.5), p99: quantile(&mut singles, 0.99) }
}

/// At least a few rounds, then more until the budget or the maximum is used up.
fn repeat(budget: Duration, mut round: impl FnMut() -> Vec<f64>) -> Vec<f64> {
    let start = Instant::now();
    let mut samples = Vec::new();
    for done in 0..MOST_PASSES {
        if done >= FEWEST_PASSES as usize && start.elapsed() > budget {
            break;
        }
        samples.extend(round());
    }
    samples
}

fn ask_all(engine: &mut dyn Engine, questions: &[Question]) {
    for question in questions {
        black_box(engine.answer(black_box(question)));
    }
}

fn ask_one(engine: &mut dyn Engine, question: &Question) -> f64 {
    let start = Instant::now();
    black_box(engine.answer(black_box(question)));
    nanos(start)
}

/// The median of an empty measurement.
pub fn clock_cost() -> f64 {
    let mut samples: Vec<f64> = (0..10_000).map(|_| nanos(black_box(Instant::now()))).collect();
    quantile(&mut samples, 0.5)
}

fn nanos(start: Instant) -> f64 {
    start.elapsed().as_nanos() as f64
}

fn quantile(samples: &mut [f64], share: f64) -> f64 {
    samples.sort_by(f64::total_cmp);
    let last = samples.len().saturating_sub(1);
    samples.get((last as f64 * share).round() as usize).copied().unwrap_or(f64::NAN)
}
