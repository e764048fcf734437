//! Leave one source out: what models find in texts of a source that they never saw.

use super::kind::{form, is_plain, kind};
use super::shipped::Look;
use super::tally::{Flagged, Flags, Percent, Row};
use crate::command::train::corpus::Item;
use crate::command::train::folds::Folds;
use crate::command::train::samples::{Group, is_tool_like, samples};
use crate::command::train::threshold::{PERMILLE, Ranked};
use crate::failure::Failure;
use crate::output::Output;
use ringfence_guard::train::{Label, Settings, prepare};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Instant;

/// What was found without having seen the source.
#[derive(Debug, Serialize)]
pub(super) struct HeldOut {
    pub(super) folds: usize,
    /// What the three thresholds were set by.
    pub(super) tool_like: usize,
    /// Raw scores at 0.1, 0.5 and 1 % false positives.
    pub(super) thresholds: [f32; 3],
    /// All attacks that are not encoded, then all.
    pub(super) overall: Vec<Row>,
    /// The mean over sources of attacks, each counting the same.
    pub(super) mean_of_sources: Percent,
    /// Explicit and implicit, by form.
    pub(super) kinds: Vec<Row>,
    /// By source and form.
    pub(super) sources: Vec<Row>,
    /// By category, encoded ones left out.
    pub(super) categories: Vec<Row>,
    pub(super) encodings: Vec<Encoding>,
    /// False positives by group; the shares of `mention` that are flagged stand beside them.
    pub(super) groups: Vec<Row>,
    /// False positives of tool-like texts, by source.
    pub(super) benign_sources: Vec<Row>,
}

/// One encoding, beside the plain texts of the same sources.
#[derive(Debug, Serialize)]
pub(super) struct Encoding {
    #[serde(flatten)]
    pub(super) row: Row,
    /// The recall of plain texts, sources weighed as in this encoding.
    pub(super) plain: Percent,
}

/// Learns without each source in turn and measures on it.
pub(super) fn measure(items: &[Item], looks: &[Look], variation: u64, output: &Output) -> Result<HeldOut, Failure> {
    let start = Instant::now();
    let made = samples(items, variation)?;
    let prepared = prepare(&made.list);
    drop(made);
    output.note(&format!("prepared ({:.1} s)\n", start.elapsed().as_secs_f32()));
    let folds = Folds::new(&prepared, items)?;
    let scores = folds.scores(&prepared, &Settings::default(), items.len(), output);
    let benign: Vec<f32> = items.iter().zip(&scores).filter(|(i, _)| is_tool_like(i)).map(|(_, s)| *s).collect();
    let tool_like = benign.len();
    let ranked = Ranked::new(benign)
        .ok_or_else(|| Failure::Usage("the corpus has no benign text like tool output".to_owned()))?;
    let thresholds = PERMILLE.map(|p| ranked.threshold(p));
    let flags: Vec<Flags> = scores
        .iter()
        .zip(looks)
        .map(|(score, look)| {
            let [low, middle, high] = thresholds.map(|t| *score >= t);
            [low, middle, high, middle || look.signal]
        })
        .collect();
    Ok(figures(Flagged { items, flags: &flags }, folds.names.len(), tool_like, thresholds))
}

fn figures(flagged: Flagged<'_>, folds: usize, tool_like: usize, thresholds: [f32; 3]) -> HeldOut {
    let attack = |i: &Item| i.label == Label::Inject;
    let encoded = |i: &Item| i.form == "obfuscated";
    let mut overall = flagged.by(|i| (attack(i) && !encoded(i)).then_some(("all but encoded", "")));
    overall.extend(flagged.by(|i| attack(i).then_some(("all", ""))));
    let whole = flagged.by(|i| (attack(i) && !encoded(i)).then_some((i.source.as_str(), "all but encoded")));
    let mut sources = whole.clone();
    sources.extend(flagged.by(|i| attack(i).then_some((i.source.as_str(), form(i)))));
    sources.sort_by(|a, b| a.what.cmp(&b.what));
    HeldOut {
        folds,
        tool_like,
        thresholds,
        overall,
        mean_of_sources: mean(&whole),
        kinds: flagged.by(|i| attack(i).then_some((kind(i), form(i)))),
        sources,
        categories: flagged.by(|i| (attack(i) && !encoded(i)).then_some((i.category.as_str(), ""))),
        encodings: encodings(flagged),
        groups: flagged.by(|i| group(i).map(|g| (g, ""))),
        benign_sources: flagged.by(|i| is_tool_like(i).then_some((i.source.as_str(), ""))),
    }
}

/// The group that a text without an attack is measured in.
pub(super) fn group(item: &Item) -> Option<&'static str> {
    match (item.label, Group::of(item)) {
        (Label::Inject, _) => None,
        (Label::Mention, _) => Some("mention"),
        (Label::Benign, Group::Tool) => Some("tool-like"),
        (Label::Benign, Group::UserPrompt) => Some("user-prompt"),
        (Label::Benign, Group::ModelDocs) if item.category == "llm-docs" => Some("llm-docs"),
        (Label::Benign, Group::ModelDocs) => Some("agent-docs"),
        (Label::Benign, Group::Encoded) => Some("encoded-benign"),
    }
}

fn mean(rows: &[Row]) -> Percent {
    let mut sums = [0.0; super::tally::COLUMNS];
    for row in rows {
        for (sum, share) in sums.iter_mut().zip(row.percent.columns()) {
            *sum += share / rows.len() as f64;
        }
    }
    Percent::from_columns(sums)
}

fn encodings(flagged: Flagged<'_>) -> Vec<Encoding> {
    let is_encoded = |i: &Item| i.label == Label::Inject && i.form == "obfuscated";
    let plain = flagged.by(|i| (i.label == Label::Inject && is_plain(i)).then_some((i.source.as_str(), "")));
    let plain: BTreeMap<String, Percent> = plain.into_iter().map(|r| (r.what, r.percent)).collect();
    let mut rows = flagged.by(|i| is_encoded(i).then_some(("all encodings", "")));
    rows.extend(flagged.by(|i| is_encoded(i).then_some((i.category.as_str(), ""))));
    let beside = |row: Row| {
        let every = row.what == "all encodings";
        let of_row = flagged.items.iter().filter(|i| is_encoded(i) && (every || i.category == row.what));
        let shares: Vec<Row> = of_row
            .filter_map(|i| plain.get(&i.source))
            .map(|percent| Row { what: String::new(), form: String::new(), texts: 1, percent: *percent })
            .collect();
        Encoding { plain: mean(&shares), row }
    };
    rows.into_iter().map(beside).collect()
}
