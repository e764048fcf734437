//! One part of a view and the part of the original it was made from.

use std::ops::Range;

use crate::finding::Span;

/// How the bytes of a segment correspond to those of its original.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Map {
    /// One to one, character by character.
    Exact,
    /// One to one, in reverse order. Both sides are ASCII.
    Mirror,
    /// In proportion. The original may be cut at every so many bytes from its start.
    Even(u8),
    /// Only as a whole.
    Whole,
}

/// A part of a view and the part of the original it was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) view: Range<usize>,
    pub(super) original: Range<usize>,
    pub(super) map: Map,
}

impl Segment {
    /// What a part of the view, as far as it lies in this segment, was made from.
    pub(super) fn back(&self, part: &Range<usize>) -> Span {
        let from = part.start.clamp(self.view.start, self.view.end) - self.view.start;
        let to = part.end.clamp(self.view.start, self.view.end) - self.view.start;
        let (first, last) = (self.original.start, self.original.end);
        match self.map {
            Map::Exact => Span { start: first.saturating_add(from).min(last), end: first.saturating_add(to).min(last) },
            Map::Mirror => {
                let up = |n| last.saturating_sub(n).max(first);
                Span { start: up(to), end: up(from) }
            }
            Map::Even(unit) => self.proportion(from, to, usize::from(unit.max(1))),
            Map::Whole => Span { start: first, end: last },
        }
    }

    fn proportion(&self, from: usize, to: usize, unit: usize) -> Span {
        let units = self.original.len() / unit;
        let all = self.view.len().max(1);
        let start = from.saturating_mul(units) / all;
        let end = to.saturating_mul(units).div_ceil(all).max(start);
        let at = |n: usize| self.original.start.saturating_add(n.saturating_mul(unit)).min(self.original.end);
        match end >= units {
            true => Span { start: at(start), end: self.original.end },
            false => Span { start: at(start), end: at(end) },
        }
    }

    /// A piece of `self`'s view, made from a piece of the parent's view (`within`) that lies inside `parent`: the
    /// same piece of view, with the parent's original.
    pub(super) fn through(&self, view: Range<usize>, within: &Range<usize>, parent: &Segment, ascii: bool) -> Self {
        let back = parent.back(within);
        let map = match (self.map, parent.map) {
            (Map::Exact, map) => map,
            (Map::Mirror, Map::Exact) => Map::Mirror,
            (Map::Mirror, Map::Mirror) => Map::Exact,
            (Map::Even(unit), Map::Exact) => Map::Even(unit),
            (Map::Even(_), Map::Even(unit)) if ascii => Map::Even(unit),
            _ => Map::Whole,
        };
        Self { view, original: back.start..back.end, map }
    }
}
