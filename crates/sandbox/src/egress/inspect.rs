//! What the first bytes of a connection are.
//!
//! In: what the client sent so far. Out: TLS, HTTP/1, HTTP/2 in the clear, or something else; or that more
//! must come before it can be told. Pure.

/// What a connection speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speech {
    /// A TLS hello comes first.
    Tls,
    /// An HTTP/1 request comes first.
    Http,
    /// HTTP/2 with prior knowledge.
    Http2,
    /// Anything else.
    Raw,
}

/// The most bytes of a first line.
const LONGEST_LINE: usize = 64 << 10;
const HTTP2: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Tells what the bytes begin, or `None` when more are needed.
pub(crate) fn speech(bytes: &[u8]) -> Option<Speech> {
    match bytes {
        [] | [0x16] => return None,
        [0x16, 3, ..] => return Some(Speech::Tls),
        _ if bytes.starts_with(HTTP2) => return Some(Speech::Http2),
        _ if HTTP2.starts_with(bytes) => return None,
        _ => {}
    }
    // Servers skip empty lines before a request.
    let start = bytes.iter().position(|b| !matches!(b, b'\r' | b'\n'));
    let line = bytes.get(start.unwrap_or(bytes.len())..).unwrap_or_default();
    let end = line.iter().position(|b| *b == b'\n');
    let line = line.get(..end.unwrap_or(line.len())).unwrap_or_default();
    let is_text = line.iter().all(|b| *b >= 0x20 && *b != 0x7f || matches!(b, b'\t' | b'\r'));
    match end {
        _ if !is_text => Some(Speech::Raw),
        Some(_) if line.windows(6).any(|w| w == b" HTTP/") => Some(Speech::Http),
        Some(_) => Some(Speech::Raw),
        None if bytes.len() >= LONGEST_LINE => Some(Speech::Raw),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn protocols_are_told_apart() {
        for (bytes, want) in [
            (&b""[..], None),
            (b"\x16", None),
            (b"\x16\x03", Some(Speech::Tls)),
            (b"\x16\x04", Some(Speech::Raw)),
            (b"GET", None),
            (b"GET / HTTP/1.1\r", None),
            (b"GET / HTTP/1.1\r\n", Some(Speech::Http)),
            (b"get / HTTP/1.1\n", Some(Speech::Http)),
            (b"\r\nGET / HTTP/1.1\r\n", Some(Speech::Http)),
            (b"PRI * HTTP/2.0\r\n\r\n", None),
            (HTTP2, Some(Speech::Http2)),
            (b"PRI * HTTP/2.0\r\n\r\nXX", Some(Speech::Http)),
            (b"SSH-2.0-x\r\n", Some(Speech::Raw)),
            (b"EHLO a\r\n", Some(Speech::Raw)),
            (b"\0\0\0\x08", Some(Speech::Raw)),
            (b"AMQP\0\0\x09\x01", Some(Speech::Raw)),
        ] {
            assert_eq!(speech(bytes), want, "{}", bytes.escape_ascii());
        }
        assert_eq!(speech(&[b'a'; LONGEST_LINE]), Some(Speech::Raw));
    }

    proptest! {
        /// More bytes never change an answer that was given.
        #[test]
        fn an_answer_stays(bytes in proptest::collection::vec(any::<u8>(), 0..60), cut in 0_usize..60) {
            let cut = cut.min(bytes.len());
            if let Some(early) = speech(&bytes[..cut]) {
                prop_assert_eq!(speech(&bytes), Some(early));
            }
        }
    }
}
