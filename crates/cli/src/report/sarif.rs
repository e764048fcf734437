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

/// How the names of built-in texts start; a scheme of its own.
const BUILT_IN: &str = "ringfence:";

/// A file name as a URI reference.
pub(crate) fn uri(file: &str) -> String {
    let (start, rest) = match file.strip_prefix(BUILT_IN) {
        Some(rest) => (BUILT_IN, rest),
        None if file.starts_with('/') => ("file://", file),
        None => ("", file),
    };
    let mut out = String::from(start);
    for byte in rest.bytes() {
        // A colon in the first part of a relative name would make a scheme of what stands before it.
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn a_colon_in_a_file_name_is_no_scheme() {
        assert_eq!(uri("a:b.yaml"), "a%3Ab.yaml");
        assert_eq!(uri("/x/a:b c.yaml"), "file:///x/a%3Ab%20c.yaml");
        assert_eq!(uri("ringfence:baseline"), "ringfence:baseline");
    }
}
