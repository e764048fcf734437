//! Which classes a word belongs to: whole words and stems (`overrid*`), without accents, in a small bucket table.

use super::token::is_unspaced;

const BUCKETS: usize = 4096;

/// The longest word that is looked up, in bytes.
const MAX_WORD: usize = 40;

#[derive(Debug)]
struct Entry {
    word: Box<str>,
    stem: bool,
    classes: Vec<u16>,
}

/// All words of all classes.
#[derive(Debug)]
pub(super) struct Lexicon {
    buckets: Vec<Vec<Entry>>,
}

impl Lexicon {
    pub(super) fn new() -> Self {
        Self { buckets: std::iter::repeat_with(Vec::new).take(BUCKETS).collect() }
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
        for entry in self.buckets.get(bucket(word)).into_iter().flatten() {
            let holds = if entry.stem { word.starts_with(&*entry.word) } else { *word == *entry.word };
            if holds {
                known = true;
                entry.classes.iter().for_each(|class| found(*class));
            }
        }
        known
    }

    /// The longest entry that a text of a script without spaces begins with, in bytes.
    pub(super) fn longest(&self, text: &str) -> Option<usize> {
        let bucket = self.buckets.get(bucket(text))?;
        bucket.iter().filter(|e| text.starts_with(&*e.word)).map(|e| e.word.len()).max()
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
            && word.get(..1) == right.get(..1)
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
