//! The sample policies: what they are, what comes out of them, and one question with the reason for its answer.

use super::stage::Stage;
use crate::clock;
use crate::failure::Failure;
use crate::input::{InputArgs, Scope, Workspace, evaluation};
use ringfence_policy::decide::Index;
use ringfence_policy::derive::Context;
use ringfence_policy::explain::explain;
use ringfence_policy::question::Question;
use ringfence_policy::slice::Guards;
use serde::Serialize;

/// The sandbox whose question is explained, and the question.
const EMAILER: &str = "customer-support-emailer";
const QUESTION: &str = r#"tool mail/send {"to": "a@evil.test", "body": "hello"}"#;
/// The sandbox that reads the web.
const READER: &str = "researcher";

/// What came of the policies.
#[derive(Debug, Serialize)]
pub(super) struct Policy {
    pub(super) documents: usize,
    pub(super) sandboxes: Vec<Sandbox>,
    pub(super) explained: Explained,
    #[serde(skip)]
    pub(super) guards: Guards,
}

/// One sandbox.
#[derive(Debug, Serialize)]
pub(super) struct Sandbox {
    pub(super) name: String,
    /// Statements behind it.
    pub(super) rules: usize,
    /// The layers it has a slice for.
    pub(super) layers: Vec<&'static str>,
    pub(super) content_hash: Option<String>,
}

/// One answer and the statement that decides it.
#[derive(Debug, Serialize)]
pub(super) struct Explained {
    pub(super) sandbox: &'static str,
    pub(super) question: String,
    pub(super) effect: String,
    pub(super) note: Option<String>,
    /// The layers that would enforce it.
    pub(super) layers: Vec<&'static str>,
    pub(super) rule: String,
    pub(super) document: String,
    pub(super) level: String,
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) because: Option<String>,
}

/// Derives every sandbox and asks the question.
pub(super) fn derive(stage: &Stage) -> Result<Policy, Failure> {
    let input = InputArgs { dir: Some(stage.at("examples/acme")), ..InputArgs::default() };
    let mut workspace = Workspace::load(&input)?;
    let sets = workspace.sandboxes(&input.select, Scope::All);
    let issued_at = clock::at(None)?;
    let derived = workspace.derive(&sets, |set| Context { issued_at, ..evaluation(set) });
    let documents = workspace.document_count();
    workspace.settle()?;
    let sandboxes = derived.iter().map(|d| sandbox(&d.config)).collect();
    let lost = |name: &str| Failure::Io(format!("the sample policies have no sandbox `{name}`"));
    let found = sets.iter().zip(&derived).find(|(set, _)| &*set.spec.name.name == EMAILER);
    let (set, derivation) = found.ok_or_else(|| lost(EMAILER))?;
    let question = Question::parse(QUESTION).map_err(Failure::Io)?;
    let index = Index::new(&derivation.resolved, &set.spec);
    let explanation = explain(&index, &derivation.config.provenance, &set.spec, &question);
    let because = explanation.because.into_iter().find(|b| b.decisive);
    let entry = because.ok_or_else(|| Failure::Io("an answer without a reason".into()))?.entry;
    let decides = explanation.layers.iter().filter(|l| l.decision.is_some());
    let explained = Explained {
        sandbox: EMAILER,
        question: explanation.question,
        effect: explanation.effect.to_string(),
        note: explanation.note,
        layers: decides.map(|l| l.layer.as_str()).collect(),
        rule: entry.rule_id,
        document: entry.document,
        level: entry.via_cascade_level,
        file: stage.named(&entry.file),
        line: entry.line,
        column: entry.column,
        because: entry.because,
    };
    let reader = derived.iter().find(|d| d.config.sandbox_name == READER).and_then(|d| d.config.layer_4_mcp.as_ref());
    let guards = reader.ok_or_else(|| lost(READER))?.guards.clone();
    Ok(Policy { documents, sandboxes, explained, guards })
}

fn sandbox(config: &ringfence_policy::config::SandboxConfig) -> Sandbox {
    let layers = [
        ("kernel", config.layer_1_kernel.is_some()),
        ("harness", config.layer_2_harness.is_some()),
        ("codemode", config.layer_3_codemode.is_some()),
        ("mcp", config.layer_4_mcp.is_some()),
        ("gateway", config.layer_5_gateway.is_some()),
    ];
    Sandbox {
        name: config.sandbox_name.clone(),
        rules: config.provenance.ledger().all().count(),
        layers: layers.iter().filter(|(_, on)| *on).map(|(name, _)| *name).collect(),
        content_hash: config.content_hash.clone(),
    }
}
