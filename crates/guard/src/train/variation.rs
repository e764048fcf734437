//! A text grammar in, as many texts as asked for out: attacks and ordinary texts in more words than any collection has.
//!
//! The file is sections: `[start:category*weight]` holds whole texts, `[name]` alternatives for `{name}`; one a line,
//! `~` is the empty one, `\n` a line break, `# ` a comment.

use std::collections::BTreeMap;

/// What is wrong with a grammar, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct GrammarError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub what: String,
}

/// A grammar, read.
#[derive(Debug)]
pub struct Grammar {
    starts: Vec<Start>,
    slots: BTreeMap<String, Vec<String>>,
}

#[derive(Debug)]
struct Start {
    category: String,
    weight: u64,
    texts: Vec<String>,
}

/// Deeper slots stay empty: a grammar that names itself ends.
const DEEPEST: usize = 8;
/// The longest text made, in bytes.
const LONGEST: usize = 8 << 10;

impl Grammar {
    /// Reads a grammar.
    ///
    /// # Errors
    ///
    /// Where a line stands outside a section, a heading is malformed or repeated, a slot is unknown, or nothing starts.
    pub fn read(text: &str) -> Result<Self, GrammarError> {
        let mut starts: Vec<Start> = Vec::new();
        let mut slots: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut current: Option<Option<String>> = None;
        for (number, line) in text.lines().enumerate() {
            let wrong = |what: String| GrammarError { line: number + 1, what };
            if line.trim().is_empty() || line == "#" || line.starts_with("# ") {
                continue;
            }
            if let Some(heading) = heading(line) {
                if let Some(rest) = heading.strip_prefix("start:") {
                    let (category, weight) =
                        rest.split_once('*').ok_or_else(|| wrong(format!("`{line}` has no weight")))?;
                    let weight = weight.parse().map_err(|_| wrong(format!("`{weight}` is no weight")))?;
                    starts.push(Start { category: category.to_owned(), weight, texts: Vec::new() });
                    current = Some(None);
                } else if slots.insert(heading.to_owned(), Vec::new()).is_some() {
                    return Err(wrong(format!("`{heading}` stands twice")));
                } else {
                    current = Some(Some(heading.to_owned()));
                }
                continue;
            }
            let alternative = if line == "~" { String::new() } else { line.replace("\\n", "\n") };
            let list = match &current {
                None => None,
                Some(None) => starts.last_mut().map(|s| &mut s.texts),
                Some(Some(slot)) => slots.get_mut(slot),
            };
            list.ok_or_else(|| wrong("a text before the first section".to_owned()))?.push(alternative);
        }
        let grammar = Self { starts, slots };
        grammar.check(text).map(|()| grammar)
    }

    fn check(&self, text: &str) -> Result<(), GrammarError> {
        if self.starts.iter().all(|s| s.texts.is_empty() || s.weight == 0) {
            return Err(GrammarError { line: 1, what: "no `[start:…]` section with a text".to_owned() });
        }
        for (number, line) in text.lines().enumerate() {
            if let Some(slot) = pieces(line).find_map(|p| p.slot().filter(|s| !self.slots.contains_key(*s))) {
                return Err(GrammarError { line: number + 1, what: format!("unknown slot `{slot}`") });
            }
        }
        Ok(())
    }

    /// The text number `number`, and its category: always the same for the same number.
    #[must_use]
    pub fn text(&self, number: u64) -> (&str, String) {
        let mut chance = (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let total: u64 = self.starts.iter().map(|s| s.weight).sum();
        let mut at = draw(&mut chance) % total.max(1);
        let mut out = String::new();
        for start in &self.starts {
            if at < start.weight {
                self.expand(pick(&start.texts, &mut chance), 0, &mut chance, &mut out);
                return (&start.category, out);
            }
            at -= start.weight;
        }
        ("", out)
    }

    fn expand(&self, text: &str, depth: usize, chance: &mut u64, out: &mut String) {
        for piece in pieces(text) {
            match piece {
                Piece::Text(text) if out.len() + text.len() <= LONGEST => out.push_str(text),
                Piece::Slot(name) if depth < DEEPEST => {
                    let alternatives = self.slots.get(name).map_or(&[][..], Vec::as_slice);
                    self.expand(pick(alternatives, chance), depth + 1, chance, out);
                }
                Piece::Text(_) | Piece::Slot(_) => {}
            }
        }
    }
}

/// The name in a heading line: lower-case letters, digits, `-`, and the start's `:` and `*`.
fn heading(line: &str) -> Option<&str> {
    let name = line.strip_prefix('[')?.strip_suffix(']')?;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-:*".contains(c);
    (!name.is_empty() && name.chars().all(plain)).then_some(name)
}

enum Piece<'a> {
    Text(&'a str),
    Slot(&'a str),
}

impl<'a> Piece<'a> {
    fn slot(&self) -> Option<&'a str> {
        match self {
            Self::Slot(name) => Some(name),
            Self::Text(_) => None,
        }
    }
}

/// A text, cut at its slots; a brace that is no slot is text.
fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some((name, after)) =
            rest.strip_prefix('{').and_then(|r| r.split_once('}')).filter(|(n, _)| slot_name(n))
        {
            rest = after;
            return Some(Piece::Slot(name));
        }
        let skip = rest.chars().next().map_or(1, char::len_utf8);
        let end = rest.get(skip..).and_then(|r| r.find('{')).map_or(rest.len(), |at| at + skip);
        let (head, tail) = rest.split_at(end);
        rest = tail;
        Some(Piece::Text(head))
    })
}

fn slot_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

fn pick<'a>(alternatives: &'a [String], chance: &mut u64) -> &'a str {
    let at = draw(chance) % (alternatives.len().max(1) as u64);
    alternatives.get(usize::try_from(at).unwrap_or(0)).map_or("", String::as_str)
}

fn draw(chance: &mut u64) -> u64 {
    *chance ^= *chance << 13;
    *chance ^= *chance >> 7;
    *chance ^= *chance << 17;
    chance.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "# a comment\n[start:greeting*2]\n{hello}, {who}{end}\n[hello]\nhello\ngood day\n[who]\nworld\n\
                         you {who}\n[end]\n~\n!\\n\n";

    #[test]
    fn texts_are_made_and_always_the_same() {
        let grammar = Grammar::read(SMALL).expect("reads");
        let texts: Vec<String> = (0..200).map(|n| grammar.text(n).1).collect();
        let again: Vec<String> = (0..200).map(|n| grammar.text(n).1).collect();
        assert_eq!(texts, again);
        let distinct: std::collections::BTreeSet<&String> = texts.iter().collect();
        assert!(distinct.len() > 8, "{distinct:?}");
        assert!(texts.iter().all(|t| t.starts_with("hello, ") || t.starts_with("good day, ")));
        assert_eq!(grammar.text(3).0, "greeting");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let wrong = |text: &str| Grammar::read(text).expect_err("refused");
        assert_eq!(wrong("stray\n").line, 1);
        assert_eq!(wrong("[start:a*1]\n{nobody}\n").what, "unknown slot `nobody`");
        assert_eq!(wrong("[start:a*x]\n").what, "`x` is no weight");
        assert_eq!(wrong("[a]\n[a]\n").line, 2);
        assert!(wrong("[a]\nb\n").what.contains("start"));
    }

    #[test]
    fn braces_of_the_text_stay() {
        let grammar = Grammar::read("[start:a*1]\n{\"role\": \"{x}\"} {}\n[x]\nsystem\n").expect("reads");
        assert_eq!(grammar.text(0).1, "{\"role\": \"system\"} {}");
    }
}
