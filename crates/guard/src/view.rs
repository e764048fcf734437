//! A text made from another one, with the way back: what is found in the view is shown in the original.
//!
//! A view is a list of segments. Where both sides of a segment have the same length, bytes correspond one to one;
//! elsewhere the segment corresponds as a whole (a ligature, a decoded run).

use std::borrow::Cow;
use std::ops::Range;

use crate::finding::Span;

/// A part of a view and the part of the original it was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Segment {
    view: Range<usize>,
    original: Range<usize>,
}

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
        let whole = Segment { view: 0..text.len(), original: offset..offset + text.len() };
        Self { text: Cow::Borrowed(text), segments: vec![whole] }
    }

    /// The text of the view.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where a part of the view came from in the original.
    #[must_use]
    pub fn origin(&self, part: Range<usize>) -> Span {
        let start = self.segment(part.start).map_or(0, |s| match s.same_length() {
            true => s.original.start + (part.start - s.view.start),
            false => s.original.start,
        });
        let last = part.end.max(part.start + 1) - 1;
        let end = self.segment(last).map_or(start, |s| match s.same_length() {
            true => s.original.start + (part.end.max(s.view.start) - s.view.start).min(s.view.len()),
            false => s.original.end,
        });
        Span { start: start.min(end), end: end.max(start) }
    }

    /// The segment that covers a byte of the view, or the last one before it.
    fn segment(&self, at: usize) -> Option<&Segment> {
        let after = self.segments.partition_point(|s| s.view.start <= at);
        self.segments.get(after.checked_sub(1)?)
    }
}

impl Segment {
    fn same_length(&self) -> bool {
        self.view.len() == self.original.len()
    }
}

/// Puts a view together, piece by piece, in order.
#[derive(Debug, Default)]
pub struct Builder {
    text: String,
    segments: Vec<Segment>,
}

impl Builder {
    /// A builder with room for a text of `bytes`.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), segments: Vec::new() }
    }

    /// Adds `text`, made from `original`. An empty text (something left out) adds nothing.
    pub fn push(&mut self, text: &str, original: Range<usize>) {
        if text.is_empty() {
            return;
        }
        let start = self.text.len();
        self.text.push_str(text);
        let view = start..self.text.len();
        if let Some(last) = self.segments.last_mut()
            && last.same_length()
            && last.original.end == original.start
            && text.len() == original.len()
        {
            last.view.end = view.end;
            last.original.end = original.end;
            return;
        }
        self.segments.push(Segment { view, original });
    }

    /// The view, where `original` is given in bytes of `parent`, whose own way back is kept.
    #[must_use]
    pub fn finish(self, parent: &View<'_>) -> View<'static> {
        let segments = self.segments.into_iter().map(|s| {
            let origin = parent.origin(s.original);
            Segment { view: s.view, original: origin.start..origin.end }
        });
        View { text: Cow::Owned(self.text), segments: segments.collect() }
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
        decoded.push("hello world", 5..21);
        let decoded = decoded.finish(&plain);
        assert_eq!(decoded.origin(0..5), Span { start: 105, end: 121 });
        let mut folded = Builder::default();
        folded.push("world", 6..11);
        let folded = folded.finish(&decoded);
        assert_eq!(folded.origin(1..2), Span { start: 105, end: 121 });
        assert_eq!(plain.origin(0..3), Span { start: 100, end: 103 });
    }

    #[test]
    fn pieces_of_equal_length_stay_exact_across_what_was_left_out() {
        let original = "ig\u{200b}nore";
        let plain = View::plain(original, 0);
        let mut view = Builder::default();
        view.push("ig", 0..2);
        view.push("", 2..5);
        view.push("nore", 5..9);
        let view = view.finish(&plain);
        assert_eq!(view.text(), "ignore");
        assert_eq!(view.origin(0..6), Span { start: 0, end: 9 });
        assert_eq!(view.origin(2..3), Span { start: 5, end: 6 });
    }
}
