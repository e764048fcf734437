//! Compliance packs, and categories → concerns → mitigations. Both are data: each rule carries a policy
//! fragment, the item it answers and the reason, and expands to one contribution with that trail.
//!
//! Packs are control mappings. They say which control answers which item; they certify nothing.

use crate::diagnostic::{Code, Diagnostic};
use crate::document::read_fields;
use crate::fields::Fields;
use crate::node::{Entry, Node};
use crate::read::Reader;
use crate::span::SourceId;
use std::collections::BTreeMap;
use std::sync::Arc;

/// One rule of a pack.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PackRule {
    /// Its id inside the pack.
    pub id: Arc<str>,
    /// The article or item.
    pub cites: Arc<str>,
    /// What the item asks and how the statements answer it.
    pub because: Arc<str>,
    /// The concern it answers.
    pub concern: Option<Arc<str>>,
    /// The category of data or system it is for.
    pub category: Option<Arc<str>>,
    /// What it states.
    pub fields: Fields,
}

/// A versioned set of rules.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pack {
    /// Its id.
    pub id: Arc<str>,
    /// Its version.
    pub version: Arc<str>,
    /// Its title.
    pub title: Arc<str>,
    /// The text it maps.
    pub source: Arc<str>,
    /// Its rules.
    pub rules: Vec<PackRule>,
    /// Which text it was read from.
    pub text: SourceId,
}

/// One concern or category: why it matters and what it leads to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Topic {
    /// Its title.
    pub title: Arc<str>,
    /// Why it matters.
    pub because: Arc<str>,
    /// The concerns of a category, the mitigations of a concern.
    pub leads_to: Vec<Arc<str>>,
}

/// A control with what it states.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mitigation {
    /// Its title.
    pub title: Arc<str>,
    /// Why it helps.
    pub because: Arc<str>,
    /// What it states.
    pub fields: Fields,
}

/// Categories → concerns → mitigations.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CategoryBook {
    /// Its version.
    pub version: Arc<str>,
    /// Kinds of data and systems.
    pub categories: BTreeMap<Arc<str>, Topic>,
    /// What can go wrong.
    pub concerns: BTreeMap<Arc<str>, Topic>,
    /// What to do about it.
    pub mitigations: BTreeMap<Arc<str>, Mitigation>,
}

fn text(entry: &Entry, what: &str, reader: &mut Reader) -> Arc<str> {
    reader.text(&entry.value, what).map(Arc::from).unwrap_or_default()
}

impl Pack {
    /// Reads a pack.
    pub fn read(node: &Node, reader: &mut Reader) -> Self {
        let mut pack = Self { text: node.place.source, ..Self::default() };
        for (key, entry) in reader.keys(node, &["$schema", "pack", "version", "title", "source", "rules"], "a pack") {
            match key {
                "pack" => pack.id = text(entry, "a pack id", reader),
                "version" => {
                    pack.version = reader.quantity(&entry.value, "a version").map(Arc::from).unwrap_or_default()
                }
                "title" => pack.title = text(entry, "a title", reader),
                "source" => pack.source = text(entry, "a source", reader),
                "rules" => {
                    let nodes = reader.list(&entry.value, "rules").unwrap_or_default();
                    pack.rules = nodes.iter().map(|n| PackRule::read(n, reader)).collect();
                }
                _ => {}
            }
        }
        if pack.id.is_empty() || pack.version.is_empty() {
            reader.report(
                Diagnostic::error(Code::MissingKey, "a pack needs `pack` and `version`")
                    .at(node.place, "here")
                    .help("add `pack: my-pack` and `version: 1.0.0`"),
            );
        }
        pack
    }

    /// `eu-ai-act@1.0.0`
    pub fn reference(&self) -> Arc<str> {
        Arc::from(format!("{}@{}", self.id, self.version))
    }
}

impl PackRule {
    fn read(node: &Node, reader: &mut Reader) -> Self {
        let mut rule = Self::default();
        for (key, entry) in reader.keys(node, &["id", "cites", "because", "concern", "category", "policy"], "a rule") {
            match key {
                "id" => rule.id = text(entry, "a rule id", reader),
                "cites" => rule.cites = text(entry, "an article or item", reader),
                "because" => rule.because = text(entry, "a reason in words", reader),
                "concern" => rule.concern = Some(text(entry, "a concern", reader)),
                "category" => rule.category = Some(text(entry, "a category", reader)),
                _ => rule.fields = fragment(&entry.value, reader),
            }
        }
        if rule.id.is_empty() || rule.cites.is_empty() || rule.because.is_empty() {
            reader.report(
                Diagnostic::error(Code::MissingKey, "a rule needs `id`, `cites` and `because`")
                    .at(node.place, "this rule")
                    .help("say which item it answers, and why the statements answer it"),
            );
        }
        rule
    }
}

fn fragment(node: &Node, reader: &mut Reader) -> Fields {
    let mut fields = Fields::default();
    read_fields(node, &[], "a policy fragment", &mut fields, reader);
    fields
}

impl CategoryBook {
    /// Reads a book and checks that every name it mentions is defined.
    pub fn read(node: &Node, reader: &mut Reader) -> Self {
        let mut book = Self::default();
        let keys = &["$schema", "version", "categories", "concerns", "mitigations"];
        for (key, entry) in reader.keys(node, keys, "a category book") {
            match key {
                "version" => {
                    book.version = reader.quantity(&entry.value, "a version").map(Arc::from).unwrap_or_default()
                }
                "categories" => book.categories = topics(&entry.value, "concerns", reader),
                "concerns" => book.concerns = topics(&entry.value, "mitigations", reader),
                "mitigations" => book.mitigations = mitigations(&entry.value, reader),
                _ => {}
            }
        }
        let missing_concern = undefined(&book.categories, &book.concerns);
        let missing_mitigation = undefined(&book.concerns, &book.mitigations);
        for (from, name) in missing_concern.into_iter().chain(missing_mitigation) {
            reader.report(
                Diagnostic::error(Code::UnknownCategory, format!("`{from}` names `{name}`, which is not defined"))
                    .at(node.place, "in this book")
                    .help("define it, or remove the name"),
            );
        }
        book
    }
}

fn undefined<T>(from: &BTreeMap<Arc<str>, Topic>, to: &BTreeMap<Arc<str>, T>) -> Vec<(Arc<str>, Arc<str>)> {
    let pairs = from.iter().flat_map(|(k, t)| t.leads_to.iter().map(move |n| (k.clone(), n.clone())));
    pairs.filter(|(_, n)| !to.contains_key(n)).collect()
}

fn topics(node: &Node, leads: &'static str, reader: &mut Reader) -> BTreeMap<Arc<str>, Topic> {
    let mut out = BTreeMap::new();
    for entry in reader.map(node, "topics by name").unwrap_or_default() {
        let mut topic = Topic::default();
        for (key, part) in reader.keys(&entry.value, &["title", "because", leads], "a topic") {
            match key {
                "title" => topic.title = text(part, "a title", reader),
                "because" => topic.because = text(part, "a reason in words", reader),
                _ => {
                    let names = reader.list(&part.value, "names").unwrap_or_default();
                    topic.leads_to = names.iter().filter_map(|n| reader.text(n, "a name").map(Arc::from)).collect();
                }
            }
        }
        out.insert(Arc::from(entry.key.as_str()), topic);
    }
    out
}

fn mitigations(node: &Node, reader: &mut Reader) -> BTreeMap<Arc<str>, Mitigation> {
    let mut out = BTreeMap::new();
    for entry in reader.map(node, "mitigations by name").unwrap_or_default() {
        let mut mitigation = Mitigation::default();
        for (key, part) in reader.keys(&entry.value, &["title", "because", "policy"], "a mitigation") {
            match key {
                "title" => mitigation.title = text(part, "a title", reader),
                "because" => mitigation.because = text(part, "a reason in words", reader),
                _ => mitigation.fields = fragment(&part.value, reader),
            }
        }
        out.insert(Arc::from(entry.key.as_str()), mitigation);
    }
    out
}
