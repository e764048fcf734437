//! Patterns for what a snapshot leaves out, in the manner of `.gitignore` without negation.
//!
//! `target/` is a folder of that name anywhere, `*.log` a name anywhere, `docs/build` a path from the root of the
//! repo; `**` stands for any number of folders. A pattern is followed down the tree one name at a time, so the
//! depth of the tree costs nothing.

use crate::error::SnapshotError;

const MAX_PATTERNS: usize = 256;
const MAX_PATTERN: usize = 512;

/// The patterns, ready to be followed.
#[derive(Debug, Default)]
pub(crate) struct Excludes {
    patterns: Vec<Pattern>,
}

#[derive(Debug)]
struct Pattern {
    parts: Vec<Part>,
    only_folders: bool,
}

#[derive(Debug)]
enum Part {
    /// `**`
    Any,
    Name(Vec<u8>),
}

/// How far each pattern has come in one folder: one bit for each part that may match next.
pub(crate) type Reached = Vec<u64>;

impl Excludes {
    pub(crate) fn new(patterns: &[String]) -> Result<Self, SnapshotError> {
        let bad = |pattern: &String, reason| SnapshotError::Pattern { pattern: pattern.clone(), reason };
        if let Some(pattern) = patterns.get(MAX_PATTERNS) {
            return Err(bad(pattern, "is one too many; 256 can be given"));
        }
        let parsed = patterns.iter().map(|p| Pattern::new(p).map_err(|reason| bad(p, reason)));
        Ok(Self { patterns: parsed.collect::<Result<_, _>>()? })
    }

    /// Where the patterns stand in the root of the repo.
    pub(crate) fn root(&self) -> Reached {
        self.patterns.iter().map(|p| p.closed(1)).collect()
    }

    /// Whether an entry is left out, and otherwise how far the patterns are inside of it.
    pub(crate) fn step(&self, reached: &Reached, name: &[u8], is_folder: bool) -> Option<Reached> {
        let mut inside = Vec::with_capacity(self.patterns.len());
        for (pattern, &from) in self.patterns.iter().zip(reached) {
            let next = pattern.step(from, name);
            if next & pattern.end() != 0 && (is_folder || !pattern.only_folders) {
                return None;
            }
            inside.push(next);
        }
        Some(inside)
    }
}

impl Pattern {
    fn new(text: &str) -> Result<Self, &'static str> {
        if text.len() > MAX_PATTERN {
            return Err("is longer than 512 bytes");
        }
        if text.starts_with('!') {
            return Err("negates, which is not possible here");
        }
        let only_folders = text.ends_with('/');
        let path = text.strip_suffix('/').unwrap_or(text);
        let names: Vec<&str> = path.strip_prefix('/').unwrap_or(path).split('/').collect();
        let mut parts: Vec<Part> = Vec::new();
        if !path.contains('/') {
            parts.push(Part::Any);
        }
        for name in names {
            match name {
                "" => return Err("has an empty part"),
                "." | ".." => return Err("has a part `.` or `..`"),
                "**" => parts.push(Part::Any),
                name => parts.push(Part::Name(name.into())),
            }
        }
        match parts.last() {
            Some(Part::Name(_)) if parts.len() < 60 => Ok(Self { parts, only_folders }),
            Some(Part::Name(_)) => Err("has too many parts"),
            _ => Err("must end in a name"),
        }
    }

    /// The bit that stands for a whole match.
    fn end(&self) -> u64 {
        1 << self.parts.len().min(63)
    }

    /// `**` may stand for nothing.
    fn closed(&self, mut set: u64) -> u64 {
        for (i, part) in self.parts.iter().enumerate() {
            if matches!(part, Part::Any) && set & (1 << i) != 0 {
                set |= 1 << (i + 1);
            }
        }
        set
    }

    fn step(&self, from: u64, name: &[u8]) -> u64 {
        let mut next = 0;
        for (i, part) in self.parts.iter().enumerate().filter(|(i, _)| from & (1 << i) != 0) {
            match part {
                Part::Any => next |= 1 << i,
                Part::Name(glob) if matches(glob, name) => next |= 1 << (i + 1),
                Part::Name(_) => {}
            }
        }
        self.closed(next)
    }
}

/// `*` and `?` over bytes. Only the last star is tried again, so the time is bounded by the product of lengths.
fn matches(glob: &[u8], name: &[u8]) -> bool {
    let (mut g, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match glob.get(g) {
            Some(b'*') => {
                star = Some((g, n));
                g += 1;
            }
            Some(c) if *c == b'?' || Some(c) == name.get(n) => {
                g += 1;
                n += 1;
            }
            _ => {
                let Some((at, from)) = star else { return false };
                star = Some((at, from + 1));
                g = at + 1;
                n = from + 1;
            }
        }
    }
    glob.get(g..).unwrap_or_default().iter().all(|c| *c == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excluded(pattern: &str, path: &str) -> bool {
        let excludes = Excludes::new(&[pattern.to_owned()]).unwrap();
        let mut reached = excludes.root();
        let is_folder = path.ends_with('/');
        let names: Vec<&str> = path.trim_end_matches('/').split('/').collect();
        for (i, name) in names.iter().enumerate() {
            match excludes.step(&reached, name.as_bytes(), is_folder || i + 1 < names.len()) {
                Some(next) => reached = next,
                None => return true,
            }
        }
        false
    }

    #[test]
    fn patterns_match_as_in_gitignore() {
        for (pattern, hit, miss) in [
            ("target/", "target/", "target"),
            ("target/", "a/b/target/x", "a/targets/x"),
            ("*.log", "a/b.log", "a/b.logs"),
            ("/build", "build", "a/build"),
            ("docs/build", "docs/build/x", "a/docs/build"),
            ("a/**/z", "a/b/c/z", "b/a/z"),
            ("a/**/z", "a/z", "a/b/zz"),
            ("**/x/y", "q/x/y", "q/x/z"),
            ("a?c*e", "abcde", "abde"),
        ] {
            assert!(excluded(pattern, hit), "`{pattern}` should match {hit}");
            assert!(!excluded(pattern, miss), "`{pattern}` should not match {miss}");
        }
    }

    #[test]
    fn patterns_that_say_nothing_are_refused() {
        for pattern in ["", "/", "!a", "a//b", "../a", "a/**", &"a/".repeat(200), &"x".repeat(600)] {
            assert!(Excludes::new(&[pattern.to_owned()]).is_err(), "`{pattern}`");
        }
    }
}
