//! What was found → the text of a policy document.
//!
//! Every value comes from a table of this command or has passed a pattern parser; it is quoted all the same
//! where plain YAML would read it as something else.

use super::detect::Found;
use std::fmt::Write as _;

/// Toolchains that fetch packages.
const FETCHING: &[&str] = &["cargo", "npm", "pip", "go", "maven", "gradle"];

/// The document.
pub(super) fn document(found: &Found, level: &str) -> String {
    let mut out = String::new();
    out.push_str("# What the agents in this folder may do, written by `ringfence init` as a first version: read it and change it.\n");
    out.push_str("# Keys, browser profiles, git hooks, agent settings, shell start-up and this file are guarded without being listed.\n");
    let _ = writeln!(out, "policy: {}", scalar(found.name.as_deref().unwrap_or("my-policy")));
    let _ = writeln!(out, "level: {level}");
    out.push_str("because: A first policy; say here what the agents are for.\n");
    out.push_str("\nsandbox:\n");
    network(found, &mut out);
    filesystem(found, &mut out);
    out.push_str(PROGRAMS);
    out.push_str("  limits: { memory: 8GiB, processes: 1024, wall: 2h }\n");
    environment(found, &mut out);
    tools(found, &mut out);
    models(found, &mut out);
    out.push_str(APPROVALS);
    out.push_str(TESTS);
    out
}

/// Stated as a rule it would refuse the first run on every machine without namespaces, and set-uid programs gain
/// nothing anywhere.
const PROGRAMS: &str =
    "  # Programs with a set-uid bit (sudo, su) gain nothing in here. To forbid programs by name, where namespaces are
  # available to enforce it (`ringfence doctor`): exec: { denied: [ssh, scp] }
";

const APPROVALS: &str = "
# A person is asked before a tool with one of these capabilities runs; a tool catalog says which tools have them.
approvals: { require: [destructive_action, external_messaging] }
";

const TESTS: &str = r#"
# `ringfence test` checks these. Add one for whatever must never change by accident.
tests:
  - { allow: "read README.md" }
  - { deny: "read .env" }
  - { deny: "net unlisted.invalid" }
"#;

const GUARDS: &str =
    "  guards:                          # what tools hand back is marked, scanned and, when long, summarised
    spotlighting: true
    outputScanner: { enabled: true, severityBlock: error }
    quarantine: { enabled: true, capabilityClass: extractive, thresholdChars: 50000 }
";

fn network(found: &Found, out: &mut String) {
    let agents = found.agents.iter().filter_map(|(agent, _)| Some((agent.host?.to_owned(), agent.name)));
    let remotes = found.hosts.iter().map(|host| (host.clone(), "git remote"));
    let mut hosts: Vec<(String, &str)> = Vec::new();
    for (host, why) in agents.chain(remotes) {
        if hosts.iter().all(|(known, _)| *known != host) {
            hosts.push((host, why));
        }
    }
    out.push_str("  network:\n    mode: allowlist                # only these names can be reached\n");
    if hosts.is_empty() {
        out.push_str("    allowlist: []                  # nothing yet, so there is no network\n");
    } else {
        out.push_str("    allowlist:\n");
    }
    for (host, why) in hosts {
        let _ = writeln!(out, "      - {:<26} # {why}", scalar(&host));
    }
    let fetching: Vec<&str> = found.toolchains.iter().map(|(t, _)| *t).filter(|t| FETCHING.contains(t)).collect();
    if !fetching.is_empty() {
        let names = fetching.join(", ");
        let _ = writeln!(out, "      # add your package registry, for example registry.example.com ({names})");
    }
    for (agent, _) in found.agents.iter().filter(|(agent, _)| agent.host.is_none()) {
        let _ = writeln!(out, "      # add the host of the model provider that {} uses", agent.name);
    }
}

fn filesystem(found: &Found, out: &mut String) {
    out.push_str("  filesystem:\n    permission: repo-readwrite     # writes stay in this folder\n");
    out.push_str("    hidden: [\"**/.env\", \"**/.env.local\", \"**/.env.production\"]\n");
    out.push_str("    protected: [\".github/workflows\", \".gitlab-ci.yml\"]   # CI runs with rights of its own\n");
    let git = found.git.then_some("git");
    let toolchains: Vec<String> = git.into_iter().chain(found.toolchains.iter().map(|(t, _)| *t)).map(scalar).collect();
    if !toolchains.is_empty() {
        let _ = writeln!(out, "    toolchains: [{}]   # their caches stay usable", toolchains.join(", "));
    }
}

/// The key of each agent is kept: without the gateway layer an agent needs its own.
fn environment(found: &Found, out: &mut String) {
    let keys: Vec<&str> = found.agents.iter().filter_map(|(agent, _)| agent.key).collect();
    if !keys.is_empty() {
        let _ =
            writeln!(out, "  env: {{ scrub: true, keep: [PATH, HOME, LANG, \"LC_*\", TERM, {}] }}", keys.join(", "));
    }
}

fn tools(found: &Found, out: &mut String) {
    out.push_str(
        "\ntools:\n  rules:                           # allow < ask < deny; the most specific pattern counts\n",
    );
    out.push_str("    \"*\": ask\n");
    for (name, file) in &found.servers {
        let _ = writeln!(out, "    {}: ask   # MCP server in {file}", scalar(&format!("{name}/*")));
    }
    out.push_str(GUARDS);
}

fn models(found: &Found, out: &mut String) {
    let models: Vec<String> =
        found.agents.iter().flat_map(|(agent, _)| agent.models).map(|model| scalar(model)).collect();
    if !models.is_empty() {
        let _ = writeln!(out, "\ngateway: {{ models: [{}] }}", models.join(", "));
    }
}

/// A value as YAML: plain where it cannot be read as anything but text, in quotes otherwise.
fn scalar(text: &str) -> String {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let other = ["null", "true", "false", "yes", "no", "on", "off"];
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(word)
        && !other.contains(&text.to_ascii_lowercase().as_str());
    if plain { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}

#[cfg(test)]
mod tests {
    use super::scalar;

    #[test]
    fn what_yaml_would_read_otherwise_is_quoted() {
        assert_eq!(scalar("api.example.com"), "api.example.com");
        assert_eq!(scalar("api.example.com:8443"), "\"api.example.com:8443\"");
        assert_eq!(scalar("claude-*"), "\"claude-*\"");
        assert_eq!(scalar("123"), "\"123\"");
        assert_eq!(scalar("Null"), "\"Null\"");
        assert_eq!(scalar("a\"b"), "\"a\\\"b\"");
    }
}
