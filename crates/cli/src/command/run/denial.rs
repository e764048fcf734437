//! Denials as they are told: what, by which rule of whom, why, and what to do about it.
//!
//! Only what a layer saw and refused is told. What the baseline keeps, and what a level above forbids, is final: then
//! no way round is named.

use super::fact::Fact;
use super::record::Record;
use super::trail::Trails;
use crate::output::{count, shown};
use crate::quote;
use ringfence_policy::config::ProvenanceEntry;
use ringfence_policy::fields::id;
use ringfence_policy::question::{DEFAULT_PORT, Question};
use ringfence_policy::scale::Effect;
use ringfence_sandbox::egress::Why;
use ringfence_seal::kind::EventKind;
use serde::Serialize;

/// One denial. Every key is always there.
#[derive(Debug, Serialize)]
pub(crate) struct Denial {
    /// `net`, `read`, `write` or `exec`.
    pub(crate) kind: &'static str,
    /// The host, path or program; empty for what was only counted.
    pub(crate) what: String,
    /// How often.
    pub(crate) count: u64,
    /// The layer.
    pub(crate) layer: &'static str,
    /// The rule.
    pub(crate) rule: Option<String>,
    /// Its document.
    pub(crate) document: Option<String>,
    /// The file of the document.
    pub(crate) file: Option<String>,
    /// The line in it.
    pub(crate) line: Option<u32>,
    /// The level.
    pub(crate) level: Option<String>,
    /// Why, in the author's words.
    pub(crate) because: Option<String>,
    /// Why, in ours.
    pub(crate) why: String,
    /// What to do.
    pub(crate) help: String,
    /// Nothing that the user of this run can do opens it.
    #[serde(rename = "final")]
    pub(crate) is_final: bool,
}

/// The denials of a run. The policies are read only if there are any.
pub(crate) fn denials(record: &Record) -> Vec<Denial> {
    let mut out: Vec<Denial> = Vec::new();
    for (fact, count) in record.told().iter().filter(|(f, _)| f.kind().is_denial()) {
        let denial = denial(fact, *count, record.trails());
        // A name is asked for twice, once for each kind of address, and once more when it is connected to.
        match out.iter_mut().find(|d| d.kind == denial.kind && d.what == denial.what && d.why == denial.why) {
            Some(same) => same.count = same.count.saturating_add(denial.count),
            None => out.push(denial),
        }
    }
    out
}

fn denial(fact: &Fact, count: u64, trails: Option<&Trails>) -> Denial {
    let denied = |q: &Question| trails.map(|t| t.why(q)).filter(|(effect, _)| *effect == Effect::Deny);
    let answered = fact.questions().into_iter().find_map(|q| Some((denied(&q)?.1, q)));
    let (entry, question) = match answered {
        Some((trail, q)) => (trail.into_iter().find(|b| b.decisive).map(|b| b.entry), Some(q)),
        None => (request_rule(fact, trails), fact.questions().into_iter().next()),
    };
    let (kind, what) = subject(fact, question.as_ref());
    let (help, is_final) = help(fact, question.as_ref(), entry.as_ref(), trails);
    let text = |get: fn(&ProvenanceEntry) -> &String| entry.as_ref().map(|e| get(e).clone());
    Denial {
        kind,
        what,
        count,
        layer: "kernel",
        rule: text(|e| &e.rule_id),
        document: text(|e| &e.document),
        file: text(|e| &e.file),
        line: entry.as_ref().map(|e| e.line).filter(|l| *l > 0),
        level: text(|e| &e.via_cascade_level),
        because: entry.as_ref().and_then(|e| e.because.clone()),
        why: why(fact, entry.as_ref()),
        help,
        is_final,
    }
}

/// The rule for the requests of a host, where that is what refused one.
fn request_rule(fact: &Fact, trails: Option<&Trails>) -> Option<ProvenanceEntry> {
    let Fact::Refused { why: Why::HttpRule | Why::Uncheckable, .. } = fact else { return None };
    let entries = fact.questions().into_iter().flat_map(|q| trails.map(|t| t.why(&q).1).unwrap_or_default());
    entries.map(|b| b.entry).find(|e| e.rule_id.starts_with(id::network_http.path()))
}

fn subject(fact: &Fact, question: Option<&Question>) -> (&'static str, String) {
    match fact {
        Fact::Refused { host, port, .. } => {
            let text = match (question, port) {
                // A question to the resolver is for no port.
                (Some(Question::Net { host, .. }), None | Some(53)) => host.as_str().to_owned(),
                (Some(Question::Net { host, .. }), Some(port)) if *port == DEFAULT_PORT || *port == 80 => {
                    host.as_str().to_owned()
                }
                (_, Some(port)) => format!("{host}:{port}"),
                (_, None) => host.clone(),
            };
            ("net", text)
        }
        Fact::File { path, write: false } => ("read", path.clone()),
        Fact::File { path, write: true } | Fact::Broken { path } => ("write", path.clone()),
        Fact::Program { path } => ("exec", path.clone()),
        Fact::More(EventKind::FsDenied) => ("read", String::new()),
        Fact::More(EventKind::ExecDenied) => ("exec", String::new()),
        _ => ("net", String::new()),
    }
}

fn why(fact: &Fact, entry: Option<&ProvenanceEntry>) -> String {
    let rule = entry.map(|e| e.rule_id.as_str()).unwrap_or_default();
    match fact {
        Fact::Refused { why, .. } if rule.starts_with("sandbox.network.mode") && is_miss(*why) => {
            "this sandbox has no network".into()
        }
        Fact::Refused { why, detail, .. } if detail.is_empty() => why.words().into(),
        Fact::Refused { why, detail, .. } => format!("{} ({detail})", why.words()),
        Fact::File { .. } if rule.starts_with("sandbox.filesystem.hidden") => "the path is hidden".into(),
        Fact::File { .. } if rule.starts_with("sandbox.filesystem.protected") => "the path is protected".into(),
        Fact::File { write: true, .. } => "the path lies in nothing that can be written".into(),
        Fact::File { .. } => "the path lies in nothing that can be read".into(),
        Fact::Broken { .. } => "it came into being on a protected name and was removed".into(),
        Fact::Program { .. } if rule.starts_with("sandbox.exec") => "the program may not be started".into(),
        Fact::Program { .. } => "the program lies in nothing that can be read".into(),
        _ => "more of the same kind, not listed one by one".into(),
    }
}

/// Whether the allowlist itself is the reason, and not what the traffic looked like.
fn is_miss(why: Why) -> bool {
    matches!(
        why,
        Why::NameNotAllowed | Why::PortNotAllowed | Why::AddressNotNamed | Why::AddressOffLimits | Why::AddressUnknown
    )
}

/// What to do, and whether that is nothing.
fn help(
    fact: &Fact,
    question: Option<&Question>,
    entry: Option<&ProvenanceEntry>,
    trails: Option<&Trails>,
) -> (String, bool) {
    let no_trail =
        || ("`ringfence explain` says what holds now; the policies have changed since the run began".into(), false);
    let refused = |by: &ProvenanceEntry| {
        let who = format!("`{}` ({} level)", by.document, by.via_cascade_level);
        match by.document.as_str() {
            "baseline" => ("final: the baseline keeps this from every run, and no grant opens it".into(), true),
            _ => (format!("final here: {who} forbids it, and only its owner can change that"), true),
        }
    };
    let by = match (fact, question) {
        (Fact::Refused { why: Why::HttpRule | Why::Uncheckable, .. }, _) => {
            let place =
                entry.map(|e| format!(" of `{}` ({} level)", e.document, e.via_cascade_level)).unwrap_or_default();
            return (format!("`sandbox.network.http`{place} says what this host takes, over plain HTTP only"), false);
        }
        (Fact::Refused { why, .. }, _) if !is_miss(*why) => {
            return ("no rule helps: the traffic itself has to be as the policy asks".into(), false);
        }
        (Fact::More(_), _) | (_, None) => return ("the log has what was listed: `ringfence log show`".into(), false),
        (_, Some(question)) => match trails.map(|t| t.admits(question)) {
            None => return no_trail(),
            Some(Ok(())) => None,
            Some(Err(by)) => by.into_iter().next().map(|b| b.entry),
        },
    };
    if let Some(by) = &by {
        return refused(by);
    }
    let grant = |what: String| (format!("ringfence allow {what} --for 30m --reason '…'"), false);
    match (fact, question) {
        (Fact::Refused { why: Why::AddressOffLimits | Why::AddressUnknown, .. }, _) => {
            ("name the address itself in `sandbox.network.allowlist` if it is meant to be reached".into(), false)
        }
        (Fact::Refused { .. }, Some(_)) => grant(format!("net {}", quote::word(&subject(fact, question).1))),
        (Fact::File { path, write }, _) => {
            grant(format!("{} {}", if *write { "write" } else { "read" }, quote::word(path)))
        }
        (Fact::Program { path }, Some(Question::Read(_))) => grant(format!("read {}", quote::word(path))),
        (Fact::Program { path }, _) => {
            let place = entry.filter(|e| e.line > 0).map(|e| format!(" in `{}`", e.file)).unwrap_or_default();
            (format!("add {} to `sandbox.exec.allowlist`{place} if it is meant to run", quote::word(path)), false)
        }
        _ => no_trail(),
    }
}

/// The most denials that a summary lists.
const LISTED: usize = 25;

/// The denials for a person.
pub(super) fn summary(denials: &[Denial], run_id: &str) -> String {
    let total: u64 = denials.iter().map(|d| d.count).fold(0, u64::saturating_add);
    let total = usize::try_from(total).unwrap_or(usize::MAX);
    let mut out = format!("\nringfence: {}\n", count(total, "denial"));
    for denial in denials.iter().take(LISTED) {
        out.push_str(&one(denial));
    }
    if let Some(more) = denials.len().checked_sub(LISTED).filter(|n| *n > 0) {
        out.push_str(&format!("  … and {more} more\n"));
    }
    out + &format!("  log      ringfence log show {run_id}\n")
}

fn one(d: &Denial) -> String {
    let times = if d.count > 1 { format!("  ×{}", d.count) } else { String::new() };
    let mut out = format!("  {} {}{times}\n", d.kind, if d.what.is_empty() { "…".into() } else { shown(&d.what) });
    let mut say = |key: &str, text: &str| out.push_str(&format!("    {key:<8} {}\n", shown(text)));
    if let (Some(rule), Some(document), Some(level)) = (&d.rule, &d.document, &d.level) {
        let place = match (&d.file, d.line) {
            (Some(file), Some(line)) => format!(", {file}:{line}"),
            _ => String::new(),
        };
        say("rule", &format!("{rule} of `{document}` ({level} level{place}), kernel layer"));
    }
    say("why", &d.why);
    if let Some(because) = &d.because {
        say("because", because);
    }
    say("help", &d.help);
    out
}
