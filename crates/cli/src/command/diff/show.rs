//! A difference as text and as SARIF.

use super::{Compared, Differences};
use crate::output::{count, shown};
use crate::report::sarif;
use clap::builder::styling::{AnsiColor, Style};
use ringfence_policy::config::ProvenanceEntry;
use ringfence_policy::diff::{Change, Direction};
use ringfence_policy::span::NamedPlace;
use serde_json::Value as Json;
use std::sync::Arc;

/// The kinds of change in the order in which they are shown.
const KINDS: &[&str] = &["tool", "net", "read", "write", "exec", "import", "model", "setting"];

/// The difference for people.
pub(crate) fn human(differences: &Differences) -> String {
    let (same, changed): (Vec<&Compared>, Vec<&Compared>) =
        differences.sandboxes.iter().partition(|s| s.diff.changes.is_empty());
    let mut out: String = changed.into_iter().map(sandbox).collect();
    for name in &differences.added {
        out.push_str(&format!("{}\n", paint(Direction::Widened, &format!("+ added     sandbox {}", shown(name)))));
    }
    for name in &differences.removed {
        out.push_str(&format!("{}\n", paint(Direction::Narrowed, &format!("- removed   sandbox {}", shown(name)))));
    }
    if !same.is_empty() {
        let answers: usize = same.iter().flat_map(|s| s.diff.compared.values()).sum();
        out.push_str(&format!("no change in {} ({} compared)\n", sandboxes(&same), count(answers, "answer")));
    }
    out
}

/// One by its name, several by their number.
fn sandboxes(same: &[&Compared]) -> String {
    match same {
        [one] => format!("sandbox {}", shown(&one.name)),
        _ => format!("{} sandboxes", same.len()),
    }
}

fn sandbox(compared: &Compared) -> String {
    let diff = &compared.diff;
    let mut out = format!("sandbox {}\n", shown(&compared.name));
    for kind in KINDS {
        let of_kind: Vec<&Change> = diff.changes.iter().filter(|c| c.kind == *kind).collect();
        if of_kind.is_empty() {
            continue;
        }
        out.push_str(&format!("  {kind}\n"));
        out.extend(of_kind.into_iter().map(change));
    }
    let unchanged: usize = diff.unchanged.values().sum();
    let compared: usize = diff.compared.values().sum();
    let by_kind: Vec<String> = diff.unchanged.iter().map(|(kind, n)| format!("{kind} {n}")).collect();
    out + &format!("  {unchanged} of {compared} unchanged ({})\n", by_kind.join(", "))
}

fn change(change: &Change) -> String {
    let (sign, word) = words(change.direction);
    let subject = change.subject.strip_prefix(change.kind).map_or(change.subject.as_str(), str::trim_start);
    let line = format!("{sign} {word:<9} {}: {} → {}", shown(subject), shown(&change.before), shown(&change.after));
    let because = change.because.first().map(|e| format!("  ({})", reason(e))).unwrap_or_default();
    format!("    {}{because}\n", paint(change.direction, &line))
}

fn words(direction: Direction) -> (char, &'static str) {
    match direction {
        Direction::Widened => ('+', "widened"),
        Direction::Narrowed => ('-', "narrowed"),
        Direction::Changed => ('~', "changed"),
    }
}

fn paint(direction: Direction, text: &str) -> String {
    let color = match direction {
        Direction::Widened => AnsiColor::Red,
        Direction::Narrowed => AnsiColor::Green,
        Direction::Changed => AnsiColor::Yellow,
    };
    let style = Style::new().fg_color(Some(color.into()));
    format!("{style}{text}{style:#}")
}

/// Who decides now; silence has no line.
fn reason(entry: &ProvenanceEntry) -> String {
    match entry.line {
        0 => shown(&entry.document),
        line => format!("{}:{line}:{}", shown(&entry.file), entry.column),
    }
}

/// The difference for code scanning: one result a change, shown at the statement that decides now.
pub(crate) fn sarif(differences: &Differences) -> Json {
    let rules = [
        ("diff.widened", "More is allowed than before."),
        ("diff.narrowed", "Less is allowed than before."),
        ("diff.changed", "Stricter in one place and looser in another."),
        ("diff.added", "A sandbox that was not there."),
        ("diff.removed", "A sandbox that is gone."),
    ];
    let changes = differences.sandboxes.iter().flat_map(|s| s.diff.changes.iter().map(move |c| (s, c)));
    let mut results: Vec<Json> = changes.map(|(s, c)| result(&s.name, c)).collect();
    let plain = |rule, level, name: &String| sarif::result(rule, level, &format!("sandbox `{name}`"), &[]);
    results.extend(differences.added.iter().map(|name| plain("diff.added", "warning", name)));
    results.extend(differences.removed.iter().map(|name| plain("diff.removed", "note", name)));
    sarif::log(&rules, results)
}

fn result(sandbox: &str, change: &Change) -> Json {
    let (_, word) = words(change.direction);
    let level = if change.direction == Direction::Narrowed { "note" } else { "warning" };
    let message = format!("{word} in sandbox `{sandbox}`: {}: {} → {}", change.subject, change.before, change.after);
    let stated = change.because.iter().filter(|e| e.line > 0);
    let places: Vec<(NamedPlace, String)> = stated
        .map(|e| (NamedPlace { file: Arc::from(e.file.as_str()), line: e.line, column: e.column }, e.rule_id.clone()))
        .collect();
    sarif::result(&format!("diff.{word}"), level, &message, &places)
}
