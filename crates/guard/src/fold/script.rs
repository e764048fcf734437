//! Second pass: letters of another script that look Latin, in a word that has Latin letters too, or in a word made
//! only of look-alikes beside a Latin one on the same line. A text in that script is left alone.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use super::normal::is_latin;
use super::table::{self, Likeness};
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
        if !is_letter(c) {
            continue;
        }
        let start = offset + at;
        let mut end = start + c.len_utf8();
        let mut word = Word::default();
        word.take(c);
        while let Some((at, c)) = chars.next_if(|(_, c)| is_letter(*c) || !c.is_ascii() && is_combining_mark(*c)) {
            word.take(c);
            end = offset + at + c.len_utf8();
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

fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || !c.is_ascii() && c.is_alphabetic()
}

#[derive(Debug, Default)]
struct Word {
    latin: bool,
    foreign: bool,
    other: bool,
}

impl Word {
    fn take(&mut self, c: char) {
        if is_latin(c) {
            self.latin = true;
        } else if !is_combining_mark(c) {
            self.foreign = true;
            self.other |= !matches!(look(c), Some((_, Likeness::Strict)));
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
fn look(c: char) -> Option<(char, Likeness)> {
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
        let mark = is_combining_mark(c);
        if at >= word.end && !mark {
            break;
        }
        match look(c) {
            Some((letter, _)) if !c.is_ascii() && !mark => {
                out.whole(letter.encode_utf8(&mut [0; 4]), at..end);
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
