//! Why a summary was not used.

use ringfence_guard::quarantine::BadSummary;
use thiserror::Error;

/// Why the extract stands in for a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Reason {
    /// No connection: refused, no such host, or cut off before it stood.
    #[error("the summariser cannot be reached")]
    Unreachable,
    /// The certificate or the handshake is not good.
    #[error("the summariser's certificate is not trusted")]
    Untrusted,
    /// No whole answer in time.
    #[error("the summariser did not answer in time")]
    Timeout,
    /// A status that is no success.
    #[error("the summariser answered with status {0}")]
    Status(u16),
    /// More bytes than an answer may have.
    #[error("the summariser's answer is too large")]
    TooLarge,
    /// The connection broke, or what came is no HTTP.
    #[error("the summariser's answer broke off")]
    BrokenOff,
    /// Not the JSON that this kind of provider sends.
    #[error("the summariser's answer is not of its provider's form")]
    NotAnAnswer,
    /// The summary breaks the contract.
    #[error(transparent)]
    Answer(BadSummary),
    /// The summary has a finding that blocks.
    #[error("the summary itself was flagged")]
    Flagged,
}

impl Reason {
    /// The stable code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Unreachable => "quarantine.unreachable",
            Self::Untrusted => "quarantine.untrusted",
            Self::Timeout => "quarantine.timeout",
            Self::Status(_) => "quarantine.status",
            Self::TooLarge => "quarantine.too_large",
            Self::BrokenOff => "quarantine.broken_off",
            Self::NotAnAnswer => "quarantine.not_an_answer",
            Self::Answer(bad) => bad.code(),
            Self::Flagged => "quarantine.flagged",
        }
    }

    /// Whether the same question may be answered a moment later.
    pub(super) const fn is_passing(self) -> bool {
        matches!(self, Self::Unreachable | Self::BrokenOff | Self::Status(408 | 429 | 500 | 502 | 503 | 504 | 529))
    }
}
