//! Everything that was read, and the policy sets it makes.
//!
//! In: the flags. Out: one [`PolicySet`] a sandbox, and every problem met on the way. [`Workspace::settle`]
//! is the gate: past it there are no errors.

use super::layout::Layout;
use super::target::Target;
use super::{InputArgs, Scope, Select};
use crate::failure::{Failure, Problems};
use ringfence_policy::catalog::Catalog;
use ringfence_policy::derive::{Context, Derivation, derive};
use ringfence_policy::diagnostic::Diagnostic;
use ringfence_policy::library::Library;
use ringfence_policy::policy_set::{Leveled, Parts, PolicySet};
use ringfence_policy::read::Reader;
use ringfence_policy::span::{SourceId, Sources};
use ringfence_policy::spec::{HostCeiling, SandboxSpec};
use std::path::Path;

/// A policy document and the text it was read from.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) leveled: Leveled,
    pub(super) source: SourceId,
}

/// A sandbox spec and the file it was read from.
#[derive(Debug)]
pub(super) struct Spec {
    pub(super) stem: String,
    pub(super) spec: SandboxSpec,
    pub(super) source: SourceId,
}

/// Everything that was read.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    /// Every text.
    pub(crate) sources: Sources,
    pub(super) problems: Vec<Diagnostic>,
    pub(super) library: Library,
    pub(super) documents: Vec<Document>,
    pub(super) specs: Vec<Spec>,
    pub(super) catalog: Option<Catalog>,
    pub(super) host: Option<HostCeiling>,
    /// Every document counts for every sandbox.
    pub(super) joined: bool,
}

impl Document {
    /// The id, or the file's name.
    pub(super) fn id(&self) -> &str {
        self.leveled.document.id_or(&self.leveled.fallback_id)
    }

    /// Whether a name means this document.
    pub(super) fn answers_to(&self, name: &str) -> bool {
        self.id() == name || self.leveled.fallback_id == name
    }
}

impl Workspace {
    /// Reads what the flags name, or what the policy folder holds.
    pub(crate) fn load(args: &InputArgs) -> Result<Self, Failure> {
        if !args.names_files() {
            let mut workspace = Self::default();
            workspace.open(args.dir.as_deref().unwrap_or_else(|| Path::new("")));
            return Ok(workspace);
        }
        if args.dir.is_some() {
            return Err(Failure::Usage("`-C` searches a policy folder, and flags name files already: give one".into()));
        }
        let mut workspace = Self::default();
        workspace.take(&Layout::from_flags(args));
        Ok(workspace)
    }

    /// Reads what the flags name or the policy folder holds; where nobody names a folder and this one holds nothing, a
    /// text stands in.
    pub(crate) fn load_or(args: &InputArgs, name: &str, text: &str) -> Result<Self, Failure> {
        if args.names_files() || args.dir.is_some() {
            return Self::load(args);
        }
        // Of this folder only the one file that no run can write counts: whatever else lies here may have been put
        // here by the last run.
        let mut workspace = Self::default();
        match Layout::of_this_folder() {
            Some(layout) => workspace.take(&layout),
            None => workspace.stand_in(name, text),
        }
        Ok(workspace)
    }

    /// Takes a text for the whole policy.
    pub(crate) fn stand_in(&mut self, name: &str, text: &str) {
        self.joined = true;
        self.read_text(name, text);
    }

    /// Reads a folder or one file, after what another workspace has read: their problems are shown together.
    pub(crate) fn load_path(path: &Path, sources: Sources) -> Self {
        let mut workspace = Self { sources, ..Self::default() };
        if path.is_dir() {
            workspace.open(path);
        } else {
            workspace.take(&Layout::lone(path.to_owned()));
        }
        workspace
    }

    fn open(&mut self, dir: &Path) {
        let layout = Layout::from_folder(dir, &mut self.problems);
        self.take(&layout);
    }

    fn take(&mut self, layout: &Layout) {
        self.joined = layout.joined;
        self.read(layout);
    }

    /// How many policy documents were read.
    pub(crate) fn document_count(&self) -> usize {
        self.documents.len()
    }

    /// The sandboxes that the flags select, each with everything stated about it.
    pub(crate) fn sandboxes(&mut self, select: &Select, scope: Scope) -> Vec<PolicySet> {
        let targets = self.targets(select, scope);
        targets.iter().map(|t| self.assemble(t, &select.preset)).collect()
    }

    fn assemble(&mut self, target: &Target, presets: &[String]) -> PolicySet {
        let document = |i: &usize| self.documents.get(*i).map(|d| d.leveled.clone());
        let parts = Parts {
            documents: target.documents.iter().filter_map(document).collect(),
            presets: presets.to_vec(),
            spec: target.spec.and_then(|i| self.specs.get(i)).map(|s| s.spec.clone()),
            catalog: self.catalog.clone(),
            host: self.host.clone(),
        };
        let mut reader = Reader::default();
        let set = PolicySet::assemble(parts, &mut self.library, &mut self.sources, &mut reader);
        self.problems.append(&mut reader.diagnostics);
        set
    }

    /// Derives every sandbox; problems are collected, and a sandbox with errors has no derivation.
    pub(crate) fn derive<'s>(
        &mut self,
        sets: &'s [PolicySet],
        context: impl Fn(&PolicySet) -> Context,
    ) -> Vec<Derivation<'s>> {
        let mut out = Vec::new();
        for set in sets {
            match derive(&set.cascade, &set.spec, set.catalog.as_ref(), &set.org_id, &context(set)) {
                Ok(derivation) => {
                    self.problems.extend(derivation.warnings(set.catalog.as_ref()));
                    out.push(derivation);
                }
                Err(errors) => self.problems.extend(errors.errors.into_iter().chain(errors.warnings)),
            }
        }
        out
    }

    /// Adds a problem that a command found.
    pub(crate) fn report(&mut self, d: Diagnostic) {
        self.problems.push(d);
    }

    /// The texts and everything that was found, for a command that reads two workspaces.
    pub(crate) fn into_parts(self) -> (Sources, Vec<Diagnostic>) {
        (self.sources, self.problems)
    }

    /// The warnings, if there are no errors.
    pub(crate) fn settle(self) -> Result<Problems, Failure> {
        let problems = Problems::new(self.problems, self.sources);
        if problems.errors.is_empty() { Ok(problems) } else { Err(Failure::Invalid(Box::new(problems))) }
    }
}

/// The context of a derivation that nobody will use: for validation, questions and tests.
pub(crate) fn evaluation(set: &PolicySet) -> Context {
    Context {
        sandbox_id: sandbox_id(&set.org_id, &set.spec.name.name),
        self_hosted_dev: set.self_hosted_dev,
        ..Context::default()
    }
}

/// The id a sandbox has where nobody gives it one: stable, and different for equal names in two organisations.
pub(crate) fn sandbox_id(org_id: &str, name: &str) -> String {
    let hash = ringfence_seal::hash_bytes(format!("{org_id}\0{name}").as_bytes());
    let hex = hash.strip_prefix("sha256:").unwrap_or(&hash);
    format!("sbx_{}", hex.get(..16).unwrap_or(hex))
}
