//! HTTP requests: a method, and a path that is exact or ends with `/*`.
//!
//! `/v1/*` covers what is below `/v1/`, never `/v1` or `/v10`. A path that servers are known to read in more
//! than one way is covered by nothing: what was judged must be what is served.

use crate::read::clip;
use crate::sets::{Nested, Pattern};
use std::fmt;

/// The longest name of a method.
const LONGEST_METHOD: usize = 32;

/// An HTTP method, as it is sent: upper case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Method(Box<str>);

impl Method {
    /// Reads a method.
    pub fn new(text: &str) -> Result<Self, String> {
        let sound = (1..=LONGEST_METHOD).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_uppercase() || b == b'-')
            && text.starts_with(|c: char| c.is_ascii_uppercase());
        match text {
            "CONNECT" => Err("`CONNECT` opens a tunnel and is never allowed by a rule".to_owned()),
            _ if sound => Ok(Self(text.into())),
            _ => Err(format!("`{}` is not an HTTP method in upper case", clip(text))),
        }
    }

    /// The method as it is sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One path, or all below one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestPath {
    /// The path; with its last `/` where everything below is meant.
    text: Box<str>,
    below: bool,
}

impl RequestPath {
    /// Every path there is.
    pub fn any() -> Self {
        Self { text: "/".into(), below: true }
    }

    /// Reads a path pattern.
    pub fn new(text: &str) -> Result<Self, String> {
        let (path, below) = match text.strip_suffix('*') {
            Some(path) if path.ends_with('/') => (path, true),
            _ => (text, false),
        };
        if path.contains('*') {
            return Err(format!("`{}` has a `*` that is not the whole last part", clip(text)));
        }
        if path.contains('?') || path.len() > super::MAX_PATTERN || clean_path(path).is_none() {
            return Err(format!("`{}` is not the path of a request", clip(text)));
        }
        Ok(Self { text: path.into(), below })
    }

    /// Whether the pattern covers the target of a request: its path, with or without a query.
    pub fn matches(&self, target: &str) -> bool {
        clean_path(target).is_some_and(|path| self.covers_path(path))
    }

    fn covers_path(&self, path: &str) -> bool {
        if self.below { path.starts_with(&*self.text) } else { path == &*self.text }
    }
}

impl fmt::Display for RequestPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        if self.below { f.write_str("*") } else { Ok(()) }
    }
}

impl Pattern for RequestPath {
    const WHAT: &'static str = "a request path";
    const EXAMPLE: &'static str = "/v1/*";

    fn parse(text: &str) -> Result<Vec<Self>, String> {
        Self::new(text).map(|p| vec![p])
    }
}

impl Nested for RequestPath {
    fn wider(&self, set: &[Self], found: &mut dyn FnMut(usize) -> bool) -> bool {
        let ends =
            self.text.match_indices('/').map(|(at, _)| at + 1).filter(|end| !self.below || *end < self.text.len());
        for prefix in ends.filter_map(|end| self.text.get(..end)) {
            let at = set.binary_search_by(|p| (&*p.text, p.below).cmp(&(prefix, true)));
            if at.is_ok_and(&mut *found) {
                return true;
            }
        }
        false
    }
}

/// The path without query, if every server reads it alike: no dot segments in any spelling, no encoded
/// separators, no backslash, no parameters inside dot segments, nothing but printable ASCII.
fn clean_path(target: &str) -> Option<&str> {
    let path = target.split_once('?').map_or(target, |(path, _)| path);
    let printable = path.bytes().all(|b| (0x21..0x7f).contains(&b) && b != b'\\' && b != b'#');
    (printable && path.starts_with('/') && path.split('/').skip(1).all(sound_segment)).then_some(path)
}

fn sound_segment(segment: &str) -> bool {
    let lower = segment.to_ascii_lowercase();
    let encoded = lower.split('%').skip(1).all(|rest| {
        let code = rest.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        code.is_some_and(|c| c >= 0x20 && c != 0x7f && !matches!(c, b'.' | b'/' | b'\\' | b'%' | b';'))
    });
    let name = lower.split(';').next().unwrap_or_default();
    encoded && !matches!(name, "." | "..")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sets::AllowSet;
    use proptest::prelude::*;

    #[test]
    fn a_path_is_exact_or_below() {
        for (pattern, path, want) in [
            ("/v1", "/v1", true),
            ("/v1", "/v1?x=../..", true),
            ("/v1", "/v1/", false),
            ("/v1", "/v10", false),
            ("/v1/*", "/v1/x?y=../..", true),
            ("/v1/*", "/v1/", true),
            ("/v1/*", "/v1/%20x", true),
            ("/v1/*", "/v1", false),
            ("/v1/*", "/v10", false),
            ("/*", "/", true),
            ("/*", "/any/thing", true),
            ("/*", "*", false),
            ("/*", "v1", false),
            ("/*", "", false),
            ("/v1/*", "/v1/../admin", false),
            ("/v1/*", "/v1/%2e%2E/admin", false),
            ("/v1/*", "/v1/.%2e/admin", false),
            ("/v1/*", "/v1/..;a=b/admin", false),
            ("/v1/*", "/v1/..%2fadmin", false),
            ("/v1/*", "/v1/%5c..%5cadmin", false),
            ("/v1/*", "/v1/..\\admin", false),
            ("/v1/*", "/v1/%252e%252e/admin", false),
            ("/v1/*", "/v1/%00", false),
            ("/v1/*", "/v1/%zz", false),
            ("/v1/*", "/v1/%2", false),
            ("/v1/*", "/v1/%\u{e9}\u{e9}", false),
            ("/v1/*", "/v1/./x", false),
        ] {
            assert_eq!(RequestPath::new(pattern).unwrap().matches(path), want, "{pattern} {path}");
        }
    }

    #[test]
    fn what_is_no_pattern() {
        for text in ["", "v1", "*", "/v*", "/*/x", "/v1**", "/v1/../x", "/a?b", "/a b", "/%2e%2e/", "/v1/\u{e9}"] {
            assert!(RequestPath::new(text).is_err(), "{text}");
        }
        for text in ["", "get", "GE T", "CONNECT", "-X", "G\0", &"A".repeat(33)] {
            assert!(Method::new(text).is_err(), "{text}");
        }
        assert_eq!(Method::new("M-SEARCH").unwrap().as_str(), "M-SEARCH");
    }

    fn pattern() -> impl Strategy<Value = RequestPath> {
        "(/[ab]{0,2}){1,3}(/\\*)?".prop_map(|text| RequestPath::new(&text).unwrap())
    }

    proptest! {
        /// A pattern that another one covers covers nothing that the other does not, and a set forgets nothing.
        #[test]
        fn sets_of_patterns_mean_their_members(members in proptest::collection::vec(pattern(), 0..6), path in "(/[ab]{0,2}){1,4}") {
            let set = AllowSet::new(members.clone());
            let by_set = set.members().iter().any(|p| p.matches(&path));
            prop_assert_eq!(by_set, members.iter().any(|p| p.matches(&path)));
        }

        #[test]
        fn a_pattern_prints_as_it_reads(pattern in pattern()) {
            prop_assert_eq!(RequestPath::new(&pattern.to_string()), Ok(pattern));
        }
    }
}
