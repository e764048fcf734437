//! What a call would carry out, looked at before it is made. A tool's name, its arguments and what the run may reach
//! in; findings out, each with the argument it is in. Decides nothing: a policy says what a finding means.

mod address;
mod arguments;
mod copied;
mod encoded;
mod path;
mod rules;

use crate::canary::Canary;
use crate::finding::{Finding, Severity, Span};
use crate::rule::Rule;
use crate::spotlight::Session;
use serde_json::Value;

pub(crate) use arguments::strings;
pub use copied::{Copies, Copy, RUN};
pub use path::Roots;

use arguments::{Argument, Looked, Role};
use path::Trouble;

/// Findings reported for one call; the first are enough to stop it.
pub const ISSUES_MAX: usize = 64;

/// An encoded run of this length in an address is data.
const RUN_IN_ADDRESS: usize = 64;
/// And of this length anywhere.
const RUN_ANYWHERE: usize = 512;

/// What a run may reach, and what must not leave it.
pub struct Reach<'a> {
    /// Where it may read and write.
    pub roots: Roots<'a>,
    /// Whether the policy allows a host, given in lower case without its last dot.
    pub allows_host: &'a dyn Fn(&str) -> bool,
    /// The places of secrets in a text.
    pub secrets: &'a dyn Fn(&str) -> Vec<Span>,
    /// What the run has read in untrusted blocks.
    pub copies: Option<&'a Copies>,
    /// The canary of its instructions.
    pub canary: Option<&'a Canary>,
    /// The marks of its session.
    pub session: Option<&'a Session>,
}

/// A finding in an argument.
#[derive(Debug, Clone, PartialEq)]
pub struct Issue {
    /// The argument, as a JSON pointer; of a field's name, the field.
    pub pointer: String,
    /// What was found; its span is in the argument's text.
    pub finding: Finding,
    /// The untrusted block a copy came from.
    pub block: Option<u64>,
}

/// Looks at a call before it is made.
///
/// ```
/// use ringfence_guard::outgoing::{Reach, Roots, verify};
/// let granted = ["/work".to_owned()];
/// let reach = Reach {
///     roots: Roots { granted: &granted, cwd: "/work", home: None },
///     allows_host: &|host| host == "docs.example",
///     secrets: &|_| Vec::new(),
///     copies: None,
///     canary: None,
///     session: None,
/// };
/// let arguments = serde_json::json!({"file": "../../etc/passwd", "note": "see https://evil.example/x"});
/// let issues = verify(&arguments, &reach);
/// let found: Vec<_> = issues.iter().map(|i| (i.pointer.as_str(), i.finding.rule.id)).collect();
/// assert_eq!(found, [("/file", "traversal.climbs-out"), ("/note", "url.off-policy")]);
/// ```
#[must_use]
pub fn verify(arguments: &Value, reach: &Reach<'_>) -> Vec<Issue> {
    let (texts, looked) = strings(arguments);
    let mut report = Report { issues: Vec::new() };
    if looked == Looked::AtSome {
        let whole = Argument { pointer: String::new(), text: "", role: Role::Text };
        report.add(&whole, &rules::TOO_LARGE, 0..0);
    }
    for argument in &texts {
        if report.issues.len() >= ISSUES_MAX {
            break;
        }
        leaks(argument, reach, &mut report);
        paths(argument, reach, &mut report);
        hosts(argument, reach, &mut report);
        data(argument, reach, &mut report);
    }
    report.issues.truncate(ISSUES_MAX);
    report.issues
}

struct Report {
    issues: Vec<Issue>,
}

impl Report {
    fn add(&mut self, argument: &Argument<'_>, rule: &'static Rule, place: std::ops::Range<usize>) -> &mut Self {
        let span = Span { start: place.start, end: place.end };
        let shown: String = match rule.severity {
            // What must not leave is not shown either.
            Severity::Critical => "(masked)".to_owned(),
            _ => argument.text.get(place).unwrap_or_default().chars().filter(|c| !c.is_control()).take(80).collect(),
        };
        let finding = Finding { rule, severity: rule.severity, span, evidence: shown, via: Vec::new() };
        self.issues.push(Issue { pointer: argument.pointer.clone(), finding, block: None });
        self
    }

    /// Changes the last one.
    fn with(&mut self, change: impl FnOnce(&mut Issue)) {
        if let Some(last) = self.issues.last_mut() {
            change(last);
        }
    }
}

fn leaks(argument: &Argument<'_>, reach: &Reach<'_>, report: &mut Report) {
    let canary = reach.canary.and_then(|canary| canary.leaked_in(argument.text));
    if let Some(leak) = canary.or_else(|| reach.session.and_then(|session| session.leaked_in(argument.text))) {
        report
            .add(argument, &rules::LEAKED, leak.span.start..leak.span.end)
            .with(|i| i.finding.via = vec![leak.form.word()]);
    }
}

fn paths(argument: &Argument<'_>, reach: &Reach<'_>, report: &mut Report) {
    let text = argument.text;
    let mut judge = |place: std::ops::Range<usize>, severity: Severity| {
        let trouble = text.get(place.clone()).and_then(|path| reach.roots.trouble(path));
        let rule = match trouble {
            Some(Trouble::ClimbsOut) => &rules::TRAVERSAL,
            Some(Trouble::Outside) => &rules::OUTSIDE,
            None => return,
        };
        report.add(argument, rule, place).with(|issue| issue.finding.severity = severity);
    };
    let is_address =
        text.contains("://") && !text.trim_start().get(..5).is_some_and(|s| s.eq_ignore_ascii_case("file:"));
    match argument.role {
        Role::Path if !is_address => judge(0..text.len(), Severity::Error),
        Role::Command => {
            for (place, word) in shell_words(text) {
                if path::leads_away(word) && !word.contains("://") {
                    judge(place, Severity::Error);
                }
            }
        }
        // A text that is nothing but a path is one, whatever its field is called; it may also be a route.
        Role::Text | Role::Address if !is_address && !text.contains(char::is_whitespace) && path::leads_away(text) => {
            judge(0..text.len(), Severity::Warn);
        }
        _ => {}
    }
}

/// The words of a command, however they are joined.
fn shell_words(text: &str) -> impl Iterator<Item = (std::ops::Range<usize>, &str)> {
    let mut at = 0;
    text.split_inclusive(|c: char| c.is_whitespace() || "\"'`;|&<>(),=".contains(c)).filter_map(move |part| {
        let start = at;
        at += part.len();
        let word = part.trim_end_matches(|c: char| c.is_whitespace() || "\"'`;|&<>(),=".contains(c));
        (!word.is_empty()).then_some((start..start + word.len(), word))
    })
}

fn hosts(argument: &Argument<'_>, reach: &Reach<'_>, report: &mut Report) {
    let text = argument.text.trim();
    let addresses = match argument.role {
        Role::Address if !text.is_empty() && !text.contains(' ') => address::whole(text).into_iter().collect(),
        _ => address::addresses(argument.text),
    };
    for address in addresses {
        if !address.host.as_deref().is_some_and(reach.allows_host) {
            report.add(argument, &rules::OFF_POLICY, address.place.clone());
        }
        let tail = argument.text.get(address.tail.clone()).unwrap_or_default();
        for run in encoded::runs(tail, RUN_IN_ADDRESS) {
            let place = address.tail.start + run.start..address.tail.start + run.end;
            report.add(argument, &rules::ENCODED, place).with(|issue| issue.finding.severity = Severity::Error);
        }
    }
}

fn data(argument: &Argument<'_>, reach: &Reach<'_>, report: &mut Report) {
    for secret in (reach.secrets)(argument.text).into_iter().take(ISSUES_MAX) {
        report.add(argument, &rules::SECRET, secret.start..secret.end);
    }
    for run in encoded::runs(argument.text, RUN_ANYWHERE).into_iter().take(ISSUES_MAX) {
        report.add(argument, &rules::ENCODED, run);
    }
    for copy in reach.copies.map(|copies| copies.find(argument.text)).unwrap_or_default().into_iter().take(ISSUES_MAX) {
        let place = copy.span.start..copy.span.end;
        report.add(argument, &rules::COPIED, place).with(|issue| issue.block = Some(copy.block));
    }
}
