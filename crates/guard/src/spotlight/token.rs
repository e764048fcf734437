//! The secret of a session: sixteen random bytes from the caller, written as 32 hex digits.

use std::fmt;

use data_encoding::HEXLOWER;

/// 128 random bits. Drawn by the caller: this crate has no randomness.
///
/// ```
/// use ringfence_guard::spotlight::Token;
/// let token = Token::from_bytes([0xAB; 16]);
/// assert_eq!(token.hex(), "ab".repeat(16));
/// assert_eq!(format!("{token:?}"), "Token(…)");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Token([u8; 16]);

impl Token {
    /// A token of these bytes, which must be random and used for one session only.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Its 32 hex digits, as they stand in a mark.
    #[must_use]
    pub fn hex(&self) -> String {
        HEXLOWER.encode(&self.0)
    }

    /// Its bytes.
    #[must_use]
    pub const fn bytes(&self) -> [u8; 16] {
        self.0
    }
}

/// A token does not print itself: logs must not hold it.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}
