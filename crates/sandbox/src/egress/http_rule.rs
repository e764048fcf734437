//! Rules by HTTP method and path, for plain HTTP.
//!
//! In: a method and the path of a request that is about to be forwarded. Out: yes or no. A path that servers
//! are known to read in more than one way matches nothing.

use super::rules::RuleError;
use ringfence_policy::pattern::{Host, HostPattern};
use ringfence_policy::sets::Pattern;

/// Which requests a host takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRule {
    hosts: Vec<HostPattern>,
    methods: Vec<String>,
    path: String,
}

impl HttpRule {
    /// Reads a rule. No methods: every method. The path is a prefix that ends at a `/`, a `?` or the end.
    pub fn parse(host: &str, methods: &[&str], path: &str) -> Result<Self, RuleError> {
        let hosts = HostPattern::parse(host).map_err(RuleError::new)?;
        if let Some(method) = methods.iter().find(|m| !is_method(m)) {
            return Err(RuleError::new(format!("`{}` is not an HTTP method", method.escape_debug())));
        }
        if !path.starts_with('/') || clean_path(path).is_none() {
            return Err(RuleError::new(format!("`{}` is not a path prefix", path.escape_debug())));
        }
        Ok(Self { hosts, methods: methods.iter().map(|m| (*m).to_owned()).collect(), path: path.to_owned() })
    }

    /// Whether the rule speaks about this host and port.
    pub fn covers(&self, host: &Host<'_>, port: u16) -> bool {
        self.hosts.iter().any(|p| p.matches(host, port))
    }

    /// Whether the rule allows a request.
    pub fn allows(&self, method: &str, target: &str) -> bool {
        (self.methods.is_empty() || self.methods.iter().any(|m| m == method))
            && clean_path(target).is_some_and(|path| below(path, &self.path))
    }
}

fn is_method(text: &str) -> bool {
    (1..=32).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_uppercase() || b == b'-')
}

/// `/a` covers `/a`, `/a/…`, not `/ab`; `/a/` covers what is below only.
fn below(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix).is_some_and(|rest| prefix.ends_with('/') || rest.is_empty() || rest.starts_with('/'))
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

    #[test]
    fn method_and_prefix() {
        let rule = HttpRule::parse("api.example:80", &["GET", "HEAD"], "/v1").unwrap();
        for (method, path, want) in [
            ("GET", "/v1", true),
            ("GET", "/v1/x?y=../..", true),
            ("HEAD", "/v1?x", true),
            ("GET", "/v1/%20x", true),
            ("POST", "/v1", false),
            ("get", "/v1", false),
            ("GET", "/v10", false),
            ("GET", "/", false),
            ("GET", "/v1/../admin", false),
            ("GET", "/v1/%2e%2E/admin", false),
            ("GET", "/v1/.%2e/admin", false),
            ("GET", "/v1/..;a=b/admin", false),
            ("GET", "/v1/..%2fadmin", false),
            ("GET", "/v1/%5c..%5cadmin", false),
            ("GET", "/v1/..\\admin", false),
            ("GET", "/v1/%252e%252e/admin", false),
            ("GET", "/v1/%00", false),
            ("GET", "/v1/%zz", false),
            ("GET", "/v1/%2", false),
            ("GET", "/v1/%\u{e9}\u{e9}", false),
            ("GET", "/v1/./x", false),
            ("GET", "*", false),
            ("GET", "v1", false),
        ] {
            assert_eq!(rule.allows(method, path), want, "{method} {path}");
        }
    }

    #[test]
    fn a_prefix_with_a_slash_is_below_only() {
        let rule = HttpRule::parse("api.example", &[], "/v1/").unwrap();
        assert!(rule.allows("POST", "/v1/x") && !rule.allows("POST", "/v1"));
        assert!(HttpRule::parse("api.example", &["GE T"], "/").is_err());
        assert!(HttpRule::parse("api.example", &[], "v1").is_err());
        assert!(HttpRule::parse("api.example", &[], "/v1/../x").is_err());
    }
}
