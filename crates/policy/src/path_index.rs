//! Paths in the index. A path can have several names (`src`, `~/work/src`, `/home/me/work/src`), so every
//! name is looked up: a deny under any name denies, and a root under any name grants.

use crate::decide::{Answer, Build};
use crate::fields::{FieldId, Fields, id};
use crate::ledger::Reason;
use crate::pattern::{Anchor, PathPattern, PathRoot, QuestionPath};
use crate::resolve::{Resolved, given_roots};
use crate::scale::Effect;
use crate::sets::AllowSet;
use crate::span::Place;
use crate::spec::SandboxSpec;
use hashbrown::HashMap;
use std::borrow::Cow;

type Reasons = Box<[Reason]>;

/// Patterns that must be tried one by one, with the place of each.
#[derive(Debug, Default)]
struct IndexedGlobs {
    list: Vec<(PathPattern, Vec<Reason>)>,
    at: HashMap<PathPattern, usize>,
}

impl IndexedGlobs {
    fn reasons(&mut self, pattern: &PathPattern) -> Option<&mut Vec<Reason>> {
        let next = self.list.len();
        let at = *self.at.entry(pattern.clone()).or_insert(next);
        if at == next {
            self.list.push((pattern.clone(), Vec::new()));
        }
        self.list.get_mut(at).map(|(_, reasons)| reasons)
    }
}

/// Who hides or protects what.
#[derive(Debug, Default)]
struct Denied {
    /// Plain paths, by anchor.
    plain: [HashMap<Box<str>, Vec<Reason>>; 3],
    /// `**/name`: one component anywhere.
    anywhere: HashMap<Box<str>, Vec<Reason>>,
    /// Everything else, each pattern once.
    globs: IndexedGlobs,
}

/// The compiled path rules.
#[derive(Debug)]
pub(crate) struct PathIndex {
    hidden: Denied,
    protected: Denied,
    read_roots: AllowSet<PathRoot>,
    write_roots: AllowSet<PathRoot>,
    extensions: Option<Vec<String>>,
    /// What the permission alone gives, to tell who refuses.
    given: [AllowSet<PathRoot>; 2],
    allowed: Reasons,
    /// The permission refuses.
    closed: Reasons,
    /// A list of roots or extensions refuses.
    unreadable: Reasons,
    unwritable: Reasons,
    extension_refused: Reasons,
    home: Option<PathRoot>,
    repo: Option<PathRoot>,
}

/// All the names of one path.
#[derive(Debug)]
pub(crate) struct PathNames<'a> {
    names: Vec<Cow<'a, PathRoot>>,
    first: &'a PathRoot,
}

impl<'a> PathNames<'a> {
    /// The path as asked, and as seen from the other anchors.
    pub(crate) fn new(path: &'a QuestionPath, index: &PathIndex) -> Self {
        Self::with_roots(path, index.home.as_ref(), index.repo.as_ref())
    }

    /// The same with the roots given.
    pub(crate) fn with_roots(path: &'a QuestionPath, home: Option<&PathRoot>, repo: Option<&PathRoot>) -> Self {
        // Without known roots, or far away from them, a path has one name and nothing is allocated.
        let mut names: Vec<Cow<'a, PathRoot>> = Vec::new();
        if home.is_some() || repo.is_some() {
            let absolute = match path.anchor() {
                Anchor::Root => Some(Cow::Borrowed(path)),
                Anchor::Home => home.map(|h| Cow::Owned(h.join_rest(path.rest()))),
                Anchor::Repo => repo.map(|r| Cow::Owned(r.join_rest(path.rest()))),
            };
            if let Some(absolute) = absolute {
                let relative = |root: Option<&PathRoot>, anchor| root.and_then(|r| absolute.below(r, anchor));
                names.extend(
                    [relative(home, Anchor::Home), relative(repo, Anchor::Repo)].into_iter().flatten().map(Cow::Owned),
                );
                names.push(absolute);
            }
            names.retain(|n| **n != *path);
        }
        Self { names, first: path }
    }

    /// Every name, the asked one first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &PathRoot> {
        std::iter::once(self.first).chain(self.names.iter().map(|n| &**n))
    }
}

impl Denied {
    fn new(resolved: &Resolved<'_>, field: FieldId, items: impl Fn(&Fields) -> &[(PathPattern, Place)]) -> Self {
        let mut out = Self::default();
        for c in resolved.fields.stated_by(field) {
            let Some(contribution) = resolved.cascade.contributions().get(*c as usize) else { continue };
            for (n, (pattern, _)) in items(&contribution.fields).iter().enumerate() {
                let statement = resolved.ledger.item(*c, field, n);
                out.add(pattern, statement.map(|statement| Reason { effect: Effect::Deny, statement }));
            }
        }
        out
    }

    fn add(&mut self, pattern: &PathPattern, reason: Option<Reason>) {
        let slot = match (pattern.plain(), pattern.component_anywhere()) {
            (Some(path), _) => match self.plain.get_mut(path.anchor() as usize) {
                Some(map) => map.entry(Box::from(path.rest())).or_default(),
                None => return,
            },
            (None, Some(name)) => self.anywhere.entry(Box::from(name)).or_default(),
            (None, None) => match self.globs.reasons(pattern) {
                Some(reasons) => reasons,
                None => return,
            },
        };
        slot.extend(reason);
    }

    fn find(&self, path: &PathRoot) -> Option<&[Reason]> {
        let mut hit: Option<&Vec<Reason>> = None;
        if let Some(map) = self.plain.get(path.anchor() as usize).filter(|m| !m.is_empty()) {
            path.parents(|p| {
                hit = map.get(p);
                hit.is_some()
            });
        }
        if hit.is_none() && !self.anywhere.is_empty() {
            hit = path.rest().split('/').find_map(|component| self.anywhere.get(component));
        }
        if hit.is_none() {
            hit = self.globs.list.iter().find(|(p, _)| p.matches(path)).map(|(_, r)| r);
        }
        hit.map(Vec::as_slice)
    }
}

impl PathIndex {
    /// Compiles the path rules.
    pub(crate) fn new(resolved: &Resolved<'_>, spec: &SandboxSpec) -> Self {
        let build = Build { resolved };
        let root = |name: &str| {
            spec.parameter(name).and_then(|p| PathRoot::new(p).ok()).filter(|p| p.anchor() == Anchor::Root)
        };
        Self {
            hidden: Denied::new(resolved, id::fs_hidden, |f| f.fs_hidden.as_ref().map_or(&[], |s| s.items.as_slice())),
            protected: Denied::new(resolved, id::fs_protected, |f| {
                f.fs_protected.as_ref().map_or(&[], |s| s.items.as_slice())
            }),
            read_roots: resolved.read_roots.clone(),
            write_roots: resolved.write_roots.clone(),
            extensions: resolved
                .fields
                .fs_writable_extensions
                .value
                .as_ref()
                .map(|s| s.members().iter().map(ToString::to_string).collect()),
            given: given_roots(resolved.permission),
            allowed: build.wholes(&[id::fs_permission], Effect::Allow),
            closed: build.closing(id::fs_permission, resolved.fields.fs_permission.value.as_ref(), |f| {
                f.fs_permission.as_ref().map(|s| &s.value)
            }),
            unreadable: build.wholes(&[id::fs_readable], Effect::Deny),
            unwritable: build.wholes(&[id::fs_writable], Effect::Deny),
            extension_refused: build.wholes(&[id::fs_writable_extensions], Effect::Deny),
            home: root("home"),
            repo: root("repo"),
        }
    }

    /// May it read this path, under all its names?
    pub(crate) fn read(&self, names: &PathNames<'_>) -> Answer<'_> {
        if let Some(reasons) = names.iter().find_map(|p| self.hidden.find(p)) {
            return answer(Effect::Deny, reasons);
        }
        if names.iter().any(|p| self.read_roots.covers(p) || self.write_roots.covers(p)) {
            return answer(Effect::Allow, &self.allowed);
        }
        let [given, _] = &self.given;
        let narrowed = names.iter().any(|p| given.covers(p));
        answer(Effect::Deny, if narrowed { &self.unreadable } else { &self.closed })
    }

    /// May it write this path, under all its names?
    pub(crate) fn write(&self, names: &PathNames<'_>) -> Answer<'_> {
        let denied = names.iter().find_map(|p| self.hidden.find(p).or_else(|| self.protected.find(p)));
        if let Some(reasons) = denied {
            return answer(Effect::Deny, reasons);
        }
        if !names.iter().any(|p| self.write_roots.covers(p)) {
            let [_, given] = &self.given;
            let narrowed = names.iter().any(|p| given.covers(p));
            return answer(Effect::Deny, if narrowed { &self.unwritable } else { &self.closed });
        }
        let fits = |allowed: &Vec<String>| names.first.extension().is_some_and(|e| allowed.iter().any(|a| a == e));
        match &self.extensions {
            Some(allowed) if !fits(allowed) => answer(Effect::Deny, &self.extension_refused),
            _ => answer(Effect::Allow, &self.allowed),
        }
    }
}

fn answer(effect: Effect, reasons: &[Reason]) -> Answer<'_> {
    Answer { effect, reasons, failed: None }
}
