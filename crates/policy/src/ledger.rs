//! The ledger: every statement of every contribution, each under a rule id.
//!
//! A rule id is the path of a field, with the item in brackets where the field is a collection:
//! `sandbox.network.mode`, `tools.rules[fs/read_*]`. Statements of several documents about the same thing
//! share a rule, so a rule's entries read as its history down the cascade. What is not a statement but
//! still decides something (silence, the catalog, the spec) gets a synthetic one: nothing is without a reason.
//!
//! A contribution writes its [`Statements`] once, when it is made; a ledger only lines them up.

use crate::cascade::Cascade;
use crate::fields::{FIELDS, FieldId, FieldVisitor, Fields};
use crate::level::{IntroducedBy, Level, Origin};
use crate::scale::Effect;
use crate::span::Place;
use crate::strictness::{Stated, Strictness};
use serde_json::{Value as Json, json};
use std::cmp::Ordering;
use std::fmt::Write as _;
use std::sync::Arc;

/// A statement, as an index into a [`Ledger`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StatementId(pub u32);

/// A rule, as an index into a [`Ledger`]. Rules are numbered in the order of their ids.
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

/// The statements of one contribution: for each field the whole, then its items.
#[derive(Debug, Clone)]
pub(crate) struct Statements {
    list: Vec<Written>,
    /// Where a field's statements start; `NOT_STATED` where it has none.
    starts: [u32; FIELDS.len()],
    /// The list in the order of ids.
    sorted: Vec<u32>,
    origin: Arc<Origin>,
    /// The hashed JSON of every entry, one after the other.
    entries: Arc<[u8]>,
}

/// One statement, and where its hashed JSON ends.
#[derive(Debug, Clone)]
struct Written {
    id: Arc<str>,
    place: Place,
    entry_end: u32,
}

const NOT_STATED: u32 = u32::MAX;

impl Statements {
    pub(crate) fn new(origin: &Origin, fields: &Fields) -> Self {
        let mut writer = Writer { list: Vec::new(), starts: [NOT_STATED; FIELDS.len()] };
        fields.visit(&mut writer);
        let Writer { mut list, starts } = writer;
        let mut sorted: Vec<u32> = (0..number(list.len())).collect();
        sorted.sort_by(|a, b| {
            let id = |n: &u32| list.get(*n as usize).map_or("", |w| &w.id);
            canonical_order(id(a), id(b))
        });
        let entries = write_entries(origin, &mut list);
        Self { list, starts, sorted, origin: Arc::new(origin.clone()), entries: entries.into() }
    }
}

/// Writes each statement's entry: canonical JSON, without `at` and without nulls.
fn write_entries(origin: &Origin, list: &mut [Written]) -> Vec<u8> {
    let mut out = Vec::new();
    for written in list {
        let mut entry = json!({
            "column": written.place.column,
            "document": &*origin.document,
            "introduced_by": origin.introduced_by,
            "line": written.place.line,
            "rule_id": &*written.id,
            "via_cascade_level": origin.level,
        });
        let optional = [
            ("operator", &origin.operator),
            ("via_category", &origin.category),
            ("via_compliance_pack", &origin.pack),
            ("via_concern", &origin.concern),
        ];
        if let Json::Object(map) = &mut entry {
            map.extend(optional.into_iter().filter_map(|(k, v)| Some((k.to_owned(), json!(v.as_deref()?)))));
        }
        out.extend_from_slice(entry.to_string().as_bytes());
        written.entry_end = number(out.len());
    }
    out
}

/// The order of keys in canonical JSON: by UTF-16 code units. It differs from the order of UTF-8 only where a
/// character beyond the basic plane meets one from its last part.
fn canonical_order(a: &str, b: &str) -> Ordering {
    let order = a.cmp(b);
    if order == Ordering::Equal || a.is_ascii() || b.is_ascii() { order } else { a.encode_utf16().cmp(b.encode_utf16()) }
}

struct Writer {
    list: Vec<Written>,
    starts: [u32; FIELDS.len()],
}

impl FieldVisitor for Writer {
    fn field<T: Strictness>(&mut self, field: FieldId, stated: &Stated<T>) {
        if let Some(start) = self.starts.get_mut(field.0 as usize) {
            *start = number(self.list.len());
        }
        let path = field.path();
        let written = |id: &str, place| Written { id: Arc::from(id), place, entry_end: 0 };
        self.list.push(written(path, stated.place));
        let mut id = String::new();
        for (item, place) in &stated.items {
            id.clear();
            // Writing to a String cannot fail.
            let _ = write!(id, "{path}[{item}]");
            self.list.push(written(&id, *place));
        }
    }
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
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
    entry: (u32, u32),
}

/// A rule: its id, and which part of the ledger's order holds its statements.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Its id.
    pub id: Arc<str>,
    first: u32,
    end: u32,
}

/// All statements.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    origins: Vec<Arc<Origin>>,
    /// For each contribution: where its statements start, and where each field starts among them.
    bases: Vec<(u32, [u32; FIELDS.len()])>,
    statements: Vec<Statement>,
    rules: Vec<Rule>,
    /// Statements in the order of their rules.
    order: Vec<StatementId>,
    /// The hashed JSON of the entries of each origin.
    entries: Vec<Arc<[u8]>>,
}

/// A statement that no document makes.
#[derive(Debug, Clone)]
pub struct Synthetic {
    /// The rule's id.
    pub id: &'static str,
    /// What makes it, such as `defaults`.
    pub by: &'static str,
    /// Why, in words.
    pub because: &'static str,
    /// Where it stands, if anywhere.
    pub place: Place,
}

/// The id of a rule: the field's path, and the item in brackets.
pub fn rule_id(field: FieldId, item: &str) -> String {
    format!("{}[{item}]", field.path())
}

impl Ledger {
    /// Lines up everything a cascade states, and what holds without being stated.
    ///
    /// The synthetic statements come first, so their ids are 0, 1, 2, ….
    pub fn new(cascade: &Cascade, synthetic: &[Synthetic]) -> Self {
        let mut ledger = Self::default();
        let stated = cascade.contributions().iter().map(|c| &c.statements);
        let made: Vec<Statements> = synthetic.iter().map(Synthetic::statements).collect();
        let count: usize = stated.clone().chain(&made).map(|s| s.list.len()).sum();
        ledger.statements.reserve(count);
        let mut ids: Vec<(&Arc<str>, StatementId)> = Vec::with_capacity(count);
        let made = (u16::try_from(cascade.contributions().len()).unwrap_or(u16::MAX)..).zip(&made);
        for (origin, own) in made.clone().chain((0u16..).zip(stated.clone())) {
            let base = number(ledger.statements.len());
            let mut start = 0;
            for written in &own.list {
                let entry = (start, written.entry_end);
                start = written.entry_end;
                ledger.statements.push(Statement { origin, rule: RuleId(0), place: written.place, entry });
            }
            let in_order = own.sorted.iter().filter_map(|n| Some((&own.list.get(*n as usize)?.id, *n)));
            ids.extend(in_order.map(|(id, n)| (id, StatementId(base + n))));
        }
        let mut base = number(synthetic.len());
        for own in stated.clone() {
            ledger.bases.push((base, own.starts));
            base = base.saturating_add(number(own.list.len()));
        }
        for own in stated.chain(made.map(|(_, s)| s)) {
            ledger.origins.push(own.origin.clone());
            ledger.entries.push(own.entries.clone());
        }
        // A stable sort of sorted runs: it merges them, and keeps the cascade's order inside a rule.
        ids.sort_by(|a, b| canonical_order(a.0, b.0));
        ledger.number_rules(&ids);
        ledger
    }

    fn number_rules(&mut self, ids: &[(&Arc<str>, StatementId)]) {
        self.order.reserve(ids.len());
        self.rules.reserve(ids.len());
        for (id, statement) in ids {
            let at = number(self.order.len());
            match self.rules.last_mut() {
                Some(rule) if rule.id == **id => rule.end = at + 1,
                _ => self.rules.push(Rule { id: (*id).clone(), first: at, end: at + 1 }),
            }
            let rule = RuleId(number(self.rules.len()).saturating_sub(1));
            if let Some(s) = self.statements.get_mut(statement.0 as usize) {
                s.rule = rule;
            }
            self.order.push(*statement);
        }
    }

    /// The statement of a whole field in a contribution.
    pub fn whole(&self, contribution: u16, field: FieldId) -> Option<StatementId> {
        let (base, starts) = self.bases.get(contribution as usize)?;
        let start = *starts.get(field.0 as usize)?;
        (start != NOT_STATED).then(|| StatementId(base + start))
    }

    /// The statement of the `n`th item of a field in a contribution.
    pub fn item(&self, contribution: u16, field: FieldId, n: usize) -> Option<StatementId> {
        let whole = self.whole(contribution, field)?;
        Some(StatementId(whole.0.checked_add(u32::try_from(n).ok()?)?.checked_add(1)?))
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
        self.rules.binary_search_by(|r| canonical_order(&r.id, id)).ok().map(|n| RuleId(number(n)))
    }

    /// The statements of a rule, from the top level down.
    pub fn statements_of(&self, rule: RuleId) -> &[StatementId] {
        let range = self.rule(rule).map_or(0..0, |r| r.first as usize..r.end as usize);
        self.order.get(range).unwrap_or_default()
    }

    /// The hashed JSON of a statement's entry.
    pub(crate) fn entry(&self, statement: &Statement) -> &[u8] {
        let range = statement.entry.0 as usize..statement.entry.1 as usize;
        self.entries.get(statement.origin as usize).and_then(|e| e.get(range)).unwrap_or_default()
    }

    /// All rules, by id.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// All origins: the contributions', then those of synthetic statements.
    pub fn origins(&self) -> &[Arc<Origin>] {
        &self.origins
    }

    /// The origin of a statement.
    pub fn origin(&self, index: u16) -> Option<&Origin> {
        self.origins.get(index as usize).map(|o| &**o)
    }
}

impl Synthetic {
    fn statements(&self) -> Statements {
        let mut origin = Origin::document(Level::Host, self.by, Arc::from(format!("ringfence:{}", self.by)));
        origin.introduced_by = IntroducedBy::Manual;
        origin.because = Some(Arc::from(self.because));
        let mut list = vec![Written { id: Arc::from(self.id), place: self.place, entry_end: 0 }];
        let entries = write_entries(&origin, &mut list).into();
        Statements { list, starts: [NOT_STATED; FIELDS.len()], sorted: vec![0], origin: Arc::new(origin), entries }
    }
}
