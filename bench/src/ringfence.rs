//! Ringfence itself: the workload as policy documents, read, derived and indexed by the product's own code.
//!
//! A timed decision parses the host as the product does, looks up the answer and touches its trail; nothing
//! is prepared per question.

use std::hint::black_box;

use ringfence_policy::catalog::Catalog;
use ringfence_policy::decide::Index;
use ringfence_policy::derive::{Context, Derivation, derive};
use ringfence_policy::document::PolicyDocument;
use ringfence_policy::level::Level;
use ringfence_policy::library::{Library, parse};
use ringfence_policy::node::Node;
use ringfence_policy::pattern::Host;
use ringfence_policy::policy_set::{Leveled, Parts, PolicySet};
use ringfence_policy::question::DEFAULT_PORT;
use ringfence_policy::read::Reader;
use ringfence_policy::resolve::Resolved;
use ringfence_policy::scale;
use ringfence_policy::span::Sources;

use crate::workload::{Effect, Question, Workload};
use crate::{Engine, LoadResult};

const LEVELS: [Level; 3] = [Level::Org, Level::Project, Level::Agent];

/// The compiled index.
pub struct Ringfence {
    index: Index,
}

/// The three documents and the catalog as texts.
pub fn texts(workload: &Workload) -> (Vec<String>, String) {
    let quoted = |words: &[String]| words.iter().map(|w| format!("{w:?}")).collect::<Vec<_>>().join(",");
    let tool = |t: &crate::workload::Tool| {
        let capabilities: Vec<String> = t.capabilities.iter().map(ToString::to_string).collect();
        format!("{{\"name\":{:?},\"capabilities\":[{}]}}", t.name, quoted(&capabilities))
    };
    let tools: Vec<String> = workload.tools.iter().map(tool).collect();
    let documents = workload.levels.iter().map(crate::workload::LevelRules::document).collect();
    (documents, format!("{{\"tools\":[{}]}}", tools.join(",")))
}

fn read<T>(name: &str, text: &str, sources: &mut Sources, f: fn(&Node, &mut Reader) -> T) -> LoadResult<T> {
    let source = sources.add(name, text);
    let mut reader = Reader::default();
    let out = parse(source, sources, &mut reader, f);
    match (out, reader.diagnostics.first()) {
        (Some(out), None) => Ok(out),
        (_, problem) => Err(format!("{name}: {problem:?}").into()),
    }
}

/// Reads the workload as the product reads policy files.
pub fn policy_set(workload: &Workload) -> LoadResult<PolicySet> {
    let (documents, catalog) = texts(workload);
    let mut sources = Sources::default();
    let mut parts = Parts::default();
    for (level, text) in LEVELS.into_iter().zip(&documents) {
        let document = read(level.as_str(), text, &mut sources, PolicyDocument::read)?;
        parts.documents.push(Leveled { level, fallback_id: level.to_string(), document });
    }
    parts.catalog = Some(read("tools", &catalog, &mut sources, Catalog::read)?);
    let mut reader = Reader::default();
    let set = PolicySet::assemble(parts, &mut Library::default(), &mut sources, &mut reader);
    match reader.diagnostics.first() {
        None => Ok(set),
        Some(problem) => Err(format!("{problem:?}").into()),
    }
}

/// The derivation that is timed: everything after parsing, the hash included.
pub fn derived(set: &PolicySet) -> LoadResult<Derivation<'_>> {
    let context = Context { sandbox_id: "sbx".to_owned(), issued_at: 1_800_000_000, ..Context::default() };
    derive(&set.cascade, &set.spec, set.catalog.as_ref(), "acme", &context)
        .map_err(|e| format!("{:?}", e.errors.first()).into())
}

impl Ringfence {
    /// Reads and compiles the workload.
    pub fn new(workload: &Workload) -> LoadResult<Self> {
        let set = policy_set(workload)?;
        let resolved = Resolved::new(&set.cascade, set.catalog.as_ref());
        Ok(Self { index: Index::new(&resolved, &set.spec) })
    }
}

impl Engine for Ringfence {
    fn name(&self) -> &str {
        "ringfence"
    }

    fn answer(&mut self, question: &Question) -> Effect {
        let answer = match question {
            Question::Tool(name) => self.index.tool(name, None),
            Question::Net(host) => match Host::parse(host) {
                Ok(host) => self.index.net(&host, DEFAULT_PORT),
                Err(_) => return Effect::Deny,
            },
        };
        black_box(answer.reasons.first());
        match answer.effect {
            scale::Effect::Allow => Effect::Allow,
            scale::Effect::Ask => Effect::Ask,
            scale::Effect::Deny => Effect::Deny,
        }
    }
}
