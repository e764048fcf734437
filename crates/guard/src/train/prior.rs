//! What an exact signal weighs: set, not learnt, so that no source of attacks teaches the model that its favourite
//! phrase is the only one that counts.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::prepare::Prepared;
use crate::finding::Severity;
use crate::reading::signal_key;
use crate::rule::Family;
use crate::signal::rules;

const SEVERITIES: [Severity; 4] = [Severity::Info, Severity::Warn, Severity::Error, Severity::Critical];

/// The weight of each signal that occurs, by the number of its key, `unit` times what is set here.
pub(crate) fn weights(prepared: &Prepared, unit: f32) -> BTreeMap<u32, f32> {
    let numbers: HashMap<u64, u32> = prepared.keys.iter().copied().zip(0..).collect();
    let all = rules().flat_map(|rule| SEVERITIES.map(|severity| (rule, severity)));
    all.filter_map(|(rule, severity)| {
        let number = numbers.get(&signal_key(rule, severity))?;
        Some((*number, weight(rule.family, severity) * unit))
    })
    .collect()
}

fn weight(family: Family, severity: Severity) -> f32 {
    match (family, severity) {
        // A key, a path or a hidden element is worth a finding of its own; it says nothing about orders.
        (Family::Secret | Family::Traversal | Family::Url | Family::Hidden, _) => 0.0,
        (_, Severity::Info) => 2.0,
        (_, Severity::Warn) => 14.0,
        (_, Severity::Error) => 40.0,
        (_, Severity::Critical) => 80.0,
    }
}
