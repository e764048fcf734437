//! Contributions by level: their union, the violations among them, and the effective policy.
//!
//! Combining two cascades is a union of contributions, so `merge` is associative, commutative and
//! idempotent. Violations are computed from the raw contributions, never from pre-merged pairs: with
//! org = block, project = log, agent = block, a pre-merged project and agent would hide the relaxation.

use crate::diagnostic::{Code, Diagnostic, Role};
use crate::fields::{EffectiveFields, FieldId, Fields, PairVisitor};
use crate::ledger::Statements;
use crate::level::{Level, Origin};
use crate::scale::{ExecMode, NetworkMode};
use crate::span::Place;
use crate::strictness::{Stated, Strictness};
use std::cmp::Ordering;
use std::sync::Arc;

/// What one document, or one rule of a pack, states at one level.
#[derive(Debug, Clone)]
pub struct Contribution {
    /// Where it comes from.
    pub origin: Origin,
    /// What it states.
    pub fields: Fields,
    /// The same as a list of statements under rule ids, made once.
    pub(crate) statements: Arc<Statements>,
}

impl PartialEq for Contribution {
    fn eq(&self, other: &Self) -> bool {
        self.origin == other.origin && self.fields == other.fields
    }
}

impl Contribution {
    /// Wraps statements. A list stated without its mode states the mode too: an allowlist that something
    /// looser beside it could switch off would be no statement at all.
    pub fn new(origin: Origin, mut fields: Fields) -> Self {
        if let (None, Some(list)) = (&fields.network_mode, &fields.network_allowlist) {
            fields.network_mode = Some(Stated { value: NetworkMode::Allowlist, place: list.place, items: Vec::new() });
        }
        if let (None, Some(list)) = (&fields.exec_mode, &fields.exec_allowlist) {
            fields.exec_mode = Some(Stated { value: ExecMode::Allowlist, place: list.place, items: Vec::new() });
        }
        let statements = Arc::new(Statements::new(origin.clone(), &fields));
        Self { origin, fields, statements }
    }

    fn order(&self, other: &Self) -> Ordering {
        self.origin.cmp(&other.origin).then_with(|| {
            if self.fields == other.fields {
                Ordering::Equal
            } else {
                // Two different documents with one name: any fixed order will do.
                format!("{:?}", self.fields).cmp(&format!("{:?}", other.fields))
            }
        })
    }
}

/// The contributions of all levels, sorted by level and origin, without duplicates.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cascade {
    contributions: Vec<Arc<Contribution>>,
}

/// One side of a violation.
#[derive(Debug, Clone, PartialEq)]
pub struct Side {
    /// Which contribution, as an index into the cascade.
    pub contribution: usize,
    /// Where.
    pub place: Place,
    /// What it says.
    pub words: String,
}

/// A statement that is looser than one above it.
#[derive(Debug, Clone, PartialEq)]
pub struct Violation {
    /// The field.
    pub field: FieldId,
    /// What was stated below.
    pub attempt: Side,
    /// What stands above: the floors it breaks, from the top down.
    pub floors: Vec<Side>,
}

impl Cascade {
    /// The cascade of these contributions.
    pub fn new(contributions: impl IntoIterator<Item = Contribution>) -> Self {
        Self::from_shared(contributions.into_iter().map(Arc::new).collect())
    }

    fn from_shared(mut contributions: Vec<Arc<Contribution>>) -> Self {
        contributions.sort_by(|a, b| a.order(b));
        contributions.dedup();
        Self { contributions }
    }

    /// The union of two cascades.
    #[must_use]
    pub fn merge(&self, other: &Self) -> Self {
        Self::from_shared(self.contributions.iter().chain(&other.contributions).cloned().collect())
    }

    /// All contributions, from the top level down.
    pub fn contributions(&self) -> &[Arc<Contribution>] {
        &self.contributions
    }

    /// The strictest of everything.
    pub fn effective(&self) -> EffectiveFields {
        EffectiveFields::fold(self.contributions.iter().map(|c| &c.fields))
    }

    /// Every statement that relaxes a level above, each with the floors it breaks.
    pub fn violations(&self) -> Vec<Violation> {
        let mut out = Vec::new();
        for (i, below) in self.contributions.iter().enumerate() {
            if below.origin.clamps {
                continue;
            }
            let mut found = Relaxations { below: i, above: 0, out: Vec::new() };
            for (j, above) in self.contributions.iter().enumerate() {
                if above.origin.level >= below.origin.level {
                    break;
                }
                found.above = j;
                below.fields.visit_pairs(&above.fields, &mut found);
            }
            out.extend(found.out);
        }
        out
    }

    /// The origin of a contribution.
    pub fn origin(&self, index: usize) -> Option<&Origin> {
        self.contributions.get(index).map(|c| &c.origin)
    }

    /// The violations as errors with both places.
    pub fn violation_errors(&self) -> Vec<Diagnostic> {
        self.violations().iter().filter_map(|v| self.describe(v)).collect()
    }

    fn describe(&self, violation: &Violation) -> Option<Diagnostic> {
        let attempt = &violation.attempt;
        let floor = violation.floors.first()?;
        let (below, above) = (self.origin(attempt.contribution)?, self.origin(floor.contribution)?);
        let path = violation.field.path();
        let mut d = Diagnostic::error(
            Code::CascadeViolation,
            format!("the {} level relaxes `{path}` set by the {} level", below.level, above.level),
        )
        .at(attempt.place, format!("stated here: {}", attempt.words))
        .label(floor.place, Role::Floor, format!("floor: {}, set by {}", floor.words, above.who()));
        for also in violation.floors.iter().skip(1) {
            let who = self.origin(also.contribution).map(Origin::who).unwrap_or_default();
            d = d.label(also.place, Role::Floor, format!("floor: {}, set by {who}", also.words));
        }
        d.attempt = Some(attempt.words.clone());
        d.floor = Some(floor.words.clone());
        d.set_by = Some(above.who());
        Some(d.help(format!(
            "remove the statement or make it at least as strict as `{}`; only {} can change the floor",
            floor.words,
            match above.level {
                Level::Org => "the organisation",
                Level::Project => "the project",
                Level::Agent => "the agent's owner",
                Level::Session | Level::Host => "the operator",
            }
        )))
    }
}

struct Relaxations {
    below: usize,
    above: usize,
    out: Vec<Violation>,
}

impl PairVisitor for Relaxations {
    fn pair<T: Strictness>(&mut self, field: FieldId, below: &Stated<T>, above: &Stated<T>) {
        for r in below.value.relaxations(&above.value) {
            let attempt =
                Side { contribution: self.below, place: below.place_of(r.attempt_item.as_ref()), words: r.attempt };
            let floor = Side { contribution: self.above, place: above.place_of(r.floor_item.as_ref()), words: r.floor };
            match self.out.iter_mut().find(|v| v.field == field && v.attempt == attempt) {
                Some(known) => known.floors.push(floor),
                None => self.out.push(Violation { field, attempt, floors: vec![floor] }),
            }
        }
    }
}
