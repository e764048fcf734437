//! Who states something: levels, and what brought a statement in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $( $(#[$vdoc:meta])* $variant:ident = $word:literal, )* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum $name { $( $(#[$vdoc])* #[serde(rename = $word)] $variant, )* }
        impl $name {
            /// Words with their values, in order.
            pub const WORDS: &'static [(&'static str, Self)] = &[$(($word, $name::$variant)),*];
            /// The word in documents and output.
            pub fn as_str(self) -> &'static str {
                match self { $( $name::$variant => $word, )* }
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(self.as_str()) }
        }
    };
}

words! {
    /// The levels of the cascade, from the top down. The host's ceiling stands last and clamps.
    Level {
        /// The organisation.
        Org = "org",
        /// A project of it.
        Project = "project",
        /// An agent of that project.
        Agent = "agent",
        /// One session: a preset or the scope of a grant.
        Session = "session",
        /// The machine's own ceiling.
        Host = "host",
    }
}

words! {
    /// What brought a statement in.
    IntroducedBy {
        /// An organisation's document.
        Org = "org",
        /// A project's document.
        Project = "project",
        /// An agent's document or sandbox spec.
        Agent = "agent",
        /// A preset or a session document.
        Session = "session",
        /// A compliance pack.
        CompliancePack = "compliance_pack",
        /// The machine's ceiling, the built-in baseline, a default.
        Manual = "manual",
    }
}

words! {
    /// The five layers, from the kernel outward.
    Layer {
        /// The operating system's fence.
        Kernel = "kernel",
        /// The agent's own permission system and hooks.
        Harness = "harness",
        /// Code that the agent writes.
        Codemode = "codemode",
        /// Tool servers.
        Mcp = "mcp",
        /// Model calls.
        Gateway = "gateway",
    }
}

impl Layer {
    /// All five, from the kernel outward.
    pub const ALL: [Layer; 5] = [Layer::Kernel, Layer::Harness, Layer::Codemode, Layer::Mcp, Layer::Gateway];
}

impl From<Level> for IntroducedBy {
    fn from(level: Level) -> Self {
        match level {
            Level::Org => Self::Org,
            Level::Project => Self::Project,
            Level::Agent => Self::Agent,
            Level::Session => Self::Session,
            Level::Host => Self::Manual,
        }
    }
}

/// Where a contribution comes from: everything a because-trail says about it but the line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// The level it stands at.
    pub level: Level,
    /// It narrows without being judged as an attempt: a preset, a pack, a mitigation, the host's ceiling.
    pub clamps: bool,
    /// What brought it in.
    pub introduced_by: IntroducedBy,
    /// The id of the document or pack.
    pub document: Arc<str>,
    /// The file it stands in.
    pub file: Arc<str>,
    /// The rule inside a pack, or the mitigation of a concern.
    pub rule: Option<Arc<str>>,
    /// The pack, with its version.
    pub pack: Option<Arc<str>>,
    /// The article or item that the rule answers.
    pub cites: Option<Arc<str>>,
    /// The concern it answers.
    pub concern: Option<Arc<str>>,
    /// The category that raised the concern.
    pub category: Option<Arc<str>>,
    /// Why, in words.
    pub because: Option<Arc<str>>,
    /// Who wrote it.
    pub operator: Option<Arc<str>>,
    /// When it was written, if the document says so.
    pub at: Option<Arc<str>>,
}

impl Origin {
    /// A document at a level, with nothing more known.
    pub fn document(level: Level, id: &str, file: Arc<str>) -> Self {
        Self {
            level,
            clamps: false,
            introduced_by: level.into(),
            document: Arc::from(id),
            file,
            rule: None,
            pack: None,
            cites: None,
            concern: None,
            category: None,
            because: None,
            operator: None,
            at: None,
        }
    }

    /// Who set it, in words: `` `acme-base` (org) `` or `` pack `eu-ai-act@1.0.0` rule `art-12` (org) ``.
    pub fn who(&self) -> String {
        match (&self.pack, &self.rule, &self.category) {
            (Some(pack), Some(rule), _) => format!("pack `{pack}` rule `{rule}` ({} level)", self.level),
            (_, Some(rule), Some(category)) => {
                let document = self.document.split('#').next().unwrap_or(&self.document);
                format!("category `{category}` mitigation `{rule}` in `{document}` ({} level)", self.level)
            }
            _ if self.introduced_by == IntroducedBy::Manual && self.file.starts_with("ringfence:") => {
                format!("`{}` (built in)", self.document)
            }
            _ => format!("`{}` ({} level)", self.document, self.level),
        }
    }
}
