//! The ledger as it stands in a config: rule id → entries, and leaf → rule ids.

use crate::config::ProvenanceEntry;
use crate::ledger::{Ledger, RuleId, StatementId};
use crate::level::Origin;
use crate::span::Place;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Rule id → who stated it, where and why.
#[derive(Debug, Clone)]
pub struct Provenance {
    ledger: Arc<Ledger>,
    /// Rules by id.
    order: Vec<RuleId>,
    /// The time that stands for statements whose document names none; absent while hashing.
    pub(crate) at: Option<Arc<str>>,
}

impl PartialEq for Provenance {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at && serde_json::to_value(self).ok() == serde_json::to_value(other).ok()
    }
}

impl Provenance {
    /// The provenance of everything in a ledger.
    pub fn new(ledger: Arc<Ledger>) -> Self {
        let mut order: Vec<RuleId> = (0..u32::try_from(ledger.rules().len()).unwrap_or(u32::MAX)).map(RuleId).collect();
        order.sort_unstable_by(|a, b| ledger.rule(*a).map(|r| &r.id).cmp(&ledger.rule(*b).map(|r| &r.id)));
        Self { ledger, order, at: None }
    }

    /// The ledger behind it.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The entry of one statement.
    pub fn entry(&self, statement: StatementId) -> Option<ProvenanceEntry> {
        let s = self.ledger.statement(statement)?;
        let origin = self.ledger.origin(s.origin)?;
        let text = |t: &Option<Arc<str>>| t.as_deref().map(str::to_owned);
        Some(ProvenanceEntry {
            at: self.at.as_ref().map(|now| origin.at.as_ref().unwrap_or(now).to_string()),
            because: text(&origin.because),
            cites: text(&origin.cites),
            column: s.place.column,
            document: origin.document.to_string(),
            file: origin.file.to_string(),
            introduced_by: origin.introduced_by,
            line: s.place.line,
            operator: text(&origin.operator),
            rule_id: self.ledger.rule(s.rule)?.id.clone(),
            via_cascade_level: origin.level.to_string(),
            via_category: text(&origin.category),
            via_compliance_pack: text(&origin.pack),
            via_concern: text(&origin.concern),
        })
    }
}

/// Writes an entry without building one.
struct EntryRef<'a> {
    rule: &'a str,
    origin: &'a Origin,
    place: Place,
    at: Option<&'a Arc<str>>,
}

impl Serialize for EntryRef<'_> {
    /// INVARIANT: the same keys in the same order as [`ProvenanceEntry`]; a test compares them.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let o = self.origin;
        let mut map = serializer.serialize_map(None)?;
        if let Some(now) = self.at {
            map.serialize_entry("at", o.at.as_ref().unwrap_or(now))?;
        }
        if let Some(because) = &o.because {
            map.serialize_entry("because", because)?;
        }
        if let Some(cites) = &o.cites {
            map.serialize_entry("cites", cites)?;
        }
        map.serialize_entry("column", &self.place.column)?;
        map.serialize_entry("document", &o.document)?;
        map.serialize_entry("file", &o.file)?;
        map.serialize_entry("introduced_by", o.introduced_by.as_str())?;
        map.serialize_entry("line", &self.place.line)?;
        map.serialize_entry("operator", &o.operator)?;
        map.serialize_entry("rule_id", self.rule)?;
        map.serialize_entry("via_cascade_level", o.level.as_str())?;
        map.serialize_entry("via_category", &o.category)?;
        map.serialize_entry("via_compliance_pack", &o.pack)?;
        map.serialize_entry("via_concern", &o.concern)?;
        map.end()
    }
}

struct Entries<'a> {
    provenance: &'a Provenance,
    rule: RuleId,
}

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ledger = &self.provenance.ledger;
        let rule = ledger.rule(self.rule);
        let statements = rule.into_iter().flat_map(|r| r.statements.iter().map(move |s| (r, *s)));
        serializer.collect_seq(statements.filter_map(|(r, id)| {
            let s = ledger.statement(id)?;
            let origin = ledger.origin(s.origin)?;
            Some(EntryRef { rule: &r.id, origin, place: s.place, at: self.provenance.at.as_ref() })
        }))
    }
}

impl Serialize for Provenance {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.order.len()))?;
        for rule in &self.order {
            if let Some(r) = self.ledger.rule(*rule) {
                map.serialize_entry(&r.id, &Entries { provenance: self, rule: *rule })?;
            }
        }
        map.end()
    }
}

impl JsonSchema for Provenance {
    fn schema_name() -> Cow<'static, str> {
        "Provenance".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BTreeMap::<String, Vec<ProvenanceEntry>>::json_schema(generator)
    }
}

/// JSON pointer of a leaf → the rules behind it.
#[derive(Debug, Clone)]
pub struct Leaves {
    ledger: Arc<Ledger>,
    entries: Vec<(String, Vec<RuleId>)>,
}

impl PartialEq for Leaves {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl Leaves {
    /// The leaves that the emitters wrote down.
    pub fn new(ledger: Arc<Ledger>, mut entries: Vec<(String, Vec<RuleId>)>) -> Self {
        entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Self { ledger, entries }
    }

    /// The rules behind a leaf: its own entry, or one in which `*` stands for a segment.
    pub fn rules_of(&self, pointer: &str) -> Vec<&str> {
        let hits = self.entries.iter().filter(|(p, _)| pointer_matches(p, pointer));
        hits.flat_map(|(_, rules)| rules.iter().filter_map(|r| self.ledger.rule(*r).map(|r| r.id.as_str()))).collect()
    }
}

fn pointer_matches(pattern: &str, pointer: &str) -> bool {
    let (mut a, mut b) = (pattern.split('/'), pointer.split('/'));
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(p), Some(q)) if p == q || p == "*" => {}
            _ => return false,
        }
    }
}

impl Serialize for Leaves {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Ids<'a>(&'a Ledger, &'a [RuleId]);
        impl Serialize for Ids<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_seq(self.1.iter().filter_map(|r| self.0.rule(*r).map(|r| &r.id)))
            }
        }
        let mut map = serializer.serialize_map(Some(self.entries.len()))?;
        for (pointer, rules) in &self.entries {
            map.serialize_entry(pointer, &Ids(&self.ledger, rules))?;
        }
        map.end()
    }
}

impl JsonSchema for Leaves {
    fn schema_name() -> Cow<'static, str> {
        "Leaves".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BTreeMap::<String, Vec<String>>::json_schema(generator)
    }
}
