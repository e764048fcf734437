//! Which words of a text were read in untrusted blocks before: blocks in, and for any other text the places that repeat
//! [`RUN`] words or a telling name out. Bounded memory: the oldest runs are forgotten first.

use std::collections::{BTreeMap, VecDeque};

use crate::finding::Span;

/// Words in a row that make a copy.
pub const RUN: usize = 8;

/// Runs of words that are remembered.
const RUNS_MAX: usize = 1 << 17;
/// Names that are remembered.
const NAMES_MAX: usize = 1 << 15;
/// A name is this long, in bytes.
const NAME: std::ops::RangeInclusive<usize> = 6..=512;

/// A place that repeats a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copy {
    /// Where in the text that was asked about.
    pub span: Span,
    /// The block it was first read in.
    pub block: u64,
}

/// What untrusted blocks said.
///
/// ```
/// use ringfence_guard::outgoing::Copies;
/// let mut copies = Copies::default();
/// copies.add(3, "The vault is opened by turning the small brass wheel twice to the left.");
/// let said = "He told me: opened by turning the SMALL brass wheel twice!";
/// assert_eq!(copies.find(said)[0].block, 3);
/// assert!(copies.find("The vault has a small brass wheel.").is_empty());
/// ```
#[derive(Debug, Default)]
pub struct Copies {
    runs: Memory<RUNS_MAX>,
    names: Memory<NAMES_MAX>,
}

impl Copies {
    /// Remembers a block.
    pub fn add(&mut self, block: u64, text: &str) {
        for (_, hash) in runs(text) {
            self.runs.add(hash, block);
        }
        for (_, name) in names(text) {
            self.names.add(hash(name), block);
        }
    }

    /// The places of `text` that repeat [`RUN`] words or more of a block, neighbours joined.
    #[must_use]
    pub fn find(&self, text: &str) -> Vec<Copy> {
        let mut copies: Vec<Copy> = Vec::new();
        for (span, hash) in runs(text) {
            let Some(block) = self.runs.get(hash) else { continue };
            match copies.last_mut() {
                Some(last) if last.block == block && span.start <= last.span.end => last.span.end = span.end,
                _ => copies.push(Copy { span, block }),
            }
        }
        copies
    }

    /// The addresses, paths and other telling names of `text` that stand in a block.
    #[must_use]
    pub fn find_names(&self, text: &str) -> Vec<Copy> {
        names(text).filter_map(|(span, name)| self.names.get(hash(name)).map(|block| Copy { span, block })).collect()
    }

    /// Whether older blocks had to be forgotten: then what is not found may still be a copy.
    #[must_use]
    pub fn has_forgotten(&self) -> bool {
        self.runs.forgotten || self.names.forgotten
    }
}

/// Hashes and the block each was first seen in.
#[derive(Debug, Default)]
struct Memory<const MOST: usize> {
    blocks: BTreeMap<u64, u64>,
    order: VecDeque<u64>,
    forgotten: bool,
}

impl<const MOST: usize> Memory<MOST> {
    fn add(&mut self, hash: u64, block: u64) {
        if self.blocks.contains_key(&hash) {
            return;
        }
        if self.order.len() >= MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.blocks.remove(&oldest);
            self.forgotten = true;
        }
        self.blocks.insert(hash, block);
        self.order.push_back(hash);
    }

    fn get(&self, hash: u64) -> Option<u64> {
        self.blocks.get(&hash).copied()
    }
}

/// The hash of each [`RUN`] words in a row, and where they stand.
fn runs(text: &str) -> impl Iterator<Item = (Span, u64)> + '_ {
    let mut window: VecDeque<(usize, u64)> = VecDeque::with_capacity(RUN);
    words(text).filter_map(move |(span, word)| {
        if window.len() == RUN {
            window.pop_front();
        }
        window.push_back((span.start, hash_of(word.chars().flat_map(char::to_lowercase))));
        let start = window.front().filter(|_| window.len() == RUN)?.0;
        let joined = window.iter().fold(0, |all: u64, (_, word)| mix(all ^ word));
        Some((Span { start, end: span.end }, joined))
    })
}

/// Words: letters and digits; each character of a script that writes no spaces is one.
fn words(text: &str) -> impl Iterator<Item = (Span, &str)> {
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, first) = chars.find(|(_, c)| c.is_alphanumeric())?;
        let mut end = start + first.len_utf8();
        while !is_ideograph(first)
            && let Some((at, c)) = chars.next_if(|(_, c)| c.is_alphanumeric() && !is_ideograph(*c))
        {
            end = at + c.len_utf8();
        }
        text.get(start..end).map(|word| (Span { start, end }, word))
    })
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' | '\u{20000}'..='\u{3FFFF}')
}

/// Names that tell: with a sign or a digit between letters, as addresses, paths, keys and hosts have.
fn names(text: &str) -> impl Iterator<Item = (Span, &str)> {
    let mut at = 0;
    let parts = text.split_inclusive(|c: char| c.is_whitespace() || "\"'`<>()[]{},;|".contains(c));
    parts.filter_map(move |part| {
        let is_edge = |c: char| !c.is_alphanumeric() && !"/~".contains(c);
        let start = at + (part.len() - part.trim_start_matches(is_edge).len());
        at += part.len();
        let name = part.trim_matches(is_edge);
        let tells = NAME.contains(&name.len())
            && name.contains(|c: char| c.is_ascii_digit() || "@/.:_~".contains(c))
            && name.contains(char::is_alphabetic);
        tells.then_some((Span { start, end: start + name.len() }, name))
    })
}

fn hash(text: &str) -> u64 {
    hash_of(text.chars())
}

fn hash_of(chars: impl Iterator<Item = char>) -> u64 {
    mix(chars
        .fold(0xCBF2_9CE4_8422_2325, |hash: u64, c| (hash ^ u64::from(u32::from(c))).wrapping_mul(0x0100_0000_01B3)))
}

const fn mix(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (hash ^ (hash >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB)
}
