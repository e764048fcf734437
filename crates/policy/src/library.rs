//! What comes with the binary: packs, the category book, presets and the baseline, all as data.
//!
//! Texts are parsed only when a document names them. A policy folder may add its own packs and presets;
//! it cannot replace built-in ones, so that a name means the same thing everywhere.

use crate::diagnostic::{Code, Diagnostic};
use crate::document::PolicyDocument;
use crate::node;
use crate::pack::{CategoryBook, Pack};
use crate::read::Reader;
use crate::span::{SourceId, Sources};
use std::collections::BTreeMap;
use std::sync::Arc;

const PACKS: &[(&str, &str)] = &[
    ("eu-ai-act", include_str!("../data/packs/eu-ai-act.yaml")),
    ("gdpr", include_str!("../data/packs/gdpr.yaml")),
    ("hipaa", include_str!("../data/packs/hipaa.yaml")),
    ("owasp-agentic", include_str!("../data/packs/owasp-agentic.yaml")),
    ("owasp-llm", include_str!("../data/packs/owasp-llm.yaml")),
    ("pci-dss", include_str!("../data/packs/pci-dss.yaml")),
    ("soc2", include_str!("../data/packs/soc2.yaml")),
];
const PRESETS: &[(&str, &str)] = &[
    ("audit", include_str!("../data/presets/audit.yaml")),
    ("full-isolate", include_str!("../data/presets/full-isolate.yaml")),
    ("read-only", include_str!("../data/presets/read-only.yaml")),
    ("web-only", include_str!("../data/presets/web-only.yaml")),
];
const CATEGORIES: &str = include_str!("../data/categories.yaml");
const BASELINE: &str = include_str!("../data/baseline.yaml");

/// Built-in and added texts, by name.
#[derive(Debug, Clone, Default)]
pub struct Library {
    packs: BTreeMap<String, SourceId>,
    presets: BTreeMap<String, SourceId>,
    categories: Option<SourceId>,
}

impl Library {
    /// The names of the packs that come with the binary.
    pub fn builtin_packs() -> impl Iterator<Item = &'static str> {
        PACKS.iter().map(|(name, _)| *name)
    }

    /// The names of the presets that come with the binary.
    pub fn builtin_presets() -> impl Iterator<Item = &'static str> {
        PRESETS.iter().map(|(name, _)| *name)
    }

    /// Adds a pack of the policy folder.
    pub fn add_pack(&mut self, name: &str, source: SourceId) -> Result<(), Box<Diagnostic>> {
        add(&mut self.packs, PACKS, name, source, "pack")
    }

    /// Adds a preset of the policy folder.
    pub fn add_preset(&mut self, name: &str, source: SourceId) -> Result<(), Box<Diagnostic>> {
        add(&mut self.presets, PRESETS, name, source, "preset")
    }

    /// The pack a document names as `name` or `name@version`.
    pub fn pack(&self, reference: &str, sources: &mut Sources, reader: &mut Reader) -> Option<Pack> {
        let (name, version) = reference.split_once('@').map_or((reference, None), |(n, v)| (n, Some(v)));
        let source = self.source(&self.packs, PACKS, "packs", name, sources)?;
        let pack = parse(source, sources, reader, Pack::read)?;
        match version {
            Some(v) if *v != *pack.version => None,
            _ => Some(pack),
        }
    }

    /// The preset of that name.
    pub fn preset(&self, name: &str, sources: &mut Sources, reader: &mut Reader) -> Option<PolicyDocument> {
        let source = self.source(&self.presets, PRESETS, "presets", name, sources)?;
        parse(source, sources, reader, PolicyDocument::read)
    }

    /// The category book.
    pub fn categories(&mut self, sources: &mut Sources, reader: &mut Reader) -> Option<CategoryBook> {
        let source = *self.categories.get_or_insert_with(|| sources.add("ringfence:categories", CATEGORIES));
        parse(source, sources, reader, CategoryBook::read)
    }

    /// The rules that are always on.
    pub fn baseline(sources: &mut Sources, reader: &mut Reader) -> Option<PolicyDocument> {
        let source = sources.add("ringfence:baseline", BASELINE);
        parse(source, sources, reader, PolicyDocument::read)
    }

    /// Every pack name there is, for hints.
    pub fn pack_names(&self) -> Vec<&str> {
        PACKS.iter().map(|(n, _)| *n).chain(self.packs.keys().map(String::as_str)).collect()
    }

    /// Every preset name there is, for hints.
    pub fn preset_names(&self) -> Vec<&str> {
        PRESETS.iter().map(|(n, _)| *n).chain(self.presets.keys().map(String::as_str)).collect()
    }

    fn source(
        &self,
        added: &BTreeMap<String, SourceId>,
        builtin: &[(&str, &'static str)],
        kind: &str,
        name: &str,
        sources: &mut Sources,
    ) -> Option<SourceId> {
        if let Some(id) = added.get(name) {
            return Some(*id);
        }
        let (_, text) = builtin.iter().find(|(n, _)| *n == name)?;
        Some(sources.add(format!("ringfence:{kind}/{name}"), *text))
    }
}

fn add(
    to: &mut BTreeMap<String, SourceId>,
    builtin: &[(&str, &str)],
    name: &str,
    source: SourceId,
    what: &str,
) -> Result<(), Box<Diagnostic>> {
    let taken = builtin.iter().any(|(n, _)| *n == name) || to.contains_key(name);
    if taken {
        return Err(Box::new(
            Diagnostic::error(Code::Layout, format!("there is a {what} named `{name}` already"))
                .help("give it another name; a name means the same thing everywhere"),
        ));
    }
    to.insert(name.to_owned(), source);
    Ok(())
}

/// Parses and reads one text; a syntax error goes to the reader like any other problem.
pub fn parse<T>(
    source: SourceId,
    sources: &Sources,
    reader: &mut Reader,
    read: fn(&node::Node, &mut Reader) -> T,
) -> Option<T> {
    let text: Arc<str> = sources.get(source)?.text.clone();
    match node::parse(&text, source) {
        Ok(node) => Some(read(&node, reader)),
        Err(d) => {
            reader.report(*d);
            None
        }
    }
}
