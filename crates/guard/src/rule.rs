//! The rules of the scanner: each with a stable id, a family, a severity and what to do about it.

use serde::Serialize;

use crate::finding::Severity;

/// What kind of attempt a rule finds. The word is stable: logs, figures and documentation use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// "Ignore what you were told", "you are now".
    Override,
    /// "Emergency override", claimed authority, debug or maintenance modes.
    Emergency,
    /// "Updated instructions", new rules that claim to replace the old ones.
    UpdatedInstructions,
    /// Role-play to gain a capability.
    RolePlay,
    /// Examples of a dialogue in which the rules are broken.
    FewShot,
    /// Asking for the system prompt or the instructions.
    Extraction,
    /// Forged tool calls and chat-template tokens.
    Forging,
    /// Links that carry data out or pretend to be another host.
    Url,
    /// "Send the key to…".
    Exfiltration,
    /// `../../etc/passwd`.
    Traversal,
    /// Keys and tokens.
    Secret,
    /// Text that a person would not see.
    Hidden,
    /// Text that had to be decoded.
    Encoded,
    /// A directive to the reading model that no other family names, by the score of a window.
    Directive,
}

/// One rule.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Stable id, `family.name`.
    pub id: &'static str,
    /// Its family.
    pub family: Family,
    /// How bad a finding of it is, unless its score says otherwise.
    pub severity: Severity,
    /// What it finds, for a person.
    pub title: &'static str,
    /// What to do about a finding.
    pub help: &'static str,
}
