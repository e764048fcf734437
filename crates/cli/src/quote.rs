//! Words of a shell command that a person may copy from the terminal.

use crate::output::is_unsafe;
use std::fmt::Write as _;
use std::path::Path;

/// A text as one word of a POSIX shell. What must not reach a terminal is spelt out in `$'…'`, which bash, zsh
/// and ksh read back.
pub(crate) fn word(text: &str) -> String {
    bytes(text.as_bytes())
}

/// A path as one word of a shell, never taken for a flag.
pub(crate) fn path(path: &Path) -> String {
    let text = path.as_os_str().as_encoded_bytes();
    if text.starts_with(b"-") { bytes(&[b"./", text].concat()) } else { bytes(text) }
}

fn bytes(text: &[u8]) -> String {
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"-._/:@%+=,".contains(b);
    match std::str::from_utf8(text) {
        Ok(text) if !text.is_empty() && text.bytes().all(|b| plain(&b)) => text.to_owned(),
        Ok(text) if !text.chars().any(is_unsafe) => format!("'{}'", text.replace('\'', r"'\''")),
        _ => spelt_out(text),
    }
}

fn spelt_out(text: &[u8]) -> String {
    let mut out = String::from("$'");
    let octal = |out: &mut String, bytes: &[u8]| {
        // Three octal digits always end the escape; hexadecimal would run on into a digit that follows. Writing
        // to a String cannot fail.
        bytes.iter().for_each(|b| _ = write!(out, "\\{b:03o}"));
    };
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\'' | '\\' => out.extend(['\\', c]),
                c if is_unsafe(c) => octal(&mut out, c.encode_utf8(&mut [0; 4]).as_bytes()),
                c => out.push(c),
            }
        }
        octal(&mut out, chunk.invalid());
    }
    out + "'"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stays_one_word() {
        assert_eq!(word("a/b.yaml"), "a/b.yaml");
        assert_eq!(word(""), "''");
        assert_eq!(word("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(word("a\u{1b}[1m\n'1"), r"$'a\033[1m\012\'1'");
        assert_eq!(path(Path::new("-x")), "./-x");
        assert_eq!(path(Path::new("-x y")), "'./-x y'");
        assert_eq!(path(Path::new("~/x")), "'~/x'");
    }
}
