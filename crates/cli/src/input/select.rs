//! `--spec`, `--agent` and `--project` as names: which of the sandboxes of a folder are meant.

use super::Select;
use super::target::{Target, unknown};
use super::workspace::Workspace;
use crate::output::choices;
use ringfence_policy::diagnostic::{Code, Diagnostic};
use ringfence_policy::level::Level;
use ringfence_policy::read::nearest;
use std::path::PathBuf;

impl Workspace {
    /// The sandboxes that every given name fits. A name that fits none is a problem.
    pub(super) fn selected(&mut self, mut targets: Vec<Target>, select: &Select) -> Vec<Target> {
        let text = |p: &PathBuf| p.to_string_lossy().into_owned();
        for name in select.spec.iter().map(text) {
            let is = |t: &Target| {
                let stem = t.spec.and_then(|s| self.specs.get(s)).map(|s| s.stem.as_str());
                t.spec.is_some() && (t.name == name || stem == Some(&*name))
            };
            if !targets.iter().any(is) {
                let ids: Vec<&str> = self.specs.iter().map(|s| &*s.spec.name.name).collect();
                self.problems.push(hinted("spec", &name, &ids));
            }
            targets.retain(is);
        }
        let agents: Vec<String> = select.agent.iter().map(text).collect();
        let projects: Vec<String> = select.project.iter().map(text).collect();
        let targets = self.of_document(targets, Level::Agent, &agents, |t| t.agent);
        self.of_document(targets, Level::Project, &projects, |t| t.project)
    }

    fn of_document(
        &mut self,
        mut targets: Vec<Target>,
        level: Level,
        names: &[String],
        document: impl Fn(&Target) -> Option<usize>,
    ) -> Vec<Target> {
        if names.is_empty() {
            return targets;
        }
        let is = |t: &Target, name: &str| {
            // Where every document counts for every sandbox, any of them may be named.
            let candidates = if self.joined { t.documents.clone() } else { document(t).into_iter().collect() };
            let found = candidates.iter().filter_map(|n| self.documents.get(*n));
            found.filter(|d| d.leveled.level == level).any(|d| d.answers_to(name))
        };
        let had_some = !targets.is_empty();
        let missing = names.iter().find(|name| had_some && !targets.iter().any(|t| is(t, name)));
        let problem = missing.map(|name| {
            let ids: Vec<&str> = self.at(level).iter().filter_map(|n| self.documents.get(*n)).map(|d| d.id()).collect();
            hinted(level.as_str(), name, &ids)
        });
        targets.retain(|t| names.iter().any(|name| is(t, name)));
        self.problems.extend(problem);
        targets
    }
}

fn hinted(what: &str, name: &str, known: &[&str]) -> Diagnostic {
    if known.contains(&name) {
        return Diagnostic::error(Code::Layout, format!("no sandbox with the {what} `{name}` is selected"))
            .help("`ringfence check` counts what there is; leave one of the selectors out");
    }
    let mut d = unknown(what, name, known);
    if let Some(near) = nearest(name, known) {
        d.message.push_str(&format!(", did you mean `{near}`?"));
    }
    d
}

/// The problem of a command that takes one sandbox and finds several.
pub(super) fn too_many(targets: &[Target]) -> Diagnostic {
    let names: Vec<&str> = targets.iter().map(|t| t.name.as_str()).collect();
    let flag = if targets.iter().all(|t| t.spec.is_some()) { "--spec" } else { "--spec`, `--agent` or `--project" };
    Diagnostic::error(Code::Layout, format!("there are {} sandboxes, and this command takes one", targets.len()))
        .help(format!("choose with `{flag}`: {}", choices(&names)))
}
