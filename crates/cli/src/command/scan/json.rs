//! What was found as one JSON object. Every key is always there.

use super::examine::{Scanned, State};
use super::track::Place;
use super::{Tally, verdict, word};
use ringfence_guard::inspect::mask;
use ringfence_guard::{Finding, Report, Severity};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value as Json, json};

/// A finding as every format of this command has it.
#[derive(Debug, Serialize)]
pub(super) struct Entry<'a> {
    rule: &'a str,
    severity: Severity,
    span: ringfence_guard::Span,
    evidence: String,
    via: &'a [&'static str],
}

impl<'a> Entry<'a> {
    pub(super) fn new(finding: &'a Finding) -> Self {
        Self {
            rule: finding.rule.id,
            severity: finding.severity,
            span: finding.span,
            evidence: mask(&finding.evidence),
            via: &finding.via,
        }
    }
}

/// A score with six digits, whatever it is.
pub(super) fn score(score: f64) -> Option<Box<RawValue>> {
    let score = if score.is_finite() { score.clamp(0.0, 1.0) } else { 1.0 };
    RawValue::from_string(format!("{score:.6}")).ok()
}

/// Everything.
pub(super) fn report(scanned: &[Scanned], tally: &Tally) -> Json {
    let skipped: Vec<&str> =
        scanned.iter().filter(|s| matches!(s.state, State::Binary)).map(|s| s.name.as_str()).collect();
    let errors: Vec<Json> = tally.failed.iter().map(|why| json!({ "code": "internal", "message": why })).collect();
    json!({
        "errors": errors,
        "files": scanned.iter().filter_map(|s| file(s, tally.threshold)).collect::<Vec<_>>(),
        "skipped": skipped,
        "summary": {
            "blocked": tally.blocked, "bytes": tally.bytes, "files": tally.files,
            "findings": tally.from(Severity::Info), "threshold": word(tally.threshold),
        },
    })
}

fn file(scanned: &Scanned, threshold: Severity) -> Option<Json> {
    let State::Done(report, places) = &scanned.state else { return None };
    let findings: Vec<Json> = report.findings.iter().zip(places).map(|(f, place)| finding(f, place.as_ref())).collect();
    Some(json!({
        "binary": scanned.is_binary,
        "bytes": scanned.bytes,
        "file": scanned.name,
        "findings": findings,
        "invalid_bytes": scanned.bad,
        "left_closed": report.left_closed,
        "left_out": report.left_out,
        "score": rounded(report),
        "verdict": verdict(report, threshold),
    }))
}

fn rounded(report: &Report) -> f64 {
    (report.score * 1e6).round() / 1e6
}

fn finding(finding: &Finding, place: Option<&Place>) -> Json {
    json!({
        "column": place.map(|p| p.start.column),
        "end_column": place.map(|p| p.end.column),
        "end_line": place.map(|p| p.end.line),
        "evidence": mask(&finding.evidence),
        "family": finding.rule.family,
        "help": finding.rule.help,
        "line": place.map(|p| p.start.line),
        "rule": finding.rule.id,
        "severity": finding.severity,
        "span": finding.span,
        "title": finding.rule.title,
        "via": finding.via,
    })
}
