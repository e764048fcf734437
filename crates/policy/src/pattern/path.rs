//! Paths, compared component by component, never as text.
//!
//! A path hangs on an anchor: the file system root (`/etc`), the home directory (`~/.ssh`) or the working
//! repo (`src`). A pattern covers the path and all below it. Deny sets may use `**` (any number of
//! components) and `*` inside a component; allow sets use plain roots, which nest and therefore intersect.

use crate::read::clip;
use crate::sets::{Nested, Pattern};
use std::fmt;
use std::sync::Arc;

/// Where a path starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Anchor {
    /// `/…`
    Root,
    /// `~/…`
    Home,
    /// Relative: inside the working repo.
    Repo,
}

/// A path that is asked about or granted: no globs, `.` and `..` resolved away.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathRoot {
    anchor: Anchor,
    /// Components joined by `/`; empty for the anchor itself.
    rest: Box<str>,
}

/// The same thing, read from a question.
pub type QuestionPath = PathRoot;

/// A path with globs, for deny sets.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathPattern {
    anchor: Anchor,
    components: Arc<[Box<str>]>,
    /// How it prints, kept because it is printed far more often than read.
    text: Arc<str>,
}

/// How many components a path may have; matching is linear in it for each `**`.
const MAX_COMPONENTS: usize = 128;

/// Splits off the anchor and resolves `.` and `..` by text. A path that climbs above its anchor is refused.
fn resolve(text: &str) -> Result<(Anchor, Vec<&str>), String> {
    if text.is_empty() || text.len() > 4096 || text.chars().any(|c| c.is_control()) {
        return Err(format!("`{}` is not a path", clip(text)));
    }
    let (anchor, rest) = match text {
        "~" => (Anchor::Home, ""),
        _ if text.starts_with("~/") => (Anchor::Home, text.get(2..).unwrap_or_default()),
        _ if text.starts_with('~') => return Err(format!("`{}` names another user's home", clip(text))),
        _ if text.starts_with('/') => (Anchor::Root, text),
        _ => (Anchor::Repo, text),
    };
    let mut components: Vec<&str> = Vec::new();
    for component in rest.split('/') {
        match component {
            "" | "." => {}
            ".." => match (components.pop(), anchor) {
                (Some("**"), _) => return Err(format!("`{}` climbs out of `**`", clip(text))),
                (None, Anchor::Home | Anchor::Repo) => return Err(format!("`{}` climbs out of its root", clip(text))),
                _ => {}
            },
            c if c.trim() != c => {
                return Err(format!("`{}` has a component that starts or ends with a space", clip(text)));
            }
            c => components.push(c),
        }
    }
    if components.len() > MAX_COMPONENTS {
        return Err(format!("`{}` has more than {MAX_COMPONENTS} components", clip(text)));
    }
    Ok((anchor, components))
}

/// An anchor and what is below it, as text.
struct Shown<'a>(Anchor, &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(self.0, self.1, f)
    }
}

fn show(anchor: Anchor, rest: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match (anchor, rest) {
        (Anchor::Root, _) => write!(f, "/{rest}"),
        (Anchor::Home, "") => f.write_str("~"),
        (Anchor::Home, _) => write!(f, "~/{rest}"),
        (Anchor::Repo, "") => f.write_str("."),
        // A repo path that would read as another anchor keeps its leading `./`.
        (Anchor::Repo, _) if rest.starts_with('~') => write!(f, "./{rest}"),
        (Anchor::Repo, _) => f.write_str(rest),
    }
}

impl PathRoot {
    /// Reads a path without globs.
    pub fn new(text: &str) -> Result<Self, String> {
        let (anchor, components) = resolve(text)?;
        Ok(Self { anchor, rest: components.join("/").into() })
    }

    /// The anchor and what is below it, where a path is written the way it prints, in visible ASCII and without a `*`;
    /// nothing for any other text, good or bad. What this takes, [`Self::new`] takes, with the same outcome: it is for
    /// whoever reads a hundred paths at each start.
    pub fn as_printed(text: &str) -> Option<(Anchor, &str)> {
        let (anchor, rest) = match text.as_bytes() {
            [b'~', b'/', ..] => (Anchor::Home, text.get(2..)?),
            [b'/', ..] => (Anchor::Root, text.get(1..)?),
            [b'~', ..] => return None,
            _ => (Anchor::Repo, text),
        };
        let visible = rest.bytes().all(|b| b.is_ascii_graphic() && b != b'*');
        let mut components = rest.split('/');
        let plain = components.by_ref().take(MAX_COMPONENTS).all(|c| !matches!(c, "" | "." | ".."));
        (visible && plain && components.next().is_none() && text.len() <= 4096).then_some((anchor, rest))
    }

    /// A granted root may not hold a glob: roots nest, globs do not.
    fn granted(text: &str) -> Result<Self, String> {
        if text.contains('*') {
            return Err(format!("`{}` has a `*`; a root is a plain path", clip(text)));
        }
        Self::new(text)
    }

    /// Where it starts.
    pub fn anchor(&self) -> Anchor {
        self.anchor
    }

    /// The components below the anchor, joined by `/`.
    pub fn rest(&self) -> &str {
        &self.rest
    }

    /// The extension of the last component, if it has one.
    pub fn extension(&self) -> Option<&str> {
        let name = self.rest.rsplit('/').next()?;
        name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ext)| ext)
    }

    /// Calls `found` with the path and each parent up to the anchor, as text below the anchor.
    pub fn parents(&self, mut found: impl FnMut(&str) -> bool) -> bool {
        let mut rest: &str = &self.rest;
        loop {
            if found(rest) {
                return true;
            }
            match rest.rsplit_once('/') {
                Some((parent, _)) => rest = parent,
                None if rest.is_empty() => return false,
                None => rest = "",
            }
        }
    }

    /// This path with more components below it.
    #[must_use]
    pub fn join_rest(&self, rest: &str) -> Self {
        let joined = match (&*self.rest, rest) {
            (own, "") => own.to_owned(),
            ("", more) => more.to_owned(),
            (own, more) => format!("{own}/{more}"),
        };
        Self { anchor: self.anchor, rest: joined.into() }
    }

    /// This path as seen from a root that contains it, hung on another anchor.
    pub fn below(&self, root: &PathRoot, anchor: Anchor) -> Option<Self> {
        if !root.contains(self) {
            return None;
        }
        let rest = self.rest.get(root.rest.len()..)?.trim_start_matches('/');
        Some(Self { anchor, rest: rest.into() })
    }

    /// Whether `other` is this path or below it.
    pub fn contains(&self, other: &PathRoot) -> bool {
        self.anchor == other.anchor && other.parents(|p| *self.rest == *p)
    }
}

impl fmt::Display for PathRoot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(self.anchor, &self.rest, f)
    }
}

impl Pattern for PathRoot {
    const WHAT: &'static str = "a path";
    const EXAMPLE: &'static str = "sandbox-output";

    fn parse(text: &str) -> Result<Vec<Self>, String> {
        Self::granted(text).map(|p| vec![p])
    }
}

impl Nested for PathRoot {
    fn wider(&self, set: &[Self], found: &mut dyn FnMut(usize) -> bool) -> bool {
        self.parents(|rest| {
            let same = rest.len() == self.rest.len();
            !same && set.binary_search_by(|p| (p.anchor, &*p.rest).cmp(&(self.anchor, rest))).is_ok_and(&mut *found)
        })
    }
}

impl PathPattern {
    /// Reads a path with globs.
    pub fn new(text: &str) -> Result<Self, String> {
        let (anchor, components) = resolve(text)?;
        let bad = components.iter().find(|c| c.contains("**") && **c != "**");
        if let Some(bad) = bad {
            return Err(format!("`{}` mixes `**` with other text", clip(bad)));
        }
        if components.iter().filter(|c| **c == "**").count() > 4 {
            return Err(format!("`{}` has more than four `**`", clip(text)));
        }
        let text = Shown(anchor, &components.join("/")).to_string();
        Ok(Self { anchor, components: components.into_iter().map(Box::from).collect(), text: Arc::from(text) })
    }

    /// How it prints.
    pub fn text(&self) -> Arc<str> {
        self.text.clone()
    }

    /// The plain path it is, when it has no globs.
    pub fn plain(&self) -> Option<PathRoot> {
        let globbed = self.components.iter().any(|c| c.contains('*'));
        (!globbed).then(|| PathRoot { anchor: self.anchor, rest: self.components.join("/").into() })
    }

    /// The name, where the pattern is `**/name`: one component anywhere.
    pub fn component_anywhere(&self) -> Option<&str> {
        match &*self.components {
            [any, name] if &**any == "**" && self.anchor == Anchor::Repo && !name.contains('*') => Some(name),
            _ => None,
        }
    }

    /// Whether the path or one of its parents is what the pattern describes.
    ///
    /// A relative pattern that starts with `**` speaks of any directory, so it also covers home and root.
    pub fn matches(&self, path: &PathRoot) -> bool {
        let floating = self.anchor == Anchor::Repo && self.components.first().is_some_and(|c| &**c == "**");
        if self.anchor != path.anchor && !floating {
            return false;
        }
        let asked: Vec<&str> = path.rest.split('/').filter(|c| !c.is_empty()).collect();
        covers(&self.components, &asked)
    }

    /// A path that the pattern covers, to ask about it.
    pub fn sample(&self) -> String {
        let parts: Vec<String> = self
            .components
            .iter()
            .map(|c| if &**c == "**" { "any".to_owned() } else { c.replace('*', "any") })
            .collect();
        PathRoot { anchor: self.anchor, rest: parts.join("/").into() }.to_string()
    }
}

/// Whether the pattern describes some prefix of the path. Dynamic programming over components: linear in
/// the product of both lengths, whatever the number of `**`.
fn covers(pattern: &[Box<str>], path: &[&str]) -> bool {
    // reach[j]: the pattern up to here can describe exactly the first j components.
    let mut reach = vec![false; path.len() + 1];
    if let Some(first) = reach.first_mut() {
        *first = true;
    }
    for component in pattern {
        let mut next = vec![false; path.len() + 1];
        if &**component == "**" {
            let mut any = false;
            for (slot, was) in next.iter_mut().zip(&reach) {
                any |= *was;
                *slot = any;
            }
        } else {
            for ((slot, was), name) in next.iter_mut().skip(1).zip(&reach).zip(path) {
                *slot = *was && component_matches(component, name);
            }
        }
        reach = next;
    }
    reach.contains(&true)
}

/// `*` inside a component stands for any characters; the classic linear two-pointer match.
fn component_matches(pattern: &str, name: &str) -> bool {
    if !pattern.contains('*') {
        return pattern == name;
    }
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut last = "";
    let mut pending: Option<&str> = None;
    for part in parts {
        if let Some(middle) = pending.replace(part) {
            let Some(at) = rest.find(middle) else { return false };
            rest = rest.get(at + middle.len()..).unwrap_or_default();
        }
        last = part;
    }
    rest.ends_with(last)
}

impl fmt::Display for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Pattern for PathPattern {
    const WHAT: &'static str = "a path pattern";
    const EXAMPLE: &'static str = "**/.env";

    fn parse(text: &str) -> Result<Vec<Self>, String> {
        Self::new(text).map(|p| vec![p])
    }
}
