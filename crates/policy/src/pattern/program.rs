//! Programs: a bare name (`git`) is the program of that name wherever the system finds it; an absolute
//! path is that file only.

use crate::read::clip;
use crate::sets::{Nested, Pattern};
use std::fmt;

/// A program that may or may not be started.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Program(Box<str>);

impl Program {
    /// Reads a program name or an absolute path without `.` and `..`.
    pub fn new(text: &str) -> Result<Self, String> {
        let bad = || format!("`{}` is not a program name or an absolute path", clip(text));
        if text.is_empty() || text.len() > 4096 || text.chars().any(|c| c.is_control()) {
            return Err(bad());
        }
        let component = |c: &str| !c.is_empty() && c != "." && c != "..";
        let sound = match text.strip_prefix('/') {
            Some(rest) => rest.split('/').all(component),
            None => component(text) && !text.contains('/') && !text.contains('*'),
        };
        if sound { Ok(Self(text.into())) } else { Err(bad()) }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last component.
    pub fn base_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// Whether a statement about `self` speaks of `asked`: the same path, or a bare name for its file.
    pub fn matches(&self, asked: &Program) -> bool {
        self.0 == asked.0 || (!self.0.contains('/') && *self.0 == *asked.base_name())
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Pattern for Program {
    const WHAT: &'static str = "a program";
    const EXAMPLE: &'static str = "git";

    fn parse(text: &str) -> Result<Vec<Self>, String> {
        Self::new(text).map(|p| vec![p])
    }
}

impl Nested for Program {
    fn wider(&self, set: &[Self], found: &mut dyn FnMut(usize) -> bool) -> bool {
        self.0.contains('/') && set.binary_search_by(|p| (*p.0).cmp(self.base_name())).is_ok_and(found)
    }
}
