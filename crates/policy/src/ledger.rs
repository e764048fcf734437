//! The ledger: every statement of every contribution, each under a rule id.
//!
//! A rule id is the path of a field, with the item in brackets where the field is a collection:
//! `sandbox.network.mode`, `tools.rules[fs/read_*]`. Statements of several documents about the same thing
//! share a rule, so a rule's entries read as its history down the cascade. What is not a statement but
//! still decides something (silence, the catalog, the spec) gets a synthetic one: nothing is without a reason.

use crate::cascade::Cascade;
use crate::fields::{FieldId, FieldVisitor};
use crate::level::{IntroducedBy, Level, Origin};
use crate::scale::Effect;
use crate::span::Place;
use crate::strictness::{Stated, Strictness};
use hashbrown::HashMap;
use std::sync::Arc;

/// A statement, as an index into a [`Ledger`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StatementId(pub u32);

/// A rule, as an index into a [`Ledger`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(pub u32);

/// A statement that speaks for an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reason {
    /// What it speaks for.
    pub effect: Effect,
    /// The statement.
    pub statement: StatementId,
}

/// Where a statement was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement {
    /// Index of its origin.
    pub origin: u16,
    /// The rule it belongs to.
    pub rule: RuleId,
    /// Where it stands.
    pub place: Place,
}

/// A rule with its statements, from the top level down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Its id.
    pub id: String,
    /// Its statements.
    pub statements: Vec<StatementId>,
}

/// All statements.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    origins: Vec<Origin>,
    rules: Vec<Rule>,
    statements: Vec<Statement>,
    /// First statement of a field in a contribution: the whole value, followed by its items.
    starts: HashMap<(u16, FieldId), u32>,
    by_id: HashMap<String, RuleId>,
}

/// The id of a rule: the field's path, and the item in brackets.
pub fn rule_id(field: FieldId, item: Option<&str>) -> String {
    match item {
        None => field.path().to_owned(),
        Some(item) => {
            let path = field.path();
            let mut id = String::with_capacity(path.len() + item.len() + 2);
            id.push_str(path);
            id.push('[');
            id.push_str(item);
            id.push(']');
            id
        }
    }
}

impl Ledger {
    /// Writes down everything a cascade states.
    pub fn new(cascade: &Cascade) -> Self {
        let mut ledger = Self::default();
        for (i, contribution) in (0u16..).zip(cascade.contributions()) {
            ledger.origins.push(contribution.origin.clone());
            contribution.fields.visit(&mut Writer { ledger: &mut ledger, origin: i });
        }
        ledger
    }

    /// Adds a statement that no document makes.
    pub fn synthetic(&mut self, id: String, origin: u16, place: Place) -> StatementId {
        self.add(id, origin, place)
    }

    /// Adds an origin for synthetic statements.
    pub fn add_origin(&mut self, document: &str, because: &str) -> u16 {
        let file: Arc<str> = Arc::from(format!("ringfence:{document}"));
        let mut origin = Origin::document(Level::Host, document, file);
        origin.introduced_by = IntroducedBy::Manual;
        origin.because = Some(Arc::from(because));
        self.push_origin(origin)
    }

    /// Adds an origin.
    pub fn push_origin(&mut self, origin: Origin) -> u16 {
        self.origins.push(origin);
        u16::try_from(self.origins.len().saturating_sub(1)).unwrap_or(u16::MAX)
    }

    fn add(&mut self, id: String, origin: u16, place: Place) -> StatementId {
        let statement = StatementId(u32::try_from(self.statements.len()).unwrap_or(u32::MAX));
        let next = RuleId(u32::try_from(self.rules.len()).unwrap_or(u32::MAX));
        let rule = *self.by_id.entry_ref(id.as_str()).or_insert(next);
        if rule == next {
            self.rules.push(Rule { id, statements: vec![statement] });
        } else if let Some(known) = self.rules.get_mut(rule.0 as usize) {
            known.statements.push(statement);
        }
        self.statements.push(Statement { origin, rule, place });
        statement
    }

    /// The statement of a whole field in a contribution.
    pub fn whole(&self, contribution: u16, field: FieldId) -> Option<StatementId> {
        self.starts.get(&(contribution, field)).map(|s| StatementId(*s))
    }

    /// The statement of the `n`th item of a field in a contribution.
    pub fn item(&self, contribution: u16, field: FieldId, n: usize) -> Option<StatementId> {
        let start = *self.starts.get(&(contribution, field))?;
        u32::try_from(n).ok()?.checked_add(start)?.checked_add(1).map(StatementId)
    }

    /// All statements of a whole field, from the top level down.
    pub fn wholes<'a>(&'a self, field: FieldId, by: &'a [u16]) -> impl Iterator<Item = StatementId> + 'a {
        by.iter().filter_map(move |c| self.whole(*c, field))
    }

    /// A statement.
    pub fn statement(&self, id: StatementId) -> Option<&Statement> {
        self.statements.get(id.0 as usize)
    }

    /// The rule of a statement.
    pub fn rule_of(&self, id: StatementId) -> Option<RuleId> {
        self.statement(id).map(|s| s.rule)
    }

    /// A rule.
    pub fn rule(&self, id: RuleId) -> Option<&Rule> {
        self.rules.get(id.0 as usize)
    }

    /// The rule with an id.
    pub fn find(&self, id: &str) -> Option<RuleId> {
        self.by_id.get(id).copied()
    }

    /// The statement that one contribution makes of a rule.
    pub fn statement_by(&self, rule: &str, contribution: u16) -> Option<StatementId> {
        let rule = self.rule(self.find(rule)?)?;
        rule.statements.iter().copied().find(|s| self.statement(*s).is_some_and(|s| s.origin == contribution))
    }

    /// All rules, in the order they were met.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The origin of a statement.
    pub fn origin(&self, index: u16) -> Option<&Origin> {
        self.origins.get(index as usize)
    }
}

struct Writer<'l> {
    ledger: &'l mut Ledger,
    origin: u16,
}

impl FieldVisitor for Writer<'_> {
    fn field<T: Strictness>(&mut self, field: FieldId, stated: &Stated<T>) {
        use std::fmt::Write as _;
        let start = self.ledger.add(rule_id(field, None), self.origin, stated.place);
        self.ledger.starts.insert((self.origin, field), start.0);
        let path = field.path();
        for (item, place) in &stated.items {
            let mut id = String::with_capacity(path.len() + 32);
            // Writing to a String cannot fail.
            let _ = write!(id, "{path}[{item}]");
            self.ledger.add(id, self.origin, *place);
        }
    }
}
