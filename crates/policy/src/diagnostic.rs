//! What is wrong, where, and what to do about it.
//!
//! Every stage reports through [`Diagnostic`]s, collected rather than thrown, so that one run shows
//! every problem. A code is stable: scripts match on it, never on the message.

use crate::span::Place;
use std::fmt;

/// Whether the work can go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// No sandbox config comes out.
    Error,
    /// The config comes out; a person should look.
    Warning,
}

macro_rules! codes {
    ($( #[doc = $doc:literal] $name:ident = $text:literal, )*) => {
        /// The stable name of a kind of problem.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $( #[doc = $doc] $name, )* }
        impl Code {
            /// Every code there is, in the order of declaration.
            pub const ALL: &'static [Code] = &[$(Code::$name),*];
            /// The spelling that scripts rely on.
            pub fn as_str(self) -> &'static str {
                match self { $( Code::$name => $text, )* }
            }
            /// What the code means, in one sentence.
            pub fn summary(self) -> &'static str {
                match self { $( Code::$name => $doc.trim_ascii(), )* }
            }
        }
    };
}

codes! {
    /// A level states something looser than a level above it.
    CascadeViolation = "policy.cascade_violation",
    /// A layer name that does not exist.
    UnknownLayer = "policy.unknown_layer",
    /// A lower level names a capability that a level above forbids.
    ForbiddenCapability = "policy.forbidden_capability",
    /// Statements that cannot all hold.
    Contradiction = "policy.contradiction",
    /// A tool the catalog does not know.
    UnknownTool = "policy.unknown_tool",
    /// A rule that no enabled layer enforces.
    Unenforced = "policy.unenforced",
    /// `host` or `full` where the host does not say `selfHostedDev`.
    Reserved = "policy.reserved",
    /// A key that the schema does not have.
    UnknownKey = "policy.unknown_key",
    /// A key written twice.
    DuplicateKey = "policy.duplicate_key",
    /// A value of another type than expected.
    WrongType = "policy.wrong_type",
    /// A value of the right type that means nothing.
    InvalidValue = "policy.invalid_value",
    /// A key that must be there and is not.
    MissingKey = "policy.missing_key",
    /// Text that is not YAML or JSON.
    Syntax = "policy.syntax",
    /// Bytes that are not UTF-8.
    NotUtf8 = "policy.not_utf8",
    /// A document without content.
    Empty = "policy.empty",
    /// A document over the size, depth or node budget.
    TooLarge = "policy.too_large",
    /// A file that cannot be read.
    Unreadable = "policy.unreadable",
    /// A compliance pack that is not there, or not in that version.
    UnknownPack = "policy.unknown_pack",
    /// A category that no one has defined.
    UnknownCategory = "policy.unknown_category",
    /// A preset that is not there.
    UnknownPreset = "policy.unknown_preset",
    /// A document at a level where it does not belong, or one that is not there.
    Layout = "policy.layout",
    /// A statement that has no effect.
    NoEffect = "policy.no_effect",
    /// A question that cannot be read.
    BadQuestion = "policy.bad_question",
    /// A policy test whose answer was not the expected one.
    TestFailed = "policy.test_failed",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a place shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// The statement that is wrong.
    Attempt,
    /// The statement it runs against.
    Floor,
    /// Something that helps to understand.
    Context,
}

/// A place with the words that stand under its caret.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label {
    /// Where.
    pub place: Place,
    /// What it shows.
    pub role: Role,
    /// The words under the caret.
    pub text: String,
}

/// One problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// The stable name.
    pub code: Code,
    /// What is wrong, in lower case, user values in backticks.
    pub message: String,
    /// The attempt first, then the floor, then context.
    pub labels: Vec<Label>,
    /// What was stated below, for violations.
    pub attempt: Option<String>,
    /// What stands above, for violations.
    pub floor: Option<String>,
    /// Who set the floor: document and level.
    pub set_by: Option<String>,
    /// What to do.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error without places yet.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message.into())
    }

    /// A warning without places yet.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message.into())
    }

    fn new(severity: Severity, code: Code, message: String) -> Self {
        Self { severity, code, message, labels: Vec::new(), attempt: None, floor: None, set_by: None, help: None }
    }

    /// Points at the wrong statement.
    #[must_use]
    pub fn at(self, place: Place, text: impl Into<String>) -> Self {
        self.label(place, Role::Attempt, text)
    }

    /// Points at anything.
    #[must_use]
    pub fn label(mut self, place: Place, role: Role, text: impl Into<String>) -> Self {
        self.labels.push(Label { place, role, text: text.into() });
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Whether this stops the derivation.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// A key by which diagnostics are shown in a stable order: errors first, then by place, then by code.
pub fn display_order(d: &Diagnostic) -> (Severity, Option<Place>, Code, String) {
    (d.severity, d.labels.first().map(|l| l.place), d.code, d.message.clone())
}
