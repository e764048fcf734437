//! The reference evaluator: the same questions, answered the slow and obvious way, straight from the
//! contributions. No index, no merged values, nothing shared with `decide` but patterns and predicates.

use crate::cascade::{Cascade, Contribution};
use crate::catalog::{Catalog, Status};
use crate::path_index::PathNames;
use crate::pattern::{Anchor, Host, ImportPattern, PathRoot, Program};
use crate::question::Question;
use crate::resolve::{SCRATCH, SYSTEM_ROOTS};
use crate::scale::{Effect, ExecMode, FsPermission, NetworkMode};
use crate::spec::SandboxSpec;
use serde_json::Value as Json;
use std::sync::Arc;

/// Answers from first principles.
#[derive(Debug, Clone, Copy)]
pub struct Reference<'a> {
    /// The contributions.
    pub cascade: &'a Cascade,
    /// The sandbox.
    pub spec: &'a SandboxSpec,
    /// The tools.
    pub catalog: Option<&'a Catalog>,
}

fn allowed_if(yes: bool) -> Effect {
    if yes { Effect::Allow } else { Effect::Deny }
}

impl Reference<'_> {
    /// What happens.
    pub fn decide(&self, question: &Question) -> Effect {
        match question {
            Question::Net { host, port } => self.net(host, *port),
            Question::Read(path) => self.path(path, false),
            Question::Write(path) => self.path(path, true),
            Question::Exec(program) => self.exec(program),
            Question::Tool { name, arguments } => self.tool(name, arguments.as_ref()),
            Question::Import(module) => self.import(module),
            Question::Model(model) => self.model(model),
        }
    }

    fn all(&self) -> &[Arc<Contribution>] {
        self.cascade.contributions()
    }

    /// Somebody states a mode, nobody states `none`, and every list has the host. Rules for requests need a list.
    fn net(&self, host: &Host<'_>, port: u16) -> Effect {
        let modes: Vec<NetworkMode> =
            self.all().iter().filter_map(|c| c.fields.network_mode.as_ref().map(|s| s.value)).collect();
        let Some(strictest) = modes.iter().max() else { return Effect::Deny };
        let mut lists = self.all().iter().filter_map(|c| c.fields.network_allowlist.as_ref()).peekable();
        match strictest {
            NetworkMode::None => Effect::Deny,
            NetworkMode::Host if !self.all().iter().any(|c| c.fields.network_http.is_some()) => Effect::Allow,
            NetworkMode::Allowlist | NetworkMode::Host if lists.peek().is_none() => Effect::Deny,
            NetworkMode::Allowlist | NetworkMode::Host => {
                allowed_if(lists.all(|l| l.value.members().iter().any(|p| p.matches(host, port))))
            }
        }
    }

    fn path(&self, path: &PathRoot, write: bool) -> Effect {
        let root = |name: &str| {
            self.spec.parameter(name).and_then(|p| PathRoot::new(p).ok()).filter(|p| p.anchor() == Anchor::Root)
        };
        let (home, repo) = (root("home"), root("repo"));
        let names = PathNames::with_roots(path, home.as_ref(), repo.as_ref());
        let names: Vec<&PathRoot> = names.iter().collect();
        let hidden = self.all().iter().filter_map(|c| c.fields.fs_hidden.as_ref()).flat_map(|s| s.value.members());
        let protected =
            self.all().iter().filter_map(|c| c.fields.fs_protected.as_ref()).flat_map(|s| s.value.members());
        let denied = hidden.chain(protected.filter(|_| write)).any(|p| names.iter().any(|n| p.matches(n)));
        let granted = self.writable(&names) || (!write && self.readable(&names));
        allowed_if(!denied && granted && (!write || self.extension_fits(path)))
    }

    fn permission(&self) -> FsPermission {
        let stated = self.all().iter().filter_map(|c| c.fields.fs_permission.as_ref().map(|s| s.value));
        stated.max().unwrap_or(FsPermission::None)
    }

    /// Under one of these roots by one name, and under a root of every list by some name.
    fn under(&self, names: &[&PathRoot], given: &[&str], lists: &[&[PathRoot]]) -> bool {
        let inside = |n: &PathRoot, r: &str| PathRoot::new(r).is_ok_and(|r| r.contains(n));
        names
            .iter()
            .any(|n| given.iter().any(|g| inside(n, g)) && lists.iter().all(|l| l.iter().any(|r| r.contains(n))))
    }

    fn readable(&self, names: &[&PathRoot]) -> bool {
        if names.iter().any(|n| SYSTEM_ROOTS.iter().any(|s| PathRoot::new(s).is_ok_and(|s| s.contains(n)))) {
            return true;
        }
        let given: &[&str] = match self.permission() {
            FsPermission::Full => &["/", "~", "."],
            FsPermission::RepoReadonly | FsPermission::RepoReadwrite => &["."],
            FsPermission::None => &[],
        };
        let lists: Vec<&[PathRoot]> =
            self.all().iter().filter_map(|c| c.fields.fs_readable.as_ref()).map(|s| s.value.members()).collect();
        self.under(names, given, &lists)
    }

    fn writable(&self, names: &[&PathRoot]) -> bool {
        let given: &[&str] = match self.permission() {
            FsPermission::Full => &["/", "~", "."],
            FsPermission::RepoReadwrite => &[".", SCRATCH],
            FsPermission::RepoReadonly => &[SCRATCH],
            FsPermission::None => &[],
        };
        let lists: Vec<&[PathRoot]> =
            self.all().iter().filter_map(|c| c.fields.fs_writable.as_ref()).map(|s| s.value.members()).collect();
        self.under(names, given, &lists)
    }

    fn extension_fits(&self, path: &PathRoot) -> bool {
        let lists = self.all().iter().filter_map(|c| c.fields.fs_writable_extensions.as_ref());
        let fits =
            |e: Option<&str>, l: &[crate::pattern::Extension]| e.is_some_and(|e| l.iter().any(|x| x.as_str() == e));
        lists.into_iter().all(|l| fits(path.extension(), l.value.members()))
    }

    fn exec(&self, program: &Program) -> Effect {
        let denied = self.all().iter().filter_map(|c| c.fields.exec_denied.as_ref()).flat_map(|s| s.value.members());
        if denied.into_iter().any(|p| p.matches(program)) {
            return Effect::Deny;
        }
        let modes = self.all().iter().filter_map(|c| c.fields.exec_mode.as_ref().map(|s| s.value));
        let mut lists = self.all().iter().filter_map(|c| c.fields.exec_allowlist.as_ref()).peekable();
        match modes.max() {
            None | Some(ExecMode::Any) => Effect::Allow,
            Some(ExecMode::None) => Effect::Deny,
            Some(ExecMode::Allowlist) if lists.peek().is_none() => Effect::Deny,
            Some(ExecMode::Allowlist) => {
                allowed_if(lists.all(|l| l.value.members().iter().any(|p| p.matches(program))))
            }
        }
    }

    fn import(&self, module: &str) -> Effect {
        let denied = self.all().iter().filter_map(|c| c.fields.denied_imports.as_ref()).flat_map(|s| s.value.members());
        let covers = |p: &ImportPattern| p.matches(module);
        if denied.into_iter().any(covers) {
            return Effect::Deny;
        }
        let lists = self.all().iter().filter_map(|c| c.fields.allowed_imports.as_ref());
        allowed_if(lists.into_iter().all(|l| l.value.members().iter().any(covers)))
    }

    fn model(&self, model: &str) -> Effect {
        let lists = self.all().iter().filter_map(|c| c.fields.models.as_ref());
        allowed_if(lists.into_iter().all(|l| l.value.members().iter().any(|p| p.matches(model))))
    }

    fn tool(&self, name: &str, arguments: Option<&Json>) -> Effect {
        let effect = self.rules(name).max(self.capabilities(name)).max(self.approval(name));
        match arguments {
            Some(arguments) if effect != Effect::Deny && !self.constraints_hold(name, arguments) => Effect::Deny,
            _ => effect,
        }
    }

    /// In each document the longest pattern that matches; the strictest of those; `ask` where there is none.
    fn rules(&self, name: &str) -> Effect {
        let tables = self.all().iter().filter_map(|c| c.fields.tool_rules.as_ref()).flat_map(|s| s.value.tables());
        let best = tables.into_iter().filter_map(|t| {
            let hits = t.entries().iter().filter(|(p, _)| p.matches(name));
            hits.max_by_key(|(p, _)| p.specificity()).map(|(_, e)| *e)
        });
        best.max().unwrap_or(Effect::Ask)
    }

    fn capabilities(&self, name: &str) -> Effect {
        let forbidden = || self.all().iter().filter_map(|c| c.fields.forbidden.as_ref());
        let permitted = || self.all().iter().filter_map(|c| c.fields.permitted.as_ref());
        let required = || self.all().iter().filter_map(|c| c.fields.approvals.as_ref());
        let Some(catalog) = self.catalog else {
            return if permitted().next().is_some() {
                Effect::Deny
            } else if forbidden().next().is_some() {
                Effect::Ask
            } else {
                Effect::Allow
            };
        };
        let Some(tool) = catalog.tools().iter().find(|t| t.name == name) else { return Effect::Deny };
        let is_forbidden = tool.capabilities.iter().any(|c| forbidden().any(|s| s.value.members().contains(c)));
        let outside = tool.capabilities.iter().any(|c| permitted().any(|s| !s.value.members().contains(c)));
        if is_forbidden || outside || tool.status != Status::Approved {
            return Effect::Deny;
        }
        let asked = tool.capabilities.iter().any(|c| required().any(|s| s.value.members().contains(c)));
        if asked { Effect::Ask } else { Effect::Allow }
    }

    fn approval(&self, name: &str) -> Effect {
        let required = self.all().iter().filter_map(|c| c.fields.approvals.as_ref()).flat_map(|s| s.value.members());
        if required.into_iter().any(|l| l.as_str() == name) { Effect::Ask } else { Effect::Allow }
    }

    fn constraints_hold(&self, name: &str, arguments: &Json) -> bool {
        let stated = self.all().iter().filter_map(|c| c.fields.tool_constraints.as_ref());
        stated
            .into_iter()
            .flat_map(|s| s.value.for_tool(name))
            .all(|(_, slot, predicate)| predicate.check(arguments.get(slot).unwrap_or(&Json::Null)).is_ok())
    }
}
