//! Puts a view together, piece by piece, and joins its way back to that of the view it was made from.

use std::borrow::Cow;
use std::ops::Range;

use super::View;
use super::segment::{Map, Segment};

/// Puts a view together, piece by piece, in order.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    text: String,
    segments: Vec<Segment>,
}

impl Builder {
    /// A builder with room for a text of `bytes`.
    #[must_use]
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), segments: Vec::new() }
    }

    /// What is written so far.
    #[must_use]
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Adds `text`, which stands for the same number of bytes from `start`, character by character.
    pub(crate) fn copy(&mut self, text: &str, start: usize) {
        self.text.push_str(text);
        self.copied(text.len(), start);
    }

    /// Lets `write` add a text that stands for the same number of bytes from `start`, character by character.
    pub(crate) fn copy_with(&mut self, start: usize, write: impl FnOnce(&mut String)) {
        let before = self.text.len();
        write(&mut self.text);
        self.copied(self.text.len().saturating_sub(before), start);
    }

    fn copied(&mut self, bytes: usize, start: usize) {
        if bytes == 0 {
            return;
        }
        let view = self.text.len().saturating_sub(bytes)..self.text.len();
        let original = start..start.saturating_add(bytes);
        if let Some(last) = self.segments.last_mut()
            && last.map == Map::Exact
            && last.original.end == original.start
            && last.view.end == view.start
        {
            last.view.end = view.end;
            last.original.end = original.end;
            return;
        }
        self.segments.push(Segment { view, original, map: Map::Exact });
    }

    /// Adds `text`, made from `original` as a whole.
    pub(crate) fn whole(&mut self, text: &str, original: Range<usize>) {
        self.add(text, original, Map::Whole);
    }

    /// Adds one character made from one other.
    pub(crate) fn unit(&mut self, c: char, original: Range<usize>) {
        let (len, width) = (c.len_utf8(), original.len());
        self.text.push(c);
        if len == width {
            return self.copied(len, original.start);
        }
        let view = self.text.len() - len..self.text.len();
        let map = match u8::try_from(width) {
            Ok(unit) if len == 1 => Map::Even(unit),
            _ => Map::Whole,
        };
        if let Some(last) = self.segments.last_mut()
            && last.map == map
            && map != Map::Whole
            && last.original.end == original.start
            && last.view.end == view.start
            && last.view.len() * width == last.original.len()
        {
            last.view.end = view.end;
            last.original.end = original.end;
            return;
        }
        self.segments.push(Segment { view, original, map });
    }

    /// Adds `text`, made evenly from `original`, which may be cut every `unit` bytes.
    pub(crate) fn even(&mut self, text: &str, original: Range<usize>, unit: u8) {
        self.add(text, original, Map::Even(unit));
    }

    /// Adds `text`, the reverse of `original`. Where either is not ASCII the two correspond only as a whole.
    pub(crate) fn mirror(&mut self, text: &str, original: Range<usize>) {
        let map = if text.is_ascii() && text.len() == original.len() { Map::Mirror } else { Map::Whole };
        self.add(text, original, map);
    }

    /// Adds another builder's text on a line of its own.
    pub(crate) fn append(&mut self, other: Self) {
        let start = self.text.len();
        self.text.push_str(&other.text);
        self.text.push('\n');
        self.segments.extend(other.segments.into_iter().map(|mut s| {
            s.view = s.view.start + start..s.view.end + start;
            s
        }));
    }

    fn add(&mut self, text: &str, original: Range<usize>, map: Map) {
        if text.is_empty() {
            return;
        }
        let start = self.text.len();
        self.text.push_str(text);
        self.segments.push(Segment { view: start..self.text.len(), original, map });
    }

    /// The view, where originals were given in bytes of `parent`, whose own way back is kept.
    #[must_use]
    pub(crate) fn finish(self, parent: &View<'_>) -> View<'static> {
        if let [only] = parent.segments.as_slice()
            && only.map == Map::Exact
            && only.view.start == 0
        {
            return self.shifted(only.original.start);
        }
        let mut segments = Vec::with_capacity(self.segments.len());
        for segment in &self.segments {
            match (segment.map, parent.covering(&segment.original)) {
                (Map::Exact, many) => split(segment, many, &mut segments),
                (Map::Mirror, many) => mirrored(segment, many, &mut segments),
                (_, [one]) => {
                    let within = parent.text().get(segment.original.clone());
                    let ascii = within.is_some_and(str::is_ascii);
                    segments.push(segment.through(segment.view.clone(), &segment.original, one, ascii));
                }
                _ => {
                    let span = parent.origin(segment.original.clone());
                    segments.push(Segment { original: span.start..span.end, map: Map::Whole, ..segment.clone() });
                }
            }
        }
        View { text: Cow::Owned(self.text), segments }
    }
}

impl Builder {
    /// The view of a text that stands as it is at `offset` of the original.
    fn shifted(mut self, offset: usize) -> View<'static> {
        for segment in &mut self.segments {
            segment.original = segment.original.start + offset..segment.original.end + offset;
        }
        View { text: Cow::Owned(self.text), segments: self.segments }
    }
}

/// An exact segment, cut where its parent's segments are cut.
fn split(segment: &Segment, parents: &[Segment], out: &mut Vec<Segment>) {
    for parent in parents {
        let within = overlap(&segment.original, &parent.view);
        let from = segment.view.start + (within.start - segment.original.start);
        push(out, segment.through(from..from + within.len(), &within, parent, true));
    }
}

/// A mirrored segment, cut where its parent's segments are cut, last first.
fn mirrored(segment: &Segment, parents: &[Segment], out: &mut Vec<Segment>) {
    for parent in parents.iter().rev() {
        let within = overlap(&segment.original, &parent.view);
        let from = segment.view.start + segment.original.end.saturating_sub(within.end);
        push(out, segment.through(from..from + within.len(), &within, parent, true));
    }
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    let start = a.start.max(b.start);
    start..a.end.min(b.end).max(start)
}

fn push(out: &mut Vec<Segment>, segment: Segment) {
    if segment.view.is_empty() {
        return;
    }
    if let Some(last) = out.last_mut()
        && last.map == Map::Exact
        && segment.map == Map::Exact
        && last.original.end == segment.original.start
        && last.view.end == segment.view.start
    {
        last.view.end = segment.view.end;
        last.original.end = segment.original.end;
        return;
    }
    out.push(segment);
}
