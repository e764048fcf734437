//! The ledger as it stands in a config: rule id → entries, and leaf → rule ids.

use crate::config::{ProvenanceEntry, RuleEntry};
use crate::fields::FieldId;
use crate::ledger::{Ledger, RuleId, StatementId, rule_id};
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
            rule_id: self.ledger.rule(s.rule)?.id.to_string(),
            via_cascade_level: origin.level.to_string(),
            via_category: text(&origin.category),
            via_compliance_pack: text(&origin.pack),
            via_concern: text(&origin.concern),
        })
    }
}

impl Provenance {
    /// The hashed form: canonical JSON, entries without `at` and without nulls.
    pub(crate) fn write_content(&self, out: &mut Vec<u8>) {
        let ledger = &self.ledger;
        out.push(b'{');
        for (n, rule) in (0u32..).map(RuleId).zip(ledger.rules()) {
            if n.0 > 0 {
                out.push(b',');
            }
            write_text(&rule.id, out);
            out.extend_from_slice(b":[");
            for (k, s) in ledger.statements_of(n).iter().filter_map(|s| ledger.statement(*s)).enumerate() {
                if k > 0 {
                    out.push(b',');
                }
                out.extend_from_slice(ledger.entry(s));
            }
            out.push(b']');
        }
        out.push(b'}');
    }
}

/// Writes a JSON string; almost always there is nothing to escape.
fn write_text(text: &str, out: &mut Vec<u8>) {
    let plain = !text.bytes().any(|b| b < 0x20 || b == b'"' || b == b'\\');
    if plain {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    } else {
        // Writing a string to memory cannot fail.
        let _ = serde_json::to_writer(out, text);
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
    /// INVARIANT: the keys of [`crate::config::RuleEntry`] in order; the schema test holds the two together.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let o = self.origin;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("at", &self.at.map(|now| o.at.as_ref().unwrap_or(now)))?;
        map.serialize_entry("column", &self.place.column)?;
        map.serialize_entry("document", &o.document)?;
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
    id: &'a str,
}

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ledger = &self.provenance.ledger;
        let statements = ledger.statements_of(self.rule).iter().filter_map(|s| ledger.statement(*s));
        serializer.collect_seq(statements.filter_map(|s| {
            let origin = ledger.origin(s.origin)?;
            Some(EntryRef { rule: self.id, origin, place: s.place, at: self.provenance.at.as_ref() })
        }))
    }
}

impl Serialize for Provenance {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rules = (0u32..).map(RuleId).zip(self.ledger.rules());
        serializer.collect_map(rules.map(|(n, rule)| (&*rule.id, Entries { provenance: self, rule: n, id: &rule.id })))
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

/// What stands behind a leaf.
#[derive(Debug, Clone, PartialEq)]
pub enum Behind {
    /// These rules.
    Rules(Vec<RuleId>),
    /// The rule of the field whose item is the leaf's own value: `sandbox.filesystem.hidden[=]`.
    OwnItem(FieldId),
}

/// JSON pointer of a leaf → the rules behind it.
#[derive(Debug, Clone)]
pub struct Leaves {
    ledger: Arc<Ledger>,
    entries: Vec<(String, Behind)>,
}

impl PartialEq for Leaves {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl Leaves {
    /// The leaves that the emitters wrote down.
    pub fn new(ledger: Arc<Ledger>, mut entries: Vec<(String, Behind)>) -> Self {
        entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Self { ledger, entries }
    }

    /// The hashed form, which is the printed one.
    pub(crate) fn write_content(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        for (n, (pointer, behind)) in self.entries.iter().enumerate() {
            if n > 0 {
                out.push(b',');
            }
            write_text(pointer, out);
            out.extend_from_slice(b":[");
            match behind {
                Behind::OwnItem(field) => write_text(&rule_id(*field, "="), out),
                Behind::Rules(rules) => {
                    for (k, rule) in rules.iter().filter_map(|r| self.ledger.rule(*r)).enumerate() {
                        if k > 0 {
                            out.push(b',');
                        }
                        write_text(&rule.id, out);
                    }
                }
            }
            out.push(b']');
        }
        out.push(b'}');
    }

    /// The rules behind a leaf with this value: those of its own entry, or of one in which `*` stands for a
    /// segment of the pointer.
    pub fn rules_of(&self, pointer: &str, value: &str) -> Vec<String> {
        let mut out = Vec::new();
        for (_, behind) in self.entries.iter().filter(|(p, _)| pointer_matches(p, pointer)) {
            match behind {
                Behind::Rules(rules) => {
                    out.extend(rules.iter().filter_map(|r| self.ledger.rule(*r)).map(|r| r.id.to_string()))
                }
                Behind::OwnItem(field) => out.push(rule_id(*field, value)),
            }
        }
        out
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
        struct Ids<'a>(&'a Ledger, &'a Behind);
        impl Serialize for Ids<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self.1 {
                    Behind::Rules(rules) => {
                        serializer.collect_seq(rules.iter().filter_map(|r| self.0.rule(*r).map(|r| &r.id)))
                    }
                    Behind::OwnItem(field) => serializer.collect_seq([rule_id(*field, "=")]),
                }
            }
        }
        serializer.collect_map(self.entries.iter().map(|(pointer, behind)| (pointer, Ids(&self.ledger, behind))))
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
