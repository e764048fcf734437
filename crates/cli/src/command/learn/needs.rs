//! Facts of a run → what a policy would have to give, by cause, as narrow as it goes.

use crate::command::run::fact::Fact;
use crate::command::run::trail::Trails;
use crate::quote;
use ringfence_policy::pattern::Host;
use ringfence_policy::question::Question;
use ringfence_policy::scale::Effect;
use ringfence_sandbox::egress::Why;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What was needed and is not given.
#[derive(Debug, Default, Serialize)]
pub(super) struct Needs {
    /// Hosts, as an allowlist has them.
    pub(super) hosts: Vec<String>,
    /// Programs, as an allowlist has them.
    pub(super) programs: Vec<String>,
    /// Commands that open paths for a while.
    pub(super) grants: Vec<String>,
    /// What stays shut, with who keeps it so.
    pub(super) kept: Vec<String>,
}

/// So many files of one folder are one need.
const SEVERAL: usize = 3;

impl Needs {
    pub(super) fn new(facts: &[Fact], trails: &Trails) -> Self {
        let mut hosts: BTreeMap<String, BTreeSet<u16>> = BTreeMap::new();
        let mut files: BTreeMap<bool, BTreeSet<PathBuf>> = BTreeMap::new();
        let mut programs = BTreeSet::new();
        let mut kept = BTreeSet::new();
        // What was let through as a name and then stopped was not reached.
        let mut refused = BTreeSet::new();
        let (stopped, others): (Vec<&Fact>, _) = facts.iter().partition(|f| matches!(f, Fact::Refused { .. }));
        for fact in stopped.into_iter().chain(others) {
            let Some(question) = fact.questions().pop() else { continue };
            if trails.why(&question).0 == Effect::Allow {
                continue;
            }
            if let Err(by) = trails.admits(&question) {
                let by = by.first().map(|b| format!("  ({} of `{}`)", b.entry.rule_id, b.entry.document));
                kept.insert(format!("{question}{}", by.unwrap_or_default()));
                continue;
            }
            if let Fact::Refused { why, .. } = fact
                && !matches!(why, Why::NameNotAllowed | Why::PortNotAllowed)
            {
                kept.insert(format!("{question}  ({})", why.words()));
                refused.insert(question.to_string());
                continue;
            }
            match (fact, &question) {
                (Fact::Reached { .. } | Fact::Refused { .. }, Question::Net { host, port })
                    if is_name(host) && !refused.contains(&question.to_string()) =>
                {
                    hosts.entry(host.as_str().to_owned()).or_default().insert(*port);
                }
                (Fact::Started { path }, Question::Exec(_)) => _ = programs.insert(path.clone()),
                (Fact::File { path, write }, _) => _ = files.entry(*write).or_default().insert(PathBuf::from(path)),
                _ => {}
            }
        }
        let grants = files.iter().flat_map(|(write, paths)| {
            let verb = if *write { "write" } else { "read" };
            let line = move |p: PathBuf| format!("ringfence allow {verb} {} --for 8h --reason '…'", quote::path(&p));
            collapsed(paths).into_iter().map(line)
        });
        Self {
            hosts: hosts.iter().flat_map(rules).collect(),
            programs: programs.into_iter().collect(),
            grants: grants.collect(),
            kept: kept.into_iter().collect(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.hosts.is_empty() && self.programs.is_empty() && self.grants.is_empty() && self.kept.is_empty()
    }
}

/// Whether a name leads to it: an address is never proposed.
fn is_name(host: &Host<'_>) -> bool {
    !host.is_address()
}

/// A host with the ports it was reached on. A bare name stands for both web ports, so one of them is spelt out.
fn rules((name, ports): (&String, &BTreeSet<u16>)) -> Vec<String> {
    if ports.contains(&80) && ports.contains(&443) && ports.len() == 2 {
        return vec![name.clone()];
    }
    ports.iter().map(|port| format!("{name}:{port}")).collect()
}

/// Paths, with several files of one folder taken together. A folder is never wider than where the files lie.
fn collapsed(paths: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let mut folders: BTreeMap<&Path, usize> = BTreeMap::new();
    for parent in paths.iter().filter_map(|p| p.parent()) {
        *folders.entry(parent).or_default() += 1;
    }
    let wide = |p: &Path| p.components().count() < 3;
    let taken: BTreeSet<&Path> = folders.iter().filter(|(p, n)| **n >= SEVERAL && !wide(p)).map(|(p, _)| *p).collect();
    let alone = paths.iter().filter(|p| !p.ancestors().any(|a| taken.contains(a))).cloned();
    let mut out: Vec<PathBuf> = taken.iter().map(|p| p.to_path_buf()).chain(alone).collect();
    out.sort();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(paths: &[&str]) -> BTreeSet<PathBuf> {
        paths.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn several_files_are_a_folder_and_a_top_folder_is_never_proposed() {
        let paths = set(&["/srv/data/a", "/srv/data/b", "/srv/data/c", "/srv/data/d/e", "/opt/x", "/y", "/z", "/w"]);
        let want: Vec<PathBuf> = ["/opt/x", "/srv/data", "/w", "/y", "/z"].iter().map(PathBuf::from).collect();
        assert_eq!(collapsed(&paths), want);
    }

    #[test]
    fn a_host_has_only_the_ports_that_were_used() {
        let name = "a.example".to_owned();
        assert_eq!(rules((&name, &[443].into())), ["a.example:443"]);
        assert_eq!(rules((&name, &[80, 443].into())), ["a.example"]);
        assert_eq!(rules((&name, &[80, 443, 8443].into())), ["a.example:80", "a.example:443", "a.example:8443"]);
    }
}
