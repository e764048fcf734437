//! Leaf → rule ids: why each value of each slice is what it is.
//!
//! The emitters write down hundreds of leaves for every sandbox. Their pointers share one text and their rules
//! one list, so that a leaf is a few numbers: nothing is allocated for it, and sorting moves little.

use crate::fields::FieldId;
use crate::ledger::{Ledger, StatementId, rule_id};
use crate::slice::write_text;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::ser::Serializer;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::sync::Arc;

/// A part of a text or of a list.
#[derive(Debug, Clone, Copy)]
struct Part {
    from: u32,
    to: u32,
}

impl Part {
    /// What was added to something since it had this length.
    fn since(from: usize, to: usize) -> Self {
        // Documents are bounded far below: a part that does not fit would be empty, not another one.
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { from: number(from), to: number(to) }
    }

    fn range(self) -> std::ops::Range<usize> {
        self.from as usize..self.to as usize
    }
}

/// What stands behind a leaf.
#[derive(Debug, Clone, Copy)]
pub struct Behind(Kind);

#[derive(Debug, Clone, Copy)]
enum Kind {
    /// These rules.
    Rules(Part),
    /// The rule of the field whose item is the leaf's own value: `sandbox.filesystem.hidden[=]`.
    OwnItem(FieldId),
}

impl Behind {
    /// The rule of the field whose item is the leaf's own value: `sandbox.filesystem.hidden[=]`.
    pub fn own_item(field: FieldId) -> Self {
        Self(Kind::OwnItem(field))
    }
}

/// A JSON pointer: a text, or the pieces of one.
pub trait Pointer {
    /// Writes it at the end of a text.
    fn write(self, out: &mut String);
}

impl Pointer for &str {
    fn write(self, out: &mut String) {
        out.push_str(self);
    }
}

impl Pointer for fmt::Arguments<'_> {
    fn write(self, out: &mut String) {
        // Writing to a String cannot fail.
        let _ = out.write_fmt(self);
    }
}

/// The leaves as the emitters write them down, in any order.
#[derive(Debug, Clone, Default)]
pub struct LeafList {
    /// Every pointer, one after the other.
    text: String,
    /// Every list of rules, one after the other.
    rules: Vec<StatementId>,
    list: Vec<(Part, Behind)>,
}

impl LeafList {
    /// Makes room for so many more leaves.
    pub fn reserve(&mut self, leaves: usize) {
        const POINTER: usize = 40;
        self.text.reserve(leaves * POINTER);
        self.rules.reserve(leaves * 2);
        self.list.reserve(leaves);
    }

    /// These rules, to stand behind one leaf or several.
    pub fn rules(&mut self, rules: impl IntoIterator<Item = StatementId>) -> Behind {
        let from = self.rules.len();
        self.rules.extend(rules);
        Behind(Kind::Rules(Part::since(from, self.rules.len())))
    }

    /// Adds a leaf.
    pub fn push(&mut self, pointer: impl Pointer, behind: Behind) {
        let from = self.text.len();
        pointer.write(&mut self.text);
        self.list.push((Part::since(from, self.text.len()), behind));
    }

    fn pointer(&self, part: Part) -> &str {
        self.text.get(part.range()).unwrap_or_default()
    }

    fn statements(&self, behind: Behind) -> &[StatementId] {
        match behind.0 {
            Kind::Rules(part) => self.rules.get(part.range()).unwrap_or_default(),
            Kind::OwnItem(_) => &[],
        }
    }

    fn iter(&self) -> impl Iterator<Item = (&str, Behind)> {
        self.list.iter().map(|(part, behind)| (self.pointer(*part), *behind))
    }
}

/// JSON pointer of a leaf → the rules behind it.
#[derive(Debug, Clone)]
pub struct Leaves {
    ledger: Arc<Ledger>,
    leaves: LeafList,
}

impl PartialEq for Leaves {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Leaves {
    /// The leaves that the emitters wrote down.
    pub fn new(ledger: Arc<Ledger>, mut leaves: LeafList) -> Self {
        let LeafList { text, list, .. } = &mut leaves;
        let pointer = |part: Part| text.as_bytes().get(part.range()).unwrap_or_default();
        list.sort_by(|a, b| pointer(a.0).cmp(pointer(b.0)));
        Self { ledger, leaves }
    }

    fn iter(&self) -> impl Iterator<Item = (&str, Vec<Cow<'_, str>>)> {
        self.leaves.iter().map(|(pointer, behind)| (pointer, self.ids(behind)))
    }

    /// The ids of the rules behind a leaf, each once; `[=]` stands for the leaf's own value.
    fn ids(&self, behind: Behind) -> Vec<Cow<'_, str>> {
        let mut out = Vec::new();
        self.each_id(behind, &mut Vec::new(), |id| out.push(Cow::Borrowed(id)));
        if let Kind::OwnItem(field) = behind.0 {
            out.push(Cow::Owned(rule_id(field, "=")));
        }
        out
    }

    /// Calls `found` with the id of each rule once. What was seen is kept in a list that is used again and again.
    fn each_id<'a>(&'a self, behind: Behind, seen: &mut Vec<&'a str>, mut found: impl FnMut(&'a str)) {
        seen.clear();
        for id in self.leaves.statements(behind).iter().filter_map(|s| self.ledger.rule(*s)) {
            if !seen.contains(&&**id) {
                seen.push(id);
                found(id);
            }
        }
    }

    /// The hashed form, which is the printed one.
    pub(crate) fn write_content(&self, out: &mut Vec<u8>) {
        let mut seen = Vec::new();
        out.push(b'{');
        for (n, (pointer, behind)) in self.leaves.iter().enumerate() {
            if n > 0 {
                out.push(b',');
            }
            write_text(pointer, out);
            out.extend_from_slice(b":[");
            let start = out.len();
            self.each_id(behind, &mut seen, |id| {
                if out.len() > start {
                    out.push(b',');
                }
                write_text(id, out);
            });
            if let Kind::OwnItem(field) = behind.0 {
                write_text(&rule_id(field, "="), out);
            }
            out.push(b']');
        }
        out.push(b'}');
    }

    /// The rules behind a leaf with this value: those of its own entry, or of one in which `*` stands for a
    /// segment of the pointer.
    pub fn rules_of(&self, pointer: &str, value: &str) -> Vec<String> {
        let mut out = Vec::new();
        for (_, behind) in self.leaves.iter().filter(|(p, _)| pointer_matches(p, pointer)) {
            match behind.0 {
                Kind::OwnItem(field) => out.push(rule_id(field, value)),
                Kind::Rules(_) => out.extend(self.ids(behind).into_iter().map(Cow::into_owned)),
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
            (Some(p), Some(q)) if p == q || p == "*" || (p == "~2" && q == "*") => {}
            _ => return false,
        }
    }
}

impl Serialize for Leaves {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
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
