//! The ledger as it stands in a config: rule id → entries.

use crate::config::{ProvenanceEntry, RuleEntry};
use crate::ledger::{Ledger, Statement, StatementId};
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
        Self { ledger, at: None }
    }

    /// The ledger behind it.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The entry of one statement.
    pub fn entry(&self, statement: StatementId) -> Option<ProvenanceEntry> {
        let Statement { rule, place, origin, .. } = self.ledger.statement(statement)?;
        let text = |t: &Option<Arc<str>>| t.as_deref().map(str::to_owned);
        Some(ProvenanceEntry {
            at: self.at.as_ref().map(|now| origin.at.as_ref().unwrap_or(now).to_string()),
            because: text(&origin.because),
            cites: text(&origin.cites),
            column: place.column,
            document: origin.document.to_string(),
            file: origin.file.to_string(),
            introduced_by: origin.introduced_by,
            line: place.line,
            operator: text(&origin.operator),
            rule_id: rule.to_string(),
            via_cascade_level: origin.level.to_string(),
            via_category: text(&origin.category),
            via_compliance_pack: text(&origin.pack),
            via_concern: text(&origin.concern),
        })
    }
}

/// Writes an entry without building one.
struct EntryRef<'a> {
    statement: Statement<'a>,
    at: Option<&'a Arc<str>>,
}

impl Serialize for EntryRef<'_> {
    /// INVARIANT: the keys of [`RuleEntry`] in order; the schema test holds the two together.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Statement { rule, place, from, origin: o } = self.statement;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("at", &self.at.map(|now| o.at.as_ref().unwrap_or(now)))?;
        map.serialize_entry("column", &place.column)?;
        map.serialize_entry("document", &o.document)?;
        map.serialize_entry("from", &from)?;
        map.serialize_entry("introduced_by", o.introduced_by.as_str())?;
        map.serialize_entry("line", &place.line)?;
        map.serialize_entry("operator", &o.operator)?;
        map.serialize_entry("rule_id", rule)?;
        map.serialize_entry("via_cascade_level", o.level.as_str())?;
        map.serialize_entry("via_category", &o.category)?;
        map.serialize_entry("via_compliance_pack", &o.pack)?;
        map.serialize_entry("via_concern", &o.concern)?;
        map.end()
    }
}

impl Serialize for Provenance {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rules: BTreeMap<&str, Vec<EntryRef<'_>>> = BTreeMap::new();
        for (_, statement) in self.ledger.all() {
            rules.entry(statement.rule).or_default().push(EntryRef { statement, at: self.at.as_ref() });
        }
        rules.serialize(serializer)
    }
}

impl JsonSchema for Provenance {
    fn schema_name() -> Cow<'static, str> {
        "Provenance".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BTreeMap::<String, Vec<RuleEntry>>::json_schema(generator)
    }
}
