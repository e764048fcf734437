//! The workload: three levels of rules, a tool catalog, and questions, all from one seed.
//!
//! In: a [`Size`] and a seed. Out: a [`Workload`]. The same two inputs always give the same workload.
//!
//! The cascade law holds by construction: a lower level never states something looser than the
//! levels above it, at any name. See `generate` for how.

mod generate;
mod names;
mod policies;
mod random;
mod rule_map;

pub use policies::{Defect, decided, derived};
pub use rule_map::RuleMap;

use std::fmt;

/// What a rule says about a tool, in order of strictness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// It runs.
    Allow,
    /// A person is asked.
    Ask,
    /// It does not run.
    Deny,
}

impl Effect {
    /// All of them, loosest first.
    pub const ALL: [Effect; 3] = [Effect::Allow, Effect::Ask, Effect::Deny];

    /// The word in a document.
    pub fn as_str(self) -> &'static str {
        match self {
            Effect::Allow => "allow",
            Effect::Ask => "ask",
            Effect::Deny => "deny",
        }
    }
}

/// A tool name, or every name that starts with a stem (written with a trailing `*`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ToolPattern {
    /// Every name that starts with this.
    Prefix(String),
    /// This name.
    Exact(String),
}

impl ToolPattern {
    /// The name, or the start of it.
    pub fn stem(&self) -> &str {
        match self {
            ToolPattern::Prefix(stem) | ToolPattern::Exact(stem) => stem,
        }
    }

    /// Whether it covers a tool.
    pub fn matches(&self, tool: &str) -> bool {
        match self {
            ToolPattern::Prefix(stem) => tool.starts_with(stem.as_str()),
            ToolPattern::Exact(name) => tool == name,
        }
    }

    /// Among patterns that match one name, the larger is the more specific: longer stems beat
    /// shorter ones, and an exact name beats a prefix of the same length.
    pub fn specificity(&self) -> (usize, bool) {
        (self.stem().len(), matches!(self, ToolPattern::Exact(_)))
    }
}

impl fmt::Display for ToolPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ToolPattern::Prefix(stem) => write!(f, "{stem}*"),
            ToolPattern::Exact(name) => f.write_str(name),
        }
    }
}

/// A host name, or every host one or more labels below a domain (written `*.domain`; never the domain itself).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HostPattern {
    /// This host.
    Exact(String),
    /// Every host below this domain.
    Below(String),
}

impl HostPattern {
    /// Whether it covers a host.
    pub fn matches(&self, host: &str) -> bool {
        match self {
            HostPattern::Exact(name) => host == name,
            HostPattern::Below(domain) => is_below(host, domain),
        }
    }

    /// Does this pattern match every host that `other` matches?
    pub fn covers(&self, other: &HostPattern) -> bool {
        match (self, other) {
            (_, HostPattern::Exact(host)) => self.matches(host),
            (HostPattern::Below(wide), HostPattern::Below(narrow)) => wide == narrow || is_below(narrow, wide),
            (HostPattern::Exact(_), HostPattern::Below(_)) => false,
        }
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HostPattern::Exact(name) => f.write_str(name),
            HostPattern::Below(domain) => write!(f, "*.{domain}"),
        }
    }
}

fn is_below(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).and_then(|rest| rest.strip_suffix('.')).is_some_and(|labels| !labels.is_empty())
}

/// One rule about tools.
#[derive(Clone, Debug)]
pub struct ToolRule {
    /// Which tools.
    pub pattern: ToolPattern,
    /// What happens to them.
    pub effect: Effect,
}

/// What one level states. `hosts` is `None` when the level has no opinion about the network.
#[derive(Clone, Debug)]
pub struct LevelRules {
    /// Its name.
    pub level: &'static str,
    /// Its tool rules.
    pub tools: Vec<ToolRule>,
    /// Hosts that may be reached; none when it says nothing.
    pub hosts: Option<Vec<HostPattern>>,
    /// Capabilities no tool may use.
    pub forbidden: Vec<String>,
}

impl LevelRules {
    /// Tool rules, host patterns and forbidden capabilities together.
    pub fn rule_count(&self) -> usize {
        self.tools.len() + self.hosts.as_ref().map_or(0, Vec::len) + self.forbidden.len()
    }

    /// The level as a policy document, for engines that read the project's own format.
    /// It is JSON, which every YAML reader accepts.
    pub fn document(&self) -> String {
        let mut parts = vec![format!("\"policy\": \"bench-{}\"", self.level), format!("\"level\": \"{}\"", self.level)];
        if let Some(hosts) = &self.hosts {
            let list = quoted(hosts);
            parts.push(format!("\"sandbox\": {{\"network\": {{\"mode\": \"allowlist\", \"allowlist\": [{list}]}}}}"));
        }
        let rules: Vec<String> = self.tools.iter().map(rule_text).collect();
        parts.push(format!("\"tools\": {{\"rules\": {{{}}}}}", rules.join(", ")));
        let forbidden = quoted(&self.forbidden);
        parts.push(format!("\"capabilities\": {{\"forbid\": [{forbidden}]}}"));
        format!("{{{}}}\n", parts.join(", "))
    }
}

fn rule_text(rule: &ToolRule) -> String {
    format!("\"{}\": \"{}\"", rule.pattern, rule.effect.as_str())
}

/// Generated names hold no character that needs escaping, so quotes around them are enough.
fn quoted<T: fmt::Display>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(|item| format!("\"{item}\"")).collect();
    items.join(", ")
}

/// One tool of the catalog.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Its name, `server/verb_noun`.
    pub name: String,
    /// What it can do.
    pub capabilities: Vec<String>,
}

/// What an enforcement point asks: may this tool run, may this host be reached?
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// A tool of the catalog.
    Tool(String),
    /// Any host.
    Net(String),
}

/// How large a workload to make. `rules` is the sum over the three levels.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Rules of all levels together.
    pub rules: usize,
    /// Tools of the catalog.
    pub tools: usize,
    /// Questions to ask.
    pub questions: usize,
}

/// Everything that was made from one seed.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Org, project, agent: the higher first.
    pub levels: Vec<LevelRules>,
    /// The catalog, by name.
    pub tools: Vec<Tool>,
    /// What will be asked.
    pub questions: Vec<Question>,
}

impl Workload {
    /// Makes it.
    pub fn new(size: Size, seed: u64) -> Self {
        generate::workload(size, seed)
    }

    /// Rules of all levels together.
    pub fn rule_count(&self) -> usize {
        self.levels.iter().map(LevelRules::rule_count).sum()
    }
}
