//! Where text goes: stdout for results, stderr for people; colour only where it is wanted.
//!
//! A reader that stops reading (`ringfence … | head`) is no error: what is written into a broken pipe is lost on purpose.

use crate::failure::Failure;
use anstream::{AutoStream, ColorChoice};
use clap::ValueEnum;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{ErrorKind, Write};
use std::path::Path;

/// How results and errors are written. Words without comments: help shows them in one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Human,
    Json,
    Sarif,
    Junit,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

/// The two streams and how to write to them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    /// The format that was asked for.
    pub(crate) format: Format,
    color: ColorChoice,
}

impl Output {
    /// Output in a format, coloured or not.
    pub(crate) fn new(format: Format, color: Color) -> Self {
        let color = match color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        Self { format, color }
    }

    /// Refuses a format that a command does not have.
    pub(crate) fn only(&self, known: &[Format]) -> Result<(), Failure> {
        if known.contains(&self.format) {
            return Ok(());
        }
        let word = |f: &Format| f.to_possible_value().map(|v| v.get_name().to_owned()).unwrap_or_default();
        let words: Vec<String> = known.iter().map(word).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        Err(Failure::Usage(format!("this command has no format `{}`, only {}", word(&self.format), in_words(&words))))
    }

    /// Writes a result for people.
    pub(crate) fn result(&self, text: &str) -> Result<(), Failure> {
        write(AutoStream::new(std::io::stdout().lock(), self.color), text)
    }

    /// Writes a result for machines: not a byte is taken for colour and dropped.
    pub(crate) fn raw(&self, text: &str) -> Result<(), Failure> {
        write(std::io::stdout().lock(), text)
    }

    /// Writes a result as JSON, indented by two spaces.
    pub(crate) fn json(&self, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(value).map_err(|e| Failure::Io(format!("cannot write JSON: {e}")))?;
        self.raw(&format!("{text}\n"))
    }

    /// Writes a message for people. There is nobody left to tell where that fails.
    pub(crate) fn note(&self, text: &str) {
        let mut stream = AutoStream::new(std::io::stderr().lock(), self.color);
        let _ = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
    }
}

fn write(mut stream: impl Write, text: &str) -> Result<(), Failure> {
    match stream.write_all(text.as_bytes()).and_then(|()| stream.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(Failure::Io(format!("cannot write to stdout: {e}"))),
        _ => Ok(()),
    }
}

/// Text of a policy, a path or a name as it may be shown: a terminal must not act on it, nor turn it around, and
/// nothing in it may be invisible.
pub(crate) fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unsafe(c) {
            // Writing to a String cannot fail.
            let _ = write!(out, "{}", c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// A path as it may be shown.
pub(crate) fn shown_path(path: &Path) -> String {
    shown(&path.display().to_string())
}

/// Whether a terminal acts on a character, turns text around at it, or shows nothing for it.
pub(crate) fn is_unsafe(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let breaks = matches!(c, '\u{2028}' | '\u{2029}');
    let invisible = matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    c.is_control() || turns || breaks || invisible
}

/// `a`, `a and b`, `a, b and c`
pub(crate) fn in_words(words: &[&str]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => words.concat(),
    }
}

/// The first names of a list, and how many more there are: nobody reads a hint of a hundred names.
pub(crate) fn choices(names: &[&str]) -> String {
    const MOST: usize = 12;
    let more = match names.len().saturating_sub(MOST) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    names.get(..MOST).unwrap_or(names).join(", ") + &more
}

/// `1 error`, `3 errors`
pub(crate) fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_acts_turns_or_hides_is_shown() {
        let hostile = "a\u{1b}[31m\n\r\u{9b}\u{202e}\u{200b}\u{feff}\u{e0041}z";
        assert_eq!(shown(hostile), "a\\u{1b}[31m\\n\\r\\u{9b}\\u{202e}\\u{200b}\\u{feff}\\u{e0041}z");
        assert_eq!(shown("größe/日本 語.yaml"), "größe/日本 語.yaml");
    }

    #[test]
    fn lists_read_as_a_person_would_say_them() {
        assert_eq!(in_words(&["human"]), "human");
        assert_eq!(in_words(&["human", "json"]), "human and json");
        assert_eq!(in_words(&["human", "json", "sarif"]), "human, json and sarif");
        assert_eq!(choices(&["a"; 12]).matches('a').count(), 12);
        assert!(choices(&["b"; 15]).ends_with("b, b and 3 more"));
    }
}
