//! The sandbox spec (which agent, which layers, which parameters) and the host's ceiling.

use crate::catalog::read_capabilities;
use crate::diagnostic::{Code, Diagnostic};
use crate::document::{Mention, mention, read_fields};
use crate::fields::Fields;
use crate::level::Layer;
use crate::node::Node;
use crate::pattern::Label;
use crate::read::Reader;
use crate::span::{Place, SourceId};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// One sandbox to derive a config for.
#[derive(Debug, Clone, PartialEq)]
pub struct SandboxSpec {
    /// Its name.
    pub name: Mention,
    /// The project it belongs to.
    pub project: Option<Mention>,
    /// The agent that runs in it.
    pub agent: Option<Mention>,
    /// The preset it always runs under.
    pub preset: Option<Mention>,
    /// The enabled layers, with the place of each.
    pub layers: BTreeMap<Layer, Place>,
    /// Addresses and roots that only the operator knows.
    pub parameters: BTreeMap<&'static str, (String, Place)>,
    /// Capabilities that no tool may use in this sandbox.
    pub forbidden_capabilities: Vec<Label>,
    /// Where those stand.
    pub forbidden_place: Place,
    /// Where the spec stands.
    pub place: Place,
}

/// The parameters a spec may set.
pub const PARAMETERS: &[&str] = &["sync_url", "gateway_url", "mcp_proxy_url", "repo", "home"];
const KEYS: &[&str] =
    &["$schema", "name", "project", "agent", "preset", "layers", "parameters", "forbidden_capabilities"];

impl SandboxSpec {
    /// A sandbox with all five layers and no parameters.
    pub fn default_for(name: &str) -> Self {
        Self {
            name: Mention { name: name.into(), place: Place::default() },
            project: None,
            agent: None,
            preset: None,
            layers: Layer::ALL.into_iter().map(|l| (l, Place::default())).collect(),
            parameters: BTreeMap::new(),
            forbidden_capabilities: Vec::new(),
            forbidden_place: Place::default(),
            place: Place::default(),
        }
    }

    /// Whether a layer is enabled.
    pub fn has(&self, layer: Layer) -> bool {
        self.layers.contains_key(&layer)
    }

    /// A parameter's value.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).map(|(v, _)| v.as_str())
    }

    /// Reads a spec. An unknown layer is an error, never a smaller sandbox.
    pub fn read(node: &Node, reader: &mut Reader) -> Self {
        let mut spec = Self { place: node.place, ..Self::default_for("") };
        for (key, entry) in reader.keys(node, KEYS, "a sandbox spec") {
            let value = &entry.value;
            match key {
                "name" => spec.name = mention(value, "a sandbox name", reader).unwrap_or(spec.name),
                "project" => spec.project = mention(value, "a project id", reader),
                "agent" => spec.agent = mention(value, "an agent id", reader),
                "preset" => spec.preset = mention(value, "a preset", reader),
                "layers" => spec.layers = read_layers(value, reader),
                "parameters" => spec.parameters = read_parameters(value, reader),
                "forbidden_capabilities" => {
                    spec.forbidden_capabilities = read_capabilities(value, reader);
                    spec.forbidden_place = value.place;
                }
                _ => {}
            }
        }
        if spec.name.name.is_empty() && reader.diagnostics.is_empty() {
            reader.report(
                Diagnostic::error(Code::MissingKey, "a sandbox spec without a name")
                    .at(node.place, "needs `name`")
                    .help("add `name: my-sandbox`"),
            );
        }
        spec
    }

    /// The JSON Schema of a spec.
    pub fn schema() -> Json {
        let layers: Vec<&str> = Layer::WORDS.iter().map(|(w, _)| *w).collect();
        let text = json!({ "type": "string", "minLength": 1 });
        let parameters: serde_json::Map<String, Json> =
            PARAMETERS.iter().map(|p| ((*p).to_owned(), text.clone())).collect();
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Ringfence sandbox spec",
            "type": "object",
            "additionalProperties": false,
            "required": ["name"],
            "properties": {
                "$schema": { "type": "string" },
                "name": text, "project": text, "agent": text, "preset": text,
                "layers": { "type": "array", "minItems": 1, "items": { "type": "string", "enum": layers },
                            "description": "the enabled layers; all five when absent" },
                "parameters": { "type": "object", "additionalProperties": false, "properties": parameters },
                "forbidden_capabilities": { "type": "array", "items": text }
            }
        })
    }
}

fn read_layers(node: &Node, reader: &mut Reader) -> BTreeMap<Layer, Place> {
    let items = reader.list(node, "layers").unwrap_or_default();
    if items.is_empty() {
        reader.invalid(
            node.place,
            "no layer is enabled",
            "list at least one of: kernel, harness, codemode, mcp, gateway",
        );
    }
    let mut layers = BTreeMap::new();
    for item in items {
        let Some(name) = reader.text(item, "a layer") else { continue };
        match Layer::WORDS.iter().find(|(w, _)| *w == name) {
            Some((_, layer)) => _ = layers.insert(*layer, item.place),
            None => reader.report(unknown_layer(name, item.place)),
        }
    }
    layers
}

/// The error for a layer that does not exist.
pub(crate) fn unknown_layer(name: &str, place: Place) -> Diagnostic {
    let words: Vec<&str> = Layer::WORDS.iter().map(|(w, _)| *w).collect();
    let d = Diagnostic::error(Code::UnknownLayer, format!("there is no layer `{}`", crate::read::clip(name)));
    let help = format!("one of: {}", words.join(", "));
    match crate::read::nearest(name, &words) {
        Some(near) => d.at(place, format!("did you mean `{near}`?")).help(help),
        None => d.at(place, "unknown").help(help),
    }
}

fn read_parameters(node: &Node, reader: &mut Reader) -> BTreeMap<&'static str, (String, Place)> {
    let mut out = BTreeMap::new();
    for (key, entry) in reader.keys(node, PARAMETERS, "`parameters`") {
        let Some(text) = reader.text(&entry.value, "a value") else { continue };
        match check_parameter(key, text) {
            Ok(()) => _ = out.insert(key, (text.to_owned(), entry.value.place)),
            Err((why, help)) => reader.invalid(entry.value.place, why, help),
        }
    }
    out
}

fn check_parameter(key: &str, text: &str) -> Result<(), (String, &'static str)> {
    let plain = !text.chars().any(|c| c.is_control() || c.is_whitespace());
    if key.ends_with("_url") {
        let known = text.starts_with("https://") || text.starts_with("http://") || text.starts_with("unix:");
        let help = "an address such as `https://gateway.example.com`";
        return if known && plain {
            Ok(())
        } else {
            Err((format!("`{}` is not a URL", crate::read::clip(text)), help))
        };
    }
    let help = "an absolute path, or `.` for the folder the command runs in";
    if text.starts_with('/') || text == "." {
        Ok(())
    } else {
        Err((format!("`{}` is not absolute", crate::read::clip(text)), help))
    }
}

/// What the machine's operator allows at most. It clamps; it never causes a violation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HostCeiling {
    /// The machine.
    pub name: Option<Mention>,
    /// Whether `host` and `full` are allowed here.
    pub self_hosted_dev: bool,
    /// The ceiling, field by field.
    pub fields: Fields,
    /// Which text it was read from.
    pub source: SourceId,
}

impl HostCeiling {
    /// Reads a ceiling.
    pub fn read(node: &Node, reader: &mut Reader) -> Self {
        let mut out = Self { source: node.place.source, ..Self::default() };
        for (key, entry) in
            read_fields(node, &["$schema", "host", "selfHostedDev"], "a host ceiling", &mut out.fields, reader)
        {
            match key {
                "host" => out.name = mention(&entry.value, "a host name", reader),
                "selfHostedDev" => out.self_hosted_dev = reader.flag(&entry.value).unwrap_or(false),
                _ => {}
            }
        }
        out
    }
}
