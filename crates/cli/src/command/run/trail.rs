//! The policies behind a run, read in full: only where something has to be explained, or a grant to be judged.
//!
//! In: the flags. Out: for a question, the statements behind its answer; for a grant, whether the ceiling admits it.
//! The ceiling is everything but what projects and agents allow: their owners could have allowed more, nobody else could.

use crate::clock;
use crate::failure::{Failure, Problems};
use crate::input::{InputArgs, Scope, Workspace, evaluation};
use ringfence_policy::cascade::{Cascade, Contribution};
use ringfence_policy::decide::Index;
use ringfence_policy::derive::Context;
use ringfence_policy::explain::{Because, because};
use ringfence_policy::fields::Fields;
use ringfence_policy::level::Level;
use ringfence_policy::policy_set::PolicySet;
use ringfence_policy::provenance::Provenance;
use ringfence_policy::question::Question;
use ringfence_policy::resolve::Resolved;
use ringfence_policy::scale::{Effect, ExecMode, NetworkMode};
use ringfence_policy::slice::KernelSlice;
use ringfence_policy::spec::SandboxSpec;
use ringfence_sandbox::Place;

/// The policy where there is none.
const BUILT_IN: &str = "built-in";
pub(crate) const DEFAULT: &str = include_str!("default.yaml");

/// A policy that can be asked.
#[derive(Debug)]
pub(crate) struct Trails {
    pub(crate) sandbox: String,
    pub(crate) content_hash: String,
    pub(crate) documents: Vec<String>,
    pub(crate) slice: Option<KernelSlice>,
    /// The config as it is printed.
    pub(crate) config: Vec<u8>,
    /// What the ceiling leaves open.
    pub(crate) open: Open,
    index: Index,
    provenance: Provenance,
    ceiling: Ceiling,
}

/// What nobody but a project or an agent has an opinion on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Open {
    pub(crate) network: bool,
    pub(crate) exec: bool,
}

#[derive(Debug)]
struct Ceiling {
    index: Index,
    provenance: Provenance,
    silence: ringfence_policy::ledger::StatementId,
}

impl Trails {
    /// Reads the policies and derives the one sandbox that is meant.
    pub(crate) fn derive(input: &InputArgs, place: &Place) -> Result<(Self, Problems), Failure> {
        let mut workspace = Workspace::load_or(input, BUILT_IN, DEFAULT)?;
        let sets = workspace.sandboxes(&input.select, Scope::One);
        let issued_at = clock::at(None)?;
        let derived = workspace.derive(&sets, |set| Context { issued_at, ..evaluation(set) });
        let problems = workspace.settle()?;
        let (Some(set), Some(derivation)) = (sets.first(), derived.first()) else {
            return Err(Failure::Io("there is no sandbox to run in".into()));
        };
        let config = &derivation.config;
        let spec = placed(&set.spec, place);
        let (ceiling, open) = ceiling(set, &spec);
        let written =
            config.documents.iter().filter(|d| d.file.as_deref().is_some_and(|f| !f.starts_with("ringfence:")));
        let mut documents: Vec<String> = written.filter_map(|d| d.file.as_deref().map(str::to_owned)).collect();
        documents.dedup();
        documents.retain(|d| d != BUILT_IN);
        let trails = Self {
            sandbox: config.sandbox_name.clone(),
            content_hash: config.content_hash.clone().unwrap_or_default(),
            documents,
            slice: config.layer_1_kernel.clone(),
            config: ringfence_seal::canonical_bytes(config).unwrap_or_default(),
            open,
            index: Index::new(&derivation.resolved, &spec),
            provenance: config.provenance.clone(),
            ceiling,
        };
        Ok((trails, problems))
    }

    /// What the policy says to a question, and why.
    pub(crate) fn why(&self, question: &Question) -> (Effect, Vec<Because>) {
        let answer = self.index.decide(question);
        (answer.effect, because(&self.provenance, answer.effect, &self.index.trail(question, &answer)))
    }

    /// Whether a grant may open this, or who forbids it.
    pub(crate) fn admits(&self, question: &Question) -> Result<(), Vec<Because>> {
        let Ceiling { index, provenance, silence } = &self.ceiling;
        let answer = index.decide(question);
        if answer.effect == Effect::Allow || answer.reasons.iter().all(|r| r.statement == *silence) {
            return Ok(());
        }
        let trail = because(provenance, answer.effect, &index.trail(question, &answer));
        Err(trail.into_iter().filter(|b| b.decisive).collect())
    }
}

/// The spec with the roots of this machine, so that a path is found under all its names.
fn placed(spec: &SandboxSpec, place: &Place) -> SandboxSpec {
    let mut spec = spec.clone();
    for (name, path) in [("repo", &place.repo), ("home", &place.home)] {
        if let Some(text) = path.to_str() {
            spec.parameters.insert(name, (text.to_owned(), Default::default()));
        }
    }
    spec
}

/// What stands without the allow lists of projects and agents. What they deny still stands.
fn ceiling(set: &PolicySet, spec: &SandboxSpec) -> (Ceiling, Open) {
    let kept = set.cascade.contributions().iter().map(|c| {
        if c.origin.clamps || !matches!(c.origin.level, Level::Project | Level::Agent) {
            return (**c).clone();
        }
        let fields = Fields {
            fs_hidden: c.fields.fs_hidden.clone(),
            fs_protected: c.fields.fs_protected.clone(),
            exec_denied: c.fields.exec_denied.clone(),
            ..Fields::default()
        };
        Contribution::new(c.origin.clone(), fields)
    });
    let cascade = Cascade::new(kept);
    let resolved = Resolved::new(&cascade, set.catalog.as_ref());
    let open = Open {
        network: resolved.network == NetworkMode::Host || resolved.fields.network_mode.value.is_none(),
        exec: resolved.exec == ExecMode::Any && resolved.fields.exec_mode.value.is_none(),
    };
    let index = Index::new(&resolved, spec);
    (Ceiling { index, provenance: Provenance::new(resolved.ledger.clone()), silence: resolved.silence.default }, open)
}
