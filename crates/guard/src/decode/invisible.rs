//! Messages in characters that nobody sees: Unicode tags, variation selectors, zero-width bits.

use std::ops::Range;

use super::{bits, plausible};
use crate::fold::{HiddenKind, hidden_kind};
use crate::view::Builder;

/// Tags this close together are one message.
const GAP: usize = 16;

/// Tags as they go by.
#[derive(Debug, Default)]
pub(super) struct Tags {
    text: Builder,
    end: usize,
}

impl Tags {
    /// Takes a run of tags. Gives the message that ended before it, if one did.
    pub(super) fn take(&mut self, text: &str, run: Range<usize>) -> Option<Builder> {
        let ended = match run.start.saturating_sub(self.end) <= GAP {
            true => None,
            false => self.end(),
        };
        let tags = text.get(run.clone()).unwrap_or_default();
        let plain: String = tags.chars().map(|c| untag(c).unwrap_or(' ')).collect();
        self.text.even(&plain, run.clone(), 4);
        self.end = run.end;
        ended
    }

    /// Ends the message and gives it unless it is a region's flag.
    pub(super) fn end(&mut self) -> Option<Builder> {
        let text = std::mem::take(&mut self.text);
        (text.text().trim().len() > 7).then_some(text)
    }
}

fn untag(c: char) -> Option<char> {
    let low = u32::from(c).checked_sub(0xe0000)?;
    u8::try_from(low).ok().filter(|b| (b' '..=b'~').contains(b)).map(char::from)
}

/// The run of characters at `at` of the same invisible kind, if it begins with one.
pub(super) fn run(text: &str, at: usize) -> Option<(HiddenKind, Range<usize>)> {
    let rest = text.get(at..)?;
    let kind = hidden_kind(rest.chars().next()?)?;
    let len = rest.chars().take_while(|c| hidden_kind(*c) == Some(kind)).map(char::len_utf8).sum::<usize>();
    Some((kind, at..at + len))
}

/// Opens a run of variation selectors or zero-width characters that carries text.
pub(super) fn open(text: &str, kind: HiddenKind, run: Range<usize>) -> Option<(Builder, &'static str)> {
    match kind {
        HiddenKind::VariationSelectors => Some((selectors(text, run)?, "variation-selectors")),
        HiddenKind::ZeroWidth if run.len() >= bits::SHORTEST * 2 => {
            Some((bits::open_invisible(text, run)?, "zero-width"))
        }
        _ => None,
    }
}

fn selectors(text: &str, run: Range<usize>) -> Option<Builder> {
    let source = text.get(run.clone())?;
    let bytes: Vec<u8> = source.chars().filter_map(selected).collect();
    let decoded = plausible::text(&bytes)?;
    let mut out = Builder::default();
    match source.len() == bytes.len() * 4 {
        true => out.even(&decoded, run, 4),
        false => out.whole(&decoded, run),
    }
    Some(out)
}

fn selected(c: char) -> Option<u8> {
    match u32::from(c) {
        n @ 0xfe00..=0xfe0f => u8::try_from(n - 0xfe00).ok(),
        n @ 0xe0100..=0xe01ef => u8::try_from(n - 0xe0100 + 16).ok(),
        _ => None,
    }
}
