//! The published JSON Schemas, generated from the types and the field table.

use crate::catalog::Catalog;
use crate::config::SandboxConfig;
use crate::fields::FIELDS;
use crate::level::Level;
use crate::scale::Effect;
use crate::spec::SandboxSpec;
use crate::strictness::Scale;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value as Json, json};

/// The schemas by name: what `schema/NAME.schema.json` holds.
pub fn all() -> Vec<(&'static str, Json)> {
    vec![
        ("policy", policy()),
        ("sandbox-config", sandbox_config()),
        ("sandbox-spec", SandboxSpec::schema()),
        ("tools", Catalog::schema()),
    ]
}

/// The schema of a sandbox config.
fn sandbox_config() -> Json {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.into_root_schema_for::<SandboxConfig>().to_value()
}

/// The schema of a policy document. Keys may also be written in snake_case; editors suggest camelCase.
fn policy() -> Json {
    let mut properties = metadata();
    for field in FIELDS {
        let mut schema = (field.schema)();
        if let Json::Object(map) = &mut schema {
            let doc = field.doc.trim();
            map.insert(
                "description".into(),
                json!(format!("{doc} Merge: {}. Silence: {}.", field.merge.words(), field.silence)),
            );
        }
        insert(&mut properties, field.path, schema);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Ringfence policy",
        "description": "What an organisation, a project, an agent or a session states. Strictest wins.",
        "type": "object",
        "additionalProperties": false,
        "minProperties": 1,
        "properties": properties,
    })
}

fn metadata() -> Map<String, Json> {
    let text = |doc: &str| json!({ "type": "string", "minLength": 1, "description": doc });
    let names =
        |doc: &str| json!({ "type": "array", "items": { "type": "string", "minLength": 1 }, "description": doc });
    let levels: Vec<&str> = Level::WORDS.iter().map(|(w, _)| *w).take(4).collect();
    let tests: Map<String, Json> = Effect::WORDS.iter().map(|(w, _)| ((*w).to_owned(), text("a question"))).collect();
    let mut out = Map::new();
    let mut put = |key: &str, value| out.insert(key.to_owned(), value);
    put("$schema", json!({ "type": "string" }));
    put("policy", text("The document's id."));
    put("level", json!({ "type": "string", "enum": levels, "description": "The level it is for." }));
    put("project", text("The project an agent belongs to."));
    put("packs", names("Compliance packs that join this level, as `name` or `name@version`."));
    put("categories", names("Categories of data or systems; each brings the mitigations of its concerns."));
    put("because", text("Why the document exists."));
    put("operator", text("Who answers for it."));
    put("at", json!({ "type": "string", "format": "date-time", "description": "When it was written, in UTC." }));
    put(
        "tests",
        json!({
            "type": "array",
            "description": "Questions with the expected answer, judged by what stands at this level and above.",
            "items": { "type": "object", "additionalProperties": false, "minProperties": 1, "maxProperties": 1, "properties": tests },
        }),
    );
    out
}

/// Puts a field's schema at its path, making closed objects on the way. A switch named `enabled` may also
/// be written as its parent: `spotlighting: true`.
fn insert(properties: &mut Map<String, Json>, path: &str, schema: Json) {
    let Some((head, rest)) = path.split_once('.') else {
        properties.insert(path.to_owned(), schema);
        return;
    };
    let empty = || json!({ "type": "object", "additionalProperties": false, "properties": {} });
    let child = properties.entry(head.to_owned()).or_insert_with(empty);
    if rest == "enabled" {
        *child = json!({ "anyOf": [{ "type": "boolean" }, child] });
    }
    let object = match child.get_mut("anyOf").and_then(|any| any.get_mut(1)) {
        Some(object) => object,
        None => match properties.get_mut(head) {
            Some(child) => child,
            None => return,
        },
    };
    if let Some(Json::Object(below)) = object.get_mut("properties") {
        insert(below, rest, schema);
    }
}
