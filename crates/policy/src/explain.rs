//! Why: the decision at each layer, and the trail of statements behind it, for any question.

use crate::config::ProvenanceEntry;
use crate::decide::{Answer, Index};
use crate::fields::Aspect;
use crate::gap::{Reach, reach};
use crate::ledger::Reason;
use crate::level::Layer;
use crate::provenance::Provenance;
use crate::question::Question;
use crate::scale::Effect;
use crate::spec::SandboxSpec;
use serde::Serialize;

/// What one layer does about the question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LayerDecision {
    /// The layer.
    pub layer: Layer,
    /// Its decision; absent where it is off or does not see the question.
    pub decision: Option<Effect>,
    /// Why it decides, or why not.
    pub why: String,
}

/// One statement of the trail.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Because {
    /// What the statement speaks for.
    pub effect: Effect,
    /// Whether it decides; the others agree or were overruled.
    pub decisive: bool,
    /// Who stated it, where and why.
    #[serde(flatten)]
    pub entry: ProvenanceEntry,
}

/// A question with its answer and the reasons.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The question, canonical.
    pub question: String,
    /// What happens.
    pub effect: Effect,
    /// The sandbox.
    pub sandbox: String,
    /// In words, where there is more to say than the trail does.
    pub note: Option<String>,
    /// The decision at each layer.
    pub layers: Vec<LayerDecision>,
    /// The trail, what decides first.
    pub because: Vec<Because>,
}

/// Explains one question.
pub fn explain(index: &Index, provenance: &Provenance, spec: &SandboxSpec, question: &Question) -> Explanation {
    let answer = index.decide(question);
    Explanation {
        question: question.to_string(),
        effect: answer.effect,
        sandbox: spec.name.name.to_string(),
        note: note(index, question, &answer),
        layers: layers(spec, question, answer.effect),
        because: because(provenance, answer.effect, &index.trail(question, &answer)),
    }
}

/// The trail of an answer.
pub fn because(provenance: &Provenance, effect: Effect, reasons: &[Reason]) -> Vec<Because> {
    let entries = reasons.iter().filter_map(|r| Some((r, provenance.entry(r.statement)?)));
    entries.map(|(r, entry)| Because { effect: r.effect, decisive: r.effect == effect, entry }).collect()
}

fn aspect(question: &Question) -> Aspect {
    match question {
        Question::Net { .. } => Aspect::Network,
        Question::Read(_) | Question::Write(_) => Aspect::Filesystem,
        Question::Exec(_) => Aspect::Exec,
        Question::Tool { .. } => Aspect::Tools,
        Question::Import(_) => Aspect::Code,
        Question::Model(_) => Aspect::Gateway,
    }
}

fn layers(spec: &SandboxSpec, question: &Question, effect: Effect) -> Vec<LayerDecision> {
    let decide = |layer: Layer| match (spec.has(layer), reach(aspect(question), layer)) {
        (false, _) => (None, "not enabled in this sandbox".to_owned()),
        (true, Reach::Enforces) if effect == Effect::Ask && layer == Layer::Gateway => {
            (None, "it can refuse a call, not ask a person about it".to_owned())
        }
        (true, Reach::Enforces) => (Some(effect), format!("its slice says {effect}")),
        (true, Reach::Cannot(why)) => (None, why.to_owned()),
        (true, Reach::Elsewhere) => (None, "no such thing passes through it".to_owned()),
    };
    Layer::ALL
        .into_iter()
        .map(|layer| (layer, decide(layer)))
        .map(|(layer, (decision, why))| LayerDecision { layer, decision, why })
        .collect()
}

fn note(index: &Index, question: &Question, answer: &Answer<'_>) -> Option<String> {
    if let Some((check, part)) = answer.failed {
        return Some(format!("the argument `{}` does not satisfy `{part}` of {}", check.slot, check.predicate.print()));
    }
    match question {
        Question::Tool { name, arguments: None } if answer.effect != Effect::Deny => {
            let slots: Vec<&str> = index.verdict(name).checks.iter().map(|c| c.slot.as_str()).collect();
            (!slots.is_empty()).then(|| format!("its arguments are constrained too: {}", slots.join(", ")))
        }
        Question::Net { host, port } if answer.effect == Effect::Allow => {
            let takes = index.http().words(host, *port)?;
            Some(format!("only requests over plain HTTP that its rules take: {takes}; TLS is refused"))
        }
        Question::Net { host, .. } if host.is_address() && answer.effect == Effect::Deny => {
            Some("an address is only reached when it is named itself; `*` stands for names".to_owned())
        }
        _ => None,
    }
}
