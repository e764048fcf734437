//! Patterns of word slots, matched all at once on up to 64 words.
//!
//! A pattern is a row of slots, each a class of words with a bounded gap before it. For every class a 64-bit row
//! says at which words it holds; a pattern is then a few shifts and ands, so a window costs the same whatever it says.
//!
//! The notation: `a|b*` a word or a stem, `@name` a class, `~3` up to three words may stand before the next slot,
//! `^` the next word begins a sentence or line, a trailing `:` a colon follows the word, `@address` an address or link.

use std::collections::BTreeMap;

use super::lexicon::Lexicon;
use super::token::Token;
use crate::finding::Severity;
use crate::rule::Rule;

/// How many words one window holds.
pub(super) const WINDOW: usize = 64;

/// How many words of a window are kept for the next one: no pattern is longer.
pub(super) const KEPT: usize = 24;

/// The most slots of a pattern.
const MAX_SLOTS: usize = 8;

/// Words that stand in nearly every sentence: a slot that takes them rules little out.
const EVERYWHERE: &[&str] = &[
    "the", "a", "an", "and", "or", "of", "to", "in", "on", "at", "by", "for", "with", "from", "as", "is", "are", "was",
    "were", "be", "been", "has", "have", "it", "its", "this", "that", "these", "those", "you", "your", "i", "we", "he",
    "she", "they", "not", "no", "do", "all", "any", "if", "can", "will", "must", "should", "use", "other", "user",
    "file", "data", "text", "what", "which", "who", "more", "when", "before", "only", "out", "up", "so", "but",
    "system",
];

/// A pattern as written: the rule, how bad this wording is, and the slots.
pub(super) type Wording = (&'static Rule, Severity, &'static str);

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    class: u16,
    gap: u8,
    begins: bool,
    colon: bool,
}

#[derive(Debug)]
struct Pattern {
    rule: &'static Rule,
    severity: Severity,
    slots: [Slot; MAX_SLOTS],
    length: usize,
}

/// All patterns and the words they are made of.
#[derive(Debug)]
pub(super) struct Grammar {
    pub(super) lexicon: Lexicon,
    /// By the class of each pattern's rarest slot: where no word has it, none of its patterns is tried.
    patterns: Vec<Vec<Pattern>>,
    /// The classes that addresses and links belong to.
    addresses: Vec<u16>,
    /// For each class the words that have a class of their own, which stands for this one and others: a word that is
    /// met all the time is then marked once, and not in a hundred rows that nobody may look at.
    own: Vec<Vec<u16>>,
    /// How many classes there are with those.
    rows: usize,
}

/// A pattern found: which words, from first to last.
pub(super) struct Match {
    pub(super) rule: &'static Rule,
    pub(super) severity: Severity,
    pub(super) first: usize,
    pub(super) last: usize,
}

impl Grammar {
    /// Compiles classes (name, words) and patterns; what it cannot read it gives back.
    pub(super) fn compile(classes: &[&[(&str, &str)]], wordings: &[&[Wording]]) -> (Self, Vec<String>) {
        let mut compiler = Compiler::new(classes);
        let mut by_rarest = BTreeMap::<u16, Vec<Pattern>>::new();
        for wording in wordings.iter().copied().flatten() {
            let Some(pattern) = compiler.pattern(wording) else { continue };
            let rarest = pattern.slots().iter().map(|slot| slot.class).min_by_key(|class| compiler.commonness(*class));
            by_rarest.entry(rarest.unwrap_or(0)).or_default().push(pattern);
        }
        let patterns: Vec<Vec<Pattern>> =
            (0..compiler.next).map(|class| by_rarest.remove(&class).unwrap_or_default()).collect();
        // A class that patterns are entered by must be seen at once.
        let enters = |class: u16| patterns.get(usize::from(class)).is_none_or(|patterns| !patterns.is_empty());
        let mut own = vec![Vec::new(); patterns.len()];
        let mut rows = patterns.len();
        let stands = |word: u16, class: u16| {
            rows = rows.max(usize::from(word) + 1);
            own.get_mut(usize::from(class)).into_iter().for_each(|words: &mut Vec<u16>| words.push(word));
        };
        if !compiler.lexicon.settle(compiler.next, enters, stands) {
            compiler.unreadable.push("too many words".to_owned());
        }
        let grammar = Self { lexicon: compiler.lexicon, patterns, addresses: compiler.addresses, own, rows };
        (grammar, compiler.unreadable)
    }

    /// Finds the patterns that end in the words from `fresh` on.
    pub(super) fn matches(&self, window: &Window, fresh: usize, mut found: impl FnMut(Match)) {
        let new = u64::MAX.checked_shl(u32::try_from(fresh).unwrap_or(64)).unwrap_or(0);
        let present = window.present.iter().filter_map(|class| self.patterns.get(usize::from(*class)));
        for pattern in present.flatten() {
            let mut reach = [0_u64; MAX_SLOTS];
            let mut ends = pattern.reach(self, window, &mut reach) & new;
            while ends != 0 {
                let last = ends.trailing_zeros();
                found(Match {
                    rule: pattern.rule,
                    severity: pattern.severity,
                    first: pattern.first(&reach, last),
                    last: last as usize,
                });
                ends &= u64::MAX.checked_shl(last + 4).unwrap_or(0);
            }
        }
    }
}

impl Pattern {
    #[inline]
    fn slots(&self) -> &[Slot] {
        self.slots.get(..self.length).unwrap_or_default()
    }

    /// At which words each slot can stand, given the ones before it; the last slot's is the result.
    fn reach(&self, grammar: &Grammar, window: &Window, reach: &mut [u64; MAX_SLOTS]) -> u64 {
        let mut before: Option<u64> = None;
        for (slot, place) in self.slots().iter().zip(reach.iter_mut()) {
            let mut here = window.row(grammar, slot.class);
            if slot.begins {
                here &= window.begins;
            }
            if slot.colon {
                here &= window.colons;
            }
            if let Some(mut from) = before {
                let mut near = 0;
                for _ in 0..=slot.gap {
                    from = (from << 1) & !window.breaks;
                    near |= from;
                }
                here &= near;
            }
            if here == 0 {
                return 0;
            }
            *place = here;
            before = Some(here);
        }
        before.unwrap_or(0)
    }

    /// The first word of the match that ends at a word: the nearest possible word for each slot, backwards.
    fn first(&self, reach: &[u64; MAX_SLOTS], last: u32) -> usize {
        let slots = self.length.saturating_sub(1);
        let first = reach.iter().take(slots).rev().fold(last, |at, places| {
            let earlier = places & ((1_u64 << at) - 1);
            63_u32.saturating_sub(earlier.leading_zeros())
        });
        first as usize
    }
}

/// Up to 64 words and where each class holds.
#[derive(Debug)]
pub(super) struct Window {
    rows: Vec<u64>,
    /// The classes whose row is not empty, each once.
    present: Vec<u16>,
    breaks: u64,
    begins: u64,
    colons: u64,
    tokens: Vec<Token>,
}

impl Window {
    pub(super) fn new(grammar: &Grammar) -> Self {
        let rows = vec![0; grammar.rows];
        Self { rows, present: Vec::new(), breaks: 0, begins: 0, colons: 0, tokens: Vec::with_capacity(WINDOW) }
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(super) fn token(&self, index: usize) -> Option<&Token> {
        self.tokens.get(index)
    }

    /// Adds a word. A full window must be moved on first.
    pub(super) fn push(&mut self, grammar: &Grammar, text: &str, token: Token) {
        let bit = 1_u64.checked_shl(u32::try_from(self.tokens.len()).unwrap_or(64)).unwrap_or(0);
        let (rows, present) = (&mut self.rows, &mut self.present);
        let mut set = |class: u16| {
            if let Some(row) = rows.get_mut(usize::from(class)) {
                if *row == 0 {
                    present.push(class);
                }
                *row |= bit;
            }
        };
        if let Some(word) = text.get(token.start..token.end) {
            grammar.lexicon.classes(word, &mut set);
        }
        if token.address {
            grammar.addresses.iter().copied().for_each(set);
        }
        self.breaks |= if token.breaks { bit } else { 0 };
        self.begins |= if token.begins { bit } else { 0 };
        self.colons |= if token.colon { bit } else { 0 };
        self.tokens.push(token);
    }

    /// Drops all but the last words; gives how many are left.
    pub(super) fn advance(&mut self) -> usize {
        let drop = self.tokens.len().saturating_sub(KEPT);
        let shift = u32::try_from(drop).unwrap_or(64);
        for mask in [&mut self.breaks, &mut self.begins, &mut self.colons] {
            *mask = mask.checked_shr(shift).unwrap_or(0);
        }
        let rows = &mut self.rows;
        self.present.retain(|class| {
            rows.get_mut(usize::from(*class)).is_some_and(|row| {
                *row = row.checked_shr(shift).unwrap_or(0);
                *row != 0
            })
        });
        self.tokens.drain(..drop);
        self.tokens.len()
    }

    pub(super) fn clear(&mut self) {
        for class in self.present.drain(..) {
            if let Some(row) = self.rows.get_mut(usize::from(class)) {
                *row = 0;
            }
        }
        self.breaks = 0;
        self.begins = 0;
        self.colons = 0;
        self.tokens.clear();
    }

    /// The words at which a class holds.
    fn row(&self, grammar: &Grammar, class: u16) -> u64 {
        let row = |class: u16| self.rows.get(usize::from(class)).copied().unwrap_or(0);
        let own = grammar.own.get(usize::from(class)).map(Vec::as_slice).unwrap_or_default();
        own.iter().fold(row(class), |all, word| all | row(*word))
    }
}

/// Reads the notation.
struct Compiler<'a> {
    lexicon: Lexicon,
    named: BTreeMap<&'a str, &'a str>,
    slots: BTreeMap<String, u16>,
    addresses: Vec<u16>,
    /// How often words of each class are met, roughly.
    common: Vec<usize>,
    next: u16,
    unreadable: Vec<String>,
}

impl<'a> Compiler<'a> {
    fn new(classes: &[&[(&'a str, &'a str)]]) -> Self {
        Self {
            lexicon: Lexicon::new(),
            named: classes.iter().copied().flatten().copied().collect(),
            slots: BTreeMap::new(),
            addresses: Vec::new(),
            common: Vec::new(),
            next: 0,
            unreadable: Vec::new(),
        }
    }

    fn pattern(&mut self, &(rule, severity, text): &Wording) -> Option<Pattern> {
        let (mut slots, mut slot) = (Vec::new(), Slot::default());
        for part in text.split(' ') {
            if part == "^" {
                slot.begins = true;
            } else if let Some(gap) = part.strip_prefix('~') {
                slot.gap = gap.parse().unwrap_or(u8::MAX);
            } else {
                slot.colon = part.ends_with(':');
                slot.class = self.class(&part.replace(':', ""));
                slots.push(std::mem::take(&mut slot));
            }
        }
        let reach: usize = slots.iter().map(|s: &Slot| usize::from(s.gap) + 1).sum();
        if slots.is_empty() || slots.len() > MAX_SLOTS || reach > KEPT {
            self.unreadable.push(text.to_owned());
            return None;
        }
        let length = slots.len();
        slots.resize(MAX_SLOTS, Slot::default());
        let slots = <[Slot; MAX_SLOTS]>::try_from(slots).ok()?;
        Some(Pattern { rule, severity, slots, length })
    }

    /// The class of a slot: the same words always get the same one.
    fn class(&mut self, words: &str) -> u16 {
        if let Some(class) = self.slots.get(words) {
            return *class;
        }
        let class = self.next;
        self.next += 1;
        self.slots.insert(words.to_owned(), class);
        let mut common = 0;
        for word in words.split('|') {
            if word == "@address" {
                self.addresses.push(class);
                continue;
            }
            match word.strip_prefix('@').map(|name| self.named.get(name).copied()) {
                None => common += self.word(word, class),
                Some(Some(list)) => common += list.split_whitespace().map(|w| self.word(w, class)).sum::<usize>(),
                Some(None) => self.unreadable.push(words.to_owned()),
            }
        }
        self.common.push(common);
        class
    }

    /// Adds a word to a class and says how common it is.
    fn word(&mut self, word: &str, class: u16) -> usize {
        self.lexicon.add(word, class);
        if EVERYWHERE.contains(&word) { 100 } else { 1 }
    }

    fn commonness(&self, class: u16) -> usize {
        self.common.get(usize::from(class)).copied().unwrap_or(usize::MAX)
    }
}
