//! What is said: the folded text in, sentences that give orders to the reading model out.
//!
//! Rare fragments of words are searched for in the whole text; only around them is the text read word by word, each
//! word once, and the grammar applied. Text without such fragments costs nothing more than the search.

use std::sync::LazyLock;

use super::finder::{Anchor, Finder, Search};
use super::grammar::{Grammar, Match, WINDOW, Window};
use super::token::Words;
use super::{Hit, Hits, evidence, mention, slice, speech};

/// How far before an anchor reading begins, in bytes and words.
const BEFORE: (usize, usize) = (160, 16);

/// How many words after the last anchor are read.
const AFTER: usize = 18;

static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::compile(speech::CLASSES, speech::WORDINGS).0);
static FINDER: LazyLock<Finder> = LazyLock::new(|| Finder::new(&speech::anchors()));

/// Finds phrases in a folded text and adds them to the hits.
pub fn phrases(folded: &str, out: &mut Hits) {
    phrases_at(FINDER.search(folded), folded, out);
}

/// Finds phrases where a search for their anchors leads.
pub(super) fn phrases_at(mut search: Search<'_>, folded: &str, out: &mut Hits) {
    let Some(first) = search.next(0) else { return };
    let mut window = Window::new(&GRAMMAR);
    Reader { text: folded, grammar: &GRAMMAR, window: &mut window, fresh: 0, done: 0 }.read(first, search, out);
}

/// Finds phrases in one of many short texts, whose window is made once.
pub(super) fn phrases_in(folded: &str, window: &mut Option<Window>, out: &mut Hits) {
    let mut search = FINDER.search(folded);
    let Some(first) = search.next(0) else { return };
    let window = window.get_or_insert_with(|| Window::new(&GRAMMAR));
    Reader { text: folded, grammar: &GRAMMAR, window, fresh: 0, done: 0 }.read(first, search, out);
}

struct Reader<'a> {
    text: &'a str,
    grammar: &'a Grammar,
    window: &'a mut Window,
    /// How many words of the window were looked at before.
    fresh: usize,
    /// Up to where the text was read.
    done: usize,
}

impl Reader<'_> {
    fn read(&mut self, first: Anchor, mut search: Search<'_>, out: &mut Hits) {
        let mut next = Some(first);
        while let Some(anchor) = next {
            out.steps += 1;
            next = self.region(&mut search, anchor, out);
        }
    }

    /// Reads the words around an anchor, and around the anchors met on the way; gives the next one after them.
    fn region(&mut self, search: &mut Search<'_>, anchor: Anchor, out: &mut Hits) -> Option<Anchor> {
        self.window.clear();
        self.fresh = 0;
        let start = self.start(anchor.start);
        let mut words = Words::new(self.text, start);
        let mut last = anchor;
        let mut next = search.next(anchor.end);
        let mut after = 0;
        while let Some(token) = words.next(&self.grammar.lexicon, self.text.len()) {
            out.steps += 1;
            while let Some(n) = next.filter(|n| n.start < token.end) {
                last = n;
                next = search.next(n.end);
            }
            if token.start >= last.end {
                after += 1;
                if token.breaks || after > AFTER {
                    break;
                }
            } else {
                after = 0;
            }
            self.done = token.end;
            self.push(token, out);
        }
        self.look(out);
        self.done = self.done.max(last.end);
        next
    }

    fn push(&mut self, token: super::token::Token, out: &mut Hits) {
        if self.window.len() == WINDOW {
            self.look(out);
            self.fresh = self.window.advance();
        }
        self.window.push(self.grammar, self.text, token);
    }

    /// Where reading begins for an anchor: some words back, not past what was read before.
    fn start(&self, at: usize) -> usize {
        let floor = self.done.max(at.saturating_sub(BEFORE.0)).min(at);
        let before = self.text.as_bytes().get(floor..at).unwrap_or_default();
        let mut words = 0;
        let mut start = floor;
        for (i, pair) in before.windows(2).enumerate().rev() {
            match pair {
                [b'.' | b'!' | b'?', b' ' | b'\n'] | [b'\n', b'\n'] => {
                    start = floor + i;
                    break;
                }
                [b' ' | b'\n', byte] if *byte > b' ' => words += 1,
                _ => {}
            }
            if words > BEFORE.1 {
                start = floor + i;
                break;
            }
        }
        super::floor(self.text, start)
    }

    fn look(&mut self, out: &mut Hits) {
        out.steps += 8;
        let (text, window) = (self.text, &*self.window);
        self.grammar.matches(window, self.fresh, |found| hit(text, window, &found, out));
    }
}

fn hit(text: &str, window: &Window, found: &Match, out: &mut Hits) {
    let (Some(first), Some(last)) = (window.token(found.first), window.token(found.last)) else { return };
    let part = first.start..last.end;
    if !out.has_room(found.severity) {
        out.left_out += 1;
        return;
    }
    let context = mention::context(text, &part);
    out.steps += 8;
    out.add(Hit {
        rule: found.rule,
        severity: context.lower(found.severity),
        evidence: evidence(slice(text, part.clone())),
        part,
        mentioned: context.mentioned(),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::grammar::Grammar;

    #[test]
    fn every_wording_can_be_read() {
        let (_, unreadable) = Grammar::compile(speech::CLASSES, speech::WORDINGS);
        assert_eq!(unreadable, Vec::<String>::new());
    }

    #[test]
    fn every_anchor_is_long_enough_to_be_searched_for() {
        for anchor in speech::anchors() {
            assert!(anchor.len() >= 4, "{anchor}");
        }
    }

    #[test]
    fn every_anchor_is_found() {
        for anchor in speech::anchors() {
            let text = format!("{anchor}xxxx");
            assert!(FINDER.search(&text).next(0).is_some_and(|found| found.start == 0), "{anchor}");
        }
    }
}
