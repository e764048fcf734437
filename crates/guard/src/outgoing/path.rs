//! Paths in arguments, judged by their words alone: text in, what is wrong with it out. One parser for every spelling:
//! percent-encoded, wide, with backslashes, `~`, `$HOME`, `file:`. What the kernel allows is the kernel's to say; this
//! is to name an attempt before it is made.

use unicode_normalization::UnicodeNormalization;

/// Where a run may read and write.
#[derive(Debug, Clone, Copy)]
pub struct Roots<'a> {
    /// The granted folders, absolute.
    pub granted: &'a [String],
    /// Where relative paths start.
    pub cwd: &'a str,
    /// What `~` stands for; nothing where it is not known, and then every `~` is outside.
    pub home: Option<&'a str>,
}

/// What is wrong with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trouble {
    ClimbsOut,
    Outside,
}

/// Longer paths are not taken apart: no system opens them.
const PATH_MAX: usize = 4096;

impl Roots<'_> {
    /// What is wrong with `path`, read as a path.
    pub(super) fn trouble(&self, path: &str) -> Option<Trouble> {
        let spelled = spelled_out(path);
        let climbs = spelled.split('/').any(|part| part == "..");
        let absolute = self.absolute(&spelled);
        let inside = absolute.as_ref().is_some_and(|path| self.granted.iter().any(|root| is_in(path, &resolved(root))));
        match (inside, climbs) {
            (true, _) => None,
            (false, true) => Some(Trouble::ClimbsOut),
            (false, false) => Some(Trouble::Outside),
        }
    }

    /// The parts of the path from the root; `None` where it leads to nothing that can be granted.
    fn absolute(&self, path: &str) -> Option<Vec<String>> {
        if path.len() > PATH_MAX || path.contains('\0') {
            return None;
        }
        let below_home = |rest: &str| Some(format!("{}/{rest}", self.home?));
        let home = ["~", "$HOME", "${HOME}"].iter().find_map(|home| path.strip_prefix(home));
        let whole = match home {
            Some("") => below_home("")?,
            Some(rest) if rest.starts_with('/') => below_home(rest)?,
            Some(_) => return None,
            None if path.starts_with('/') => path.to_owned(),
            None if is_drive(path) => return None,
            None => format!("{}/{path}", self.cwd),
        };
        Some(resolved(&whole))
    }
}

/// Whether a word reads as a path that leads somewhere else than straight down.
pub(super) fn leads_away(word: &str) -> bool {
    let word = spelled_out(word);
    word.starts_with(['/', '~'])
        || word.starts_with("$HOME")
        || word.starts_with("${HOME}")
        || is_drive(&word)
        || word.split('/').any(|part| part == "..")
}

/// The path as a file system would be given it: decoded, narrow, with slashes.
fn spelled_out(path: &str) -> String {
    let mut path: String = path.trim().chars().take(PATH_MAX * 3).nfkc().collect();
    for _ in 0..3 {
        match unescaped(&path) {
            Some(plain) => path = plain,
            None => break,
        }
    }
    let path = path.replace('\\', "/");
    let lower = path.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"));
    match path.get(5..).filter(|_| lower) {
        Some(rest) if rest.starts_with("//") => {
            let rest = rest.trim_start_matches('/');
            // The host, if there is one, is not part of the path.
            let path =
                if path.get(7..8) == Some("/") { rest } else { rest.split_once('/').map_or("", |(_, path)| path) };
            format!("/{path}")
        }
        Some(rest) => rest.to_owned(),
        None => path,
    }
}

/// One round of percent-decoding; `None` where there is nothing to decode.
fn unescaped(path: &str) -> Option<String> {
    let bytes = path.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    let mut found = false;
    while let Some(byte) = bytes.get(at) {
        let digits = bytes.get(at + 1..at + 3).filter(|_| *byte == b'%').and_then(|d| std::str::from_utf8(d).ok());
        match digits.filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit())).and_then(|d| u8::from_str_radix(d, 16).ok()) {
            Some(decoded) => {
                out.push(decoded);
                found = true;
                at += 3;
            }
            None => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    found.then(|| String::from_utf8_lossy(&out).into_owned())
}

fn is_drive(path: &str) -> bool {
    let mut chars = path.chars();
    matches!((chars.next(), chars.next(), chars.next()), (Some('a'..='z' | 'A'..='Z'), Some(':'), Some('/')))
}

/// The parts of an absolute path after `.` and `..`.
fn resolved(path: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part.to_owned()),
        }
    }
    parts
}

fn is_in(path: &[String], root: &[String]) -> bool {
    path.starts_with(root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_way_out_is_seen() {
        let granted = ["/work/repo".to_owned()];
        let roots = Roots { granted: &granted, cwd: "/work/repo", home: Some("/home/u") };
        for path in [
            "../secret",
            "a/../../x",
            "..",
            "%2e%2e/x",
            "%252e%252e%252fx",
            "..\\..\\x",
            "．．／x",
            "/work/repo/../x",
            "~/../x",
            "file:///work/repo/../../etc",
        ] {
            assert_eq!(roots.trouble(path), Some(Trouble::ClimbsOut), "{path}");
        }
        for path in [
            "/etc/passwd",
            "~",
            "~/.ssh/id",
            "~root/x",
            "$HOME/x",
            "${HOME}",
            "file:///etc/passwd",
            "file://host/etc",
            "C:\\x",
            "/work/repository",
            "/",
            "a\0b",
            "FILE:/etc/passwd",
            "%2fetc%2fpasswd",
        ] {
            assert_eq!(roots.trouble(path), Some(Trouble::Outside), "{path}");
        }
        for path in
            ["a", "./a/../b", "/work/repo", "/work/repo/x/../y", "src/main.rs", "...", "file:///work/repo/a", ""]
        {
            assert_eq!(roots.trouble(path), None, "{path}");
        }
        let all = ["/".to_owned()];
        assert_eq!(Roots { granted: &all, ..roots }.trouble("/etc/passwd"), None);
        assert_eq!(Roots { granted: &[], ..roots }.trouble("a"), Some(Trouble::Outside));
    }
}
