//! A workload as the product knows it: policy texts, then the set that is read from them, then its config.

use crate::{LevelRules, Question, Tool, Workload, quoted};
use ringfence_policy::catalog::Catalog;
use ringfence_policy::decide::{Answer, Index};
use ringfence_policy::derive::{Context, Derivation, derive};
use ringfence_policy::document::PolicyDocument;
use ringfence_policy::level::Level;
use ringfence_policy::library::{Library, parse};
use ringfence_policy::node::Node;
use ringfence_policy::pattern::Host;
use ringfence_policy::policy_set::{Leveled, Parts, PolicySet};
use ringfence_policy::question::DEFAULT_PORT;
use ringfence_policy::read::Reader;
use ringfence_policy::span::Sources;

/// What is wrong with a workload, which would be a defect of this crate.
pub type Defect = String;

const LEVELS: [Level; 3] = [Level::Org, Level::Project, Level::Agent];

impl Workload {
    /// The document of each level, the higher first.
    pub fn documents(&self) -> Vec<String> {
        self.levels.iter().map(LevelRules::document).collect()
    }

    /// The catalog.
    pub fn catalog(&self) -> String {
        let tool = |t: &Tool| format!("{{\"name\": \"{}\", \"capabilities\": [{}]}}", t.name, quoted(&t.capabilities));
        let tools: Vec<String> = self.tools.iter().map(tool).collect();
        format!("{{\"tools\": [{}]}}\n", tools.join(", "))
    }

    /// Reads the texts as the product reads policy files.
    pub fn policy_set(&self) -> Result<PolicySet, Defect> {
        let mut sources = Sources::default();
        let mut parts = Parts::default();
        for (level, text) in LEVELS.into_iter().zip(&self.documents()) {
            let document = read(level.as_str(), text, &mut sources, PolicyDocument::read)?;
            parts.documents.push(Leveled { level, fallback_id: level.to_string(), document });
        }
        parts.catalog = Some(read("tools", &self.catalog(), &mut sources, Catalog::read)?);
        let mut reader = Reader::default();
        let set = PolicySet::assemble(parts, &mut Library::default(), &mut sources, &mut reader);
        match reader.diagnostics.first() {
            None => Ok(set),
            Some(problem) => Err(format!("{problem:?}")),
        }
    }
}

fn read<T>(name: &str, text: &str, sources: &mut Sources, f: fn(&Node, &mut Reader) -> T) -> Result<T, Defect> {
    let source = sources.add(name, text);
    let mut reader = Reader::default();
    let out = parse(source, sources, &mut reader, f);
    match (out, reader.diagnostics.first()) {
        (Some(out), None) => Ok(out),
        (_, problem) => Err(format!("{name}: {problem:?}")),
    }
}

/// The derivation that is timed: everything after parsing, the hash included.
pub fn derived(set: &PolicySet) -> Result<Derivation<'_>, Defect> {
    let context = Context { sandbox_id: "sbx".to_owned(), issued_at: 1_800_000_000, ..Context::default() };
    derive(&set.cascade, &set.spec, set.catalog.as_ref(), "acme", &context)
        .map_err(|e| format!("{:?}", e.errors.first()))
}

/// The decision that is timed: the question as it arrives, parsed, looked up and answered with its trail. A host
/// that is none has no answer.
pub fn decided<'i>(index: &'i Index, question: &Question) -> Option<Answer<'i>> {
    match question {
        Question::Tool(name) => Some(index.tool(name, None)),
        Question::Net(host) => Some(index.net(&Host::parse(host).ok()?, DEFAULT_PORT)),
    }
}
