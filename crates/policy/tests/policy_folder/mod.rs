//! A policy folder in memory: YAML texts by what they are → a policy set, its problems and its answers.

#![expect(dead_code, reason = "each test file uses its own part")]
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on fails")]

use ringfence_policy::catalog::Catalog;
use ringfence_policy::decide::Index;
use ringfence_policy::derive::{Context, Derivation, Errors, derive};
use ringfence_policy::diagnostic::Diagnostic;
use ringfence_policy::document::PolicyDocument;
use ringfence_policy::level::Level;
use ringfence_policy::library::{Library, parse};
use ringfence_policy::policy_set::{Leveled, Parts, PolicySet};
use ringfence_policy::question::Question;
use ringfence_policy::read::Reader;
use ringfence_policy::scale::Effect;
use ringfence_policy::span::Sources;
use ringfence_policy::spec::{HostCeiling, SandboxSpec};
use serde_json::Value as Json;

pub(crate) struct Folder {
    pub(crate) sources: Sources,
    pub(crate) set: PolicySet,
    /// What was found while reading and assembling.
    pub(crate) problems: Vec<Diagnostic>,
}

/// Reads files named by what they are: `org`, `project`, `agent`, `session`, `spec`, `tools` or `host`.
pub(crate) fn folder(files: &[(&str, &str)], presets: &[&str]) -> Folder {
    let mut sources = Sources::default();
    let mut reader = Reader::default();
    let mut parts = Parts { presets: presets.iter().map(|p| (*p).to_owned()).collect(), ..Parts::default() };
    for (kind, text) in files {
        let source = sources.add(format!("{kind}.yaml"), *text);
        match *kind {
            "spec" => parts.spec = parse(source, &sources, &mut reader, SandboxSpec::read),
            "tools" => parts.catalog = parse(source, &sources, &mut reader, Catalog::read),
            "host" => parts.host = parse(source, &sources, &mut reader, HostCeiling::read),
            word => {
                let level = Level::WORDS.iter().find(|(w, _)| *w == word).map(|(_, l)| *l);
                let level = level.unwrap_or_else(|| panic!("`{word}` is no kind of file"));
                let document = parse(source, &sources, &mut reader, PolicyDocument::read);
                parts.documents.extend(document.map(|document| Leveled { level, fallback_id: word.into(), document }));
            }
        }
    }
    let set = PolicySet::assemble(parts, &mut Library::default(), &mut sources, &mut reader);
    Folder { sources, set, problems: reader.diagnostics }
}

impl Folder {
    pub(crate) fn derive(&self) -> Result<Derivation<'_>, Errors> {
        let context = Context {
            issued_at: 1_800_000_000,
            sandbox_id: "sbx".into(),
            self_hosted_dev: self.set.self_hosted_dev,
            ..Context::default()
        };
        derive(&self.set.cascade, &self.set.spec, self.set.catalog.as_ref(), &self.set.org_id, &context)
    }

    /// The derivation of a folder in which nothing is wrong.
    pub(crate) fn sound(&self) -> Derivation<'_> {
        assert!(self.problems.is_empty(), "{:#?}", self.problems);
        self.derive().unwrap_or_else(|e| panic!("{:#?}", e.errors))
    }

    /// The config as JSON.
    pub(crate) fn config(&self) -> Json {
        serde_json::to_value(&self.sound().config).unwrap()
    }

    /// Asks each question and compares.
    pub(crate) fn answers(&self, expected: &[(&str, Effect)]) {
        let derivation = self.sound();
        let index = Index::new(&derivation.resolved, &self.set.spec);
        for (text, effect) in expected {
            let question = Question::parse(text).unwrap();
            assert_eq!(index.decide(&question).effect, *effect, "{text}");
        }
    }
}
