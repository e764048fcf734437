//! Node → typed value, collecting every problem instead of stopping at the first.
//!
//! The one place that knows how keys are spelt (camelCase, with snake_case accepted), how the nearest
//! known word is found, and how a wrong type is reported.

use crate::diagnostic::{Code, Diagnostic, Role};
use crate::node::{Entry, Node, Value};
use crate::span::Place;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::Write;

/// The most problems a reader keeps. Whoever has more starts with these.
pub const MAX_DIAGNOSTICS: usize = 1_000;

/// Collects problems while a document is read.
///
/// INVARIANT: it holds at most [`MAX_DIAGNOSTICS`] and a last one that says there are more, and every text
/// in them is short and shows no hidden character, whatever the document holds.
#[derive(Debug, Default)]
pub struct Reader {
    /// What was found so far.
    pub diagnostics: Vec<Diagnostic>,
}

/// The type a plain or quoted scalar has under the YAML core schema.
#[derive(Debug, Clone, Copy, PartialEq)]
enum ScalarKind {
    Null,
    Bool(bool),
    Int(u64),
    Number,
    Text,
}

impl Reader {
    /// Reports a problem.
    pub fn report(&mut self, mut d: Diagnostic) {
        match self.diagnostics.len().cmp(&MAX_DIAGNOSTICS) {
            Ordering::Less => {
                tidy(&mut d.message);
                d.labels.iter_mut().for_each(|l| tidy(&mut l.text));
                d.help.iter_mut().for_each(tidy);
                self.diagnostics.push(d);
            }
            Ordering::Equal => self.diagnostics.push(
                Diagnostic::error(Code::TooLarge, "more problems were found than are shown")
                    .help("put the first ones right, then run it again"),
            ),
            Ordering::Greater => {}
        }
    }

    /// Whether further problems are dropped, so that nobody needs to word them.
    fn is_full(&self) -> bool {
        self.diagnostics.len() > MAX_DIAGNOSTICS
    }

    /// Reports a value of the right type that means nothing.
    pub fn invalid(&mut self, place: Place, message: impl Into<String>, help: impl Into<String>) {
        self.report(Diagnostic::error(Code::InvalidValue, message).at(place, "not understood").help(help));
    }

    /// Reports a value of the wrong type.
    pub fn wrong_type(&mut self, node: &Node, expected: &str) {
        let found = describe(node);
        self.report(
            Diagnostic::error(Code::WrongType, format!("expected {expected}, found {found}"))
                .at(node.place, format!("this is {found}"))
                .help(format!("write {expected}")),
        );
    }

    /// The entries of a mapping whose keys are from a fixed list, each with its canonical spelling.
    pub fn keys<'n>(&mut self, node: &'n Node, known: &[&'static str], what: &str) -> Vec<(&'static str, &'n Entry)> {
        let Some(entries) = self.map(node, what) else { return Vec::new() };
        let mut out: Vec<(&'static str, &Entry)> = Vec::with_capacity(entries.len());
        for entry in entries {
            let Some(key) = canonical_key(&entry.key, known) else {
                self.unknown_key(entry, known, what);
                continue;
            };
            match out.iter().find(|(k, _)| *k == key) {
                Some((_, first)) => self.report(
                    Diagnostic::error(Code::DuplicateKey, format!("the key `{key}` stands twice, in two spellings"))
                        .at(entry.key_place, "second time here")
                        .label(first.key_place, Role::Context, "first time here")
                        .help("keep one of the two"),
                ),
                None => out.push((key, entry)),
            }
        }
        out
    }

    /// Reports a key that is not in the list, with the nearest one that is.
    pub fn unknown_key(&mut self, entry: &Entry, known: &[&str], what: &str) {
        if self.is_full() {
            return;
        }
        let d = Diagnostic::error(Code::UnknownKey, format!("unknown key `{}` in {what}", clip(&entry.key)));
        let d = match nearest(&entry.key, known) {
            Some(near) => d.at(entry.key_place, format!("did you mean `{near}`?")).help(format!("write `{near}`")),
            None if entry.key == "<<" => d
                .at(entry.key_place, "merge keys are not part of YAML 1.2")
                .help("write the fields out; the cascade does the merging"),
            None => {
                d.at(entry.key_place, "not a key of the schema").help(format!("known keys here: {}", known.join(", ")))
            }
        };
        self.report(d);
    }

    /// The entries of a mapping with free keys.
    pub fn map<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [Entry]> {
        match &node.value {
            Value::Map(entries) => Some(entries),
            _ => {
                self.wrong_type(node, &format!("a mapping ({what})"));
                None
            }
        }
    }

    /// The items of a list.
    pub fn list<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [Node]> {
        match &node.value {
            Value::Seq(items) => Some(items),
            _ => {
                self.wrong_type(node, &format!("a list of {what}"));
                None
            }
        }
    }

    /// A text.
    pub fn text<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n str> {
        match scalar(node) {
            Some((ScalarKind::Text, text)) if !text.is_empty() => Some(text),
            Some((ScalarKind::Text, _)) => {
                self.invalid(node.place, format!("{what} is empty"), format!("write {what}"));
                None
            }
            _ => {
                self.wrong_type(node, what);
                None
            }
        }
    }

    /// A yes or no.
    pub fn flag(&mut self, node: &Node) -> Option<bool> {
        match scalar(node) {
            Some((ScalarKind::Bool(b), _)) => Some(b),
            _ => {
                self.wrong_type(node, "`true` or `false`");
                None
            }
        }
    }

    /// A whole number that is not negative.
    pub fn count(&mut self, node: &Node, what: &str) -> Option<u64> {
        match scalar(node) {
            Some((ScalarKind::Int(n), _)) => Some(n),
            _ => {
                self.wrong_type(node, what);
                None
            }
        }
    }

    /// The text of a scalar that may be a number or a text, such as `2GiB` or `10`.
    pub fn quantity<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n str> {
        match scalar(node) {
            Some((ScalarKind::Int(_) | ScalarKind::Number | ScalarKind::Text, text)) => Some(text),
            _ => {
                self.wrong_type(node, what);
                None
            }
        }
    }

    /// One of a fixed list of words.
    pub fn word<T: Copy>(&mut self, node: &Node, words: &[(&'static str, T)], what: &str) -> Option<T> {
        let text = self.text(node, what)?;
        if let Some((_, value)) = words.iter().find(|(w, _)| *w == text) {
            return Some(*value);
        }
        if self.is_full() {
            return None;
        }
        let known: Vec<&str> = words.iter().map(|(w, _)| *w).collect();
        let d = Diagnostic::error(Code::InvalidValue, format!("`{}` is not {what}", clip(text)));
        self.report(match nearest(text, &known) {
            Some(near) => {
                d.at(node.place, format!("did you mean `{near}`?")).help(format!("one of: {}", known.join(", ")))
            }
            None => d.at(node.place, "not one of the words").help(format!("one of: {}", known.join(", "))),
        });
        None
    }
}

fn scalar(node: &Node) -> Option<(ScalarKind, &str)> {
    match &node.value {
        Value::Scalar { text, plain: true } => Some((classify(text), text)),
        Value::Scalar { text, plain: false } => Some((ScalarKind::Text, text)),
        _ => None,
    }
}

fn classify(text: &str) -> ScalarKind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => ScalarKind::Null,
        "true" | "True" | "TRUE" => ScalarKind::Bool(true),
        "false" | "False" | "FALSE" => ScalarKind::Bool(false),
        _ => match parse_integer(text) {
            Some(n) => ScalarKind::Int(n),
            None if looks_like_number(text) => ScalarKind::Number,
            None => ScalarKind::Text,
        },
    }
}

/// A decimal number with `_` allowed between digits.
pub(crate) fn parse_integer(text: &str) -> Option<u64> {
    let ok = text.bytes().all(|b| b.is_ascii_digit() || b == b'_')
        && text.starts_with(|c: char| c.is_ascii_digit())
        && !text.ends_with('_');
    if !ok {
        return None;
    }
    text.chars().filter(|c| *c != '_').collect::<String>().parse().ok()
}

fn looks_like_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) && text.parse::<f64>().is_ok()
}

fn describe(node: &Node) -> String {
    match (&node.value, scalar(node)) {
        (Value::Seq(_), _) => "a list".into(),
        (Value::Map(_), _) => "a mapping".into(),
        (_, Some((ScalarKind::Null, _))) => "nothing".into(),
        (_, Some((ScalarKind::Bool(b), _))) => format!("the boolean `{b}`"),
        (_, Some((ScalarKind::Int(_) | ScalarKind::Number, t))) => format!("the number `{}`", clip(t)),
        (_, Some((ScalarKind::Text, t))) => format!("the text `{}`", clip(t)),
        (Value::Scalar { text, .. }, None) => format!("`{}`", clip(text)),
    }
}

/// The first characters of a value, so that a message stays a message; what cannot be seen is spelt out.
pub(crate) fn clip(text: &str) -> String {
    const MOST: usize = 60;
    visible(text, MOST).into_owned()
}

/// The last guard for a text that is made elsewhere: bounded, on one line, with nothing hidden in it.
pub(crate) fn tidy(text: &mut String) {
    const MOST: usize = 1_000;
    if let Cow::Owned(better) = visible(text, MOST) {
        *text = better;
    }
}

/// At most so many characters of a text, and `…` for the rest; hidden characters as `\u{…}`.
fn visible(text: &str, most: usize) -> Cow<'_, str> {
    let cut = text.char_indices().nth(most).map(|(at, _)| at);
    let head = text.get(..cut.unwrap_or(text.len())).unwrap_or_default();
    if cut.is_none() && !head.contains(is_hidden) {
        return Cow::Borrowed(head);
    }
    let mut out = String::with_capacity(head.len() + 16);
    for c in head.chars() {
        match is_hidden(c) {
            true => _ = write!(out, "{}", c.escape_debug()),
            false => out.push(c),
        }
    }
    out.extend(cut.map(|_| '…'));
    Cow::Owned(out)
}

/// Whether a character shows nothing of itself or changes how others are shown: control characters, line
/// ends, spaces of no width, direction marks, fillers, variation selectors, tags.
fn is_hidden(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{10ffff}')
}

/// The canonical key for a spelling, camelCase or snake_case.
fn canonical_key(key: &str, known: &[&'static str]) -> Option<&'static str> {
    let folded = if key.contains('_') { camel(key) } else { key.to_owned() };
    known.iter().copied().find(|k| *k == key || *k == folded || (k.contains('_') && camel(k) == folded))
}

/// `allowed_imports` → `allowedImports`.
pub fn camel(key: &str) -> String {
    let mut out = String::with_capacity(key.len());
    let mut upper = false;
    for c in key.chars() {
        match c {
            '_' if !out.is_empty() => upper = true,
            c if upper => {
                out.extend(c.to_uppercase());
                upper = false;
            }
            c => out.push(c),
        }
    }
    out
}

/// The known word nearest to what was written, if any is near enough to be meant.
pub fn nearest<'k>(written: &str, known: &[&'k str]) -> Option<&'k str> {
    if written.len() > 64 {
        return None;
    }
    let folded = camel(written).to_lowercase();
    known
        .iter()
        .map(|k| (strsim::damerau_levenshtein(&camel(k).to_lowercase(), &folded), *k))
        .filter(|(d, k)| *d <= 1 + k.len() / 4)
        .min()
        .map(|(_, k)| k)
}
