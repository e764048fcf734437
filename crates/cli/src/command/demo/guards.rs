//! Tool outputs through the guards, with the settings that the sample policies give to the agent that reads the web:
//! scan, then withhold or mark. What is caught is what the scanner says, and nothing else.

use super::poison::{self, Sample};
use super::stage::broken;
use crate::failure::Failure;
use ringfence_guard::spotlight::{Mode, Session, Token};
use ringfence_guard::{Finding, Scanner, Severity, Span, UrlAllowlist, Verdict};
use ringfence_policy::scale::{SeverityBlock, SpotlightMode};
use ringfence_policy::slice::Guards;
use serde::Serialize;

/// One tool output and what the guards made of it.
#[derive(Debug, Serialize)]
pub(super) struct Guarded {
    pub(super) tool: &'static str,
    pub(super) title: &'static str,
    pub(super) poisoned: bool,
    /// `block`, `hit` or `pass`.
    pub(super) verdict: Verdict,
    /// Poison was withheld, or clean text let through.
    pub(super) right: bool,
    /// What was found, the worst first.
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
    let scanner = Scanner::new(UrlAllowlist::new(&guards.output_scanner.url_allowlist)).map_err(broken)?;
    let mut bytes = [0u8; 16];
    rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty()).map_err(broken)?;
    let session = Session::new(Token::from_bytes(bytes));
    Ok(poison::ALL.iter().map(|sample| guarded(&scanner, &session, guards, sample)).collect())
}

fn guarded(scanner: &Scanner, session: &Session, guards: &Guards, sample: &Sample) -> Guarded {
    let report = scanner.scan(sample.text);
    let verdict = report.verdict(threshold(guards.output_scanner.severity_block));
    let blocked = verdict == Verdict::Block;
    let findings = worst_first(report.findings);
    let shown = match findings.first() {
        Some(worst) if blocked => format!("[withheld by ringfence: {}: {}]", worst.rule, worst.title),
        _ => session.mark(mode(guards.spotlighting.mode), sample.tool, sample.text),
    };
    let Sample { tool, title, poisoned, text } = *sample;
    Guarded { tool, title, poisoned, verdict, right: blocked == poisoned, findings, shown, text }
}

/// The findings, the worst first, otherwise in the order of the text.
fn worst_first(mut findings: Vec<Finding>) -> Vec<Found> {
    findings.sort_by_key(|f| std::cmp::Reverse(f.severity));
    let found =
        |f: Finding| Found { rule: f.rule.id, title: f.rule.title, severity: f.severity, span: f.span, via: f.via };
    findings.into_iter().map(found).collect()
}

fn threshold(block: SeverityBlock) -> Severity {
    match block {
        SeverityBlock::Critical => Severity::Critical,
        SeverityBlock::Error => Severity::Error,
        SeverityBlock::Warn => Severity::Warn,
        SeverityBlock::Info => Severity::Info,
    }
}

fn mode(mode: SpotlightMode) -> Mode {
    match mode {
        SpotlightMode::Delimit => Mode::Delimit,
        SpotlightMode::Datamark => Mode::Datamark,
        SpotlightMode::Encode => Mode::Encode,
    }
}
