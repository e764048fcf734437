//! Names: exact, or a prefix ended by `*`. Tools, models and environment variables use it; labels and
//! file extensions are exact only.

use crate::pattern::MAX_PATTERN;
use crate::read::clip;
use crate::sets::{Nested, Pattern};
use std::fmt;
use std::sync::Arc;

/// An exact name or a prefix.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NamePattern {
    text: Arc<str>,
    /// `text` is a prefix and everything that starts with it is meant.
    prefix: bool,
}

/// A tool pattern: a name pattern with a meaning of its own.
pub type ToolPattern = NamePattern;

impl NamePattern {
    /// Reads `name` or `prefix*`: printable ASCII without quotes and backslashes, so that no two names look
    /// alike and none needs escaping anywhere.
    pub fn new(text: &str) -> Result<Self, String> {
        let (stem, prefix) = match text.strip_suffix('*') {
            Some(stem) => (stem, true),
            None => (text, false),
        };
        let sound = text.len() <= MAX_PATTERN
            && !stem.contains('*')
            && stem.bytes().all(|b| b.is_ascii_graphic() && !matches!(b, b'"' | b'\\'))
            && !text.is_empty();
        if !sound {
            return Err(format!("`{}` is not a name or a name ended by `*`", clip(text)));
        }
        Ok(Self { text: stem.into(), prefix })
    }

    /// The pattern for every name.
    pub fn any() -> Self {
        Self { text: Arc::from(""), prefix: true }
    }

    /// The name, or the prefix without the star.
    pub fn stem(&self) -> &str {
        &self.text
    }

    /// The whole text; nothing is copied for an exact name.
    pub fn text(&self) -> Arc<str> {
        if self.prefix { Arc::from(format!("{}*", self.text)) } else { self.text.clone() }
    }

    /// Whether it ends with a star.
    pub fn is_prefix(&self) -> bool {
        self.prefix
    }

    /// Whether it covers a name.
    pub fn matches(&self, name: &str) -> bool {
        if self.prefix { name.starts_with(&*self.text) } else { *self.text == *name }
    }

    /// A name that this pattern covers and no longer pattern does.
    ///
    /// INVARIANT: no pattern contains `GENERIC`, so only patterns that cover all of `self` match it.
    pub fn generic_name(&self) -> String {
        if self.prefix { format!("{}{GENERIC}", self.text) } else { self.text.to_string() }
    }

    /// Longer is more specific, and an exact name is more specific than the same prefix.
    pub fn specificity(&self) -> (usize, bool) {
        (self.text.len(), !self.prefix)
    }
}

/// A character that no name may contain; it makes the generic name of a prefix.
const GENERIC: char = '\u{10ffff}';

/// Calls `found` with every prefix of `name`, longest first, until it answers true.
pub fn prefix_matches(name: &str, mut found: impl FnMut(&str) -> bool) -> bool {
    let ends = name.char_indices().map(|(i, _)| i).chain([name.len()]);
    ends.rev().any(|end| name.get(..end).is_some_and(&mut found))
}

impl fmt::Display for NamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        if self.prefix { f.write_str("*") } else { Ok(()) }
    }
}

impl Pattern for NamePattern {
    const WHAT: &'static str = "a name pattern";
    const EXAMPLE: &'static str = "fs/read_*";

    fn parse(text: &str) -> Result<Vec<Self>, String> {
        Self::new(text).map(|p| vec![p])
    }
}

impl Nested for NamePattern {
    fn wider(&self, set: &[Self], found: &mut dyn FnMut(usize) -> bool) -> bool {
        prefix_matches(&self.text, |stem| {
            let same = self.prefix && stem.len() == self.text.len();
            !same && set.binary_search_by(|p| (&*p.text, p.prefix).cmp(&(stem, true))).is_ok_and(&mut *found)
        })
    }
}

macro_rules! exact {
    ($(#[$doc:meta])* $name:ident, $what:literal, $example:literal, $check:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Box<str>);

        impl $name {
            /// Reads one.
            pub fn new(text: &str) -> Result<Self, String> {
                let check: fn(&str) -> bool = $check;
                if !text.is_empty() && text.len() <= 128 && check(text) {
                    Ok(Self(text.into()))
                } else {
                    Err(format!(concat!("`{}` is not ", $what), clip(text)))
                }
            }
            /// The text.
            pub fn as_str(&self) -> &str { &self.0 }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(&self.0) }
        }
        impl Pattern for $name {
            const WHAT: &'static str = $what;
            const EXAMPLE: &'static str = $example;
            fn parse(text: &str) -> Result<Vec<Self>, String> { Self::new(text).map(|p| vec![p]) }
        }
        impl Nested for $name {
            /// One exact name never covers another.
            fn wider(&self, _: &[Self], _: &mut dyn FnMut(usize) -> bool) -> bool {
                false
            }
        }
    };
}

exact! {
    /// A label: capability, layer, region, tag, toolchain. Letters, digits, `_`, `-`, `.`, `:` and `/`.
    Label, "a label", "external_messaging",
    |t| t.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/'))
}
exact! {
    /// A file extension without the dot, lower case.
    Extension, "a file extension", "md",
    |t| t.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}
