//! `bench derive`: what a derivation, a decision and the whole command cost, on policies made from a seed.
//!
//! Everybody measures the same policies; the figures are those of the machine and of the moment.

use super::command::{self, Whole};
use super::measure::{Spread, progress, repeat};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Format, Output};
use ringfence_policy::decide::Index;
use ringfence_policy::resolve::Resolved;
use ringfence_workload::{Defect, Size, Workload, decided, derived};
use serde::Serialize;
use std::convert::Infallible;
use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  ringfence bench derive --quick
  ringfence bench derive --format json";

const SEED: u64 = 2024;
const SIZE: Size = Size { rules: 200, tools: 100, questions: 1_000 };
/// How many times as large the policies become.
const GROWTH: [usize; 5] = [1, 10, 20, 30, 50];

/// How long to measure.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A short look: figures jump more
    #[arg(long)]
    quick: bool,
}

/// Everything that was measured.
#[derive(Debug, Serialize)]
struct Report {
    rules: usize,
    tools: usize,
    derive: Spread,
    /// The mean of a pass through all questions.
    decision: Spread,
    command: Whole,
    growth: Vec<Step>,
}

/// A derivation of larger policies.
#[derive(Debug, Serialize)]
struct Step {
    rules: usize,
    tools: usize,
    derive: Spread,
    /// Median for each rule and tool.
    ns_per_item: u64,
}

/// Measures and prints.
pub(crate) fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let (budget, runs) = if args.quick { (Duration::from_millis(300), 30) } else { (Duration::from_secs(3), 200) };
    let workload = Workload::new(SIZE, SEED);
    progress("the derivation");
    let derive = derivation(&workload, budget)?;
    progress("decisions");
    let decision = decisions(&workload, budget)?;
    progress("the command");
    let command = command::measure(&workload, runs)?;
    let growth = GROWTH.into_iter().map(|times| grown(times, budget)).collect::<Result<_, _>>()?;
    let report = Report { rules: SIZE.rules, tools: SIZE.tools, derive, decision, command, growth };
    match output.format {
        Format::Json => output.json(&report)?,
        _ => output.result(&table(&report))?,
    }
    Ok(Exit::Done)
}

fn derivation(workload: &Workload, budget: Duration) -> Result<Spread, Failure> {
    let set = workload.policy_set().map_err(defect)?;
    repeat(budget, || derived(black_box(&set)).map(black_box)).map_err(defect)
}

fn decisions(workload: &Workload, budget: Duration) -> Result<Spread, Failure> {
    let set = workload.policy_set().map_err(defect)?;
    let index = Index::new(&Resolved::new(&set.cascade, set.catalog.as_ref()), &set.spec);
    let pass = || -> Result<(), Infallible> {
        for question in &workload.questions {
            black_box(decided(&index, black_box(question)).map(|answer| (answer.effect, answer.reasons.first())));
        }
        Ok(())
    };
    let Ok(spread) = repeat(budget, pass);
    Ok(spread.each(workload.questions.len()))
}

fn grown(times: usize, budget: Duration) -> Result<Step, Failure> {
    let size = Size { rules: SIZE.rules * times, tools: SIZE.tools * times, questions: 1 };
    progress(&format!("{} rules and {} tools", size.rules, size.tools));
    let derive = derivation(&Workload::new(size, SEED), budget)?;
    let ns_per_item = derive.each(size.rules + size.tools).p50_ns;
    Ok(Step { rules: size.rules, tools: size.tools, derive, ns_per_item })
}

fn defect(defect: Defect) -> Failure {
    Failure::Io(format!("the policies made for the bench do not hold, a defect of this program: {defect}"))
}

fn table(report: &Report) -> String {
    let mut out = format!("{} rules on three levels, {} tools\n\n", report.rules, report.tools);
    line(&mut out, "", ["min", "P50", "P99"].map(str::to_owned));
    line(&mut out, "derivation, without parsing", spread(report.derive));
    line(&mut out, "decision with its trail", spread(report.decision));
    line(&mut out, "whole derive command, from files", spread(report.command.derive));
    if let (Some(nothing), Some(beyond)) = (report.command.nothing, report.command.beyond_start_ns) {
        line(&mut out, "a process that does nothing", spread(nothing));
        let least = report.command.derive.min_ns.saturating_sub(nothing.min_ns);
        line(&mut out, "the command beyond that", [time(least), time(beyond), String::new()]);
    }
    out.push_str("\nGrowth of the derivation\n\n");
    for step in &report.growth {
        let name = format!("{} rules, {} tools, {} ns each", step.rules, step.tools, step.ns_per_item);
        line(&mut out, &name, spread(step.derive));
    }
    out
}

fn line(out: &mut String, name: &str, [a, b, c]: [String; 3]) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{}", format!("  {name:<42}{a:>12}{b:>12}{c:>12}").trim_end());
}

fn spread(spread: Spread) -> [String; 3] {
    [spread.min_ns, spread.p50_ns, spread.p99_ns].map(time)
}

fn time(ns: u64) -> String {
    match ns {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{}.{} µs", ns / 1_000, ns % 1_000 / 100),
        _ => format!("{}.{:02} ms", ns / 1_000_000, ns % 1_000_000 / 10_000),
    }
}
