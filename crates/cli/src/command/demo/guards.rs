//! Tool outputs through the guards, with the settings that the sample policies give to the agent that reads the web:
//! scan, then withhold or mark. What is caught is what the scanner says, and nothing else.

use super::poison::{self, Sample};
use super::stage::broken;
use crate::command::guard::mirrored;
use crate::failure::Failure;
use ringfence_guard::inspect::{Policy, QuarantineSettings, Settings, Verdict, inspect};
use ringfence_guard::spotlight::Token;
use ringfence_guard::{Finding, Severity, Span, signal};
use ringfence_policy::slice::Guards;
use serde::Serialize;

/// One tool output and what the guards made of it.
#[derive(Debug, Serialize)]
pub(super) struct Guarded {
    pub(super) tool: &'static str,
    pub(super) title: &'static str,
    pub(super) poisoned: bool,
    /// `block`, `hit`, `pass` or `not_scanned`.
    pub(super) verdict: Verdict,
    /// Poison was withheld, or clean text let through.
    pub(super) right: bool,
    /// What was found, exact rules first, then the worst.
    pub(super) findings: Vec<Found>,
    /// What the model would see.
    pub(super) shown: String,
    #[serde(skip)]
    pub(super) text: &'static str,
}

/// One finding.
#[derive(Debug, Serialize)]
pub(super) struct Found {
    pub(super) rule: &'static str,
    pub(super) title: &'static str,
    pub(super) severity: Severity,
    /// Where, in bytes of the original text.
    pub(super) span: Span,
    /// How the text was opened to find it.
    pub(super) via: Vec<&'static str>,
}

/// Passes every sample through.
pub(super) fn pass(guards: &Guards) -> Result<Vec<Guarded>, Failure> {
    let mut bytes = [0u8; 16];
    rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty()).map_err(broken)?;
    // Summaries are left out: they would show what is left of the poison where a notice is easier to see.
    let settings = Settings { quarantine: QuarantineSettings::default(), ..mirrored(guards) };
    let policy = Policy::new(settings, Token::from_bytes(bytes)).map_err(broken)?;
    Ok(poison::ALL.iter().map(|sample| guarded(&policy, sample)).collect())
}

fn guarded(policy: &Policy, sample: &Sample) -> Guarded {
    let Sample { tool, title, poisoned, text } = *sample;
    let outcome = inspect(tool, text, policy);
    let right = (outcome.verdict == Verdict::Block) == poisoned;
    let findings = exact_first(outcome.findings);
    Guarded { tool, title, poisoned, verdict: outcome.verdict, right, findings, shown: outcome.shown, text }
}

/// The findings that are worth a warning, exact rules before what the model reads into a stretch of words, then the
/// worst, otherwise in the order of the text: the words of an exact rule are the ones to underline.
fn exact_first(mut findings: Vec<Finding>) -> Vec<Found> {
    findings.retain(|f| f.severity >= Severity::Warn);
    let is_exact = |f: &Finding| signal::rules().any(|rule| rule.id == f.rule.id);
    findings.sort_by_cached_key(|f| std::cmp::Reverse((is_exact(f), f.severity)));
    let found =
        |f: Finding| Found { rule: f.rule.id, title: f.rule.title, severity: f.severity, span: f.span, via: f.via };
    findings.into_iter().map(found).collect()
}
