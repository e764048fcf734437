//! The ordered words of the schema, each scale written loosest first.

use crate::strictness::{Merge, Scale};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! scale {
    ($(#[$doc:meta])* $name:ident, $what:literal, $merge:ident { $( $(#[$vdoc:meta])* $variant:ident = $word:literal, )* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum $name { $( $(#[$vdoc])* #[serde(rename = $word)] $variant, )* }
        impl Scale for $name {
            const MERGE: Merge = Merge::$merge;
            const WORDS: &'static [(&'static str, Self)] = &[$(($word, $name::$variant)),*];
            const WHAT: &'static str = $what;
        }
        impl $name {
            /// The word in documents.
            pub fn as_str(self) -> &'static str {
                match self { $( $name::$variant => $word, )* }
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(self.as_str()) }
        }
    };
}

scale! {
    /// Which network there is.
    NetworkMode, "a network mode", Ordered {
        /// The host's own network; self-hosted development only.
        Host = "host",
        /// Only the listed hosts.
        Allowlist = "allowlist",
        /// No network.
        None = "none",
    }
}
scale! {
    /// Which files there are.
    FsPermission, "a filesystem permission", Ordered {
        /// Everything; self-hosted development only.
        Full = "full",
        /// Reads and writes inside the working repo.
        RepoReadwrite = "repo-readwrite",
        /// Reads inside the working repo.
        RepoReadonly = "repo-readonly",
        /// Neither repo nor home.
        None = "none",
    }
}
scale! {
    /// Which programs may be started.
    ExecMode, "an exec mode", Ordered {
        /// Any program that is visible.
        Any = "any",
        /// Only the listed programs.
        Allowlist = "allowlist",
        /// None beyond what was asked for at the start.
        None = "none",
    }
}
scale! {
    /// What happens to a call.
    Effect, "an effect", Ordered {
        /// It goes through.
        Allow = "allow",
        /// A person is asked.
        Ask = "ask",
        /// It is refused.
        Deny = "deny",
    }
}
scale! {
    /// What a step does when it finds something.
    OnDetection, "a reaction", Ordered {
        /// Write it down.
        Log = "log",
        /// Tell somebody.
        Notify = "notify",
        /// Take it out.
        Redact = "redact",
        /// Stop the call.
        Block = "block",
    }
}
scale! {
    /// From which severity the scanner blocks.
    SeverityBlock, "a severity", Threshold {
        /// Only critical findings.
        Critical = "critical",
        /// Errors and worse.
        Error = "error",
        /// Warnings and worse.
        Warn = "warn",
        /// Everything found.
        Info = "info",
    }
}
scale! {
    /// How untrusted text is marked.
    SpotlightMode, "a spotlighting mode", Ordered {
        /// Between marks.
        Delimit = "delimit",
        /// Marks all through it.
        Datamark = "datamark",
        /// Encoded.
        Encode = "encode",
    }
}
scale! {
    /// Which kind of model may summarise quarantined output: the less it can do, the stricter.
    CapabilityClass, "a capability class", Ordered {
        /// A large model.
        ReasoningLarge = "reasoning-large",
        /// A middling model.
        ReasoningMedium = "reasoning-medium",
        /// A small model.
        ReasoningSmall = "reasoning-small",
        /// No model: the built-in extractive summary.
        Extractive = "extractive",
    }
}
scale! {
    /// How strong the kernel layer must be.
    Tier, "a tier", Ordered {
        /// Landlock and seccomp, no network mediation.
        C = "C",
        /// Landlock and seccomp, the supervisor connecting.
        B = "B",
        /// Namespaces, Landlock and seccomp.
        A = "A",
    }
}
