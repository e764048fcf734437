//! How one character can be read by someone who wants to see a letter in it: a character in, every letter or digit it
//! can stand for out, and whether a reader may pass over it. Nothing is decided here; the lanes take every reading at
//! once.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::skeleton::skeleton;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Letters and digits as bits: `a` to `z` are 0 to 25, `0` to `9` are 26 to 35.
pub(crate) type Symbols = u64;

/// Every way to read one character.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    /// The single letters or digits it can stand for.
    pub(crate) one: Symbols,
    /// The longer readings: a ligature is two letters.
    pub(crate) many: Vec<Vec<Symbols>>,
    /// A reader may pass over it: space, punctuation, invisible, combining.
    pub(crate) skip: bool,
}

/// Letters and digits that pass for one another, each group read as a whole.
const GROUPS: [&str; 9] = ["il1", "o0", "s5", "e3", "a4", "t7", "g9", "b8", "z2"];

/// Signs that pass for a letter.
const SIGNS: [(char, char); 9] =
    [('|', 'i'), ('!', 'i'), ('$', 's'), ('@', 'a'), ('+', 't'), ('(', 'c'), ('<', 'c'), ('€', 'e'), ('¢', 'c')];

/// What the tables of Unicode leave out: small capitals, turned letters, letters of other scripts worn as Latin ones.
const fn undressed(c: char) -> Option<char> {
    Some(match c {
        'ᴅ' | 'δ' => 'd',
        'ᴇ' | 'ǝ' | 'ɘ' | 'ε' | 'ξ' | 'є' | 'э' | 'σ' => 'e',
        'ꜰ' | 'ɟ' | 'ғ' => 'f',
        'ɢ' | 'ƃ' => 'g',
        'ɪ' | 'ı' => 'i',
        'ɴ' | 'и' | 'η' | 'п' => 'n',
        'ʀ' | 'ɹ' | 'я' => 'r',
        'ᴛ' | 'ʇ' | 'т' | 'τ' => 't',
        'ц' | 'μ' => 'u',
        'ɔ' => 'c',
        'ƨ' | 'ꜱ' | 'ς' => 's',
        'ᴀ' | 'ɐ' | 'λ' => 'a',
        'ʙ' | 'в' | 'β' => 'b',
        _ => return None,
    })
}

/// The bit of an ASCII letter or digit.
pub(crate) const fn symbol(c: char) -> Symbols {
    match c {
        'a'..='z' => 1 << (c as u32 - 'a' as u32),
        'A'..='Z' => 1 << (c as u32 - 'A' as u32),
        '0'..='9' => 1 << (26 + c as u32 - '0' as u32),
        _ => 0,
    }
}

/// Every way to read `c`. Remembered by pages of 256 characters, as the tables of Unicode are slow to ask.
pub(crate) fn read(c: char) -> Reading {
    let code = c as usize;
    let Some(page) = PAGES.get(code / PAGE) else {
        return work_out(c);
    };
    let page = page.get_or_init(|| Page::new(code / PAGE));
    page.read(code % PAGE)
}

const PAGE: usize = 256;

/// The two planes that hold all letters but rare ideographs: a megabyte, if every page is ever asked for.
static PAGES: [OnceLock<Page>; 512] = [const { OnceLock::new() }; 512];

/// Set beside the symbols of a character that has longer readings as well.
const HAS_MANY: Symbols = 1 << 63;

/// What 256 characters read as.
struct Page {
    one: Vec<Symbols>,
    skip: [u64; PAGE / 64],
    many: BTreeMap<usize, Vec<Vec<Symbols>>>,
}

impl Page {
    fn new(number: usize) -> Self {
        let mut page = Self { one: Vec::with_capacity(PAGE), skip: [0; PAGE / 64], many: BTreeMap::new() };
        for at in 0..PAGE {
            let c = u32::try_from(number * PAGE + at).ok().and_then(char::from_u32);
            let reading = c.map(work_out).unwrap_or_default();
            page.one.push(reading.one);
            if let Some(word) = page.skip.get_mut(at / 64) {
                *word |= u64::from(reading.skip) << (at % 64);
            }
            if !reading.many.is_empty() {
                page.many.insert(at, reading.many);
                page.one.last_mut().into_iter().for_each(|one| *one |= HAS_MANY);
            }
        }
        page
    }

    fn read(&self, at: usize) -> Reading {
        let one = self.one.get(at).copied().unwrap_or(0);
        let many = if one & HAS_MANY == 0 { None } else { self.many.get(&at) };
        Reading {
            one: one & !HAS_MANY,
            many: many.cloned().unwrap_or_default(),
            skip: self.skip.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1),
        }
    }
}

/// Every way to read `c`, from the tables.
fn work_out(c: char) -> Reading {
    if c.is_ascii() {
        return Reading { one: letters(c), many: Vec::new(), skip: !c.is_ascii_alphanumeric() };
    }
    let mut reading = Reading { skip: passes_over(c), ..Reading::default() };
    if let Some(plain) = costume(c) {
        reading.one = letters(plain);
        return reading;
    }
    if c as usize >= PAGE * PAGES.len() {
        return reading;
    }
    let mut buffer = [0; 4];
    let alone: &str = c.encode_utf8(&mut buffer);
    add(&mut reading, c.nfkd());
    add(&mut reading, skeleton(alone));
    let compatible: String = c.nfkd().take(MANY).collect();
    add(&mut reading, skeleton(&compatible));
    reading
}

/// No character stands for more letters than this.
const MANY: usize = 18;

/// Adds a spelling of the character, unless a part of it reads as nothing.
fn add(reading: &mut Reading, spelling: impl Iterator<Item = char>) {
    let mut run = Vec::new();
    let mut signs = 0;
    for c in spelling.filter(|c| !is_combining_mark(*c) && !is_ignorable(*c)).flat_map(char::to_lowercase).take(MANY) {
        match dressed(c) {
            0 if c.is_alphanumeric() => return,
            letters if c.is_alphanumeric() => run.push(letters),
            letters => signs |= letters,
        }
    }
    match run.as_slice() {
        // A sign stands for a letter only where it stands alone: in "(r)" it is only a sign.
        [] => reading.one |= signs,
        [one] => reading.one |= one,
        _ if reading.many.contains(&run) => {}
        _ => reading.many.push(run),
    }
}

/// The letters one character passes for, after normalisation.
fn dressed(c: char) -> Symbols {
    if c.is_ascii() {
        return letters(c);
    }
    SIGNS.iter().find(|(sign, _)| *sign == c).map(|(_, letter)| *letter).or(undressed(c)).map_or(0, letters)
}

/// The letters an ASCII character passes for.
fn letters(c: char) -> Symbols {
    let c = SIGNS.iter().find(|(sign, _)| *sign == c).map_or(c, |(_, letter)| *letter).to_ascii_lowercase();
    let group = GROUPS.iter().find(|group| group.contains(c));
    group.map_or_else(|| symbol(c), |group| group.chars().fold(0, |all, c| all | symbol(c)))
}

/// Letters in costume that no normalisation undoes: tags, regional indicators, letters in black circles and squares.
fn costume(c: char) -> Option<char> {
    let code = c as u32;
    let offset = match code {
        0xE0020..=0xE007E => return char::from_u32(code - 0xE0000),
        0x1F1E6..=0x1F1FF => code - 0x1F1E6,
        0x1F150..=0x1F169 => code - 0x1F150,
        0x1F170..=0x1F189 => code - 0x1F170,
        _ => return None,
    };
    char::from_u32('a' as u32 + offset)
}

/// A reader may pass over it.
fn passes_over(c: char) -> bool {
    !c.is_alphanumeric() || is_combining_mark(c) || is_ignorable(c)
}

/// Default-ignorable code points: drawn as nothing.
pub(crate) fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}' | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}'
        | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFF8}' | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads_as(c: char, letter: char) -> bool {
        read(c).one & symbol(letter) != 0
    }

    #[test]
    fn look_alikes_read_as_the_letter() {
        for (c, letter) in [
            ('R', 'r'),
            ('ｒ', 'r'),
            ('𝓻', 'r'),
            ('ʀ', 'r'),
            ('Я', 'r'),
            ('г', 'r'),
            ('🅡', 'r'),
            ('🇷', 'r'),
            ('ŕ', 'r'),
            ('\u{E0072}', 'r'),
            ('1', 'i'),
            ('|', 'i'),
            ('І', 'i'),
            ('ⅰ', 'i'),
            ('3', 'e'),
            ('е', 'e'),
            ('đ', 'd'),
            ('ⓝ', 'n'),
            ('ꜱ', 's'),
            ('$', 's'),
            ('т', 't'),
            ('ᴜ', 'u'),
        ] {
            assert!(reads_as(c, letter), "{c} should read as {letter}");
        }
        assert!(!reads_as('漢', 'r') && !reads_as('x', 'r'));
    }

    #[test]
    fn what_is_not_seen_may_be_passed_over_and_a_letter_may_not() {
        for c in ['\u{200B}', '\u{301}', ' ', '\n', '-', '\u{3164}', '\u{E000}', '\u{E0072}', '🙂'] {
            assert!(read(c).skip, "{c:?}");
        }
        for c in ['a', '漢', 'ш', '8'] {
            assert!(!read(c).skip, "{c:?}");
        }
        assert_eq!(read('ﬁ').many, [vec![letters('f'), letters('i')]]);
    }
}
