//! Which classes a word belongs to: whole words and stems (`overrid*`), without accents, in a small bucket table.

use super::token::is_unspaced;
use crate::swar::{first, load};

const BUCKETS: usize = 4096;

/// From how many classes on a word has one of its own.
const MANY_CLASSES: usize = 8;

/// The longest word that is looked up, in bytes.
const MAX_WORD: usize = 40;

#[derive(Debug)]
struct Entry {
    word: Box<str>,
    stem: bool,
    classes: Vec<u16>,
}

/// An entry as it is compared: the first eight bytes at once, the rest only where those are right.
#[derive(Debug)]
struct Quick {
    head: u64,
    mask: u64,
    /// Where its classes begin, and how many there are.
    classes: (u16, u16),
    /// Where what comes after eight bytes begins among the rests.
    rest: u16,
    length: u8,
    stem: bool,
}

/// All words of all classes.
#[derive(Debug)]
pub(super) struct Lexicon {
    buckets: Vec<Vec<Entry>>,
    /// The entries of all buckets, one bucket after the other.
    quick: Vec<Quick>,
    /// Where the entries of each bucket begin.
    heads: Vec<u16>,
    classes: Vec<u16>,
    /// What long words have after eight bytes, all in a row.
    rests: Vec<u8>,
}

impl Lexicon {
    pub(super) fn new() -> Self {
        let buckets = std::iter::repeat_with(Vec::new).take(BUCKETS).collect();
        Self { buckets, quick: Vec::new(), heads: Vec::new(), classes: Vec::new(), rests: Vec::new() }
    }

    /// Makes what was added ready to be looked up; nothing is added after it. Says whether there was room for all.
    ///
    /// A word of many classes gets a class of its own, from `own` on, that stands for all of them but those that
    /// `kept` says yes to; `stands` is told which class stands for which.
    pub(super) fn settle(
        &mut self,
        mut own: u16,
        kept: impl Fn(u16) -> bool,
        mut stands: impl FnMut(u16, u16),
    ) -> bool {
        let small = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        for bucket in self.buckets.drain(..) {
            self.heads.push(small(self.quick.len()));
            for mut entry in bucket {
                if entry.classes.iter().filter(|class| !kept(**class)).count() >= MANY_CLASSES {
                    entry.classes.retain(|class| {
                        let stays = kept(*class);
                        if !stays {
                            stands(own, *class);
                        }
                        stays
                    });
                    entry.classes.push(own);
                    own = own.saturating_add(1);
                }
                let word = entry.word.as_bytes();
                self.quick.push(Quick {
                    head: load(word, 0),
                    mask: first(word.len().clamp(1, 8)),
                    classes: (small(self.classes.len()), small(entry.classes.len())),
                    rest: small(self.rests.len()),
                    length: u8::try_from(word.len()).unwrap_or(u8::MAX),
                    stem: entry.stem,
                });
                self.classes.extend(entry.classes);
                self.rests.extend_from_slice(word.get(8..).unwrap_or_default());
            }
        }
        self.heads.push(small(self.quick.len()));
        [self.quick.len(), self.classes.len(), self.rests.len()].iter().all(|length| *length < usize::from(u16::MAX))
    }

    fn bucket(&self, word: &str) -> &[Quick] {
        let number = bucket(word);
        let (Some(first), Some(end)) = (self.heads.get(number), self.heads.get(number + 1)) else { return &[] };
        self.quick.get(usize::from(*first)..usize::from(*end)).unwrap_or_default()
    }

    /// Whether a word whose first eight bytes are `head` begins with an entry.
    #[inline]
    fn begins(&self, entry: &Quick, word: &[u8], head: u64) -> bool {
        head & entry.mask == entry.head && (entry.length <= 8 || self.goes_on(entry, word))
    }

    fn goes_on(&self, entry: &Quick, word: &[u8]) -> bool {
        let (start, more) = (usize::from(entry.rest), usize::from(entry.length).saturating_sub(8));
        let rest = self.rests.get(start..start + more).unwrap_or_default();
        word.get(8..).is_some_and(|word| word.starts_with(rest))
    }

    /// Adds a word to a class; a `*` at its end makes it a stem.
    pub(super) fn add(&mut self, word: &str, class: u16) {
        let (word, stem) = word.strip_suffix('*').map_or((word, false), |w| (w, true));
        let mut buffer = Folded::default();
        let word = buffer.fold(word);
        let Some(bucket) = self.buckets.get_mut(bucket(word)) else { return };
        match bucket.iter_mut().find(|e| &*e.word == word && e.stem == stem) {
            Some(entry) => entry.classes.push(class),
            None => bucket.push(Entry { word: word.into(), stem, classes: vec![class] }),
        }
    }

    /// Calls `found` with every class of a word.
    pub(super) fn classes(&self, word: &str, mut found: impl FnMut(u16)) {
        if word.len() > MAX_WORD {
            return;
        }
        let mut buffer = Folded::default();
        let word = if word.is_ascii() { word } else { buffer.fold(word) };
        if !self.each(word, &mut found)
            && let Some(right) = misspelt(word)
        {
            self.each(right, &mut found);
        }
    }

    /// Calls `found` with every class of a word as it is written; says whether there was one.
    fn each(&self, word: &str, found: &mut impl FnMut(u16)) -> bool {
        let mut known = false;
        let head = load(word.as_bytes(), 0);
        for entry in self.bucket(word) {
            let whole = entry.stem | (usize::from(entry.length) == word.len());
            if whole && self.begins(entry, word.as_bytes(), head) {
                known = true;
                let (first, count) = entry.classes;
                let (first, count) = (usize::from(first), usize::from(count));
                let classes = self.classes.get(first..first + count).unwrap_or_default();
                classes.iter().for_each(|class| found(*class));
            }
        }
        known
    }

    /// The longest entry that a text of a script without spaces begins with, in bytes.
    pub(super) fn longest(&self, text: &str) -> Option<usize> {
        let head = load(text.as_bytes(), 0);
        let begins = |e: &&Quick| self.begins(e, text.as_bytes(), head);
        self.bucket(text).iter().filter(begins).map(|e| usize::from(e.length)).max()
    }
}

/// The words that carry most attempts, long enough that one wrong letter makes no other word.
const CARRYING: &[&str] = &[
    "instructions",
    "instruction",
    "previous",
    "directives",
    "directive",
    "guidelines",
    "disregard",
    "restrictions",
    "limitations",
    "override",
    "everything",
    "password",
    "confidential",
    "assistant",
    "preceding",
    "commands",
];

/// The carrying word that a word is with one letter wrong, missing, added or swapped. An ending is no mistake.
fn misspelt(word: &str) -> Option<&'static str> {
    let near = |right: &&&str| {
        word.len().abs_diff(right.len()) <= 1
            && word.as_bytes().first() == right.as_bytes().first()
            && !word.starts_with(**right)
            && !right.starts_with(word)
            && one_off(word.as_bytes(), right.as_bytes())
    };
    if word.len() < 7 { None } else { CARRYING.iter().find(near).copied() }
}

/// Whether two words differ by one letter, or by two that are swapped.
fn one_off(a: &[u8], b: &[u8]) -> bool {
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (a.get(same..).unwrap_or_default(), b.get(same..).unwrap_or_default());
    match (a, b) {
        ([_, rest_a @ ..], [_, rest_b @ ..]) if rest_a == rest_b => true,
        ([_, rest_a @ ..], _) if rest_a == b => true,
        (_, [_, rest_b @ ..]) if a == rest_b => true,
        ([p, q, rest_a @ ..], [r, s, rest_b @ ..]) => p == s && q == r && rest_a == rest_b,
        _ => false,
    }
}

/// Words of one bucket begin alike: the first three ASCII letters, or the first character of another script. Stems
/// are therefore three letters or longer.
fn bucket(word: &str) -> usize {
    let at = |i: usize| word.as_bytes().get(i).map_or(0, |b| usize::from(*b));
    let plain = |i: usize| if at(i) < 0x80 { at(i) } else { 0 };
    let key = match at(0) < 0x80 {
        true => at(0) * 37 + plain(1) * 211 + plain(2) * 769,
        false => at(0) * 41 + at(1) * 37 + at(2),
    };
    key % BUCKETS
}

/// A word without accents, and with letters of other scripts that look Latin read as Latin: the folded view may have
/// done so already, or not.
#[derive(Debug, Default)]
struct Folded(String);

impl Folded {
    fn fold(&mut self, word: &str) -> &str {
        self.0.clear();
        for c in word.chars() {
            match c {
                'ß' => self.0.push_str("ss"),
                'œ' => self.0.push_str("oe"),
                'æ' => self.0.push_str("ae"),
                '’' => self.0.push('\''),
                // A combining accent.
                '\u{300}'..='\u{36f}' => {}
                _ if c.is_ascii() || is_unspaced(c) => self.0.push(c),
                _ => self.0.push(base(c)),
            }
        }
        &self.0
    }
}

fn base(c: char) -> char {
    match c {
        'à'..='å' | 'ā' | 'ă' | 'ą' | 'а' => 'a',
        'ç' | 'ć' | 'č' | 'с' => 'c',
        'è'..='ë' | 'ē' | 'ę' | 'ě' | 'е' | 'ё' => 'e',
        'ì'..='ï' | 'ī' | 'ı' | 'і' => 'i',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ő' | 'о' => 'o',
        'ù'..='ü' | 'ū' | 'ů' | 'ű' => 'u',
        'ý' | 'ÿ' | 'у' => 'y',
        'ś' | 'š' | 'ş' => 's',
        'ź' | 'ż' | 'ž' => 'z',
        'ł' => 'l',
        'ď' | 'đ' => 'd',
        'ř' => 'r',
        'ť' => 't',
        'ğ' => 'g',
        'р' => 'p',
        'х' => 'x',
        'й' => 'и',
        _ => c,
    }
}
