//! The tool catalog: which tools there are, what they can do, where they come from.

use crate::diagnostic::{Code, Diagnostic, Role};
use crate::node::{Entry, Node};
use crate::pattern::{Label, NamePattern};
use crate::read::Reader;
use crate::sets::Pattern;
use crate::span::Place;
use hashbrown::HashMap;
use serde_json::{Value as Json, json};

/// The capability of a tool that the catalog does not know.
pub const UNKNOWN_TOOL: &str = "unknown_tool";
/// The capability of a catalogued tool that lists none.
pub const UNCLASSIFIED: &str = "unclassified";

/// Whether a tool has been looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// It may be used as the policy says.
    Approved,
    /// Somebody still has to look at it: denied.
    Review,
    /// It must not be used any more: denied.
    Retired,
}

const STATUSES: &[(&str, Status)] =
    &[("approved", Status::Approved), ("review", Status::Review), ("retired", Status::Retired)];

impl Status {
    /// The word in a catalog.
    pub fn as_str(self) -> &'static str {
        STATUSES.iter().find(|(_, s)| *s == self).map_or("", |(w, _)| w)
    }
}

/// One argument of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Slot {
    /// Its name.
    pub name: String,
    /// Its JSON type.
    pub kind: &'static str,
    /// Whether a call must give it.
    pub required: bool,
}

/// One tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name, `server/tool` by custom.
    pub name: String,
    /// The same as a pattern.
    pub(crate) pattern: NamePattern,
    /// What it can do, sorted.
    pub capabilities: Vec<Label>,
    /// The same as numbers into the catalog's list.
    pub(crate) numbers: Vec<usize>,
    /// Where it comes from.
    pub source: Option<String>,
    /// Whether it has been looked at.
    pub status: Status,
    /// Its arguments.
    pub arguments: Vec<Slot>,
    /// What it is for.
    pub description: Option<String>,
    /// Where it stands.
    pub place: Place,
}

/// All tools, sorted by name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Catalog {
    tools: Vec<Tool>,
    /// Every capability that occurs, sorted; tools number theirs by it.
    capabilities: Vec<Label>,
}

/// A place in a catalog that only moves forward.
pub(crate) struct Walk<'a> {
    rest: &'a [Tool],
}

impl<'a> Walk<'a> {
    /// The tool of a name that is not smaller than the last one asked for.
    pub(crate) fn get(&mut self, name: &str) -> Option<&'a Tool> {
        let before = self.rest.iter().take_while(|t| t.name.as_str() < name).count();
        self.rest = self.rest.get(before..).unwrap_or_default();
        self.rest.first().filter(|t| t.name == name)
    }
}

const KINDS: &[(&str, &str)] = &[
    ("string", "string"),
    ("integer", "integer"),
    ("number", "number"),
    ("boolean", "boolean"),
    ("array", "array"),
    ("object", "object"),
];

impl Catalog {
    /// A catalog of these tools.
    pub fn new(mut tools: Vec<Tool>) -> Self {
        tools.sort_by(|a, b| a.name.cmp(&b.name));
        tools.dedup_by(|b, a| a.name == b.name);
        let mut capabilities: Vec<Label> = tools.iter().flat_map(|t| &t.capabilities).cloned().collect();
        capabilities.sort_unstable();
        capabilities.dedup();
        for tool in &mut tools {
            tool.numbers = tool.capabilities.iter().filter_map(|c| capabilities.binary_search(c).ok()).collect();
        }
        Self { tools, capabilities }
    }

    /// All tools by name.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// Every capability that occurs, sorted.
    pub(crate) fn capabilities(&self) -> &[Label] {
        &self.capabilities
    }

    /// The tool of that name.
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.tools.binary_search_by(|t| t.name.as_str().cmp(name)).ok().and_then(|i| self.tools.get(i))
    }

    /// Looks up names in ascending order: each search starts where the last one ended.
    pub(crate) fn walk(&self) -> Walk<'_> {
        Walk { rest: &self.tools }
    }

    /// Reads `{ tools: [...] }`.
    pub fn read(node: &Node, reader: &mut Reader) -> Self {
        let mut tools = Vec::new();
        let mut first: HashMap<String, Place> = HashMap::new();
        for (key, entry) in reader.keys(node, &["$schema", "tools"], "a tool catalog") {
            if key != "tools" {
                continue;
            }
            for node in reader.list(&entry.value, "tools").unwrap_or_default() {
                let Some(tool) = read_tool(node, reader) else { continue };
                if let Some(before) = first.insert(tool.name.clone(), tool.place) {
                    reader.report(
                        Diagnostic::error(Code::DuplicateKey, format!("the tool `{}` stands twice", tool.name))
                            .at(tool.place, "second time here")
                            .label(before, Role::Context, "first time here")
                            .help("keep one of the two"),
                    );
                }
                tools.push(tool);
            }
        }
        Self::new(tools)
    }

    /// The JSON Schema of a catalog.
    pub fn schema() -> Json {
        let label = json!({ "type": "string", "minLength": 1 });
        let statuses: Vec<&str> = STATUSES.iter().map(|(w, _)| *w).collect();
        let kinds: Vec<&str> = KINDS.iter().map(|(w, _)| *w).collect();
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Ringfence tool catalog",
            "type": "object",
            "additionalProperties": false,
            "required": ["tools"],
            "properties": {
                "$schema": { "type": "string" },
                "tools": { "type": "array", "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["name"],
                    "properties": {
                        "name": { "type": "string", "minLength": 1, "description": "`server/tool` by custom" },
                        "capabilities": { "type": "array", "items": label, "description": "what the tool can do" },
                        "source": { "type": "string", "description": "where the tool comes from" },
                        "status": { "type": "string", "enum": statuses, "description": "only `approved` tools can be used" },
                        "description": { "type": "string" },
                        "arguments": { "type": "object", "additionalProperties": {
                            "type": "object",
                            "additionalProperties": false,
                            "properties": {
                                "type": { "type": "string", "enum": kinds },
                                "required": { "type": "boolean" },
                                "description": { "type": "string" }
                            }
                        } }
                    }
                } }
            }
        })
    }
}

const TOOL_KEYS: &[&str] = &["name", "capabilities", "source", "status", "arguments", "description"];

fn read_tool(node: &Node, reader: &mut Reader) -> Option<Tool> {
    let mut tool = Tool {
        name: String::new(),
        pattern: NamePattern::any(),
        capabilities: Vec::new(),
        numbers: Vec::new(),
        source: None,
        status: Status::Approved,
        arguments: Vec::new(),
        description: None,
        place: node.place,
    };
    for (key, entry) in reader.keys(node, TOOL_KEYS, "a tool") {
        let value = &entry.value;
        match key {
            "name" => {
                let name = reader.text(value, "a tool name")?;
                match NamePattern::new(name) {
                    Ok(p) if !p.is_prefix() => {
                        tool.name = name.to_owned();
                        tool.pattern = p;
                    }
                    _ => reader.invalid(
                        value.place,
                        format!("`{}` is not a tool name", crate::read::clip(name)),
                        "a name without `*` and spaces",
                    ),
                }
                tool.place = value.place;
            }
            "capabilities" => tool.capabilities = read_capabilities(value, reader),
            "source" => tool.source = reader.text(value, "a source").map(str::to_owned),
            "status" => tool.status = reader.word(value, STATUSES, "a status").unwrap_or(Status::Review),
            "arguments" => {
                let slots = reader.map(value, "arguments").unwrap_or_default();
                tool.arguments = slots.iter().map(|slot| read_slot(slot, reader)).collect();
            }
            _ => tool.description = reader.text(value, "a description").map(str::to_owned),
        }
    }
    if tool.name.is_empty() {
        reader.report(
            Diagnostic::error(Code::MissingKey, "a tool without a name")
                .at(node.place, "needs `name`")
                .help("add `name: server/tool`"),
        );
        return None;
    }
    if tool.capabilities.is_empty() {
        tool.capabilities.extend(Label::new(UNCLASSIFIED));
    }
    Some(tool)
}

pub(crate) fn read_capabilities(node: &Node, reader: &mut Reader) -> Vec<Label> {
    let mut out = Vec::new();
    for item in reader.list(node, "capabilities").unwrap_or_default() {
        match reader.text(item, Label::WHAT).map(Label::new) {
            Some(Ok(label)) => out.push(label),
            Some(Err(why)) => reader.invalid(item.place, why, "a capability, such as `file_read`"),
            None => {}
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

fn read_slot(entry: &Entry, reader: &mut Reader) -> Slot {
    let mut slot = Slot { name: entry.key.clone(), kind: "string", required: false };
    for (key, part) in reader.keys(&entry.value, &["type", "required", "description"], "an argument") {
        match key {
            "type" => slot.kind = reader.word(&part.value, KINDS, "a JSON type").unwrap_or("string"),
            "required" => slot.required = reader.flag(&part.value).unwrap_or(false),
            _ => _ = reader.text(&part.value, "a description"),
        }
    }
    slot
}
