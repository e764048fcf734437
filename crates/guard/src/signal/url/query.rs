//! What the query of a link carries: a slot that waits for data, dense data, or nothing to speak of.

/// What a link carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Load {
    Nothing,
    /// A long value that looks encoded.
    Dense,
    /// A slot, as documentation of an interface has it too.
    Slot,
    /// A slot that asks for something private.
    PrivateSlot,
}

/// The shortest value that counts as dense, in bytes.
const DENSE: usize = 48;

/// Names of slots that ask for what a model knows and a stranger should not.
const PRIVATE: &[&str] = &[
    "data",
    "secret",
    "password",
    "conversation",
    "history",
    "chat",
    "summary",
    "answer",
    "response",
    "email",
    "message",
    "content",
    "prompt",
    "user_",
    "username",
    "user info",
    "context",
    "memory",
    "credential",
    "private",
    "insert",
    "leak",
    "exfil",
    "api_key",
    "api key",
    "token",
    "result",
    "info",
    "text here",
    "details",
    "number",
    "stolen",
];

/// Judges what stands after `//` in a link.
pub(super) fn load(after: &str) -> Load {
    let Some((_, query)) = after.split_once('?') else {
        return slot(after.split_once('/').map_or("", |(_, path)| path)).min(Load::Slot);
    };
    query.split(['&', ';']).map(value).max().unwrap_or(Load::Nothing)
}

fn value(pair: &str) -> Load {
    let value = pair.split_once('=').map_or(pair, |(_, value)| value);
    match slot(value) {
        Load::Nothing if is_dense(value) => Load::Dense,
        other => other,
    }
}

/// `{answer}`, `[SECRET]`, `<conversation>`, `{{data}}`, `$DATA`, `%PASSWORD%`.
fn slot(value: &str) -> Load {
    let inner = [('{', '}'), ('[', ']'), ('<', '>')].into_iter().find_map(|(open, close)| {
        let start = value.find(open)? + 1;
        let length = value.get(start..)?.find(close)?;
        value.get(start..start + length)
    });
    let named = value
        .strip_prefix('$')
        .or_else(|| value.strip_prefix('%')?.strip_suffix('%'))
        .filter(|v| v.len() > 2 && v.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'));
    let Some(name) = inner.or(named) else { return Load::Nothing };
    let name = name.trim_matches(['{', '}', '[', ']', '<', '>', ' ']).to_ascii_lowercase();
    match name.bytes().any(|b| b.is_ascii_alphabetic()) {
        true if PRIVATE.iter().any(|word| name.contains(word)) => Load::PrivateSlot,
        true => Load::Slot,
        false => Load::Nothing,
    }
}

/// A long run of the letters of an encoding, evenly spread.
fn is_dense(value: &str) -> bool {
    let run = value
        .bytes()
        .filter(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'_' | b'-' | b'=' | b'%'))
        .count();
    value.len() >= DENSE && run == value.len() && super::super::secret::entropy(value) >= 4.2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_and_dense_values_are_told_from_ordinary_ones() {
        assert_eq!(load("evil.test/log?d={conversation}"), Load::PrivateSlot);
        assert_eq!(load("evil.test/log?d=[SECRET]"), Load::PrivateSlot);
        assert_eq!(load("api.test/users?page={page}"), Load::Slot);
        assert_eq!(load("api.test/users/{id}"), Load::Slot);
        assert_eq!(load("x.test/?q=aGVsbG8gd29ybGQsIHRoaXMgaXMgYSBsb25nIGVuY29kZWQgc3RyaW5nIG9mIHRleHQ"), Load::Dense);
        for plain in [
            "shop.test/?id=12345&lang=en",
            "x.test/a/b",
            "x.test/?q=a+long+but+quite+ordinary+search+phrase+with+many+words",
            "x.test",
        ] {
            assert_eq!(load(plain), Load::Nothing, "{plain}");
        }
    }
}
