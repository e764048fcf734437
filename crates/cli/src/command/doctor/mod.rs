//! `doctor`: for each mechanism of the kernel ring tries what it must refuse, inside real boxes, and says how it does.

pub(crate) mod advice;
mod attempt;
mod boxes;
mod check;
mod fixture;
mod judge;
pub(crate) mod probe;
mod service;
mod show;

use super::run::tier;
use super::run::trail::DEFAULT;
use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::{InputArgs, Scope, Workspace, evaluation};
use crate::output::{Format, Output};
use boxes::{Bench, Tried};
use check::Part;
use judge::{Finding, State};
use ringfence_policy::derive::Context;
use ringfence_policy::scale::Tier;
use ringfence_policy::slice::KernelSlice;
use serde::Serialize;

/// What to examine.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The one tier to examine; all of them when absent
    #[arg(long, value_name = "TIER", value_parser = tier)]
    tier: Option<Tier>,
    #[command(flatten)]
    input: InputArgs,
}

/// What was found.
#[derive(Debug, Serialize)]
struct Diagnosis {
    /// What a run with the policy would get.
    run: Run,
    kernel: String,
    /// Landlock's interface version; 0 for none.
    landlock: i32,
    /// What newer versions add.
    landlock_next: Option<String>,
    tiers: Vec<Tier>,
    findings: Vec<Finding>,
    services: Vec<service::Service>,
}

#[derive(Debug, Serialize)]
struct Run {
    tier: Option<Tier>,
    /// Why there would be no run.
    refused: Option<String>,
    /// Why no stronger tier.
    not: Vec<Not>,
    /// Mechanisms that the policy needs and that are not enforcing in that tier.
    missing: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
struct Not {
    tier: Tier,
    reason: String,
    fix: String,
}

/// Examines this machine.
pub(crate) fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let program = std::env::current_exe().and_then(|p| p.canonicalize()).map_err(fixture::broken)?;
    let slice = slice(Workspace::load_or(&args.input, "built-in", DEFAULT)?, &args.input)?;
    let mut built_in = Workspace::default();
    built_in.stand_in("built-in", DEFAULT);
    let bench = Bench { program, base: self::slice(built_in, &InputArgs::default())?, slice };
    let diagnosis = examine(&bench, args.tier)?;
    match output.format {
        Format::Json => output.json(&diagnosis)?,
        _ => output.result(&show::text(&diagnosis))?,
    }
    let sound = diagnosis.run.tier.is_some() && diagnosis.run.refused.is_none() && diagnosis.run.missing.is_empty();
    Ok(if sound { Exit::Done } else { Exit::Unavailable })
}

fn slice(mut workspace: Workspace, input: &InputArgs) -> Result<KernelSlice, Failure> {
    let sets = workspace.sandboxes(&input.select, Scope::One);
    let issued_at = clock::at(None)?;
    let derived = workspace.derive(&sets, |set| Context { issued_at, ..evaluation(set) });
    workspace.settle()?;
    let slice = derived.first().and_then(|d| d.config.layer_1_kernel.clone());
    slice.ok_or_else(|| Failure::Io("the sandbox has no kernel layer".into()))
}

fn examine(bench: &Bench, only: Option<Tier>) -> Result<Diagnosis, Failure> {
    let tiers = only.map_or_else(|| vec![Tier::A, Tier::B, Tier::C], |t| vec![t]);
    let own = bench.own(only.unwrap_or(Tier::A))?;
    // Outside namespaces it takes seconds until a run that stays at its limit is ended: only where it matters.
    let limited = |tier: Tier| tier == Tier::A || only.is_some() || own.tier == Some(tier);
    let mut wanted = Vec::new();
    for tier in &tiers {
        wanted.extend([(Part::Main, *tier), (Part::Names, *tier)]);
        wanted.extend(limited(*tier).then_some((Part::Limits, *tier)));
    }
    let tried: Vec<Tried> = std::thread::scope(|scope| {
        let running: Vec<_> = wanted.iter().map(|(part, tier)| scope.spawn(|| bench.tried(*part, *tier))).collect();
        let broken = || Failure::Io("the doctor lost one of its boxes".into());
        running.into_iter().map(|r| r.join().map_err(|_| broken())?).collect::<Result<_, Failure>>()
    })?;
    let mut findings: Vec<Finding> = tried.iter().flat_map(judge::findings).collect();
    for finding in findings.iter_mut().filter(|f| f.state == State::Unavailable) {
        let reason = finding.reason.clone().unwrap_or_default();
        finding.fix = Some(advice::fix(finding.tier, &reason, &bench.program));
    }
    if tiers.contains(&Tier::C) {
        findings.push(judge::no_names());
    }
    let tier_b = |f: &&mut Finding| f.tier == Tier::B && f.state == State::Partial && f.fix.is_none();
    for finding in findings.iter_mut().filter(tier_b) {
        finding.fix = finding.reason.as_deref().and_then(advice::supervised);
    }
    let landlock = tried.iter().map(|t| t.report.landlock).chain([own.landlock]).max().unwrap_or(0);
    Ok(Diagnosis {
        run: run_of(bench, &own, &findings),
        kernel: rustix::system::uname().release().to_string_lossy().into_owned(),
        landlock,
        landlock_next: advice::landlock_next(landlock),
        tiers,
        findings,
        services: service::all(),
    })
}

fn run_of(bench: &Bench, own: &probe::Report, findings: &[Finding]) -> Run {
    let lacks = |f: &&Finding| {
        Some(f.tier) == own.tier && f.state != State::Enforcing && check::is_required(f.mechanism, &bench.slice)
    };
    let not = |(tier, reason): &(Tier, String)| Not {
        tier: *tier,
        reason: reason.clone(),
        fix: advice::fix(*tier, reason, &bench.program),
    };
    Run {
        tier: own.tier.filter(|_| own.failed.is_none()),
        refused: own.failed.as_ref().map(|(why, _)| why.clone()),
        not: own.not.iter().map(not).collect(),
        missing: findings.iter().filter(lacks).map(|f| f.mechanism).collect(),
    }
}
