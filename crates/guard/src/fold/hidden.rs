//! Characters that cannot be seen: what kind they are, whether writing explains them, and where runs of them stand.

use std::ops::Range;

use crate::finding::Span;
use crate::view::View;

/// How many runs one text reports; a text has that many only if it is made to.
const RUNS: usize = 256;
/// Runs of one kind so few bytes apart are one run: an invisible character after every letter is one thing.
const GAP: usize = 12;

/// A kind of invisible character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HiddenKind {
    /// Zero-width spaces, joiners and marks, and other characters without width.
    ZeroWidth,
    /// Soft hyphens.
    SoftHyphen,
    /// Unicode tags, which carry ASCII that nobody sees.
    Tags,
    /// Variation selectors, which can carry bytes.
    VariationSelectors,
    /// Characters that turn the direction of writing.
    Bidi,
}

/// A run of invisible characters of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hidden {
    /// What kind.
    pub kind: HiddenKind,
    /// How many of them; others may stand in between.
    pub chars: usize,
    /// Where in the original, from the first of them to the last.
    pub span: Span,
}

/// The kind of a character that folding leaves out, if it does.
pub(crate) fn kind(c: char) -> Option<HiddenKind> {
    Some(match c {
        '\u{ad}' => HiddenKind::SoftHyphen,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => HiddenKind::Bidi,
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => HiddenKind::VariationSelectors,
        '\u{e0000}'..='\u{e007f}' => HiddenKind::Tags,
        '\u{200b}'..='\u{200f}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}'
        | '\u{feff}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{3164}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0080}'..='\u{e00ff}'
        | '\u{e01f0}'..='\u{e0fff}' => HiddenKind::ZeroWidth,
        _ => return None,
    })
}

/// Whether ordinary writing has `c` between these two neighbours.
fn is_natural(c: char, before: Option<char>, after: Option<char>) -> bool {
    let wide = |c: Option<char>| c.is_some_and(|c| c >= '\u{590}' && kind(c).is_none());
    match c {
        // joiners: Arabic, Indic and emoji
        '\u{200c}' | '\u{200d}' => {
            (wide(before) || before == Some('\u{fe0f}')) && (wide(after) || after.is_some_and(char::is_whitespace))
        }
        '\u{200e}' | '\u{200f}' | '\u{61c}' => right_to_left(before) || right_to_left(after),
        '\u{fe0e}' | '\u{fe0f}' => {
            wide(before) || before.is_some_and(|c| c.is_ascii_digit() || matches!(c, '#' | '*' | '\u{a9}' | '\u{ae}'))
        }
        '\u{fe00}'..='\u{fe0d}' | '\u{e0100}'..='\u{e01ef}' | '\u{180b}'..='\u{180f}' => wide(before),
        '\u{feff}' => before.is_none(),
        _ => false,
    }
}

fn right_to_left(c: Option<char>) -> bool {
    matches!(c, Some('\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'))
}

/// Collects runs while a text is folded.
#[derive(Debug, Default)]
pub(super) struct Log {
    runs: Vec<(HiddenKind, usize, Range<usize>)>,
}

impl Log {
    /// Notes a run of invisible characters that stands at `run` of `text`, all of one kind.
    pub(super) fn note(&mut self, kind: HiddenKind, chars: usize, run: Range<usize>, text: &str) {
        if chars <= 1 && is_explained(&run, text) || kind == HiddenKind::Tags && is_flag(&run, text) {
            return;
        }
        if let Some((last, count, range)) = self.runs.last_mut()
            && *last == kind
            && run.start.saturating_sub(range.end) <= GAP
        {
            *count += chars;
            range.end = run.end;
        } else if self.runs.len() < RUNS {
            self.runs.push((kind, chars, run));
        }
    }

    pub(super) fn finish(self, view: &View<'_>) -> Vec<Hidden> {
        let runs = self.runs.into_iter();
        runs.map(|(kind, chars, range)| Hidden { kind, chars, span: view.origin(range) }).collect()
    }
}

fn is_explained(run: &Range<usize>, text: &str) -> bool {
    let before = text.get(..run.start).and_then(|t| t.chars().next_back());
    let after = text.get(run.end..).and_then(|t| t.chars().next());
    text.get(run.clone()).and_then(|t| t.chars().next()).is_some_and(|c| is_natural(c, before, after))
}

/// A flag of a region: a black flag with a few tags after it.
fn is_flag(run: &Range<usize>, text: &str) -> bool {
    run.len() <= 7 * 4 && text.get(..run.start).is_some_and(|t| t.ends_with('\u{1f3f4}'))
}
