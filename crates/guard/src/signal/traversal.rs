//! Paths that climb out of a directory or lead to where keys and accounts are kept.

use super::catalogue::{PATH_CLIMB, PATH_ENCODED, PATH_SENSITIVE};
use super::finder::Anchor;
use super::marks::Scan;

pub(super) const ANCHORS: &[&str] = &[
    "../../",
    "..\\..\\",
    "%2e%2e",
    "%2E%2E",
    "..%2f",
    "..%2F",
    "..%5c",
    "/etc/passwd",
    "/etc/shadow",
    ".ssh/id_",
    ".ssh/authorized",
    ".aws/cred",
    "/proc/self/env",
    ".kube/config",
    ".docker/config.json",
    ".git-credentials",
];

/// Where a climbing path is no accident.
const TARGETS: &[&str] = &[
    "etc/passwd",
    "etc/shadow",
    "etc/hosts",
    ".ssh",
    ".aws",
    "proc/self",
    ".env",
    "windows/win.ini",
    "windows\\",
    "system32",
    "id_rsa",
    "root/",
    "var/log",
    ".git/config",
    "boot.ini",
    "credentials",
];

/// The longest path that is read.
const MAX_PATH: usize = 200;

pub(super) fn read(scan: &mut Scan<'_>, anchor: Anchor) -> usize {
    let word = scan.raw.get(anchor.start..anchor.end).unwrap_or_default();
    let rest = scan.after(anchor.start, MAX_PATH);
    let path = rest
        .split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ')' | '>' | '<' | ';' | ',' | '|'))
        .next()
        .unwrap_or_default();
    let lower = path.to_ascii_lowercase();
    let end = anchor.start + path.len().max(word.len());
    let sensitive = TARGETS.iter().any(|target| lower.contains(target));
    if word.starts_with("../") || word.starts_with("..\\") {
        // Relative imports climb as well: only where it leads counts.
        if sensitive && climbs(&lower) >= 2 {
            scan.hit(&PATH_CLIMB, anchor.start..end);
        }
    } else if word.contains('%') {
        if climbs(&lower) >= 2 || sensitive {
            scan.hit(&PATH_ENCODED, anchor.start..end);
        }
    } else {
        let before = scan.before(anchor.start, 40);
        let start = before
            .rfind(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | '=' | '<' | '>'))
            .map_or(0, |i| i + 1);
        let lead = if before.is_char_boundary(start) { before.len() - start } else { 0 };
        scan.hit(&PATH_SENSITIVE, anchor.start - lead..end);
    }
    end
}

/// How many times a path goes up.
fn climbs(path: &str) -> usize {
    ["../", "..\\", "%2e%2e", "..%2f", "..%5c"].iter().map(|up| path.matches(up).count()).sum()
}
