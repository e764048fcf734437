//! Ed25519 keys and what they sign. Where keys are kept and how they are made is not known here.

use crate::hex;
use ed25519_dalek::{Signature, VerifyingKey};
use std::fmt;

const PREFIX: &str = "ed25519:";

/// The key that signs checkpoints.
pub struct SigningKey(ed25519_dalek::SigningKey);

/// The key that checks them: `ed25519:` and 32 bytes in hex.
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

impl SigningKey {
    /// The key that grows from these random bytes.
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(ed25519_dalek::SigningKey::from_bytes(seed))
    }

    /// Reads the seed as it stands in a key file: 32 bytes in hex.
    pub fn parse_seed(text: &str) -> Option<Self> {
        hex::read(text.trim_end_matches('\n')).map(|seed| Self::from_seed(&seed))
    }

    /// The seed as it stands in a key file.
    pub fn seed_text(seed: &[u8; 32]) -> String {
        let mut out = String::with_capacity(65);
        hex::push(seed, &mut out);
        out.push('\n');
        out
    }

    /// The key that checks what this one signs.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    /// The signature of a message, as text.
    pub(crate) fn sign(&self, message: &[u8]) -> String {
        use ed25519_dalek::ed25519::signature::Signer;
        let mut out = String::from(PREFIX);
        hex::push(&self.0.sign(message).to_bytes(), &mut out);
        out
    }
}

/// A key never shows itself.
impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", self.public())
    }
}

impl PublicKey {
    /// Reads `ed25519:…`. Weak keys, under which one signature fits many messages, are refused.
    pub fn parse(text: &str) -> Option<Self> {
        let key = VerifyingKey::from_bytes(&hex::read(text.strip_prefix(PREFIX)?)?).ok()?;
        (!key.is_weak()).then_some(Self(key))
    }

    /// Whether a signature is this key's for a message.
    pub(crate) fn verifies(&self, message: &[u8], signature: &str) -> bool {
        let bytes = signature.strip_prefix(PREFIX).and_then(hex::read::<64>);
        bytes.is_some_and(|b| self.0.verify_strict(message, &Signature::from_bytes(&b)).is_ok())
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::from(PREFIX);
        hex::push(self.0.as_bytes(), &mut out);
        f.write_str(&out)
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first test vector of RFC 8032.
    #[test]
    fn the_known_key_signs_as_known() {
        let key = SigningKey::parse_seed("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60\n").unwrap();
        let public = key.public();
        assert_eq!(public.to_string(), "ed25519:d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
        assert_eq!(PublicKey::parse(&public.to_string()), Some(public.clone()));
        let signature = key.sign(b"");
        assert!(signature.starts_with("ed25519:e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"));
        assert!(public.verifies(b"", &signature));
        assert!(!public.verifies(b"x", &signature));
        assert!(!public.verifies(b"", &signature.to_uppercase()));
        assert!(!format!("{key:?}").contains("9d61"), "a key never shows itself");
    }

    #[test]
    fn weak_and_broken_keys_are_refused() {
        let identity = format!("ed25519:01{}", "00".repeat(31));
        for bad in [identity.as_str(), "ed25519:", "", "d75a980182b10ab7"] {
            assert_eq!(PublicKey::parse(bad), None, "{bad}");
        }
        assert!(SigningKey::parse_seed("9d61").is_none());
    }
}
