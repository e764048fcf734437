//! The ledger: every statement of every contribution, each under a rule id.
//!
//! A rule id is the path of a field, with the item in brackets where the field is a collection:
//! `sandbox.network.mode`, `tools.rules[fs/read_*]`. Statements of several documents about the same thing
//! share a rule, so a rule's entries read as its history down the cascade. What is not a statement but
//! still decides something (silence, the catalog, the spec) gets a synthetic one: nothing is without a reason.
//!
//! A contribution writes its [`Statements`] once, when it is made, and hashes them; a ledger only lines them
//! up. That is why a derivation costs what changed between sandboxes, not what their documents say.

use crate::cascade::Cascade;
use crate::fields::{FIELDS, FieldId, FieldVisitor, Fields};
use crate::level::{IntroducedBy, Level, Origin};
use crate::scale::Effect;
use crate::slice::write_text;
use crate::span::Place;
use crate::strictness::{Stated, Strictness};
use ringfence_seal::Hasher;
use std::fmt::Write as _;
use std::sync::Arc;

/// A statement, as an index into a [`Ledger`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StatementId(pub u32);

/// A statement that speaks for an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reason {
    /// What it speaks for.
    pub effect: Effect,
    /// The statement.
    pub statement: StatementId,
}

/// The statements of one contribution: for each field the whole, then its items.
#[derive(Debug)]
pub struct Statements {
    origin: Origin,
    list: Vec<(Arc<str>, Place)>,
    /// Where a field's statements start; `NOT_STATED` where it has none.
    starts: [u32; FIELDS.len()],
    hash: Arc<str>,
}

const NOT_STATED: u32 = u32::MAX;

impl Statements {
    /// Writes down and hashes what a document states.
    pub fn new(origin: Origin, fields: &Fields) -> Self {
        let mut writer = Writer { list: Vec::new(), starts: [NOT_STATED; FIELDS.len()] };
        fields.visit(&mut writer);
        Self::written(origin, writer.list, writer.starts)
    }

    fn written(origin: Origin, list: Vec<(Arc<str>, Place)>, starts: [u32; FIELDS.len()]) -> Self {
        let hash = Arc::from(hash(&origin, &list));
        Self { origin, list, starts, hash }
    }

    /// A statement that no document makes: a rule id, what makes it, and why in words.
    pub fn synthetic(id: &str, by: &str, because: &str) -> Self {
        let mut origin = Origin::document(Level::Host, by, Arc::from(format!("ringfence:{by}")));
        origin.introduced_by = IntroducedBy::Manual;
        origin.because = Some(Arc::from(because));
        Self::written(origin, vec![(Arc::from(id), Place::default())], [NOT_STATED; FIELDS.len()])
    }

    /// Where they come from.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The hash over the entries: a JSON list in canonical form, in the order of rule ids, then lines, then
    /// columns; each entry without `at`, `from` and nulls.
    pub fn hash(&self) -> &Arc<str> {
        &self.hash
    }
}

fn hash(origin: &Origin, list: &[(Arc<str>, Place)]) -> String {
    let mut sorted: Vec<&(Arc<str>, Place)> = list.iter().collect();
    sorted.sort_by(|a, b| (&a.0, a.1.line, a.1.column).cmp(&(&b.0, b.1.line, b.1.column)));
    let mut hasher = Hasher::default();
    let mut out = vec![b'['];
    for (n, (id, place)) in sorted.into_iter().enumerate() {
        out.extend_from_slice(if n == 0 { b"{\"column\":" } else { b",{\"column\":" });
        out.extend_from_slice(place.column.to_string().as_bytes());
        write_member("document", Some(&origin.document), &mut out);
        write_member("introduced_by", Some(origin.introduced_by.as_str()), &mut out);
        out.extend_from_slice(b",\"line\":");
        out.extend_from_slice(place.line.to_string().as_bytes());
        write_member("operator", origin.operator.as_deref(), &mut out);
        write_member("rule_id", Some(id), &mut out);
        write_member("via_cascade_level", Some(origin.level.as_str()), &mut out);
        write_member("via_category", origin.category.as_deref(), &mut out);
        write_member("via_compliance_pack", origin.pack.as_deref(), &mut out);
        write_member("via_concern", origin.concern.as_deref(), &mut out);
        out.push(b'}');
        hasher.drain(&mut out);
    }
    hasher.update(if list.is_empty() { b"[]" } else { b"]" });
    hasher.finish()
}

fn write_member(key: &str, value: Option<&str>, out: &mut Vec<u8>) {
    let Some(value) = value else { return };
    out.extend_from_slice(b",\"");
    out.extend_from_slice(key.as_bytes());
    out.extend_from_slice(b"\":");
    write_text(value, out);
}

struct Writer {
    list: Vec<(Arc<str>, Place)>,
    starts: [u32; FIELDS.len()],
}

impl FieldVisitor for Writer {
    fn field<T: Strictness>(&mut self, field: FieldId, stated: &Stated<T>) {
        if let Some(start) = self.starts.get_mut(field.0 as usize) {
            *start = number(self.list.len());
        }
        let path = field.path();
        self.list.push((Arc::from(path), stated.place));
        let mut id = String::new();
        for (item, place) in &stated.items {
            id.clear();
            // Writing to a String cannot fail.
            let _ = write!(id, "{path}[{item}]");
            self.list.push((Arc::from(id.as_str()), *place));
        }
    }
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// One statement with where it comes from.
#[derive(Debug, Clone, Copy)]
pub struct Statement<'a> {
    /// The id of its rule.
    pub rule: &'a Arc<str>,
    /// Where it stands.
    pub place: Place,
    /// Which document made it, as an index into [`Ledger::documents`].
    pub from: usize,
    /// The document.
    pub origin: &'a Origin,
}

/// All statements.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    /// Those of the contributions, then the synthetic ones.
    documents: Vec<Arc<Statements>>,
    /// The first statement of each document.
    bases: Vec<u32>,
}

/// The id of a rule: the field's path, and the item in brackets.
pub fn rule_id(field: FieldId, item: &str) -> String {
    format!("{}[{item}]", field.path())
}

impl Ledger {
    /// Lines up everything a cascade states, and what holds without being stated.
    ///
    /// Returns the ids of the synthetic statements too, in the order given.
    pub fn new(cascade: &Cascade, synthetic: &[Arc<Statements>]) -> (Self, Vec<StatementId>) {
        let mut ledger = Self::default();
        let mut next = 0u32;
        let mut ids = Vec::with_capacity(synthetic.len());
        let stated = cascade.contributions().iter().map(|c| c.statements.clone());
        for document in stated {
            ledger.push(document, &mut next);
        }
        for made in synthetic {
            ids.push(StatementId(next));
            ledger.push(made.clone(), &mut next);
        }
        (ledger, ids)
    }

    fn push(&mut self, document: Arc<Statements>, next: &mut u32) {
        self.bases.push(*next);
        *next = next.saturating_add(number(document.list.len()));
        self.documents.push(document);
    }

    /// The statement of a whole field in a contribution.
    pub fn whole(&self, contribution: u16, field: FieldId) -> Option<StatementId> {
        let start = *self.documents.get(contribution as usize)?.starts.get(field.0 as usize)?;
        let base = *self.bases.get(contribution as usize)?;
        (start != NOT_STATED).then(|| StatementId(base + start))
    }

    /// The statement of the `n`th item of a field in a contribution.
    pub fn item(&self, contribution: u16, field: FieldId, n: usize) -> Option<StatementId> {
        let whole = self.whole(contribution, field)?;
        Some(StatementId(whole.0.checked_add(u32::try_from(n).ok()?)?.checked_add(1)?))
    }

    /// The items of a field in a contribution, with their rule ids.
    pub fn items_of(&self, contribution: u16, field: FieldId) -> impl Iterator<Item = (StatementId, &str)> {
        let whole = self.whole(contribution, field);
        let (document, base) = (self.documents.get(contribution as usize), self.bases.get(contribution as usize));
        let start = whole.zip(base).map_or(0, |(w, b)| (w.0 - b) as usize + 1);
        let list = document.map_or(&[][..], |d| d.list.get(start..).unwrap_or_default());
        let own =
            list.iter().take_while(move |(id, _)| id.strip_prefix(field.path()).is_some_and(|r| r.starts_with('[')));
        let first = whole.map_or(u32::MAX, |w| w.0.saturating_add(1));
        (first..=u32::MAX).map(StatementId).zip(own.map(|(id, _)| &**id))
    }

    /// All statements of a whole field, from the top level down.
    pub fn wholes<'a>(&'a self, field: FieldId, by: &'a [u16]) -> impl Iterator<Item = StatementId> + 'a {
        by.iter().filter_map(move |c| self.whole(*c, field))
    }

    /// A statement.
    pub fn statement(&self, id: StatementId) -> Option<Statement<'_>> {
        let from = self.bases.partition_point(|b| *b <= id.0).checked_sub(1)?;
        let document = self.documents.get(from)?;
        let (rule, place) = document.list.get((id.0 - self.bases.get(from)?) as usize)?;
        Some(Statement { rule, place: *place, from, origin: &document.origin })
    }

    /// The id of a statement's rule.
    pub fn rule(&self, id: StatementId) -> Option<&Arc<str>> {
        self.statement(id).map(|s| s.rule)
    }

    /// All statements of a rule, from the top level down. Reads through the ledger: for messages.
    pub fn statements_of<'a>(&'a self, rule: &'a str) -> impl Iterator<Item = Statement<'a>> + 'a {
        self.all().map(|(_, s)| s).filter(move |s| **s.rule == *rule)
    }

    /// All statements.
    pub fn all(&self) -> impl Iterator<Item = (StatementId, Statement<'_>)> {
        self.documents.iter().zip(&self.bases).enumerate().flat_map(|(from, (document, base))| {
            let numbered = (*base..).map(StatementId).zip(&document.list);
            numbered
                .map(move |(id, (rule, place))| (id, Statement { rule, place: *place, from, origin: &document.origin }))
        })
    }

    /// All documents: the contributions', then the synthetic ones.
    pub fn documents(&self) -> &[Arc<Statements>] {
        &self.documents
    }

    /// Where a contribution comes from.
    pub fn origin(&self, index: u16) -> Option<&Origin> {
        self.documents.get(index as usize).map(|d| &d.origin)
    }
}
