//! SARIF 2.1.0, for code scanning.

use super::json::placed;
use crate::failure::Problems;
use ringfence_policy::diagnostic::{Code, Diagnostic, Severity};
use ringfence_policy::span::{NamedPlace, Sources};
use serde_json::{Value as Json, json};
use std::fmt::Write as _;

/// What a rule of the log means.
pub(crate) type Rule = (&'static str, &'static str);

/// Errors and warnings as a log.
pub(crate) fn problems(problems: &Problems) -> Json {
    let all = problems.errors.iter().chain(&problems.warnings);
    let rules: Vec<Rule> = Code::ALL.iter().map(|c| (c.as_str(), c.summary())).collect();
    log(&rules, all.map(|d| problem(d, &problems.sources)).collect())
}

/// A log of one run.
pub(crate) fn log(rules: &[Rule], results: Vec<Json>) -> Json {
    let rules: Vec<Json> =
        rules.iter().map(|(id, summary)| json!({ "id": id, "shortDescription": { "text": summary } })).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "ringfence", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

/// One result. The first place is where it is shown; the others are related to it.
pub(crate) fn result(rule: &str, level: &str, message: &str, places: &[(NamedPlace, String)]) -> Json {
    let mut all = places.iter().map(|(place, text)| location(place, text));
    let first: Vec<Json> = all.next().into_iter().collect();
    let related: Vec<Json> = all.collect();
    json!({ "ruleId": rule, "level": level, "message": { "text": message }, "locations": first, "relatedLocations": related })
}

fn problem(d: &Diagnostic, sources: &Sources) -> Json {
    let level = if d.severity == Severity::Error { "error" } else { "warning" };
    let help = d.help.as_ref().map(|h| format!("\nhelp: {h}")).unwrap_or_default();
    let places: Vec<_> = placed(d).iter().map(|l| (sources.named(l.place), l.text.clone())).collect();
    result(d.code.as_str(), level, &format!("{}{help}", d.message), &places)
}

fn location(place: &NamedPlace, text: &str) -> Json {
    json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri(&place.file) },
            "region": { "startLine": place.line.max(1), "startColumn": place.column.max(1) },
        },
        "message": { "text": text },
    })
}

/// A file name as a URI reference.
fn uri(file: &str) -> String {
    let mut out = String::from(if file.starts_with('/') { "file://" } else { "" });
    for byte in file.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/:".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
