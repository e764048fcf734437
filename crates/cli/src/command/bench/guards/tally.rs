//! Scores and thresholds in, shares of texts that are flagged out.

use crate::command::train::corpus::Item;
use serde::Serialize;
use std::collections::BTreeMap;

/// How many columns there are: at 0.1, 0.5 and 1 % false positives, and the whole scanner.
pub(super) const COLUMNS: usize = 4;

/// Whether a text is flagged, in each column.
pub(super) type Flags = [bool; COLUMNS];

/// The share of some texts that is flagged, in per cent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub(super) struct Percent {
    pub(super) at_0_1: f64,
    pub(super) at_0_5: f64,
    pub(super) at_1: f64,
    /// The model at 0.5 %, or an exact signal of severity error or worse.
    pub(super) scanner: f64,
}

impl Percent {
    fn of(flagged: [usize; COLUMNS], texts: usize) -> Self {
        let [at_0_1, at_0_5, at_1, scanner] = flagged.map(|n| percent(n, texts));
        Self { at_0_1, at_0_5, at_1, scanner }
    }

    /// The columns in order.
    pub(super) fn columns(self) -> [f64; COLUMNS] {
        [self.at_0_1, self.at_0_5, self.at_1, self.scanner]
    }

    /// From the columns in order.
    pub(super) fn from_columns([at_0_1, at_0_5, at_1, scanner]: [f64; COLUMNS]) -> Self {
        Self { at_0_1, at_0_5, at_1, scanner }
    }
}

/// A share in per cent; nothing of nothing is zero.
pub(super) fn percent(part: usize, whole: usize) -> f64 {
    part as f64 * 100.0 / whole.max(1) as f64
}

/// One line of a table.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Row {
    pub(super) what: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) form: String,
    pub(super) texts: usize,
    pub(super) percent: Percent,
}

/// Texts and whether they are flagged.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flagged<'a> {
    pub(super) items: &'a [Item],
    pub(super) flags: &'a [Flags],
}

impl Flagged<'_> {
    /// A row for each key that texts have, in the order of keys.
    pub(super) fn by<'k>(&'k self, key: impl Fn(&'k Item) -> Option<(&'k str, &'k str)>) -> Vec<Row> {
        let mut counts: BTreeMap<(&str, &str), (usize, [usize; COLUMNS])> = BTreeMap::new();
        for (item, flags) in self.items.iter().zip(self.flags) {
            let Some(key) = key(item) else { continue };
            let (texts, flagged) = counts.entry(key).or_default();
            *texts += 1;
            for (count, flag) in flagged.iter_mut().zip(flags) {
                *count += usize::from(*flag);
            }
        }
        let row = |((what, form), (texts, flagged)): ((&str, &str), (usize, [usize; COLUMNS]))| Row {
            what: what.to_owned(),
            form: form.to_owned(),
            texts,
            percent: Percent::of(flagged, texts),
        };
        counts.into_iter().map(row).collect()
    }
}
