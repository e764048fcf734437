//! `demo`: with nothing installed or configured, derives the sample policies, explains a rule, lets a skill attack under
//! the kernel ring, passes poisoned tool outputs through the guards, checks the record and forgeries of it.
//!
//! ```text
//! stage → policy → ring (a run of its own) → guards → record → what did not hold
//! ```
//!
//! Everything happens for real, below one temporary folder. Nothing is told as held that was not just seen to hold.

mod acme;
mod attempt;
mod collector;
mod guards;
mod poison;
mod policy;
mod record;
mod ring;
mod show;
mod stage;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Format, Output};
use collector::Collector;
use guards::Guarded;
use policy::Policy;
use record::Record;
use ring::{Ring, Verdict};
use ringfence_policy::scale::Tier;
use serde::Serialize;
use show::Show;
use stage::Stage;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

const EXIT_CODES: &str = "\
Exit codes:
  0    every defence held
  1    something did not hold; it is named
  124  this machine can enforce nothing";

/// How to show it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Args {
    /// Open no browser; this version shows everything in the terminal
    #[arg(long)]
    no_open: bool,
    /// End after the run, waiting for nobody; this version always does
    #[arg(long)]
    exit: bool,
    /// The strongest tier to try
    #[arg(long, value_name = "TIER", value_parser = super::run::tier, default_value = "A")]
    tier: Tier,
    /// Wait for the end of stdin, then remove a demo's folder
    #[arg(long, hide = true, value_name = "DIR")]
    sweep: Option<PathBuf>,
}

/// The demo as one JSON object.
#[derive(Debug, Serialize)]
struct Demo {
    /// Every defence held.
    held: bool,
    not_held: Vec<String>,
    /// What this machine could not show.
    not_shown: Vec<String>,
    policy: Policy,
    ring: Ring,
    guards: Vec<Guarded>,
    log: Record,
}

/// Plays the demo.
pub(crate) fn run(args: &Args, output: &Output) -> Result<ExitCode, Failure> {
    if let Some(folder) = &args.sweep {
        return Ok(stage::sweep(folder));
    }
    output.only(&[Format::Human, Format::Json])?;
    let began = Instant::now();
    let show = Show::new(output);
    let collector = Collector::new().ok();
    // Nobody listens on the port of the discard protocol.
    let stage = Stage::new(collector.as_ref().map_or(9, Collector::port))?;
    show.opening()?;
    let policy = policy::derive(&stage)?;
    show.policy(&policy)?;
    let ring = ring::run(&stage, collector.as_ref(), args.tier)?;
    show.ring(&ring)?;
    let guards = guards::pass(&policy.guards)?;
    show.guards(&policy.guards, &guards)?;
    let log = record::check(&stage, &ring.log, &ring.run_id)?;
    show.record(&log)?;
    drop(stage);
    let not_held = not_held(&policy, &ring, &guards, &log);
    let demo = Demo { held: not_held.is_empty(), not_held, not_shown: not_shown(&ring), policy, ring, guards, log };
    match output.format {
        Format::Json => output.json(&demo)?,
        _ => show.closing(&demo.not_held, &demo.not_shown, began.elapsed())?,
    }
    Ok(if demo.held { Exit::Done } else { Exit::NotHeld }.into())
}

/// What did not hold, in words.
fn not_held(policy: &Policy, ring: &Ring, guards: &[Guarded], log: &Record) -> Vec<String> {
    let mut out = Vec::new();
    let mut unless = |holds: bool, what: String| out.extend((!holds).then_some(what));
    unless(policy.explained.effect == "deny", format!("the policies allow {}", policy.explained.question));
    unless(ring.work_done, "the agent's own work was not let through".into());
    for tried in &ring.attempts {
        unless(tried.verdict != Verdict::NotStopped, format!("not stopped: {}, {}", tried.aim.heading(), tried.title));
    }
    let outside = &ring.outside;
    unless(outside.harmed.is_empty(), format!("gone, changed or new: {}", outside.harmed.join(", ")));
    unless(outside.leaked.is_empty(), format!("the keys are in {}", outside.leaked.join(", ")));
    unless(outside.heard.unwrap_or(0) == 0, "the collector heard something".into());
    for one in guards {
        let what = if one.poisoned { "not caught" } else { "withheld without need" };
        unless(one.right, format!("{what}: {}", one.title));
    }
    unless(log.intact, "the log of the run does not verify".into());
    for forgery in &log.forgeries {
        unless(forgery.noticed, format!("not noticed in the log: {}", forgery.what));
    }
    out
}

/// What could not be shown on this machine.
fn not_shown(ring: &Ring) -> Vec<String> {
    let untried = ring.attempts.iter().filter(|t| t.verdict == Verdict::NotTried);
    let untried = untried.map(|t| format!("{}: no program here to try it with", t.title));
    let deaf = ring.outside.heard.is_none().then(|| "the collector: loopback does not work here".to_owned());
    ring.given_up.iter().cloned().chain(untried).chain(deaf).collect()
}
