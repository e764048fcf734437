//! A value whose fields are declared in order → its canonical bytes → `sha256:` and the hash in hex.

use crate::hex;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// Why a value has no canonical form.
#[derive(Debug, thiserror::Error)]
#[error("the value cannot be written as JSON: {0}")]
pub struct SealError(#[from] serde_json::Error);

/// The canonical bytes of a value whose fields are declared in order.
pub fn canonical_bytes(value: &impl Serialize) -> Result<Vec<u8>, SealError> {
    let mut bytes = Vec::new();
    serde_json::to_writer(&mut bytes, value)?;
    Ok(bytes)
}

/// `sha256:` and the hash in hex.
pub fn hash_bytes(bytes: &[u8]) -> String {
    let mut hasher = Hasher::default();
    hasher.update(bytes);
    hasher.finish()
}

/// Hashes what comes piece by piece, so that nobody has to hold the whole.
#[derive(Debug, Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// Takes the next piece.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Takes the next piece out of a buffer and leaves the buffer empty.
    pub fn drain(&mut self, buffer: &mut Vec<u8>) {
        self.0.update(&buffer);
        buffer.clear();
    }

    /// `sha256:` and the hash in hex.
    pub fn finish(self) -> String {
        let mut out = String::with_capacity(7 + 64);
        out.push_str("sha256:");
        hex::push(&self.0.finalize(), &mut out);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_hash_is_the_known_one() {
        assert_eq!(hash_bytes(b""), "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}
