//! The sentences and lines of a text, without those that were flagged and, in a page, without its tags.

use std::ops::Range;

use super::super::kind::Kind;
use crate::finding::Span;

/// A longer unit is cut, in bytes: what has no sentences is still only looked at in pieces.
const UNIT_MAX: usize = 600;

/// Elements of a page whose content nobody reads.
const UNREAD: [(&str, &str); 4] =
    [("<!--", "-->"), ("<script", "</script"), ("<style", "</style"), ("<noscript", "</noscript")];

/// A sentence or line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit<'a> {
    pub(super) text: &'a str,
    start: usize,
}

/// All units of a text.
pub(super) struct Units<'a> {
    text: &'a str,
    kind: Kind,
    /// Sorted, apart from each other.
    flagged: Vec<Range<usize>>,
}

impl<'a> Units<'a> {
    pub(super) fn new(text: &'a str, kind: Kind, leave_out: &[Span]) -> Self {
        let mut spans: Vec<Range<usize>> =
            leave_out.iter().map(|span| span.start..span.end.max(span.start + 1)).collect();
        spans.sort_by_key(|span| span.start);
        let mut flagged: Vec<Range<usize>> = Vec::new();
        for span in spans {
            match flagged.last_mut() {
                Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
                _ => flagged.push(span),
            }
        }
        Self { text, kind, flagged }
    }

    /// The units that may be quoted, in order.
    pub(super) fn quotable(&self) -> impl Iterator<Item = Unit<'a>> {
        self.all().filter(|unit| !self.is_flagged(unit.start..unit.start + unit.text.len()))
    }

    /// The first and the last unit that may be quoted.
    pub(super) fn ends(&self) -> (Option<Unit<'a>>, Option<Unit<'a>>) {
        let mut units = self.quotable();
        let first = units.next();
        let last = units.last().or_else(|| first.clone());
        (first, last)
    }

    /// How many flagged passages there are.
    pub(super) fn left_out(&self) -> usize {
        self.flagged.len()
    }

    /// Whether any part of a place in the text was flagged.
    pub(super) fn is_flagged(&self, place: Range<usize>) -> bool {
        let next = self.flagged.partition_point(|span| span.end <= place.start);
        self.flagged.get(next).is_some_and(|span| span.start < place.end)
    }

    fn all(&self) -> impl Iterator<Item = Unit<'a>> {
        let (text, kind) = (self.text, self.kind);
        let mut at = 0;
        std::iter::from_fn(move || {
            loop {
                let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
                if kind == Kind::Html && rest.starts_with('<') {
                    at += tag(rest);
                    continue;
                }
                let length = unit(rest, kind);
                let piece = rest.get(..length)?;
                let start = at + (piece.len() - piece.trim_start().len());
                at += length;
                if piece.contains(char::is_alphanumeric) {
                    return Some(Unit { text: piece.trim(), start });
                }
            }
        })
    }
}

/// The length of a tag, with its content where nobody reads it.
fn tag(rest: &str) -> usize {
    let start = rest.as_bytes();
    let opens =
        |(open, _): &&(&str, &str)| start.get(..open.len()).is_some_and(|s| s.eq_ignore_ascii_case(open.as_bytes()));
    let close = |text: &[u8]| text.iter().position(|b| *b == b'>').map_or(text.len(), |at| at + 1);
    let Some((_, end)) = UNREAD.iter().find(opens) else {
        return close(start);
    };
    // What never ends hides the rest, as it would in a browser; so no tag is looked for twice.
    let end = end.as_bytes();
    let Some(at) = start.windows(end.len()).position(|window| window.eq_ignore_ascii_case(end)) else {
        return rest.len();
    };
    at + close(start.get(at..).unwrap_or_default())
}

/// The length of the unit that `rest` begins with.
fn unit(rest: &str, kind: Kind) -> usize {
    let mut end_of_sentence = false;
    for (at, c) in rest.char_indices() {
        let ends = match c {
            '\n' => at > 0,
            '<' if kind == Kind::Html => at > 0,
            _ if c.is_whitespace() => end_of_sentence,
            _ => at >= UNIT_MAX,
        };
        if ends {
            return at;
        }
        if matches!(c, '。' | '！' | '？') {
            return at + c.len_utf8();
        }
        end_of_sentence = matches!(kind, Kind::Prose | Kind::Html)
            && (matches!(c, '.' | '!' | '?') || (end_of_sentence && matches!(c, '"' | '\'' | ')')));
    }
    rest.len()
}
