//! The skeleton of a text: the keys of an object, the headings of a page, the definitions of a program, the levels of a
//! log. Text in, a few short names out.

use super::super::kind::Kind;
use super::units::Units;

/// Names at most.
const NAMES_MAX: usize = 12;
/// Levels of an object that are looked into.
const LEVELS: usize = 2;

/// The names of a text.
pub(super) fn of(text: &str, kind: Kind, units: &Units<'_>) -> Vec<String> {
    match kind {
        Kind::Json => keys(text, units),
        Kind::Html => headings(text, units),
        Kind::Log => levels(text),
        Kind::Code => lines(units, is_definition),
        Kind::Prose => lines(units, |line| line.starts_with('#') && line.trim_start_matches('#').starts_with(' ')),
    }
}

/// The first keys of an object, by a scan that needs no well-formed JSON.
fn keys(text: &str, units: &Units<'_>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let (mut depth, mut open, mut escaped) = (0_usize, None, false);
    let mut last: Option<std::ops::Range<usize>> = None;
    for (at, byte) in text.bytes().enumerate() {
        match (open, byte) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), b'\\') => escaped = true,
            (Some(start), b'"') => {
                last = Some(start..at);
                open = None;
            }
            (Some(_), _) => {}
            (None, b'"') => open = Some(at + 1),
            (None, b'{' | b'[') => depth += 1,
            (None, b'}' | b']') => depth = depth.saturating_sub(1),
            (None, b':') => {
                let place = last.take().filter(|place| depth <= LEVELS && !units.is_flagged(place.clone()));
                let name = place.and_then(|place| text.get(place)).unwrap_or_default();
                if !name.is_empty() && !names.iter().any(|known| known == name) {
                    names.push(name.to_owned());
                }
                if names.len() == NAMES_MAX {
                    break;
                }
            }
            (None, _) => {}
        }
    }
    names
}

/// The title and headings of a page.
fn headings(text: &str, units: &Units<'_>) -> Vec<String> {
    let mut names = Vec::new();
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('<')) {
        let tag = at + found;
        let name: String =
            text.get(tag + 1..).unwrap_or_default().chars().take(5).collect::<String>().to_ascii_lowercase();
        let is_heading = ["h1", "h2", "h3"].iter().any(|h| name.starts_with(h)) || name == "title";
        at = tag + 1;
        if is_heading {
            // No tag ends after this one: no heading either.
            let Some(close) = text.get(tag..).and_then(|rest| rest.find('>')) else { break };
            let start = tag + close + 1;
            let content = text.get(start..).unwrap_or_default();
            let end = start + content.find('<').unwrap_or(content.len());
            if !units.is_flagged(start..end) {
                names.push(text.get(start..end).unwrap_or_default().chars().take(200).collect());
            }
            at = end;
        }
        if names.len() == NAMES_MAX {
            break;
        }
    }
    names
}

/// How many lines of a log have each level.
fn levels(text: &str) -> Vec<String> {
    let names = ["fatal", "error", "warn", "info", "debug"];
    let mut counts = [0_usize; 5];
    for line in text.lines() {
        let start: String = line.chars().take(60).collect::<String>().to_ascii_lowercase();
        if let Some(count) = names.iter().position(|name| start.contains(name)).and_then(|n| counts.get_mut(n)) {
            *count += 1;
        }
    }
    names.iter().zip(counts).filter(|(_, count)| *count > 0).map(|(name, count)| format!("{name} {count}")).collect()
}

/// The first lines that pass a test.
fn lines(units: &Units<'_>, test: fn(&str) -> bool) -> Vec<String> {
    units.quotable().filter(|unit| test(unit.text)).take(NAMES_MAX).map(|unit| unit.text.to_owned()).collect()
}

fn is_definition(line: &str) -> bool {
    let line = line.strip_prefix("pub ").unwrap_or(line);
    ["fn ", "def ", "class ", "struct ", "enum ", "trait ", "impl ", "function ", "func ", "interface ", "async "]
        .iter()
        .any(|start| line.starts_with(start))
}
