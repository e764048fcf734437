//! Bytes in, text out, piece by piece: a character that is split between two pieces comes whole with the second.

/// What stands for bytes that are no UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Invalid {
    /// A control character for each byte, so that offsets in the text are offsets in the bytes.
    SameLength,
    /// The replacement character, once for each sequence.
    Replaced,
}

/// Decodes a stream.
#[derive(Debug)]
pub(crate) struct Decoder {
    invalid: Invalid,
    /// The beginning of a character whose end has not come yet.
    waiting: Vec<u8>,
    /// Bytes so far that are no UTF-8.
    pub(crate) bad: u64,
}

/// Folded to a space by the scanner, and never printed as it is.
const SUBSTITUTE: char = '\u{1a}';

impl Decoder {
    pub(crate) fn new(invalid: Invalid) -> Self {
        Self { invalid, waiting: Vec::new(), bad: 0 }
    }

    /// The text of the next bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> String {
        if self.waiting.is_empty() {
            return self.decode(bytes);
        }
        let mut joined = std::mem::take(&mut self.waiting);
        joined.extend_from_slice(bytes);
        self.decode(&joined)
    }

    /// What is left at the end: a character that never became whole.
    pub(crate) fn finish(&mut self) -> String {
        let mut out = String::new();
        let left = std::mem::take(&mut self.waiting);
        self.replace(left.len(), &mut out);
        out
    }

    fn decode(&mut self, bytes: &[u8]) -> String {
        let mut out = String::with_capacity(bytes.len());
        let mut rest = bytes;
        loop {
            let e = match std::str::from_utf8(rest) {
                Ok(text) => {
                    out.push_str(text);
                    return out;
                }
                Err(e) => e,
            };
            let (good, bad) = rest.split_at(e.valid_up_to());
            out.push_str(std::str::from_utf8(good).unwrap_or_default());
            let Some(length) = e.error_len() else {
                self.waiting = bad.to_vec();
                return out;
            };
            self.replace(length, &mut out);
            rest = bad.get(length..).unwrap_or_default();
        }
    }

    fn replace(&mut self, length: usize, out: &mut String) {
        self.bad += u64::try_from(length).unwrap_or(u64::MAX);
        match self.invalid {
            Invalid::SameLength => out.extend(std::iter::repeat_n(SUBSTITUTE, length)),
            Invalid::Replaced if length > 0 => out.push(char::REPLACEMENT_CHARACTER),
            Invalid::Replaced => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(invalid: Invalid, bytes: &[u8], piece: usize) -> (String, u64) {
        let mut decoder = Decoder::new(invalid);
        let mut text: String = bytes.chunks(piece).map(|piece| decoder.feed(piece)).collect();
        text.push_str(&decoder.finish());
        (text, decoder.bad)
    }

    #[test]
    fn pieces_make_no_difference() {
        let bytes = b"a\xffb\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xe2\x82z\xc3";
        for piece in 1..bytes.len() {
            let (text, bad) = decoded(Invalid::SameLength, bytes, piece);
            assert_eq!(text, "a\u{1a}bä€😀\u{1a}\u{1a}z\u{1a}", "pieces of {piece}");
            assert_eq!((text.len(), bad), (bytes.len(), 4));
            assert_eq!(decoded(Invalid::Replaced, bytes, piece).0, String::from_utf8_lossy(bytes));
        }
        assert_eq!(decoded(Invalid::Replaced, b"", 1), (String::new(), 0));
    }
}
