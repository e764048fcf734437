//! The scanner as it is shipped, at its own verdicts. Its model may have learnt from these very texts: a figure in sample
//! says what the rules do and that nothing is broken, not what will be found tomorrow.

use super::held_out::group;
use super::kind::{form, kind};
use super::tally::percent;
use crate::command::train::corpus::Item;
use crate::output::Output;
use ringfence_guard::train::Label;
use ringfence_guard::{Family, Scanner, Severity};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// The rules by which the model speaks; all others are exact signals.
const OF_THE_MODEL: [&str; 2] = ["directive.window", "encoded.instructions"];

/// What the scanner said about a text.
#[derive(Debug, Clone, Default)]
pub(super) struct Look {
    /// Families with a finding of severity error or worse.
    families: BTreeSet<Family>,
    /// Whether one of them is an exact signal.
    pub(super) signal: bool,
}

impl Look {
    fn blocks(&self) -> bool {
        !self.families.is_empty()
    }
}

/// Scans every text, on all cores.
pub(super) fn look(scanner: &Scanner, items: &[Item], output: &Output) -> Vec<Look> {
    let start = Instant::now();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let each = items.len().div_ceil(threads).max(1);
    let looks = std::thread::scope(|scope| {
        let parts: Vec<_> =
            items.chunks(each).map(|part| scope.spawn(|| part.iter().map(|i| one(scanner, i)).collect())).collect();
        let joined = |part: std::thread::ScopedJoinHandle<'_, Vec<Look>>| part.join().unwrap_or_default();
        parts.into_iter().flat_map(joined).collect::<Vec<Look>>()
    });
    output.note(&format!("scanned {} texts ({:.1} s)\n", looks.len(), start.elapsed().as_secs_f32()));
    looks
}

fn one(scanner: &Scanner, item: &Item) -> Look {
    let report = scanner.scan(&item.text);
    let mut look = Look::default();
    for finding in report.findings.iter().filter(|f| f.severity >= Severity::Error) {
        look.families.insert(finding.rule.family);
        look.signal |= !OF_THE_MODEL.contains(&finding.rule.id);
    }
    look
}

/// What the scanner blocks.
#[derive(Debug, Serialize)]
pub(super) struct Shipped {
    /// Always: the corpus may be what the model learnt from.
    pub(super) in_sample: bool,
    /// Attacks by kind and form.
    pub(super) attacks: Vec<Blocked>,
    /// Texts without an attack, by group.
    pub(super) groups: Vec<Blocked>,
    pub(super) families: Vec<OfFamily>,
}

/// How many of some texts are blocked.
#[derive(Debug, Serialize)]
pub(super) struct Blocked {
    pub(super) what: String,
    pub(super) texts: usize,
    pub(super) blocked: usize,
    pub(super) percent: f64,
}

/// What the rules of a family do, findings of severity error or worse.
#[derive(Debug, Serialize)]
pub(super) struct OfFamily {
    pub(super) family: Family,
    /// Attacks it fires on.
    pub(super) attacks: usize,
    /// Benign texts it fires on, all groups.
    pub(super) benign: usize,
    /// Of the texts it fires on, how many are attacks; depends on how many of each the corpus has.
    pub(super) precision_percent: f64,
    /// Of all attacks, on how many it fires.
    pub(super) recall_percent: f64,
    /// Of tool-like benign texts, on how many it fires.
    pub(super) false_positive_percent: f64,
}

/// The figures of what was seen.
pub(super) fn figures(items: &[Item], looks: &[Look]) -> Shipped {
    let seen = || items.iter().zip(looks);
    let attacks =
        blocked(seen().filter(|(i, _)| i.label == Label::Inject).map(|(i, l)| (format!("{} {}", kind(i), form(i)), l)));
    let groups = blocked(seen().filter_map(|(i, l)| Some((group(i)?.to_owned(), l))));
    let all = items.iter().filter(|i| i.label == Label::Inject).count();
    let tool_like = items.iter().filter(|i| group(i) == Some("tool-like")).count();
    let names: BTreeSet<Family> = looks.iter().flat_map(|l| &l.families).copied().collect();
    let of_family = |family: Family| {
        let fires =
            |wanted: &dyn Fn(&Item) -> bool| seen().filter(|(i, l)| wanted(i) && l.families.contains(&family)).count();
        let attacks = fires(&|i| i.label == Label::Inject);
        let benign = fires(&|i| i.label == Label::Benign);
        OfFamily {
            family,
            attacks,
            benign,
            precision_percent: percent(attacks, attacks + benign),
            recall_percent: percent(attacks, all),
            false_positive_percent: percent(fires(&|i| group(i) == Some("tool-like")), tool_like),
        }
    };
    Shipped { in_sample: true, attacks, groups, families: names.into_iter().map(of_family).collect() }
}

fn blocked<'a>(texts: impl Iterator<Item = (String, &'a Look)>) -> Vec<Blocked> {
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (what, look) in texts {
        let (texts, blocked) = counts.entry(what).or_default();
        *texts += 1;
        *blocked += usize::from(look.blocks());
    }
    let row = |(what, (texts, blocked))| Blocked { what, texts, blocked, percent: percent(blocked, texts) };
    counts.into_iter().map(row).collect()
}
