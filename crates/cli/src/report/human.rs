//! Diagnostics the way a compiler shows them: title, caret under the statement, caret under the floor, help.

use super::json::placed;
use crate::failure::Problems;
use crate::output::{count, is_unsafe, shown};
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use clap::builder::styling::{AnsiColor, Style};
use ringfence_policy::diagnostic::{Diagnostic, Label, Role, Severity};
use ringfence_policy::span::{Place, SourceId, Sources};
use std::ops::Range;

/// How many problems are shown in full. Whoever has more starts with these.
const MOST: usize = 100;
/// A longer line is named and not shown.
const LONGEST_LINE: usize = 4096;

/// Everything that is wrong, and a last line that sums it up.
pub(crate) fn problems(problems: &Problems) -> String {
    let mut out = diagnostics(&problems.errors, &problems.sources);
    out.push_str(&diagnostics(&problems.warnings, &problems.sources));
    let mut sum = count(problems.errors.len(), "error");
    if !problems.warnings.is_empty() {
        sum.push_str(&format!(", {}", count(problems.warnings.len(), "warning")));
    }
    out + &line("error", &format!("{sum}; nothing was derived"))
}

/// Each problem with its places.
pub(crate) fn diagnostics(found: &[Diagnostic], sources: &Sources) -> String {
    let mut out: String = found.iter().take(MOST).map(|d| diagnostic(d, sources) + "\n\n").collect();
    if let Some(more) = found.len().checked_sub(MOST).filter(|n| *n > 0) {
        out.push_str(&format!("… and {more} more; `--format json` lists them all\n\n"));
    }
    out
}

/// A message of one line.
pub(crate) fn line(level: &str, message: &str) -> String {
    let style = Style::new().bold();
    let colored = match level {
        "error" => style.fg_color(Some(AnsiColor::BrightRed.into())),
        _ => style.fg_color(Some(AnsiColor::Yellow.into())),
    };
    format!("{colored}{level}{colored:#}{style}: {}{style:#}\n", shown(message))
}

/// One problem.
pub(crate) fn diagnostic(d: &Diagnostic, sources: &Sources) -> String {
    let level = match d.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let labels = placed(d);
    let mut group = Group::with_title(level.primary_title(shown(&d.message)).id(d.code.as_str()));
    for source in sources_of(&labels) {
        let here: Vec<&Label> = labels.iter().copied().filter(|l| l.place.source == source).collect();
        group = match excerpt(&here, source, sources) {
            Some(snippet) => group.element(snippet),
            None => group.elements(here.iter().map(|l| origin(l.place, sources))),
        };
    }
    if let Some(help) = &d.help {
        group = group.element(Level::HELP.message(shown(help)));
    }
    Renderer::styled().render(&[group])
}

/// The files in the order in which the labels name them.
fn sources_of(labels: &[&Label]) -> Vec<SourceId> {
    let mut out = Vec::new();
    for label in labels {
        if !out.contains(&label.place.source) {
            out.push(label.place.source);
        }
    }
    out
}

fn origin<'a>(place: Place, sources: &Sources) -> Origin<'a> {
    let named = sources.named(place);
    Origin::path(shown(&named.file)).line(named.line as usize).char_column(named.column as usize)
}

/// The lines from the first label to the last; those between that carry none are folded.
fn excerpt<'a>(labels: &[&'a Label], source: SourceId, sources: &'a Sources) -> Option<Snippet<'a, Annotation<'a>>> {
    let source = sources.get(source)?;
    let text: &str = &source.text;
    let lines: Vec<Range<usize>> = labels.iter().map(|l| line_around(text, l.place)).collect::<Option<_>>()?;
    let first = lines.iter().map(|l| l.start).min()?;
    let last = lines.iter().map(|l| l.end).max()?;
    let line_start = labels.iter().map(|l| l.place.line).min()?;
    if text.is_empty() || lines.iter().any(|l| l.len() > LONGEST_LINE) {
        return None;
    }
    let annotations = labels.iter().zip(&lines).map(|(label, line)| {
        let kind = if label.role == Role::Attempt { AnnotationKind::Primary } else { AnnotationKind::Context };
        let span = span_in(text, label.place, line);
        kind.span(span.start - first..span.end - first).label(shown(&label.text))
    });
    let snippet =
        Snippet::source(visible(text.get(first..last)?)).line_start(line_start as usize).path(shown(&source.name));
    Some(snippet.annotations(annotations))
}

/// A text in which every character can be seen and no terminal acts on one, of the same length, so that places
/// still fit. The renderer itself takes care of ASCII.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c.len_utf8() {
            2.. if !is_unsafe(c) => out.push(c),
            2 => out.push('\u{b7}'),
            3 => out.push('\u{fffd}'),
            4 => out.push_str("\u{fffd}?"),
            _ => out.push(c),
        }
    }
    out
}

/// The line on which a place starts, without its end.
fn line_around(text: &str, place: Place) -> Option<Range<usize>> {
    let at = boundary(text, place.start as usize);
    let start = text.get(..at)?.rfind('\n').map_or(0, |n| n + 1);
    let end = text.get(at..)?.find('\n').map_or(text.len(), |n| at + n);
    let carriage_return = usize::from(end > at && text.get(..end)?.ends_with('\r'));
    Some(start..end - carriage_return)
}

/// The part of a place on its first line: a caret under a whole block would say nothing.
fn span_in(text: &str, place: Place, line: &Range<usize>) -> Range<usize> {
    let start = boundary(text, place.start as usize).min(line.end);
    let end = boundary(text, place.end as usize).clamp(start, line.end);
    let trimmed = text.get(start..end).map_or(end, |t| start + t.trim_end().len());
    start..trimmed.max(start)
}

/// The nearest character boundary at or before an offset.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn what_cannot_be_seen_is_replaced_by_as_many_bytes() {
        let hostile = "a\u{9b}31m\u{200b}\u{202e}\u{e0041}ä日z";
        assert_eq!(visible(hostile), "a\u{b7}31m\u{fffd}\u{fffd}\u{fffd}?ä日z");
        assert_eq!(visible(hostile).len(), hostile.len());
    }
}
