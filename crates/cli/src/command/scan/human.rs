//! Findings the way a compiler shows them: title, the words underlined, how they were opened, help.
//!
//! INVARIANT: nothing of a scanned text reaches the terminal but through [`safe`].

use super::examine::{Scanned, State};
use super::track::Place;
use super::{Tally, word};
use crate::output::{count, is_unsafe, shown};
use crate::report::human::line;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use ringfence_guard::inspect::{mask, mask_secrets};
use ringfence_guard::{Family, Finding, Report, Severity};

/// Findings of one file that are shown in full.
const MOST: usize = 100;

/// What there is to say about one file; nothing where nothing was found.
pub(super) fn file(scanned: &Scanned, threshold: Severity) -> String {
    match &scanned.state {
        State::Binary => String::new(),
        State::Failed(why) => line("error", why),
        State::Done(report, places) => {
            let mut out = findings(&scanned.name, report, places, threshold);
            for note in notes(scanned, report) {
                out.push_str(&line("note", &format!("{}: {note}", shown(&scanned.name))));
            }
            out
        }
    }
}

fn findings(name: &str, report: &Report, places: &[Option<Place>], threshold: Severity) -> String {
    let least = threshold.min(Severity::Warn);
    let told = report.findings.iter().zip(places).filter(|(finding, _)| finding.severity >= least);
    let mut out: String = told.clone().take(MOST).map(|(f, place)| finding(name, f, place.as_ref()) + "\n\n").collect();
    let more = told.count().saturating_sub(MOST) + report.left_out;
    if more > 0 {
        out.push_str(&format!("… and {more} more in {}\n\n", shown(name)));
    }
    out
}

/// What a reader must know beside the findings.
fn notes(scanned: &Scanned, report: &Report) -> Vec<String> {
    let mut notes = Vec::new();
    if scanned.is_binary {
        notes.push("this does not look like text; it was scanned all the same".to_owned());
    }
    if scanned.bad > 0 {
        notes.push(format!("{} not UTF-8 and read as gaps", count_are(scanned.bad)));
    }
    if report.left_closed {
        notes.push("it holds more encoded or hidden text than was read; the rest was not looked into".to_owned());
    }
    notes
}

fn count_are(bytes: u64) -> String {
    if bytes == 1 { "1 byte is".to_owned() } else { format!("{bytes} bytes are") }
}

fn finding(name: &str, finding: &Finding, place: Option<&Place>) -> String {
    let level = match finding.severity {
        Severity::Critical => Level::ERROR.with_name("critical"),
        Severity::Error => Level::ERROR,
        Severity::Warn => Level::WARNING.with_name("warn"),
        Severity::Info => Level::INFO,
    };
    let mut group = Group::with_title(level.primary_title(finding.rule.title).id(finding.rule.id));
    // The renderer counts columns in what it is given, which is cut and escaped: the true one is put in its place.
    let mut columns = None;
    match place {
        None => group = group.element(Origin::path(shown(name))),
        Some(place) => {
            let (snippet, column) = excerpt(name, finding, place);
            let at = |column: u64| format!("{}:{}:{column}", shown(name), place.start.line);
            columns = Some((at(column), at(place.start.column)));
            group = group.element(snippet);
        }
    }
    if !finding.via.is_empty() {
        let words = safe(&mask(&finding.evidence));
        group = group.element(Level::NOTE.message(format!("opened via {}: {words}", finding.via.join(", then "))));
    }
    let text = Renderer::styled().render(&[group.element(Level::HELP.message(finding.rule.help))]);
    match columns {
        Some((counted, meant)) => text.replacen(&counted, &meant, 1),
        None => text,
    }
}

/// The line, cut around the finding, as it may be shown, and the column at which the finding then stands.
fn excerpt<'a>(name: &str, finding: &Finding, place: &Place) -> (Snippet<'a, Annotation<'a>>, u64) {
    let inside = match finding.rule.family {
        Family::Secret => finding.evidence.clone(),
        _ => mask_secrets(&place.inside),
    };
    let (before, inside, after) =
        (safe(&mask_secrets(&place.before)), safe(&inside), safe(&mask_secrets(&place.after)));
    let span = before.len()..before.len() + inside.len();
    let column = before.chars().count() as u64 + 1;
    let snippet = Snippet::source(format!("{before}{inside}{after}")).path(shown(name));
    (snippet.line_start(number(place.start.line)).annotation(AnnotationKind::Primary.span(span)), column)
}

/// A text on one line in which every character can be seen and no terminal acts on one.
fn safe(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => out.push(' '),
            c if is_unsafe(c) || is_variation(c) => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    out
}

/// Selectors can carry a message that nobody sees.
fn is_variation(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

fn number(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// The last line.
pub(super) fn summary(tally: &Tally) -> String {
    let word_of = word(tally.threshold);
    let mut text = format!("{}, {}: {}", count(tally.files, "file"), size(tally.bytes), tally.in_words());
    let hidden = tally.found.first().copied().unwrap_or(0);
    if hidden > 0 && tally.threshold > Severity::Info {
        text.push_str("; `--threshold info` shows every one");
    }
    if tally.binary > 0 {
        text.push_str(&format!("; {} not scanned: no text", count(tally.binary, "file")));
    }
    let state = match () {
        () if !tally.failed.is_empty() => format!("incomplete, {} not read", count(tally.failed.len(), "path")),
        () if tally.blocked > 0 => format!("failed at {word_of}"),
        () => "ok".to_owned(),
    };
    format!("{state}: {text}\n")
}

fn size(bytes: u64) -> String {
    match bytes {
        0..10_240 => format!("{bytes} bytes"),
        10_240..10_485_760 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}
