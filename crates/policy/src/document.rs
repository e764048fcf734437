//! The policy document: what an org, a project, an agent, a preset or a host's ceiling states.
//!
//! In: a parsed node. Out: a [`PolicyDocument`] with every statement and its place, or every problem at
//! once. The fields themselves are read from the table in `fields`; this module knows the rest of the keys.

use crate::diagnostic::{Code, Diagnostic, Role};
use crate::fields::{FIELDS, Fields};
use crate::level::Level;
use crate::node::{Entry, Node, Value};
use crate::pattern::Label;
use crate::question::Question;
use crate::read::Reader;
use crate::scale::{Effect, ExecMode, NetworkMode};
use crate::span::{Place, SourceId};
use crate::strictness::Scale;
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

/// A name that a document mentions, with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Mention {
    /// The name.
    pub name: Arc<str>,
    /// Where it is mentioned.
    pub place: Place,
}

/// A question with the answer its author expects.
#[derive(Debug, Clone, PartialEq)]
pub struct TestCase {
    /// The expected effect.
    pub expect: Effect,
    /// What is asked.
    pub question: Question,
    /// The question as written.
    pub text: String,
    /// Where it stands.
    pub place: Place,
}

/// One policy document.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PolicyDocument {
    /// Its id; absent in a bare agent spec.
    pub id: Option<Mention>,
    /// The level it is meant for, with its place.
    pub level: Option<(Level, Place)>,
    /// The project an agent belongs to.
    pub project: Option<Mention>,
    /// Compliance packs that join this level.
    pub packs: Vec<Mention>,
    /// Categories of data or systems the author declares.
    pub categories: Vec<Mention>,
    /// Why the document exists.
    pub because: Option<Arc<str>>,
    /// Who answers for it.
    pub operator: Option<Arc<str>>,
    /// When it was written.
    pub at: Option<Arc<str>>,
    /// Its tests.
    pub tests: Vec<TestCase>,
    /// What it states.
    pub fields: Fields,
    /// Which text it was read from.
    pub source: SourceId,
}

const METADATA: &[&str] =
    &["$schema", "policy", "level", "project", "packs", "categories", "because", "operator", "at", "tests"];

impl PolicyDocument {
    /// Reads a document. Every problem goes to the reader; what could be read is returned.
    pub fn read(node: &Node, reader: &mut Reader) -> Self {
        let mut doc = Self { source: node.place.source, ..Self::default() };
        let mut fields = Fields::default();
        let extra = read_fields(node, METADATA, "a policy", &mut fields, reader);
        doc.fields = fields;
        for (key, entry) in extra {
            doc.read_metadata(key, entry, reader);
        }
        check_modes(&doc.fields, reader);
        doc
    }

    fn read_metadata(&mut self, key: &str, entry: &Entry, reader: &mut Reader) {
        let node = &entry.value;
        match key {
            "policy" => self.id = mention(node, "a policy id", reader),
            "level" => {
                let levels = Level::WORDS.get(..4).unwrap_or(Level::WORDS);
                self.level = reader.word(node, levels, "a level").map(|l| (l, node.place));
            }
            "project" => self.project = mention(node, "a project id", reader),
            "packs" => self.packs = mentions(node, "pack names", reader),
            "categories" => self.categories = mentions(node, "category names", reader),
            "because" => self.because = reader.text(node, "a reason in words").map(Arc::from),
            "operator" => self.operator = reader.text(node, "who wrote it").map(Arc::from),
            "at" => self.at = timestamp(node, reader),
            "tests" => self.tests = read_tests(node, reader),
            _ => {}
        }
    }

    /// The id, or the name its file gives it.
    pub fn id_or<'a>(&'a self, fallback: &'a str) -> &'a str {
        self.id.as_ref().map_or(fallback, |m| &m.name)
    }

    /// The document as JSON with canonical spellings. Reading it again gives an equal document but for places.
    pub fn print(&self) -> Json {
        let mut root = Map::new();
        let mut put = |key: &str, value: Option<Json>| value.map(|v| root.insert(key.to_owned(), v));
        put("policy", self.id.as_ref().map(|m| json!(&*m.name)));
        put("level", self.level.map(|(l, _)| json!(l.as_str())));
        put("project", self.project.as_ref().map(|m| json!(&*m.name)));
        put("packs", names(&self.packs));
        put("categories", names(&self.categories));
        put("because", self.because.as_deref().map(|t| json!(t)));
        put("operator", self.operator.as_deref().map(|t| json!(t)));
        put("at", self.at.as_deref().map(|t| json!(t)));
        for (path, value) in self.fields.print() {
            insert_at(&mut root, path, value);
        }
        if !self.tests.is_empty() {
            let tests = self.tests.iter().map(|t| json!({ t.expect.as_str(): t.text }));
            root.insert("tests".into(), Json::Array(tests.collect()));
        }
        Json::Object(root)
    }
}

fn names(mentions: &[Mention]) -> Option<Json> {
    (!mentions.is_empty()).then(|| json!(mentions.iter().map(|m| &*m.name).collect::<Vec<_>>()))
}

/// Puts a value at a dotted path, making the mappings on the way.
fn insert_at(root: &mut Map<String, Json>, path: &str, value: Json) {
    match path.split_once('.') {
        None => _ = root.insert(path.to_owned(), value),
        Some((head, rest)) => {
            let child = root.entry(head.to_owned()).or_insert_with(|| Json::Object(Map::new()));
            if let Json::Object(map) = child {
                insert_at(map, rest, value);
            }
        }
    }
}

/// Reads every field of the table below a mapping, and returns the entries with other known keys.
pub(crate) fn read_fields<'n>(
    node: &'n Node,
    metadata: &[&'static str],
    what: &str,
    fields: &mut Fields,
    reader: &mut Reader,
) -> Vec<(&'static str, &'n Entry)> {
    let mut known: Vec<&'static str> = metadata.to_vec();
    known.extend(children(""));
    let mut extra = Vec::new();
    for (key, entry) in reader.keys(node, &known, what) {
        if metadata.contains(&key) {
            extra.push((key, entry));
        } else {
            read_below(key, &entry.value, fields, reader);
        }
    }
    extra
}

fn read_below(path: &str, node: &Node, fields: &mut Fields, reader: &mut Reader) {
    if FIELDS.iter().any(|f| f.path == path) {
        return fields.read_field(path, node, reader);
    }
    // `spotlighting: true` is short for `spotlighting: { enabled: true }`.
    let switch = format!("{path}.enabled");
    if matches!(node.value, Value::Scalar { .. }) && FIELDS.iter().any(|f| f.path == switch) {
        return fields.read_field(&switch, node, reader);
    }
    for (key, entry) in reader.keys(node, &children(path), &format!("`{path}`")) {
        read_below(&format!("{path}.{key}"), &entry.value, fields, reader);
    }
}

/// The keys that stand directly below a path of the table.
fn children(path: &str) -> Vec<&'static str> {
    let mut out: Vec<&'static str> = Vec::new();
    for field in FIELDS {
        let below = match path {
            "" => Some(field.path),
            _ => field.path.strip_prefix(path).and_then(|rest| rest.strip_prefix('.')),
        };
        let key = below.and_then(|rest| rest.split('.').next());
        if let Some(key) = key.filter(|k| !out.contains(k)) {
            out.push(key);
        }
    }
    out
}

/// A list beside a mode that ignores lists is a mistake that would be silent otherwise.
fn check_modes(fields: &Fields, reader: &mut Reader) {
    let mut clash = |mode: Option<(Place, String)>, list: Option<Place>, path: &str, what: &str| {
        let (Some((mode_at, word)), Some(list_at)) = (mode, list) else { return };
        reader.report(
            Diagnostic::error(Code::Contradiction, format!("`{path}.mode` is `{word}` and there is {what}"))
                .at(mode_at, "ignores the list")
                .label(list_at, Role::Context, "the list")
                .help("write `mode: allowlist`, or remove the list"),
        );
    };
    let network = fields.network_mode.as_ref().filter(|m| m.value == NetworkMode::Host);
    let network = network.map(|m| (m.place, m.value.to_string()));
    let list = fields.network_allowlist.as_ref().map(|l| l.place);
    clash(network.clone(), list, "sandbox.network", "an allowlist");
    clash(network, fields.network_http.as_ref().map(|l| l.place), "sandbox.network", "a list of HTTP rules");
    let exec = fields.exec_mode.as_ref().filter(|m| m.value == ExecMode::Any);
    let list = fields.exec_allowlist.as_ref().map(|l| l.place);
    clash(exec.map(|m| (m.place, m.value.to_string())), list, "sandbox.exec", "an allowlist");
}

pub(crate) fn mention(node: &Node, what: &str, reader: &mut Reader) -> Option<Mention> {
    let text = reader.text(node, what)?;
    match Label::new(text.split('@').next().unwrap_or(text)) {
        Ok(_) => Some(Mention { name: Arc::from(text), place: node.place }),
        Err(why) => {
            reader.invalid(node.place, why, "letters, digits, `_`, `-`, `.`, `:` and `/`");
            None
        }
    }
}

pub(crate) fn mentions(node: &Node, what: &str, reader: &mut Reader) -> Vec<Mention> {
    let nodes = reader.list(node, what).unwrap_or_default();
    nodes.iter().filter_map(|n| mention(n, what, reader)).collect()
}

fn timestamp(node: &Node, reader: &mut Reader) -> Option<Arc<str>> {
    let text = reader.quantity(node, "a time")?;
    if is_timestamp(text) {
        return Some(Arc::from(text));
    }
    reader.invalid(
        node.place,
        format!("`{}` is not a time", crate::read::clip(text)),
        "write it like `2026-01-31T09:00:00Z`",
    );
    None
}

/// Whether a text is an RFC 3339 time in UTC, such as `2026-01-31T09:00:00Z`.
pub fn is_timestamp(text: &str) -> bool {
    crate::time::parse_utc(text).is_some()
}

fn read_tests(node: &Node, reader: &mut Reader) -> Vec<TestCase> {
    let nodes = reader.list(node, "tests").unwrap_or_default();
    nodes.iter().filter_map(|n| read_test(n, reader)).collect()
}

fn read_test(node: &Node, reader: &mut Reader) -> Option<TestCase> {
    let entries = reader.keys(node, &["allow", "ask", "deny"], "a test");
    let [(key, entry)] = entries.as_slice() else {
        reader.invalid(node.place, "a test has exactly one expectation", "write it like `{ deny: \"net evil.test\" }`");
        return None;
    };
    let (_, expect) = Effect::WORDS.iter().find(|(w, _)| w == key)?;
    let text = reader.text(&entry.value, "a question")?;
    match Question::parse(text) {
        Ok(question) => Some(TestCase { expect: *expect, question, text: text.to_owned(), place: entry.value.place }),
        Err(why) => {
            reader.report(
                Diagnostic::error(Code::BadQuestion, why)
                    .at(entry.value.place, "not a question")
                    .help("`net HOST`, `read PATH`, `write PATH`, `exec CMD`, `tool NAME [ARGS]`, `import MODULE` or `model NAME`"),
            );
            None
        }
    }
}
