//! Long runs of base64 or hex: text in, their places out.

use std::ops::Range;

/// The runs of at least `least` characters that read as encoded data rather than as a name or a path.
pub(super) fn runs(text: &str, least: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, byte) in text.bytes().chain([b' ']).enumerate() {
        if byte.is_ascii_alphanumeric() || b"+/-_%".contains(&byte) {
            continue;
        }
        if at - start >= least && text.get(start..at).is_some_and(is_encoded) {
            found.push(start..at);
        }
        start = at + 1;
    }
    found
}

fn is_encoded(run: &str) -> bool {
    let share = |test: fn(&u8) -> bool| run.bytes().filter(test).count() * 100 / run.len().max(1);
    let digits = share(u8::is_ascii_digit);
    let is_hex = share(u8::is_ascii_hexdigit) == 100 && digits > 20;
    let is_base64 = digits >= 5
        && share(u8::is_ascii_uppercase) >= 15
        && share(u8::is_ascii_lowercase) >= 15
        && share(|b| b"/-_".contains(b)) < 8;
    let is_escaped = share(|b| *b == b'%') > 25;
    is_hex || is_base64 || is_escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use data_encoding::{BASE64, HEXLOWER};

    #[test]
    fn data_is_seen_and_names_are_not() {
        let secret: Vec<u8> = "the plans for the new engine are these: ".repeat(4).into_bytes();
        for encoded in [BASE64.encode(&secret), HEXLOWER.encode(&secret)] {
            assert_eq!(runs(&format!("x={encoded} y"), 64).len(), 1, "{encoded}");
        }
        let path = "/usr/local/share/some/very/long/path/that/goes/on/and/on/for/ever/and/more/to/come";
        assert!(runs(path, 64).is_empty());
        assert!(runs(&"a".repeat(500), 64).is_empty());
        assert!(runs("short1A", 64).is_empty());
    }
}
