//! What the scanner says about a text: a rule, where it holds in the original, and the words that show it.

use serde::Serialize;

use crate::rule::Rule;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth a line in the log.
    #[default]
    Info,
    /// Odd in tool output.
    Warn,
    /// Reads as an attempt to steer the model.
    Error,
    /// No innocent reading.
    Critical,
}

impl Severity {
    /// The next worse one.
    pub(crate) fn graver(self) -> Option<Self> {
        match self {
            Self::Info => Some(Self::Warn),
            Self::Warn => Some(Self::Error),
            Self::Error => Some(Self::Critical),
            Self::Critical => None,
        }
    }
}

/// Where in the original text, in bytes; always on character boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// One thing found.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// What was found.
    pub rule: &'static Rule,
    /// How bad it is: the rule's own severity, or the one its score earned.
    pub severity: Severity,
    /// Where it is in the original text, even if it was found in a decoded part.
    pub span: Span,
    /// The words that show it, as read after folding and decoding: bounded, on one line, secrets masked.
    pub evidence: String,
    /// How the text was opened to find it, outermost first; empty where it stands plainly.
    pub via: Vec<&'static str>,
}
