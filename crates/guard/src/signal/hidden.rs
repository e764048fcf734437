//! Parts that a person would not see: comments, invisible elements and attributes, blanks, terminal tricks.
//!
//! Pages have hidden parts for good reasons, so alone they are worth a line in the log. Their content is given on, to
//! be read with more suspicion, and is searched for phrases here: an order to the model that nobody was to see.

use std::ops::Range;

use memchr::{memchr, memmem};

use super::catalogue::{HIDDEN_COMMENT, HIDDEN_ELEMENT, HIDDEN_ORDER, HIDDEN_SPACE, HIDDEN_STYLE, HIDDEN_TERMINAL};
use super::finder::Anchor;
use super::marks::Scan;
use super::{Hits, evidence, phrase, slice};
use crate::finding::Severity;
use crate::rule::Rule;

pub(super) const COMMENTS: &[&str] = &["<!--", "[//]:", "[comment]:"];
pub(super) const STYLES: &[&str] = &[
    "display:",
    "DISPLAY:",
    "isibility:",
    "ont-size:",
    "ont-size:",
    "opacity:",
    "color:",
    "left:",
    "top:",
    "indent:",
    "clip:",
    "height:",
];
pub(super) const ELEMENTS: &[&str] = &["aria-hidden", " hidden", "<template", "<noscript"];
pub(super) const LABELS: &[&str] = &[" alt=", " title=", " aria-label="];

/// The longest hidden content that is read.
const MAX_CONTENT: usize = 4096;

/// How many hidden parts with prose are searched for orders by themselves. No page has so many in one block; the words of
/// the others are read with the rest of the text, and the report says that there were more.
const MAX_JUDGED: usize = 256;

/// The longest tag that is read, on each side of an anchor.
const MAX_TAG: usize = 512;

/// How long a blank is that pushes text out of sight.
const FAR_RIGHT: usize = 200;
const FAR_DOWN: usize = 50;

/// An HTML or Markdown comment.
pub(super) fn comment(scan: &mut Scan<'_>, anchor: Anchor) -> usize {
    let html = scan.raw.get(anchor.start..anchor.end) == Some("<!--");
    let content = match html {
        true => {
            if anchor.end < scan.no_close_before {
                return anchor.end;
            }
            let rest = scan.after(anchor.end, MAX_CONTENT);
            match memmem::find(rest.as_bytes(), b"-->") {
                Some(length) => anchor.end..anchor.end + length,
                None if rest.len() >= MAX_CONTENT => anchor.end..anchor.end + rest.len(),
                None => {
                    // The rest of the text has no end of a comment: nor does any part of it.
                    scan.no_close_before = scan.raw.len();
                    anchor.end..anchor.end + rest.len()
                }
            }
        }
        false => {
            let rest = scan.after(anchor.end, 1024);
            anchor.end..anchor.end + memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len())
        }
    };
    let end = content.end;
    // Conditional comments and build marks are not prose.
    if !slice(scan.raw, content.start..content.start + 3).starts_with('[') {
        judge(scan, &HIDDEN_COMMENT, content, Plain::Silent);
    }
    end
}

/// A declaration in a `style` attribute that makes its element invisible.
pub(super) fn style(scan: &mut Scan<'_>, anchor: Anchor) -> usize {
    let rest = scan.after(anchor.end, 48);
    let value: String = rest
        .split([';', '"', '\'', '}', '>'])
        .next()
        .unwrap_or_default()
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_ascii_lowercase())
        .collect();
    let name = scan.raw.get(anchor.start..anchor.end).unwrap_or_default();
    let value = value.strip_suffix("!important").unwrap_or(&value);
    let zero =
        || matches!(value, "0" | "0px" | "0em" | "0%" | "0pt" | "0.0" | "1px" | "0.01" | "0rem" | ".1px" | "0.1px");
    let invisible = match name {
        "display:" | "DISPLAY:" => value == "none",
        "isibility:" => matches!(value, "hidden" | "collapse"),
        "ont-size:" | "height:" => zero(),
        "opacity:" => matches!(value, "0" | "0.0" | "0%" | "0.01" | ".01"),
        "color:" => {
            matches!(value, "white" | "#fff" | "#ffffff" | "transparent" | "rgba(0,0,0,0)" | "rgb(255,255,255)")
        }
        "clip:" => value.starts_with("rect(0") || value.starts_with("rect(1px"),
        _ => value
            .strip_prefix('-')
            .and_then(|v| v.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse::<u32>().ok())
            .is_some_and(|v| v >= 900),
    };
    if invisible {
        return within(scan, anchor, &HIDDEN_STYLE);
    }
    anchor.end
}

/// An element that is not shown.
pub(super) fn element(scan: &mut Scan<'_>, anchor: Anchor) -> usize {
    let name = scan.raw.get(anchor.start..anchor.end).unwrap_or_default();
    let next = scan.raw.as_bytes().get(anchor.end).copied().unwrap_or(b' ');
    let holds = match name {
        " hidden" => matches!(next, b'>' | b'=' | b' ' | b'/'),
        "aria-hidden" => scan.after(anchor.end, 8).replace(['"', '\''], "").starts_with("=true"),
        _ => matches!(next, b'>' | b' '),
    };
    match holds {
        true => within(scan, anchor, &HIDDEN_ELEMENT),
        false => anchor.end,
    }
}

/// The content of the element whose tag an anchor stands in.
fn within(scan: &mut Scan<'_>, anchor: Anchor, rule: &'static Rule) -> usize {
    let before = match scan.raw.get(anchor.start..anchor.end) {
        Some(word) if word.starts_with('<') => "<",
        _ => scan.before(anchor.start, MAX_TAG),
    };
    let Some(open) = before.rfind(['<', '>']).filter(|i| before.get(*i..).is_some_and(|b| b.starts_with('<'))) else {
        return anchor.end;
    };
    let name_at = match before {
        "<" => anchor.start + 1,
        _ => anchor.start - (before.len() - open) + 1,
    };
    let name: String = slice(scan.raw, name_at..name_at + 12).chars().take_while(char::is_ascii_alphanumeric).collect();
    let Some(close) = memchr(b'>', scan.after(anchor.end, MAX_TAG).as_bytes()) else { return anchor.end };
    let start = anchor.end + close + 1;
    const EMPTY: &[&str] = &[
        "input", "img", "br", "hr", "meta", "link", "svg", "path", "iframe", "i", "use", "script", "style", "option",
        "label", "button",
    ];
    if name.is_empty() || EMPTY.iter().any(|e| name.eq_ignore_ascii_case(e)) {
        return start;
    }
    let rest = scan.after(start, MAX_CONTENT);
    let mark = format!("</{name}");
    let length = memmem::find(rest.as_bytes(), mark.as_bytes()).unwrap_or(rest.len());
    judge(scan, rule, start..start + length, Plain::Logged);
    start
}

/// Alternative and title texts: shown seldom, read by every model.
pub(super) fn label(scan: &mut Scan<'_>, anchor: Anchor) -> usize {
    let rest = scan.after(anchor.end, 512);
    let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) else { return anchor.end };
    let Some(length) = rest.get(1..).and_then(|r| r.find(quote)) else { return anchor.end };
    if length >= 24 {
        judge(scan, &HIDDEN_ELEMENT, anchor.end + 1..anchor.end + 1 + length, Plain::Silent);
    }
    anchor.end + length + 1
}

/// Blanks so long that what follows is out of sight. A long blank covers some of a few places: only those are read.
pub(super) fn blanks(scan: &mut Scan<'_>) {
    const STEP: usize = 24;
    let bytes = scan.raw.as_bytes();
    let mut at = STEP;
    while let Some(near) = bytes.get(at - STEP / 2..at + STEP / 2) {
        at = match near.iter().all(u8::is_ascii_whitespace) {
            true => blank(scan, at).max(at) + STEP,
            false => at + STEP,
        };
    }
}

/// Reads the blank around a place; gives where it ends.
fn blank(scan: &mut Scan<'_>, at: usize) -> usize {
    let (before, after) = scan.raw.as_bytes().split_at(at);
    let back = before.iter().rev().take(256).take_while(|b| b.is_ascii_whitespace()).count();
    let end = at + after.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let blank = slice(scan.raw, at - back..end);
    let lines = memchr::memchr_iter(b'\n', blank.as_bytes()).count();
    let widest = blank.split('\n').next_back().map_or(0, str::len);
    scan.out.steps += 1;
    let text = scan.after(end, 160);
    let line = text.split('\n').next().unwrap_or_default();
    let is_word =
        |w: &&str| w.len() > 1 && w.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b'.' | b',' | b'\''));
    let prose = line.split_whitespace().filter(is_word).count() >= 4;
    if prose && !line.starts_with('<') && (widest >= FAR_RIGHT || lines >= FAR_DOWN) {
        scan.hit_as(&HIDDEN_SPACE, Severity::Warn, end..end + line.len());
    }
    end
}

/// Whether hidden content without an order is a hit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plain {
    Silent,
    Logged,
}

/// Looks for orders in hidden content.
fn judge(scan: &mut Scan<'_>, rule: &'static Rule, content: Range<usize>, plain: Plain) {
    // Nothing worse can come than what fills the list.
    if !scan.out.has_room(Severity::Critical) {
        scan.out.left_out += 1;
        return;
    }
    let text = slice(scan.raw, content.clone());
    if scan.pay(text.len()) < text.len() || !is_prose(text) {
        return;
    }
    scan.judged += 1;
    if scan.judged > MAX_JUDGED {
        scan.out.cut_short = true;
        return;
    }
    let mut inner = Hits::default();
    phrase::phrases_in(&text.to_ascii_lowercase(), &mut scan.window, &mut inner);
    scan.out.steps += inner.steps;
    let order = inner.list.iter().filter(|h| !h.mentioned).map(|h| h.severity).max();
    let part = content.start..super::floor(scan.raw, content.end.min(scan.raw.len()));
    scan.out.hide(part.clone());
    match order {
        Some(worst) if worst >= Severity::Warn => {
            let severity = if worst >= Severity::Error { Severity::Critical } else { Severity::Warn };
            let words =
                inner.list.iter().find(|h| h.severity == worst).map_or_else(String::new, |h| h.evidence.clone());
            scan.hit_with(&HIDDEN_ORDER, severity, part.clone(), words, false);
        }
        Some(_) => scan.hit(rule, part),
        None if plain == Plain::Logged => scan.hit(rule, part),
        _ => {}
    }
}

/// Four words or more.
fn is_prose(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphabetic()).filter(|w| w.len() > 1);
    words.take(4).count() == 4 || text.chars().filter(|c| super::token::is_unspaced(*c)).take(6).count() == 6
}

/// Control sequences: concealed text, titles and clipboards that are set, links whose text and target differ, lines
/// that are written over.
pub(super) fn terminal(scan: &mut Scan<'_>) {
    let bytes = scan.raw.as_bytes();
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr(0x1b, rest)) {
        let start = at + found;
        scan.out.steps += 1;
        let rest = scan.after(start + 1, 96);
        at = start + 1;
        if let Some(length) = conceals(rest) {
            let words = evidence(rest.get(..length).unwrap_or_default());
            scan.hit_with(&HIDDEN_TERMINAL, Severity::Warn, start..start + 1 + length, words, false);
        }
    }
    overwritten(scan);
}

/// Whether a sequence (after its escape) hides or replaces something; gives its length.
fn conceals(rest: &str) -> Option<usize> {
    if let Some(parameters) = rest.strip_prefix('[') {
        let length = parameters.bytes().take(24).take_while(|b| b.is_ascii_digit() || *b == b';').count();
        let last = parameters.as_bytes().get(length)?;
        let numbers = parameters.get(..length)?;
        let hides = *last == b'm'
            && numbers.split(';').any(|n| n == "8")
            && !numbers.contains("38;")
            && !numbers.contains("48;");
        return hides.then_some(length + 2);
    }
    let command = rest.strip_prefix(']')?;
    command.starts_with("52;").then(|| command.find(['\u{7}', '\u{1b}']).unwrap_or(command.len()) + 1)
}

/// A carriage return inside a line, with other words after it: a terminal shows only the last ones.
fn overwritten(scan: &mut Scan<'_>) {
    let bytes = scan.raw.as_bytes();
    // A text that ends its lines with carriage returns hides nothing with them.
    if memchr(b'\r', bytes).is_none() || memchr(b'\n', bytes).is_none() || memmem::find(bytes, b"\r\n").is_some() {
        return;
    }
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr(b'\r', rest)) {
        let place = at + found;
        at = place + 1;
        scan.out.steps += 1;
        if bytes.get(at).is_none_or(|b| matches!(b, b'\n' | b'\r')) {
            continue;
        }
        let before = scan.before(place, 200).rsplit(['\n', '\r']).next().unwrap_or_default();
        let after = scan.after(at, 200).split(['\n', '\r']).next().unwrap_or_default();
        let words = |text: &str| {
            text.split_whitespace().filter(|w| w.len() > 1 && w.bytes().all(|b| b.is_ascii_alphabetic())).count()
        };
        // Progress lines write themselves over and over: figures, few words.
        if words(before) >= 5 && words(after) >= 2 && !before.contains('%') {
            let start = place - before.len();
            scan.hit_as(&HIDDEN_TERMINAL, Severity::Warn, start..place);
        }
    }
}
