//! Which toolchains, agents, MCP servers and git remotes a folder shows.
//!
//! In: the names of a few files, and the bounded text of four of them. Out: a [`Found`] that holds only names
//! a pattern parser has taken, and a note for each one that was left out. Links are never followed.

use ringfence_policy::pattern::{Host, HostPattern, Label, ToolPattern};
use ringfence_policy::sets::Pattern;
use serde_json::Value as Json;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// The most bytes of a file that are read.
const MAX_BYTES: u64 = 1 << 20;
/// The most names of a kind that are used, and the most notes that are kept.
const MAX_NAMES: usize = 32;

/// A file that shows a toolchain.
const TOOLCHAINS: &[(&str, &[&str])] = &[
    ("Cargo.toml", &["cargo"]),
    ("package.json", &["npm"]),
    ("pyproject.toml", &["pip"]),
    ("requirements.txt", &["pip"]),
    ("setup.py", &["pip"]),
    ("go.mod", &["go"]),
    ("Makefile", &["gcc", "make"]),
    ("CMakeLists.txt", &["gcc", "make"]),
    ("pom.xml", &["maven"]),
    ("build.gradle", &["gradle"]),
    ("build.gradle.kts", &["gradle"]),
];

/// An agent, what shows that it is used here, and what it needs.
#[derive(Debug)]
pub(super) struct Agent {
    /// Its name.
    pub(super) name: &'static str,
    /// Its files and folders.
    files: &'static [&'static str],
    /// The host of its model provider, where there is only one.
    pub(super) host: Option<&'static str>,
    /// The models it calls.
    pub(super) models: &'static [&'static str],
    /// The variable that holds its key.
    pub(super) key: Option<&'static str>,
}

const AGENTS: &[Agent] = &[
    Agent {
        name: "claude-code",
        files: &[".claude", "CLAUDE.md"],
        host: Some("api.anthropic.com"),
        models: &["claude-*"],
        key: Some("ANTHROPIC_API_KEY"),
    },
    Agent {
        name: "codex",
        files: &[".codex", "AGENTS.md"],
        host: Some("api.openai.com"),
        models: &["gpt-*", "codex-*"],
        key: Some("OPENAI_API_KEY"),
    },
    Agent {
        name: "gemini-cli",
        files: &[".gemini", "GEMINI.md"],
        host: Some("generativelanguage.googleapis.com"),
        models: &["gemini-*"],
        key: Some("GEMINI_API_KEY"),
    },
    Agent { name: "cursor", files: &[".cursor"], host: None, models: &[], key: None },
    Agent { name: "opencode", files: &["opencode.json", "opencode.jsonc"], host: None, models: &[], key: None },
];

/// MCP configs with the key under which the servers stand.
const MCP_FILES: &[(&str, &str)] =
    &[(".mcp.json", "mcpServers"), (".cursor/mcp.json", "mcpServers"), (".vscode/mcp.json", "servers")];

/// What a folder shows.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The folder's name, where it can be a policy's id.
    pub(super) name: Option<String>,
    /// Whether it is a git repo.
    pub(super) git: bool,
    /// Toolchains with the file that shows them.
    pub(super) toolchains: Vec<(&'static str, &'static str)>,
    /// Agents with the file that shows them.
    pub(super) agents: Vec<(&'static Agent, &'static str)>,
    /// MCP servers with the file that names them.
    pub(super) servers: Vec<(String, &'static str)>,
    /// Hosts of git remotes, as an allowlist states them.
    pub(super) hosts: Vec<String>,
    /// What was left out, and why.
    pub(super) notes: Vec<String>,
}

/// Looks at the folder itself; nothing below it but the configs named above.
pub(super) fn look_around(dir: &Path) -> Found {
    let name = fs::canonicalize(dir).ok().and_then(|d| d.file_name()?.to_str().map(str::to_owned));
    let mut found = Found { name: name.filter(|n| Label::new(n).is_ok()), ..Found::default() };
    for (file, labels) in TOOLCHAINS.iter().filter(|(file, _)| exists(dir, file)) {
        for label in *labels {
            if found.toolchains.iter().all(|(known, _)| known != label) {
                found.toolchains.push((label, file));
            }
        }
    }
    for agent in AGENTS {
        found.agents.extend(agent.files.iter().find(|file| exists(dir, file)).map(|file| (agent, *file)));
    }
    for (file, key) in MCP_FILES {
        found.read_servers(dir, file, key);
    }
    found.git = exists(dir, ".git");
    found.read_remotes(dir);
    found
}

/// Whether there is anything of that name. The thing itself may be a link: it is not opened.
fn exists(dir: &Path, relative: &str) -> bool {
    fs::symlink_metadata(dir.join(relative)).is_ok()
}

impl Found {
    /// What to tell: the kind, the name and the evidence.
    pub(super) fn lines(&self) -> Vec<(&'static str, String, &str)> {
        let mut out = Vec::new();
        if self.git {
            out.push(("repo", "git".to_owned(), ".git"));
        }
        out.extend(self.toolchains.iter().map(|(label, file)| ("toolchain", (*label).to_owned(), *file)));
        out.extend(self.agents.iter().map(|(agent, file)| ("agent", agent.name.to_owned(), *file)));
        out.extend(self.servers.iter().map(|(name, file)| ("mcp server", name.clone(), *file)));
        out.extend(self.hosts.iter().map(|host| ("remote", host.clone(), ".git/config")));
        out
    }

    fn note(&mut self, text: String) {
        if self.notes.len() < MAX_NAMES && !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }

    fn read_servers(&mut self, dir: &Path, file: &'static str, key: &str) {
        let Some(bytes) = self.read(dir, file) else { return };
        let Ok(json) = serde_json::from_slice::<Json>(&bytes) else {
            return self.note(format!("{file}: not plain JSON"));
        };
        let Some(servers) = json.get(key).and_then(Json::as_object) else {
            return self.note(format!("{file}: no `{key}` in it"));
        };
        let mut names: Vec<&String> = servers.keys().collect();
        names.sort_unstable();
        for name in names {
            let sound = Label::new(name).is_ok() && ToolPattern::new(&format!("{name}/*")).is_ok();
            if !sound {
                self.note(format!("{file}: `{}` cannot be part of a tool's name", harmless(name)));
            } else if self.servers.len() >= MAX_NAMES {
                return self.note(format!("{file}: more than {MAX_NAMES} servers"));
            } else if self.servers.iter().all(|(known, _)| known != name) {
                self.servers.push((name.clone(), file));
            }
        }
    }

    fn read_remotes(&mut self, dir: &Path) {
        const FILE: &str = ".git/config";
        if fs::symlink_metadata(dir.join(".git")).is_ok_and(|m| m.is_file()) {
            return self.note(".git is a file (a worktree or submodule); its remotes are not read".to_owned());
        }
        let Some(bytes) = self.read(dir, FILE) else { return };
        let text = String::from_utf8_lossy(&bytes);
        for url in text.lines().filter_map(remote_url) {
            match remote_host(url) {
                None => {}
                Some(Err(why)) => self.note(format!("{FILE}: a remote whose host {why}")),
                Some(Ok(_)) if self.hosts.len() >= MAX_NAMES => {
                    return self.note(format!("{FILE}: more than {MAX_NAMES} hosts"));
                }
                Some(Ok(host)) if self.hosts.contains(&host) => {}
                Some(Ok(host)) => self.hosts.push(host),
            }
        }
    }

    /// The bytes of a plain file that is reached without a link and is not too large.
    fn read(&mut self, dir: &Path, relative: &str) -> Option<Vec<u8>> {
        let mut path = dir.to_path_buf();
        for component in relative.split('/') {
            path.push(component);
            if fs::symlink_metadata(&path).ok()?.is_symlink() {
                self.note(format!("{relative}: a symbolic link is not followed"));
                return None;
            }
        }
        let bytes = read_plain(&path);
        if bytes.is_none() {
            self.note(format!("{relative}: not a readable file of at most {MAX_BYTES} bytes"));
        }
        bytes
    }
}

fn read_plain(path: &Path) -> Option<Vec<u8>> {
    let before = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
    let file = File::open(path).ok()?;
    if !same_file(&before, &file.metadata().ok()?) {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).ok()?;
    u64::try_from(bytes.len()).is_ok_and(|n| n <= MAX_BYTES).then_some(bytes)
}

/// Whether what was opened is what was looked at, so that no link slipped in between.
#[cfg(unix)]
fn same_file(before: &fs::Metadata, opened: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    before.dev() == opened.dev() && before.ino() == opened.ino()
}

#[cfg(not(unix))]
fn same_file(_before: &fs::Metadata, opened: &fs::Metadata) -> bool {
    opened.is_file()
}

/// The first characters of a hostile text, as plain ASCII.
fn harmless(text: &str) -> String {
    const MOST: usize = 40;
    let head: String = text.chars().take(MOST).flat_map(char::escape_default).collect();
    if text.chars().nth(MOST).is_some() { format!("{head}...") } else { head }
}

/// The value of a `url = …` line of a git config.
fn remote_url(line: &str) -> Option<&str> {
    let (key, value) = line.split_once('=')?;
    if !key.trim().eq_ignore_ascii_case("url") {
        return None;
    }
    value.trim().trim_matches('"').split_whitespace().next()
}

/// The host of a remote as an allowlist states it; none for a local path. A reason never quotes the remote:
/// it may hold a password.
fn remote_host(url: &str) -> Option<Result<String, &'static str>> {
    let (scheme, authority) = match url.split_once("://") {
        Some((scheme, rest)) => (scheme, rest.split(['/', '?', '#']).next()?),
        None => ("ssh", url.split_once(':').map(|(host, _)| host).filter(|host| !host.contains('/'))?),
    };
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    match scheme.to_ascii_lowercase().as_str() {
        "https" | "http" => Some(listed(host, Port::Kept)),
        "ssh" | "git" | "git+ssh" | "ssh+git" => Some(listed(host, Port::Dropped)),
        _ => None,
    }
}

/// Whether the port of a remote goes into the allowlist.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Port {
    /// As it stands.
    Kept,
    /// Left out: keys are hidden from the sandbox, so the same host is reached by https.
    Dropped,
}

fn listed(text: &str, keep: Port) -> Result<String, &'static str> {
    let (host, port) = Host::parse_with_port(text).map_err(|_| "cannot be read")?;
    if host.is_address() {
        return Err("is an address; list it yourself if it is meant");
    }
    if !host.as_str().contains('.') || host.as_str().ends_with(".invalid") {
        return Err("is not a full name");
    }
    let entry = match port.filter(|p| keep == Port::Kept && !matches!(p, 80 | 443)) {
        Some(port) => format!("{}:{port}", host.as_str()),
        None => host.as_str().to_owned(),
    };
    HostPattern::parse(&entry).map(|_| entry).map_err(|_| "cannot be read")
}
