//! The ledger as it stands in a config: rule id → entries, and leaf → rule ids.

use crate::config::{ProvenanceEntry, RuleEntry};
use crate::fields::FieldId;
use crate::ledger::{Ledger, Statement, StatementId, rule_id};
use crate::slice::write_text;
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

/// The JSON pointer of a leaf; most are known at compile time.
pub type Pointer = Cow<'static, str>;

/// What stands behind a leaf.
#[derive(Debug, Clone, PartialEq)]
pub enum Behind {
    /// This rule.
    Rule(StatementId),
    /// These rules.
    Rules(Vec<StatementId>),
    /// The rule of the field whose item is the leaf's own value: `sandbox.filesystem.hidden[=]`.
    OwnItem(FieldId),
}

/// JSON pointer of a leaf → the rules behind it.
#[derive(Debug, Clone)]
pub struct Leaves {
    ledger: Arc<Ledger>,
    entries: Vec<(Pointer, Behind)>,
}

impl PartialEq for Leaves {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl Leaves {
    /// The leaves that the emitters wrote down.
    pub fn new(ledger: Arc<Ledger>, mut entries: Vec<(Pointer, Behind)>) -> Self {
        // Stable: the emitters write long sorted runs, which it merges.
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        Self { ledger, entries }
    }

    /// The hashed form, which is the printed one.
    pub(crate) fn write_content(&self, out: &mut Vec<u8>) {
        let mut rules = Vec::new();
        out.push(b'{');
        for (n, (pointer, behind)) in self.entries.iter().enumerate() {
            if n > 0 {
                out.push(b',');
            }
            write_text(pointer, out);
            out.extend_from_slice(b":[");
            behind.ids(&self.ledger, &mut rules);
            for (k, rule) in rules.iter().enumerate() {
                if k > 0 {
                    out.push(b',');
                }
                write_text(rule, out);
            }
            if let Behind::OwnItem(field) = behind {
                write_text(&rule_id(*field, "="), out);
            }
            out.push(b']');
        }
        out.push(b'}');
    }

    /// The rules behind a leaf with this value: those of its own entry, or of one in which `*` stands for a
    /// segment of the pointer.
    pub fn rules_of(&self, pointer: &str, value: &str) -> Vec<String> {
        let mut out = Vec::new();
        let mut rules = Vec::new();
        for (_, behind) in self.entries.iter().filter(|(p, _)| pointer_matches(p, pointer)) {
            behind.ids(&self.ledger, &mut rules);
            out.extend(rules.iter().map(|r| (*r).to_owned()));
            if let Behind::OwnItem(field) = behind {
                out.push(rule_id(*field, value));
            }
        }
        out
    }
}

impl Behind {
    /// The ids of its rules, each once, into a list that is used again and again.
    fn ids<'a>(&self, ledger: &'a Ledger, out: &mut Vec<&'a str>) {
        out.clear();
        let statements = match self {
            Behind::Rule(rule) => std::slice::from_ref(rule),
            Behind::Rules(rules) => rules,
            Behind::OwnItem(_) => &[],
        };
        for id in statements.iter().filter_map(|s| ledger.rule(*s)) {
            if out.is_empty() || !out.contains(&&**id) {
                out.push(id);
            }
        }
    }
}

fn pointer_matches(pattern: &str, pointer: &str) -> bool {
    let (mut a, mut b) = (pattern.split('/'), pointer.split('/'));
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(p), Some(q)) if p == q || p == "*" || (p == "~2" && q == "*") => {}
            _ => return false,
        }
    }
}

impl Serialize for Leaves {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Ids<'a>(&'a Ledger, &'a Behind);
        impl Serialize for Ids<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut ids = Vec::new();
                self.1.ids(self.0, &mut ids);
                match self.1 {
                    Behind::OwnItem(field) => serializer.collect_seq([rule_id(*field, "=")]),
                    _ => serializer.collect_seq(ids),
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
