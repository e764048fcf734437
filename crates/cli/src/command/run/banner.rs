//! The five lines before a run: what the box is, what it refused just now, and what it lets through.

use super::prepare::Prepared;
use crate::output::{shown, shown_path};
use ringfence_policy::scale::{FsPermission, NetworkMode, Tier};
use ringfence_policy::slice::Limits;
use ringfence_sandbox::{Place, Started};
use std::path::Path;

/// What is known before the box stands.
#[derive(Debug)]
pub(super) struct Banner {
    policy: String,
    network: String,
    files: String,
    limits: String,
}

impl Banner {
    pub(super) fn new(prepared: &Prepared, place: &Place, log: &Path) -> Self {
        let from = match prepared.documents.as_slice() {
            [] => "the built-in policy (`ringfence init` writes one)".to_owned(),
            some => some.join(", "),
        };
        let limits = limits(&prepared.slice.limits);
        Self {
            policy: shown(&format!("sandbox `{}` from {from}, over the baseline", prepared.sandbox)),
            network: shown(&network(prepared)),
            files: shown(&files(prepared, place)),
            limits: format!("{limits}; log {}", shown_path(log)),
        }
    }

    /// All five lines.
    pub(super) fn lines(&self, started: &Started) -> String {
        format!(
            "ringfence: {}\n  tier     {}\n  network  {}\n  files    {}\n  limits   {}\n",
            self.policy,
            shown(&tier(started)),
            self.network,
            self.files,
            self.limits
        )
    }
}

/// The one line that is always shown: the box is weaker than it could be elsewhere.
pub(super) fn degraded(started: &Started) -> Option<String> {
    let weaker = started.tier != Tier::A || !started.given_up.is_empty();
    weaker.then(|| format!("ringfence: tier {}\n", shown(&tier(started))))
}

fn tier(started: &Started) -> String {
    let mut text = match started.tier {
        Tier::A => format!("A, namespaces, Landlock {} and seccomp", started.landlock),
        tier => format!("{tier}, Landlock {} and seccomp without namespaces", started.landlock),
    };
    if !started.refused.is_empty() {
        text.push_str(&format!("; just refused: {}", started.refused.join(", ")));
    }
    for (tier, why) in &started.not {
        text.push_str(&format!("; not {tier}: {why}"));
    }
    if !started.given_up.is_empty() {
        text.push_str(&format!("; NOT enforced, given up by name: {}", started.given_up.join(", ")));
    }
    text
}

fn network(prepared: &Prepared) -> String {
    const NAMED: usize = 4;
    let hosts = &prepared.slice.network_egress_allowlist;
    match prepared.slice.network_mode {
        NetworkMode::None => "none".into(),
        NetworkMode::Host => "the host's own, nothing is refused".into(),
        NetworkMode::Allowlist => {
            // Both web ports of a host are one host to a person.
            let mut names: Vec<&str> =
                hosts.iter().map(|h| h.trim_end_matches(":443").trim_end_matches(":80")).collect();
            names.dedup();
            let more = match names.len().saturating_sub(NAMED) {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            let granted = match prepared.grants.len() {
                0 => String::new(),
                n => format!("; {n} by timed grant"),
            };
            format!("only {}{more}{granted}", names.get(..NAMED).unwrap_or(&names).join(", "))
        }
    }
}

fn files(prepared: &Prepared, place: &Place) -> String {
    let fs = &prepared.slice.fs;
    let repo = place.repo.display();
    let given = match fs.permission {
        FsPermission::None => "no repo and no home".to_owned(),
        FsPermission::RepoReadonly => format!("{repo} to read"),
        FsPermission::RepoReadwrite => format!("{repo} to read and write"),
        FsPermission::Full => "everything".to_owned(),
    };
    format!("{given}; {} paths hidden, {} protected", fs.hidden.len(), fs.protected.len())
}

fn limits(limits: &Limits) -> String {
    let mut out = Vec::new();
    let bytes = |n: u64| match (n >> 30, n >> 20) {
        (g, _) if g > 0 && n.is_multiple_of(1 << 30) => format!("{g} GiB"),
        (_, m) if m > 0 => format!("{m} MiB"),
        _ => format!("{n} bytes"),
    };
    let seconds = |ms: u64| format!("{}.{:03} s", ms / 1000, ms % 1000).replace(".000", "");
    out.extend(limits.memory_bytes.map(|n| format!("memory {}", bytes(n))));
    out.extend(limits.processes.map(|n| format!("{n} processes")));
    out.extend(limits.cpu_ms.map(|n| format!("cpu {}", seconds(n))));
    out.extend(limits.wall_ms.map(|n| format!("time {}", seconds(n))));
    out.extend(limits.file_size_bytes.map(|n| format!("files of {}", bytes(n))));
    out.extend(limits.open_files.map(|n| format!("{n} open files")));
    if out.is_empty() { "none".into() } else { out.join(", ") }
}
