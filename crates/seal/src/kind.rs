//! What can happen in a run, each kind with its word.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! kinds {
    ($( $(#[$doc:meta])* $variant:ident = $word:literal $weight:ident, )*) => {
        /// The kind of an event.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum EventKind { $( $(#[$doc])* #[serde(rename = $word)] $variant, )* }

        impl EventKind {
            /// Every kind, in the order of a run.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The word in the log.
            pub fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $word, )* }
            }

            /// How much it matters that the event outlives the machine.
            pub fn weight(self) -> Weight {
                match self { $( Self::$variant => Weight::$weight, )* }
            }
        }
    };
}

/// How much an event matters after a crash of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// Tells what went on.
    Ordinary,
    /// Something was refused.
    Denial,
    /// Somebody decided, or the run was cut off.
    Decision,
}

kinds! {
    /// The command starts.
    RunStarted = "run_started" Ordinary,
    /// The command ended by itself.
    RunFinished = "run_finished" Ordinary,
    /// The run was ended: strikes, pause, lease.
    RunAborted = "run_aborted" Decision,
    /// A tool is called.
    ToolCalled = "tool_called" Ordinary,
    /// A tool answered.
    ToolReturned = "tool_returned" Ordinary,
    /// A call was refused; the payload has the number of the strike.
    ToolDenied = "tool_denied" Denial,
    /// A guard found something.
    GuardHit = "guard_hit" Ordinary,
    /// A connection was let through.
    NetAllowed = "net_allowed" Ordinary,
    /// A connection was refused.
    NetDenied = "net_denied" Denial,
    /// A file was refused.
    FsDenied = "fs_denied" Denial,
    /// A program was refused.
    ExecDenied = "exec_denied" Denial,
    /// An import was refused.
    ImportDenied = "import_denied" Denial,
    /// A model was refused.
    ModelDenied = "model_denied" Denial,
    /// Somebody is asked.
    ApprovalRequested = "approval_requested" Decision,
    /// Somebody answered.
    ApprovalDecided = "approval_decided" Decision,
    /// A timed grant begins.
    GrantMade = "grant_made" Decision,
    /// A timed grant ended.
    GrantExpired = "grant_expired" Decision,
    /// A policy was changed.
    PolicyIntentApplied = "policy_intent_applied" Ordinary,
    /// A level tried to relax a level above.
    CascadeViolation = "cascade_violation" Denial,
    /// A sandbox config was derived.
    SandboxConfigDerived = "sandbox_config_derived" Ordinary,
    /// A sandbox config is in force.
    ConfigApplied = "config_applied" Ordinary,
    /// A sandbox config was refused: signature, version, expiry.
    ConfigRefused = "config_refused" Denial,
    /// The config in force ran out.
    LeaseExpired = "lease_expired" Ordinary,
    /// A layer cannot be enforced here.
    LayerUnavailable = "layer_unavailable" Ordinary,
    /// A skill got its risk score.
    SkillScored = "skill_scored" Ordinary,
    /// A tool server is wrapped.
    WrapStarted = "wrap_started" Ordinary,
}

impl EventKind {
    /// Reads the word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|k| k.as_str() == word)
    }

    /// Whether something was refused.
    pub fn is_denial(self) -> bool {
        self.weight() == Weight::Denial
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_the_variant_in_snake_case() {
        for kind in EventKind::ALL {
            let mut snake = String::new();
            for c in format!("{kind:?}").chars() {
                if c.is_uppercase() && !snake.is_empty() {
                    snake.push('_');
                }
                snake.extend(c.to_lowercase());
            }
            assert_eq!(kind.as_str(), snake);
            assert_eq!(EventKind::parse(&snake), Some(*kind));
            assert_eq!(
                kind.is_denial(),
                snake.ends_with("_denied") || matches!(kind, EventKind::CascadeViolation | EventKind::ConfigRefused)
            );
        }
        assert_eq!(EventKind::ALL.len(), 26);
    }
}
