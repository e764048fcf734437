//! The diagnosis for people: a table of mechanisms by tier, then what is wrong, each with its fix.

use super::Diagnosis;
use super::check::MECHANISMS;
use super::judge::{Finding, State};
use crate::output::shown;
use ringfence_policy::scale::Tier;
use std::fmt::Write;

const WIDTH: usize = 26;
const CELL: usize = 13;

/// The whole text.
pub(super) fn text(d: &Diagnosis) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = verdict(&mut out, d);
    let _ = table(&mut out, d);
    let _ = services(&mut out, d);
    let _ = troubles(&mut out, d);
    out
}

fn verdict(out: &mut String, d: &Diagnosis) -> std::fmt::Result {
    match (d.run.tier, &d.run.refused) {
        (Some(tier), None) => writeln!(out, "a run with this policy gets tier {tier}: {}", describe(tier))?,
        (_, Some(why)) => writeln!(out, "a run with this policy is refused: {}", shown(why))?,
        (None, None) => writeln!(out, "a run with this policy is refused")?,
    }
    for not in &d.run.not {
        writeln!(out, "not tier {}: {}", not.tier, shown(&not.reason))?;
    }
    let version = match d.landlock {
        0 => "none".to_owned(),
        n => format!("version {n}"),
    };
    write!(out, "kernel {}, Landlock {version}", shown(&d.kernel))?;
    if let Some(next) = d.landlock_next.as_ref().filter(|_| d.landlock > 0) {
        write!(out, " (newer kernels add: {next})")?;
    }
    writeln!(out)
}

fn describe(tier: Tier) -> &'static str {
    match tier {
        Tier::A => "namespaces, Landlock, system call filter",
        Tier::B => "Landlock, system call filter, the supervisor connects",
        Tier::C => "Landlock, system call filter, no allowlist of names",
    }
}

fn table(out: &mut String, d: &Diagnosis) -> std::fmt::Result {
    write!(out, "\n{:WIDTH$}", "")?;
    for tier in &d.tiers {
        write!(out, "{:CELL$}", format!("tier {tier}"))?;
    }
    out.truncate(out.trim_end().len());
    writeln!(out)?;
    for (id, title) in MECHANISMS {
        let of = |tier: &Tier| d.findings.iter().find(|f| f.mechanism == *id && f.tier == *tier);
        if !d.tiers.iter().any(|t| of(t).is_some()) {
            continue;
        }
        let none = if id.ends_with("-limit") { "not tried" } else { "-" };
        let word = |t: &Tier| of(t).map_or(none, |f| f.state.word());
        let cells: String = d.tiers.iter().map(|t| format!("{:CELL$}", word(t))).collect();
        writeln!(out, "{title:WIDTH$}{}", cells.trim_end())?;
    }
    Ok(())
}

fn services(out: &mut String, d: &Diagnosis) -> std::fmt::Result {
    writeln!(out)?;
    for s in &d.services {
        writeln!(out, "{:WIDTH$}{:CELL$}{}", s.title, s.state, shown(&s.detail))?;
    }
    Ok(())
}

fn troubles(out: &mut String, d: &Diagnosis) -> std::fmt::Result {
    let mut told: Vec<(Tier, &str)> = Vec::new();
    for f in d.findings.iter().filter(|f| f.state != State::Enforcing) {
        let reason = f.reason.as_deref().unwrap_or_default();
        if told.contains(&(f.tier, reason)) {
            continue;
        }
        told.push((f.tier, reason));
        let what = if f.state == State::Unavailable { everything_like(d, f) } else { f.title.to_owned() };
        writeln!(out, "\ntier {}, {what}: {}", f.tier, f.state.word())?;
        writeln!(out, "  why: {}", shown(reason))?;
        if let Some(fix) = &f.fix {
            // A fix may be a text of several lines, ours but for the path in it.
            let lines: Vec<String> = fix.lines().map(shown).collect();
            writeln!(out, "  fix: {}", lines.join("\n       ").replace("\n       \n", "\n\n"))?;
        }
    }
    Ok(())
}

/// A tier that is not to be had is told of once.
fn everything_like(d: &Diagnosis, f: &Finding) -> String {
    let same = d.findings.iter().filter(|o| o.tier == f.tier && o.reason == f.reason).count();
    if same > 1 { "all of it".into() } else { f.title.to_owned() }
}
