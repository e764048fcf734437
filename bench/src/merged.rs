//! The work an engine may do once, at load time, before the first question.
//!
//! In: the levels. Out: one set of patterns with the effect that holds at each, one host list, one
//! set of forbidden capabilities, and for each tool of the catalog the pattern that decides it.
//! Cedar and regorus both get this in their indexed encodings, so that neither has to fold three
//! levels or match names on every question.
//!
//! Why merging patterns is exact: take a name and the most specific pattern `p`, over all levels,
//! that matches it. What a level says at the name is what it says at `p`, because none of its
//! patterns lies between the two. So the effect at `p` is the strictest of the levels' effects at `p`.

use std::collections::BTreeSet;

use ringfence_workload::{HostPattern, LevelRules, RuleMap, ToolPattern, Workload};

/// The three levels folded into one.
#[derive(Clone, Debug)]
pub struct Merged {
    pub tools: RuleMap,
    pub hosts: Vec<HostPattern>,
    pub forbidden: BTreeSet<String>,
}

impl Merged {
    pub fn new(workload: &Workload) -> Self {
        let forbidden = workload.levels.iter().flat_map(|level| level.forbidden.iter().cloned());
        Self {
            tools: merged_tools(&workload.levels),
            hosts: merged_hosts(&workload.levels),
            forbidden: forbidden.collect(),
        }
    }

    /// The most specific merged pattern that matches a tool: the one that decides.
    pub fn narrowest(&self, tool: &str) -> Option<ToolPattern> {
        let chain = self.tools.chain(&ToolPattern::Exact(tool.to_owned()));
        chain.into_iter().next_back().map(|(pattern, _)| pattern)
    }
}

/// A pattern that repeats what the next wider one says is left out: it decides nothing.
fn merged_tools(levels: &[LevelRules]) -> RuleMap {
    let maps: Vec<RuleMap> = levels.iter().map(|level| RuleMap::of_rules(&level.tools)).collect();
    let rules = levels.iter().flat_map(|level| level.tools.iter());
    let mut patterns: Vec<&ToolPattern> = rules.map(|rule| &rule.pattern).collect();
    patterns.sort_by_key(|pattern| pattern.specificity());
    let mut merged = RuleMap::default();
    for pattern in patterns {
        let strictest = maps.iter().filter_map(|map| map.at(pattern)).max();
        if let Some(effect) = strictest.filter(|&effect| merged.at(pattern) != Some(effect)) {
            merged.insert(pattern.clone(), effect);
        }
    }
    merged
}

fn merged_hosts(levels: &[LevelRules]) -> Vec<HostPattern> {
    let lists = levels.iter().filter_map(|level| level.hosts.clone());
    lists.reduce(|above, below| intersection(&above, &below)).unwrap_or_default()
}

/// Of any two patterns one covers the other or they share no host, so the narrower one is the intersection.
fn intersection(left: &[HostPattern], right: &[HostPattern]) -> Vec<HostPattern> {
    let pairs = left.iter().flat_map(|l| right.iter().map(move |r| (l, r)));
    let narrower = pairs.filter_map(|(l, r)| match (l.covers(r), r.covers(l)) {
        (true, _) => Some(r.clone()),
        (_, true) => Some(l.clone()),
        _ => None,
    });
    narrower.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The spellings under which a host can stand on a list: itself, and a dot before each parent domain.
///
/// This looks at the question alone, never at a rule. Cedar cannot take a string apart, so the
/// caller does it, inside the measured time; regorus gets the same list to be even.
pub fn spellings(host: &str) -> Vec<&str> {
    let dots = host.match_indices('.').filter_map(|(at, _)| host.get(at..));
    std::iter::once(host).chain(dots).collect()
}

/// The one spelling of a list entry that [`spellings`] of a matching host contains.
pub fn spelling(pattern: &HostPattern) -> String {
    match pattern {
        HostPattern::Exact(name) => name.clone(),
        HostPattern::Below(domain) => format!(".{domain}"),
    }
}
