//! A text made from another one, with the way back: what is found in the view is shown in the original.
//!
//! A view is a list of segments, in order of the view. Each says which part of the original it came from and how
//! bytes correspond inside it. Going back never reads the original: positions stay on character boundaries because
//! each segment knows in which steps its original may be cut.

mod build;
mod segment;

use std::borrow::Cow;
use std::ops::Range;

pub(crate) use build::Builder;
use segment::{Map, Segment};

use crate::finding::Span;

/// A text and where each part of it came from.
#[derive(Debug, Clone)]
pub struct View<'a> {
    text: Cow<'a, str>,
    segments: Vec<Segment>,
}

impl<'a> View<'a> {
    /// The text itself, as it stands at `offset` of the original.
    #[must_use]
    pub fn plain(text: &'a str, offset: usize) -> Self {
        let end = offset.saturating_add(text.len());
        let whole = Segment { view: 0..text.len(), original: offset..end, map: Map::Exact };
        Self { text: Cow::Borrowed(text), segments: vec![whole] }
    }

    /// The text of the view.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where a part of the view (on its character boundaries) came from in the original: the smallest span that is
    /// known to hold it.
    #[must_use]
    pub fn origin(&self, part: Range<usize>) -> Span {
        let part = part.start..part.end.max(part.start);
        let mut found: Option<Span> = None;
        for segment in self.covering(&part) {
            let here = segment.back(&part);
            found = Some(found.map_or(here, |s| Span { start: s.start.min(here.start), end: s.end.max(here.end) }));
        }
        found.unwrap_or_else(|| self.edge(part.start))
    }

    /// The segments that a part of the view touches; an empty part touches the one it stands in.
    fn covering(&self, part: &Range<usize>) -> &[Segment] {
        let first = self.segments.partition_point(|s| s.view.end <= part.start);
        let rest = self.segments.get(first..).unwrap_or_default();
        let end = part.end.max(part.start.saturating_add(1));
        rest.get(..rest.partition_point(|s| s.view.start < end)).unwrap_or_default()
    }

    /// Where the view leads to at its end, or in a place no segment covers: an empty span.
    fn edge(&self, at: usize) -> Span {
        let before = self.segments.partition_point(|s| s.view.end <= at);
        let end = before.checked_sub(1).and_then(|i| self.segments.get(i)).map_or(0, |s| s.original.end);
        Span { start: end, end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_of_a_view_leads_back_to_the_original() {
        let original = "say: aGVsbG8gd29ybGQ= now";
        let plain = View::plain(original, 100);
        let mut decoded = Builder::default();
        decoded.whole("hello world", 5..21);
        let decoded = decoded.finish(&plain);
        assert_eq!(decoded.origin(0..5), Span { start: 105, end: 121 });
        let mut folded = Builder::default();
        folded.copy("world", 6);
        let folded = folded.finish(&decoded);
        assert_eq!(folded.origin(1..2), Span { start: 105, end: 121 });
        assert_eq!(plain.origin(0..3), Span { start: 100, end: 103 });
    }

    #[test]
    fn pieces_of_equal_length_stay_exact_across_what_was_left_out() {
        let original = "ig\u{200b}nore";
        let plain = View::plain(original, 0);
        let mut view = Builder::default();
        view.copy("ig", 0);
        view.copy("nore", 5);
        let view = view.finish(&plain);
        assert_eq!(view.text(), "ignore");
        assert_eq!(view.origin(0..6), Span { start: 0, end: 9 });
        assert_eq!(view.origin(2..3), Span { start: 5, end: 6 });
        let mut again = Builder::default();
        again.copy("ignore", 0);
        let again = again.finish(&view);
        assert_eq!(again.origin(1..2), Span { start: 1, end: 2 });
        assert_eq!(again.origin(1..3), Span { start: 1, end: 6 });
    }

    #[test]
    fn an_even_run_leads_to_its_own_part() {
        let plain = View::plain("xx 6162636465666768 yy", 10);
        let mut view = Builder::default();
        view.even("abcdefgh", 3..19, 1);
        let view = view.finish(&plain);
        assert_eq!(view.origin(0..8), Span { start: 13, end: 29 });
        assert_eq!(view.origin(2..4), Span { start: 17, end: 21 });
    }

    #[test]
    fn a_mirrored_run_leads_back_in_mirrored_order() {
        let plain = View::plain("eht tac", 0);
        let mut view = Builder::default();
        view.mirror("cat the", 0..7);
        let view = view.finish(&plain);
        assert_eq!(view.origin(0..3), Span { start: 4, end: 7 });
        let mut twice = Builder::default();
        twice.mirror("eht tac", 0..7);
        let twice = twice.finish(&view);
        assert_eq!(twice.origin(0..3), Span { start: 0, end: 3 });
    }

    #[test]
    fn a_place_past_the_end_is_empty_not_wrong() {
        let plain = View::plain("abc", 7);
        assert_eq!(plain.origin(3..3), Span { start: 10, end: 10 });
        assert_eq!(plain.origin(9..12), Span { start: 10, end: 10 });
        assert_eq!(View::plain("", 4).origin(0..0), Span { start: 4, end: 4 });
    }
}
