//! What was found as a SARIF log.

use super::examine::{Scanned, State};
use super::track::Place;
use super::{Tally, word};
use crate::report::sarif::{Rule, log, uri};
use ringfence_guard::inspect::mask;
use ringfence_guard::{Finding, Severity, rules};
use serde_json::{Value as Json, json};

/// Everything as a log of one run.
pub(super) fn report(scanned: &[Scanned], tally: &Tally) -> Json {
    let rules: Vec<Rule> = rules().iter().map(|rule| (rule.id, rule.title)).collect();
    let mut log = log(&rules, scanned.iter().flat_map(results).collect());
    let notes: Vec<Json> =
        tally.failed.iter().map(|why| json!({ "level": "error", "message": { "text": why } })).collect();
    if let Some(run) = log.pointer_mut("/runs/0").and_then(Json::as_object_mut) {
        let invocation = json!({ "executionSuccessful": notes.is_empty(), "toolExecutionNotifications": notes });
        run.insert("invocations".to_owned(), json!([invocation]));
    }
    log
}

fn results(scanned: &Scanned) -> Vec<Json> {
    let State::Done(report, places) = &scanned.state else { return Vec::new() };
    report.findings.iter().zip(places).map(|(f, place)| result(&scanned.name, f, place.as_ref())).collect()
}

fn result(name: &str, finding: &Finding, place: Option<&Place>) -> Json {
    let level = match finding.severity {
        Severity::Info => "note",
        Severity::Warn => "warning",
        Severity::Error | Severity::Critical => "error",
    };
    let via = if finding.via.is_empty() { String::new() } else { format!(" (via {})", finding.via.join(", then ")) };
    let text = format!("{}{via}: {}\nhelp: {}", finding.rule.title, mask(&finding.evidence), finding.rule.help);
    let mut physical = json!({ "artifactLocation": { "uri": uri(name) } });
    if let (Some(place), Some(fields)) = (place, physical.as_object_mut()) {
        let region = json!({
            "startLine": place.start.line, "startColumn": place.start.column,
            "endLine": place.end.line, "endColumn": place.end.column,
        });
        fields.insert("region".to_owned(), region);
    }
    json!({
        "ruleId": finding.rule.id,
        "level": level,
        "message": { "text": text },
        "locations": [{ "physicalLocation": physical }],
        "properties": { "severity": word(finding.severity), "span": finding.span, "via": finding.via },
    })
}
