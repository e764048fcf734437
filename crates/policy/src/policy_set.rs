//! Documents, packs, presets, spec, catalog and ceiling → one policy set: a cascade and what it is for.
//!
//! This is where names become statements: a pack's rules, a category's mitigations and a preset join the
//! cascade as contributions, each with the trail that brought it in.

use crate::cascade::{Cascade, Contribution};
use crate::catalog::Catalog;
use crate::diagnostic::{Code, Diagnostic};
use crate::document::{Mention, PolicyDocument, TestCase};
use crate::fields::Fields;
use crate::level::{IntroducedBy, Level, Origin};
use crate::library::Library;
use crate::pack::CategoryBook;
use crate::pattern::Label;
use crate::read::{Reader, nearest};
use crate::sets::DenySet;
use crate::span::{Place, Sources};
use crate::spec::{HostCeiling, SandboxSpec};
use crate::steps::{Step, Steps};
use crate::strictness::Stated;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most contributions one cascade may have.
pub const MAX_CONTRIBUTIONS: usize = 4096;

/// A document with the level it was given for.
#[derive(Debug, Clone)]
pub struct Leveled {
    /// The level.
    pub level: Level,
    /// The id it has when it states none: its file's name.
    pub fallback_id: String,
    /// The document.
    pub document: PolicyDocument,
}

/// Everything that goes in.
#[derive(Debug, Clone, Default)]
pub struct Parts {
    /// Org, project, agent and session documents.
    pub documents: Vec<Leveled>,
    /// Presets by name.
    pub presets: Vec<String>,
    /// The sandbox; one with all layers where absent.
    pub spec: Option<SandboxSpec>,
    /// The tools; an open world where absent.
    pub catalog: Option<Catalog>,
    /// The machine's ceiling.
    pub host: Option<HostCeiling>,
}

/// A test with the level whose document states it.
#[derive(Debug, Clone, PartialEq)]
pub struct LeveledTest {
    /// The level.
    pub level: Level,
    /// The document.
    pub document: Arc<str>,
    /// The test.
    pub test: TestCase,
}

/// One sandbox with all that is stated about it.
#[derive(Debug, Clone)]
pub struct PolicySet {
    /// The organisation: the id of its document, or `local`.
    pub org_id: String,
    /// All contributions.
    pub cascade: Cascade,
    /// The sandbox.
    pub spec: SandboxSpec,
    /// The tools.
    pub catalog: Option<Catalog>,
    /// Whether the machine allows `host` and `full`.
    pub self_hosted_dev: bool,
    /// The tests of all documents.
    pub tests: Vec<LeveledTest>,
}

impl PolicySet {
    /// Assembles a set. Problems go to the reader; the set holds what could be read.
    pub fn assemble(parts: Parts, library: &mut Library, sources: &mut Sources, reader: &mut Reader) -> Self {
        let mut assembly = Assembly { library, sources, reader, book: None, out: Vec::new(), tests: Vec::new() };
        assembly.baseline();
        let org_id = org_id(&parts.documents);
        let spec = parts.spec.unwrap_or_else(|| SandboxSpec::default_for(default_name(&parts.documents)));
        for leveled in &parts.documents {
            assembly.document(leveled);
        }
        for name in &parts.presets {
            assembly.preset(name, None);
        }
        if let Some(preset) = &spec.preset {
            assembly.preset(&preset.name, Some(preset.place));
        }
        assembly.spec(&spec);
        let self_hosted_dev = parts.host.as_ref().is_some_and(|h| h.self_hosted_dev);
        if let Some(host) = parts.host {
            assembly.host(host);
        }
        let Assembly { out, tests, .. } = assembly;
        Self { org_id, cascade: Cascade::new(out), spec, catalog: parts.catalog, self_hosted_dev, tests }
    }

    /// The cascade down to a level, without the host's ceiling: what a document at that level can know.
    pub fn down_to(&self, level: Level) -> Cascade {
        let kept = self.cascade.contributions().iter().filter(|c| c.origin.level <= level);
        Cascade::new(kept.map(|c| (**c).clone()))
    }
}

fn org_id(documents: &[Leveled]) -> String {
    let org = documents.iter().find(|d| d.level == Level::Org);
    org.map_or_else(|| "local".to_owned(), |d| d.document.id_or(&d.fallback_id).to_owned())
}

fn default_name(documents: &[Leveled]) -> &str {
    documents.last().map_or("default", |d| d.document.id_or(&d.fallback_id))
}

struct Assembly<'a> {
    library: &'a mut Library,
    sources: &'a mut Sources,
    reader: &'a mut Reader,
    book: Option<CategoryBook>,
    out: Vec<Contribution>,
    tests: Vec<LeveledTest>,
}

impl Assembly<'_> {
    fn baseline(&mut self) {
        let Some(doc) = Library::baseline(self.sources, self.reader) else { return };
        let mut origin = Origin::document(Level::Org, "baseline", self.sources.name(doc.source));
        origin.clamps = true;
        origin.introduced_by = IntroducedBy::Manual;
        origin.because.clone_from(&doc.because);
        self.out.push(Contribution::new(origin, doc.fields));
    }

    fn document(&mut self, leveled: &Leveled) {
        let doc = &leveled.document;
        if let Some((level, place)) = doc.level.filter(|(l, _)| *l != leveled.level) {
            self.reader.report(
                Diagnostic::error(
                    Code::Layout,
                    format!("a document for the {level} level, given as {}", leveled.level),
                )
                .at(place, format!("says `{level}`"))
                .help("give it as what it says, or change its `level`"),
            );
        }
        let id = doc.id_or(&leveled.fallback_id).to_owned();
        let mut origin = Origin::document(leveled.level, &id, self.sources.name(doc.source));
        origin.because.clone_from(&doc.because);
        origin.operator.clone_from(&doc.operator);
        origin.at.clone_from(&doc.at);
        for test in &doc.tests {
            self.tests.push(LeveledTest {
                level: leveled.level,
                document: origin.document.clone(),
                test: test.clone(),
            });
        }
        self.packs(&origin, &doc.packs);
        self.categories(&origin, &doc.categories);
        self.contribute(origin, doc.fields.clone());
    }

    /// Steps that name a concern or a category carry it as their trail, so those with the same trail go
    /// together in a contribution of their own.
    fn contribute(&mut self, origin: Origin, mut fields: Fields) {
        if let Some(stated) = fields.steps.take() {
            let mut groups: BTreeMap<(Option<Label>, Option<Label>), Stated<Steps>> = BTreeMap::new();
            let trail = |step: &Step| (step.concerns.first().cloned(), step.categories.first().cloned());
            let empty = || Stated { value: Steps::default(), place: stated.place, items: Vec::new() };
            for (name, step) in &stated.value.0 {
                groups.entry(trail(step)).or_insert_with(empty).value.0.insert(name.clone(), step.clone());
            }
            for (item, place) in &stated.items {
                let group = stated.value.0.get(&item.step).map(trail).and_then(|t| groups.get_mut(&t));
                group.into_iter().for_each(|g| g.items.push((item.clone(), *place)));
            }
            fields.steps = groups.remove(&(None, None));
            for ((concern, category), steps) in groups {
                let text = |label: Option<Label>| label.map(|l| Arc::from(l.as_str()));
                let origin = Origin {
                    concern: text(concern).or(origin.concern.clone()),
                    category: text(category).or(origin.category.clone()),
                    ..origin.clone()
                };
                self.push(Contribution::new(origin, Fields { steps: Some(steps), ..Fields::default() }));
            }
        }
        self.push(Contribution::new(origin, fields));
    }

    /// Contributions are counted: what is not bounded by a document's size is bounded here.
    fn push(&mut self, contribution: Contribution) {
        if self.out.len() == MAX_CONTRIBUTIONS {
            self.reader.report(
                Diagnostic::error(
                    Code::TooLarge,
                    format!("more than {MAX_CONTRIBUTIONS} documents, pack rules and mitigations"),
                )
                .help("state fewer packs, categories or documents"),
            );
        }
        if self.out.len() <= MAX_CONTRIBUTIONS {
            self.out.push(contribution);
        }
    }

    /// Mentions without repeats; a repeat says nothing and is pointed out.
    fn once<'m>(&mut self, mentions: &'m [Mention]) -> Vec<&'m Mention> {
        let mut seen = BTreeSet::new();
        let mut out = Vec::new();
        for mention in mentions {
            if seen.insert(&mention.name) {
                out.push(mention);
            } else {
                self.reader.report(
                    Diagnostic::warning(Code::NoEffect, format!("`{}` is listed twice", mention.name))
                        .at(mention.place, "again here")
                        .help("remove one of the two"),
                );
            }
        }
        out
    }

    fn packs(&mut self, origin: &Origin, packs: &[Mention]) {
        for mention in self.once(packs) {
            let Some(pack) = self.library.pack(&mention.name, self.sources, self.reader) else {
                self.unknown(
                    Code::UnknownPack,
                    "pack",
                    mention,
                    &self.library.pack_names().iter().map(|n| (*n).to_owned()).collect::<Vec<_>>(),
                );
                continue;
            };
            let reference = pack.reference();
            let file = self.sources.name(pack.text);
            for rule in pack.rules {
                let from = Origin {
                    clamps: true,
                    introduced_by: IntroducedBy::CompliancePack,
                    document: Arc::from(format!("{reference}#{}", rule.id)),
                    file: file.clone(),
                    rule: Some(rule.id),
                    pack: Some(reference.clone()),
                    cites: Some(rule.cites),
                    concern: rule.concern,
                    category: rule.category,
                    because: Some(rule.because),
                    ..origin.clone()
                };
                self.contribute(from, rule.fields);
            }
        }
    }

    fn categories(&mut self, origin: &Origin, categories: &[Mention]) {
        if categories.is_empty() {
            return;
        }
        if self.book.is_none() {
            self.book = self.library.categories(self.sources, self.reader);
        }
        let Some(book) = self.book.clone() else { return };
        for mention in self.once(categories) {
            let Some(category) = book.categories.get(&mention.name) else {
                let names: Vec<String> = book.categories.keys().map(|k| k.to_string()).collect();
                self.unknown(Code::UnknownCategory, "category", mention, &names);
                continue;
            };
            for concern in &category.leads_to {
                let mitigations = book.concerns.get(concern).map_or(&[][..], |t| &t.leads_to);
                for name in mitigations {
                    let Some(mitigation) = book.mitigations.get(name) else { continue };
                    let from = Origin {
                        clamps: true,
                        document: Arc::from(format!("{}#{name}", origin.document)),
                        file: Arc::from("ringfence:categories"),
                        rule: Some(name.clone()),
                        concern: Some(concern.clone()),
                        category: Some(mention.name.clone()),
                        because: Some(mitigation.because.clone()),
                        ..origin.clone()
                    };
                    self.contribute(from, mitigation.fields.clone());
                }
            }
        }
    }

    fn preset(&mut self, name: &str, place: Option<Place>) {
        let Some(doc) = self.library.preset(name, self.sources, self.reader) else {
            let names: Vec<String> = self.library.preset_names().iter().map(|n| (*n).to_owned()).collect();
            let place = place.unwrap_or_default();
            self.unknown(Code::UnknownPreset, "preset", &Mention { name: Arc::from(name), place }, &names);
            return;
        };
        let mut origin = Origin::document(Level::Session, name, self.sources.name(doc.source));
        origin.clamps = true;
        origin.because.clone_from(&doc.because);
        self.packs(&origin, &doc.packs);
        self.categories(&origin, &doc.categories);
        self.contribute(origin, doc.fields);
    }

    fn spec(&mut self, spec: &SandboxSpec) {
        if spec.forbidden_capabilities.is_empty() {
            return;
        }
        let place = spec.forbidden_place;
        let origin = Origin::document(Level::Agent, &spec.name.name, self.sources.name(place.source));
        let items = spec.forbidden_capabilities.iter().map(|l| (l.clone(), place)).collect();
        let value = DenySet::new(spec.forbidden_capabilities.clone());
        let fields = Fields { forbidden: Some(Stated { value, place, items }), ..Fields::default() };
        self.push(Contribution::new(origin, fields));
    }

    fn host(&mut self, host: HostCeiling) {
        let name = host.name.map_or_else(|| Arc::from("host"), |m| m.name);
        let file = self.sources.name(host.source);
        let mut origin = Origin::document(Level::Host, &name, file);
        origin.clamps = true;
        self.contribute(origin, host.fields);
    }

    fn unknown(&mut self, code: Code, what: &str, mention: &Mention, known: &[String]) {
        let names: Vec<&str> = known.iter().map(String::as_str).collect();
        let name = mention.name.split('@').next().unwrap_or(&mention.name);
        let d = if names.contains(&name) {
            Diagnostic::error(code, format!("there is no version `{}` of the {what} `{name}`", mention.name))
        } else {
            Diagnostic::error(code, format!("there is no {what} `{}`", mention.name))
        };
        let label = match nearest(name, &names) {
            Some(near) if near != name => format!("did you mean `{near}`?"),
            _ => "unknown".to_owned(),
        };
        let d = if mention.place == Place::default() { d } else { d.at(mention.place, label) };
        self.reader.report(d.help(format!("one of: {}", names.join(", "))));
    }
}
