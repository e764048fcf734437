//! Where text goes: stdout for results, stderr for people; colour only where it is wanted.
//!
//! A reader that stops reading (`ringfence … | head`) is no error: what is written into a broken pipe is lost on purpose.

use crate::failure::Failure;
use anstream::{AutoStream, ColorChoice};
use clap::ValueEnum;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{ErrorKind, Write};

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
        Err(Failure::Usage(format!(
            "this command has no format `{}`, only {}",
            word(&self.format),
            words.join(" and ")
        )))
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

/// Text of a policy as it may be shown: a terminal must not act on what a document says, nor turn it around.
pub(crate) fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let turns =
            matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if c.is_control() || turns {
            // Writing to a String cannot fail.
            let _ = write!(out, "{}", c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// `1 error`, `3 errors`
pub(crate) fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}
