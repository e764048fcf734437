//! Whether decoded bytes read as text. Keys, hashes, images and numbers do not.

/// The least decoded characters worth reading.
pub(super) const LEAST: usize = 12;

/// The least characters of something encoded once more.
const NESTED: usize = 24;

/// The longest start of `bytes` that is text, or nothing if that is short or mostly not letters.
pub(super) fn text(bytes: &[u8]) -> Option<String> {
    let valid = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(e) => bytes.get(..e.valid_up_to()).and_then(|b| std::str::from_utf8(b).ok())?,
    };
    let good = valid.find(is_odd).and_then(|end| valid.get(..end)).unwrap_or(valid);
    // a text with a broken end is a text; bytes with a readable start are bytes
    (good.len() * 4 >= bytes.len() * 3 && is_readable(good)).then(|| good.to_owned())
}

/// Whether a text is long enough and made mostly of letters, digits and spaces.
pub(super) fn is_readable(text: &str) -> bool {
    let (mut all, mut letters, mut spaces, mut digits) = (0_usize, 0_usize, 0_usize, 0_usize);
    for c in text.chars() {
        all += 1;
        digits += usize::from(c.is_ascii_digit());
        letters += usize::from(c.is_ascii_alphabetic() || !c.is_ascii() && c.is_alphabetic());
        spaces += usize::from(c == ' ' || c == '\n');
    }
    let is_prose = all >= LEAST && (letters + spaces) * 2 >= all && letters * 3 >= all;
    // what is encoded once more is digits and signs, but all of them printable
    let is_code = all >= NESTED && text.is_ascii() && (letters + digits) * 5 >= all * 2;
    is_prose || is_code
}

/// Whether the first bytes of a run could begin a text; decides cheaply against most runs that do not.
pub(super) fn may_start(bytes: &[u8]) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(text) => !text.chars().any(is_odd),
        Err(e) if e.error_len().is_some() => false,
        Err(e) => bytes
            .get(..e.valid_up_to())
            .and_then(|b| std::str::from_utf8(b).ok())
            .is_some_and(|t| !t.chars().any(is_odd)),
    }
}

/// Characters that no text has: controls, private use, unassigned noise.
fn is_odd(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' => false,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffd}' | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'.. => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_told_from_bytes() {
        assert_eq!(text(b"a short note for you").as_deref(), Some("a short note for you"));
        assert_eq!(
            text(b"a longer note with a broken end\xff\x01").as_deref(),
            Some("a longer note with a broken end")
        );
        assert_eq!(text("добрый вечер, друзья".as_bytes()).as_deref(), Some("добрый вечер, друзья"));
        assert_eq!(text(b"short"), None);
        assert_eq!(text(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), None);
        assert_eq!(text(b"{{{{}}}}[[[[]]]]((((1234"), None);
        assert_eq!(text(b"0123456789012345678901"), None);
    }
}
