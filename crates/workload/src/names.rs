//! Names that look like the real thing: `github/delete_branch`, `eu.api.acme7.example`.

use crate::random::Random;

const SERVERS: [&str; 16] = [
    "fs", "github", "mail", "calendar", "browser", "shell", "sql", "slack", "jira", "drive", "pay", "crm", "search",
    "deploy", "secrets", "metrics",
];
const VERBS: [&str; 12] =
    ["read", "list", "get", "write", "create", "update", "delete", "send", "search", "move", "share", "run"];
const NOUNS: [&str; 14] = [
    "file", "folder", "branch", "issue", "message", "event", "page", "row", "table", "user", "key", "report",
    "invoice", "job",
];
const COMPANIES: [&str; 8] = ["acme", "globex", "initech", "umbra", "stark", "wayne", "hooli", "soylent"];
const SERVICES: [&str; 6] = ["api", "cdn", "auth", "files", "eu", "mirror"];

const CAPABILITIES: [&str; 10] = [
    "read_data",
    "write_data",
    "network",
    "code_execution",
    "personal_data",
    "external_messaging",
    "destructive_action",
    "payments",
    "credentials",
    "deployment",
];

/// What most tools can do.
pub(crate) const COMMON: &[&str] = CAPABILITIES.split_at(4).0;

/// Forbidden capabilities come from the rare end of the list, as they do in life.
pub(crate) const FORBIDDABLE: &[&str] = CAPABILITIES.split_at(4).1;

pub(crate) fn tool(random: &mut Random, servers: usize) -> String {
    let server = numbered(&SERVERS, random.below(servers));
    let verb = random.pick(&VERBS);
    let noun = random.pick(&NOUNS);
    format!("{server}/{verb}_{noun}")
}

pub(crate) fn domain(random: &mut Random, domains: usize) -> String {
    format!("{}.example", numbered(&COMPANIES, random.below(domains)))
}

pub(crate) fn label(random: &mut Random) -> &'static str {
    random.pick::<&'static str>(&SERVICES)
}

/// The words first, then the words with a number: `fs`, …, `fs2`, …, so prefixes of names overlap.
fn numbered(words: &[&str], index: usize) -> String {
    let count = words.len().max(1);
    let word = words.get(index % count).copied().unwrap_or_default();
    match index / count {
        0 => word.to_owned(),
        round => format!("{word}{}", round + 1),
    }
}
