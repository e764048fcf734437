//! Documents and specs → targets: which documents make up which sandbox.
//!
//! Each spec is a sandbox. An agent that no spec names is one too; without agents each project is; without
//! projects the organisation is.

use super::Select;
use super::file;
use super::select;
use super::workspace::{Spec, Workspace};
use crate::output::choices;
use ringfence_policy::diagnostic::{Code, Diagnostic, Role};
use ringfence_policy::document::Mention;
use ringfence_policy::level::Level;
use ringfence_policy::read::nearest;

/// How many sandboxes a command works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All of them, and projects that no sandbox uses yet.
    All,
    /// All of them; a selector that finds none is no error, because another workspace may have it.
    Sandboxes,
    /// Exactly one.
    One,
}

/// One sandbox: indices into the workspace.
#[derive(Debug, Default)]
pub(super) struct Target {
    pub(super) name: String,
    pub(super) spec: Option<usize>,
    pub(super) project: Option<usize>,
    pub(super) agent: Option<usize>,
    /// From the top level down.
    pub(super) documents: Vec<usize>,
}

impl Workspace {
    /// The sandboxes that the flags select.
    pub(super) fn targets(&mut self, select: &Select, scope: Scope) -> Vec<Target> {
        self.refuse_twins();
        if self.documents.is_empty() && self.specs.is_empty() {
            if self.problems.is_empty() {
                self.problems.push(no_documents());
            }
            return Vec::new();
        }
        let mut targets = if self.joined { self.joined_targets() } else { self.folder_targets(scope) };
        if !select.names_files() {
            let before = self.problems.len();
            targets = self.selected(targets, select);
            if scope == Scope::Sandboxes {
                self.problems.truncate(before);
            }
        }
        if scope == Scope::One && targets.len() > 1 {
            self.problems.push(select::too_many(&targets));
            targets.clear();
        }
        targets
    }

    fn joined_targets(&mut self) -> Vec<Target> {
        self.warn_of_absent();
        let documents: Vec<usize> = (0..self.documents.len()).collect();
        let name = self.documents.last().map(|d| d.id().to_owned()).unwrap_or_default();
        if self.specs.is_empty() {
            return vec![Target { name, documents, ..Target::default() }];
        }
        let of_spec = |(n, s): (usize, &Spec)| Target {
            name: s.spec.name.name.to_string(),
            spec: Some(n),
            documents: documents.clone(),
            ..Target::default()
        };
        self.specs.iter().enumerate().map(of_spec).collect()
    }

    /// Flags may leave out what a spec names; its rules then do not hold, which nobody should have to guess.
    fn warn_of_absent(&mut self) {
        let mut absent = Vec::new();
        for spec in self.specs.iter().map(|s| &s.spec) {
            for (level, mention) in [(Level::Project, &spec.project), (Level::Agent, &spec.agent)] {
                let Some(mention) = mention else { continue };
                let mut given = self.documents.iter().filter(|d| d.leveled.level == level);
                if given.any(|d| d.answers_to(&mention.name)) {
                    continue;
                }
                let message = format!("the spec names the {level} `{}`, and no such document was given", mention.name);
                let d = Diagnostic::warning(Code::Layout, message).at(mention.place, "not among the given documents");
                absent.push(d.help(format!("give it with `--{level} FILE`, or search the policy folder with `-C`")));
            }
        }
        self.problems.append(&mut absent);
    }

    fn folder_targets(&mut self, scope: Scope) -> Vec<Target> {
        let mut targets: Vec<Target> = (0..self.specs.len()).map(|n| self.target_of_spec(n)).collect();
        let used: Vec<usize> = targets.iter().filter_map(|t| t.agent).collect();
        for agent in self.at(Level::Agent).into_iter().filter(|a| !used.contains(a)) {
            let project = self.own_project(agent);
            targets.push(Target { project, agent: Some(agent), ..Target::default() });
        }
        if targets.is_empty() || scope == Scope::All {
            let used: Vec<usize> = targets.iter().filter_map(|t| t.project).collect();
            let unused = self.at(Level::Project).into_iter().filter(|p| !used.contains(p));
            targets.extend(unused.map(|p| Target { project: Some(p), ..Target::default() }));
        }
        if targets.is_empty() {
            targets.push(Target::default());
        }
        let org = self.at(Level::Org);
        for target in &mut targets {
            target.documents = org.iter().copied().chain(target.project).chain(target.agent).collect();
            let document = target.documents.last().and_then(|d| self.documents.get(*d));
            let spec = target.spec.and_then(|s| self.specs.get(s)).map(|s| &*s.spec.name.name);
            target.name = spec.or(document.map(|d| d.id())).unwrap_or_default().to_owned();
        }
        targets
    }

    fn target_of_spec(&mut self, n: usize) -> Target {
        let Some(spec) = self.specs.get(n).map(|s| s.spec.clone()) else { return Target::default() };
        let agent = spec.agent.as_ref().and_then(|m| self.find(Level::Agent, m));
        let own = agent.and_then(|a| self.own_project(a));
        let named = spec.project.as_ref().and_then(|m| self.find(Level::Project, m));
        if let (Some(own), Some(named), Some(agent), Some(said)) = (own, named, agent, &spec.project)
            && own != named
        {
            self.two_projects(agent, said);
        }
        Target { spec: Some(n), project: named.or(own), agent, ..Target::default() }
    }

    /// The project that an agent's own document names.
    fn own_project(&mut self, agent: usize) -> Option<usize> {
        let mention = self.documents.get(agent)?.leveled.document.project.clone()?;
        self.find(Level::Project, &mention)
    }

    pub(super) fn at(&self, level: Level) -> Vec<usize> {
        let all = self.documents.iter().enumerate();
        all.filter(|(_, d)| d.leveled.level == level).map(|(n, _)| n).collect()
    }

    fn find(&mut self, level: Level, mention: &Mention) -> Option<usize> {
        let of_level: Vec<usize> = self.at(level);
        let is_named = |n: &&usize| self.documents.get(**n).is_some_and(|d| d.answers_to(&mention.name));
        if let Some(found) = of_level.iter().find(is_named) {
            return Some(*found);
        }
        let ids: Vec<&str> = of_level.iter().filter_map(|n| self.documents.get(*n)).map(|d| d.id()).collect();
        let d = unknown(level.as_str(), &mention.name, &ids);
        let label =
            nearest(&mention.name, &ids).map_or_else(|| "unknown".to_owned(), |n| format!("did you mean `{n}`?"));
        self.problems.push(d.at(mention.place, label));
        None
    }

    /// A spec could otherwise move an agent out from under its project's rules.
    fn two_projects(&mut self, agent: usize, said: &Mention) {
        let Some(document) = self.documents.get(agent) else { return };
        let Some(own) = &document.leveled.document.project else { return };
        let d = Diagnostic::error(
            Code::Layout,
            format!(
                "the spec puts the agent `{}` into `{}`, and its document into `{}`",
                document.id(),
                said.name,
                own.name
            ),
        );
        let d = d.at(said.place, "the spec").label(own.place, Role::Context, "the agent's own document");
        self.problems.push(d.help("name one project; the rules of the other would not hold"));
    }

    /// Two documents of one level, or two specs, with one name: no one could say which is meant.
    fn refuse_twins(&mut self) {
        let documents = self.documents.iter().map(|d| (d.leveled.level.as_str(), d.id(), d.source));
        let specs = self.specs.iter().map(|s| ("spec", &*s.spec.name.name, s.source));
        let all: Vec<_> = documents.filter(|_| !self.joined).chain(specs).collect();
        let mut twins = Vec::new();
        for (n, (what, name, source)) in all.iter().enumerate() {
            let first = all.iter().take(n).find(|(w, o, _)| w == what && o == name);
            let Some((_, _, first)) = first else { continue };
            let d = Diagnostic::error(Code::Layout, format!("there are two {what} documents named `{name}`"));
            let d = d.at(file::start(*source), "the second").label(file::start(*first), Role::Context, "the first");
            twins.push(d.help("give one of them another name"));
        }
        self.problems.append(&mut twins);
    }
}

fn no_documents() -> Diagnostic {
    Diagnostic::error(Code::Layout, "no policy document was given")
        .help("give at least one of `--org`, `--project` and `--agent`, or search a policy folder with `-C`")
}

pub(super) fn unknown(what: &str, name: &str, known: &[&str]) -> Diagnostic {
    let help = match known.is_empty() {
        true => format!("the policy folder has no {what}s"),
        false => format!("one of: {}", choices(known)),
    };
    Diagnostic::error(Code::Layout, format!("there is no {what} `{name}`")).help(help)
}
