//! Imports: a dotted module name that stands for itself and everything below it, component by component:
//! `os` covers `os.path` and never `ossaudiodev`.

use crate::read::clip;
use crate::sets::{Nested, Pattern};
use std::fmt;

/// A module and all below it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ImportPattern(Box<str>);

impl ImportPattern {
    /// Reads a dotted module name.
    pub fn new(text: &str) -> Result<Self, String> {
        let component = |c: &str| {
            c.starts_with(|c: char| c.is_alphabetic() || c == '_') && c.chars().all(|c| c.is_alphanumeric() || c == '_')
        };
        if text.len() <= 256 && text.split('.').all(component) {
            Ok(Self(text.into()))
        } else {
            Err(format!("`{}` is not a dotted module name", clip(text)))
        }
    }

    /// The module name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Calls `found` with the module and each of its parents until it answers true.
    pub fn parents(module: &str, mut found: impl FnMut(&str) -> bool) -> bool {
        let mut rest = Some(module);
        while let Some(name) = rest {
            if found(name) {
                return true;
            }
            rest = name.rsplit_once('.').map(|(parent, _)| parent);
        }
        false
    }

    /// Whether the pattern covers a module.
    pub fn matches(&self, module: &str) -> bool {
        Self::parents(module, |m| *self.0 == *m)
    }
}

impl fmt::Display for ImportPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Pattern for ImportPattern {
    const WHAT: &'static str = "a module name";
    const EXAMPLE: &'static str = "os.path";

    fn parse(text: &str) -> Result<Vec<Self>, String> {
        Self::new(text).map(|p| vec![p])
    }
}

impl Nested for ImportPattern {
    fn wider(&self, set: &[Self], found: &mut dyn FnMut(usize) -> bool) -> bool {
        Self::parents(&self.0, |m| {
            let same = m.len() == self.0.len();
            !same && set.binary_search_by(|p| (*p.0).cmp(m)).is_ok_and(&mut *found)
        })
    }
}
