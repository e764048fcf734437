//! The semantic difference of two policy sets: not which lines changed, but which answers did.
//!
//! Every tool, host, path, program, module and model that either set speaks of is asked of both. Settings
//! that answer no question (limits, guards, budgets) are compared by strictness.

use crate::config::ProvenanceEntry;
use crate::decide::Index;
use crate::explain::because;
use crate::fields::{EffectiveFields, FieldId, FieldOrder};
use crate::pattern::{HostPattern, PathPattern};
use crate::policy_set::PolicySet;
use crate::provenance::Provenance;
use crate::question::Question;
use crate::resolve::Resolved;
use crate::scale::Effect;
use serde::Serialize;
use std::collections::BTreeMap;

/// In which direction something changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// More is allowed than before.
    Widened,
    /// Less is allowed than before.
    Narrowed,
    /// Neither is stricter.
    Changed,
}

/// One answer or setting that is not what it was.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// The direction.
    pub direction: Direction,
    /// `tool`, `net`, `read`, `write`, `exec`, `import`, `model` or `setting`.
    pub kind: &'static str,
    /// The question, or the field's path.
    pub subject: String,
    /// What held.
    pub before: String,
    /// What holds.
    pub after: String,
    /// Who decides now.
    pub because: Vec<ProvenanceEntry>,
}

/// The difference.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Diff {
    /// What changed, widened first.
    pub changes: Vec<Change>,
    /// How many answers were compared, by kind.
    pub compared: BTreeMap<&'static str, usize>,
    /// How many answers stayed the same, by kind.
    pub unchanged: BTreeMap<&'static str, usize>,
}

/// One side, ready to be asked.
struct Side<'a> {
    resolved: Resolved<'a>,
    index: Index,
    provenance: Provenance,
}

impl<'a> Side<'a> {
    fn new(set: &'a PolicySet) -> Self {
        let resolved = Resolved::new(&set.cascade, set.catalog.as_ref());
        let index = Index::new(&resolved, &set.spec);
        let provenance = Provenance::new(resolved.ledger.clone());
        Self { resolved, index, provenance }
    }
}

/// Compares two policy sets.
pub fn diff(before: &PolicySet, after: &PolicySet) -> Diff {
    let (old, new) = (Side::new(before), Side::new(after));
    let mut questions = BTreeMap::new();
    collect(before, &old.resolved, &mut questions);
    collect(after, &new.resolved, &mut questions);
    let mut out = Diff { changes: Vec::new(), compared: BTreeMap::new(), unchanged: BTreeMap::new() };
    for question in questions.values() {
        let (a, b) = (old.index.decide(question), new.index.decide(question));
        *out.compared.entry(question.verb()).or_default() += 1;
        if a.effect == b.effect {
            *out.unchanged.entry(question.verb()).or_default() += 1;
            continue;
        }
        let trail = because(&new.provenance, b.effect, &new.index.trail(question, &b));
        out.changes.push(Change {
            direction: direction(a.effect, b.effect),
            kind: question.verb(),
            subject: question.to_string(),
            before: a.effect.to_string(),
            after: b.effect.to_string(),
            because: trail.into_iter().filter(|t| t.decisive).map(|t| t.entry).collect(),
        });
    }
    settings(&old, &new, &mut out);
    out.changes.sort_by(|a, b| (a.direction, a.kind, &a.subject).cmp(&(b.direction, b.kind, &b.subject)));
    out
}

fn direction(before: Effect, after: Effect) -> Direction {
    if after < before { Direction::Widened } else { Direction::Narrowed }
}

fn settings(old: &Side<'_>, new: &Side<'_>, out: &mut Diff) {
    let fields = |side: &Side<'_>| side.resolved.fields.clone().with_defaults();
    let (a, b): (EffectiveFields, EffectiveFields) = (fields(old), fields(new));
    for (field, order, before, after) in a.compare_settings(&b) {
        *out.compared.entry("setting").or_default() += 1;
        let direction = match order {
            FieldOrder::Same => {
                *out.unchanged.entry("setting").or_default() += 1;
                continue;
            }
            FieldOrder::Looser => Direction::Widened,
            FieldOrder::Stricter => Direction::Narrowed,
            FieldOrder::Neither => Direction::Changed,
        };
        out.changes.push(Change {
            direction,
            kind: "setting",
            subject: field.path().to_owned(),
            before,
            after,
            because: stated(new, field),
        });
    }
}

fn stated(side: &Side<'_>, field: FieldId) -> Vec<ProvenanceEntry> {
    let r = &side.resolved;
    r.ledger.wholes(field, r.fields.stated_by(field)).filter_map(|s| side.provenance.entry(s)).collect()
}

/// Every question a set speaks of, by its text.
fn collect(set: &PolicySet, resolved: &Resolved<'_>, out: &mut BTreeMap<String, Question>) {
    let mut ask = |text: String| {
        if let Ok(question) = Question::parse(&text) {
            out.entry(question.to_string()).or_insert(question);
        }
    };
    for verdict in &resolved.tools.tools {
        ask(format!("tool {}", sample(&verdict.pattern)));
    }
    for tool in set.catalog.iter().flat_map(|c| c.tools()) {
        ask(format!("tool {}", tool.name));
    }
    ask("tool any-other-tool".to_owned());
    ask("net any-other-name.invalid".to_owned());
    for path in ["any-file", "~/any-file", "/tmp/any-file", "/var/any-file"] {
        ask(format!("read {path}"));
        ask(format!("write {path}"));
    }
    for contribution in set.cascade.contributions() {
        let f = &contribution.fields;
        for pattern in f.network_allowlist.iter().flat_map(|s| s.value.members()) {
            ask(host_question(pattern));
        }
        for pattern in f.fs_hidden.iter().chain(&f.fs_protected).flat_map(|s| s.value.members()) {
            ask(format!("read {}", PathPattern::sample(pattern)));
            ask(format!("write {}", PathPattern::sample(pattern)));
        }
        for root in f.fs_readable.iter().chain(&f.fs_writable).flat_map(|s| s.value.members()) {
            ask(format!("read {root}"));
            ask(format!("write {root}"));
        }
        for program in f.exec_allowlist.iter().flat_map(|s| s.value.members()) {
            ask(format!("exec {program}"));
        }
        for program in f.exec_denied.iter().flat_map(|s| s.value.members()) {
            ask(format!("exec {program}"));
        }
        for module in f.allowed_imports.iter().flat_map(|s| s.value.members()) {
            ask(format!("import {module}"));
        }
        for module in f.denied_imports.iter().flat_map(|s| s.value.members()) {
            ask(format!("import {module}"));
        }
        for model in f.models.iter().flat_map(|s| s.value.members()) {
            ask(format!("model {}", sample(model)));
        }
    }
    ask("exec any-other-program".to_owned());
    ask("import any_other_module".to_owned());
    ask("model any-other-model".to_owned());
}

fn host_question(pattern: &HostPattern) -> String {
    let (_, _, port) = pattern.parts();
    let host = pattern.sample();
    if host.contains(':') { format!("net [{host}]:{port}") } else { format!("net {host}:{port}") }
}

/// A name that a pattern covers, readable for a person.
fn sample(pattern: &crate::pattern::NamePattern) -> String {
    if pattern.is_prefix() { format!("{}any-other", pattern.stem()) } else { pattern.stem().to_owned() }
}
