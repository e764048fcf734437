//! Bytes in JSON: names of files need not be text, so what is not UTF-8 is written as hex.

use serde::{Deserialize, Serialize};

/// Bytes as JSON has them: a string, or `{"hex": "…"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Bytes {
    Text(String),
    Hex { hex: String },
}

impl Bytes {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Hex { hex: to_hex(bytes) },
        }
    }

    /// The bytes; none where the hex is none.
    pub(crate) fn get(self) -> Option<Vec<u8>> {
        match self {
            Self::Text(text) => Some(text.into_bytes()),
            Self::Hex { hex } => from_hex(&hex),
        }
    }
}

/// Lower-case hex.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    let digit = |n: u8| char::from_digit(u32::from(n), 16).unwrap_or('0');
    bytes.iter().flat_map(|b| [digit(b >> 4), digit(b & 15)]).collect()
}

/// The bytes of a hex text.
pub(crate) fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = text.chars().map(|c| c.to_digit(16)).collect();
    let digits = digits.filter(|d| d.len() % 2 == 0)?;
    digits.chunks_exact(2).map(|pair| u8::try_from(pair.iter().fold(0, |n, d| n * 16 + d)).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        let all: Vec<u8> = (0..=255).collect();
        for bytes in [&all[..], b"plain", "naïve \u{1f980}\n".as_bytes(), b"", b"\xff\xfe"] {
            let json = serde_json::to_string(&Bytes::new(bytes)).unwrap();
            let back: Bytes = serde_json::from_str(&json).unwrap();
            assert_eq!(back.get().as_deref(), Some(bytes), "{json}");
        }
    }

    #[test]
    fn what_is_no_hex_is_refused() {
        for text in ["f", "0g", "+1", "é0"] {
            assert_eq!(from_hex(text), None, "{text}");
        }
    }
}
