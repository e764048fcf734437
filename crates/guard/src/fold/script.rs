//! Second pass: letters of another script that look Latin, in a word that has Latin letters too, or in a word made
//! only of look-alikes beside a Latin one on the same line. A text in that script is left alone.

use std::ops::Range;

use super::table::{self, Likeness};
use super::traits::{self, Traits};
use crate::view::{Builder, View};

/// What a word is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Made {
    /// Latin letters, perhaps with others among them.
    Latin,
    /// Only letters of another script that cannot be told from Latin ones.
    Alike,
    /// Another script.
    Other,
}

/// Folds a view that went through the first pass; nothing if there is nothing to fold.
pub(super) fn fold(view: &View<'_>) -> Option<View<'static>> {
    let words = alike_words(view.text());
    if words.is_empty() {
        return None;
    }
    let text = view.text();
    let mut out = Builder::with_capacity(text.len());
    let mut done = 0;
    for word in words {
        out.copy(text.get(done..word.start).unwrap_or_default(), done);
        done = fold_word(text, word, &mut out);
    }
    out.copy(text.get(done..).unwrap_or_default(), done);
    Some(out.finish(view))
}

/// The words to fold, in order. What is beside a word ends with its line.
fn alike_words(text: &str) -> Vec<Range<usize>> {
    let mut folds = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if !line.is_ascii() {
            alike_in_line(line, start, &mut folds);
        }
        start += line.len();
    }
    folds
}

fn alike_in_line(line: &str, offset: usize, folds: &mut Vec<Range<usize>>) {
    let mut waiting: Vec<Range<usize>> = Vec::new();
    let mut near_latin = false;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let first = traits::of(c);
        if !first.is_letter {
            continue;
        }
        let start = offset + at;
        let mut end = start + c.len_utf8();
        let mut word = Word::default();
        word.take(first);
        while let Some((at, c)) = chars.peek().copied() {
            let next = traits::of(c);
            if !next.is_letter && !next.is_mark {
                break;
            }
            word.take(next);
            end = offset + at + c.len_utf8();
            chars.next();
        }
        match word.made() {
            Made::Latin => {
                folds.append(&mut waiting);
                near_latin = true;
                if word.foreign {
                    folds.push(start..end);
                }
            }
            Made::Alike if near_latin => folds.push(start..end),
            Made::Alike => waiting.push(start..end),
            Made::Other => {
                near_latin = false;
                waiting.clear();
            }
        }
    }
}

#[derive(Debug, Default)]
struct Word {
    latin: bool,
    foreign: bool,
    other: bool,
}

impl Word {
    fn take(&mut self, c: Traits) {
        if c.is_latin {
            self.latin = true;
        } else if !c.is_mark {
            self.foreign = true;
            self.other |= !matches!(c.look, Some((_, Likeness::Strict)));
        }
    }

    fn made(&self) -> Made {
        match (self.latin, self.other) {
            (true, _) => Made::Latin,
            (false, false) => Made::Alike,
            (false, true) => Made::Other,
        }
    }
}

/// What a letter looks like; one with a mark on it looks like the letter under the mark.
pub(super) fn look(c: char) -> Option<(char, Likeness)> {
    table::look(c).or_else(|| {
        let mut base = None;
        unicode_normalization::char::decompose_canonical(c, |d| {
            if base.is_none() {
                base = Some(d);
            }
        });
        base.filter(|b| *b != c).and_then(table::look)
    })
}

/// Folds one word and gives the place after it, and after the marks on its last letter.
fn fold_word(text: &str, word: Range<usize>, out: &mut Builder) -> usize {
    let mut plain = false;
    let mut at = word.start;
    for c in text.get(word.start..).unwrap_or_default().chars() {
        let end = at + c.len_utf8();
        let Traits { is_mark: mark, look, .. } = traits::of(c);
        if at >= word.end && !mark {
            break;
        }
        match look {
            Some((letter, _)) if !c.is_ascii() && !mark => {
                out.unit(letter, at..end);
                plain = true;
            }
            _ if mark && plain => {}
            _ => {
                out.copy(text.get(at..end).unwrap_or_default(), at);
                plain = c.is_ascii();
            }
        }
        at = end;
    }
    at
}
