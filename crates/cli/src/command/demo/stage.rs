//! The world that the demo plays in: a home with things worth losing, a repo, the policies, a state folder, all below
//! one folder that goes away with the demo, however that ends.

use super::{acme, attempt};
use crate::failure::Failure;
use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const PREFIX: &str = "ringfence-demo-";
/// What holds where the sample policies cannot be kept.
const PLAIN: &str = include_str!("plain.yaml");

/// The world.
pub(super) struct Stage {
    folder: Option<TempDir>,
    base: PathBuf,
    sweeper: Child,
    secret: String,
    before: BTreeMap<PathBuf, Vec<u8>>,
}

impl Stage {
    /// Makes it.
    pub(super) fn new(collector: u16) -> Result<Self, Failure> {
        let builder = || {
            let mut builder = tempfile::Builder::new();
            builder.prefix(PREFIX);
            builder
        };
        // A run may write to `/tmp`, to one of its own where there are namespaces: what it does to a home there proves little.
        let home = || std::env::home_dir().filter(|h| h.is_absolute()).unwrap_or_default();
        let outside = builder().tempdir_in("/var/tmp").or_else(|_| builder().tempdir_in(home()));
        let folder = outside.or_else(|_| builder().tempdir()).map_err(broken)?;
        let base = folder.path().canonicalize().map_err(broken)?;
        let sweeper = Command::new(OWN)
            .args(["demo", "--sweep"])
            .arg(&base)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Ctrl-C is for the demo, and this one cleans up after it.
            .process_group(0)
            .spawn()
            .map_err(broken)?;
        let mut stage = Self { folder: Some(folder), base, sweeper, secret: secret()?, before: BTreeMap::new() };
        stage.furnish(collector)?;
        stage.before = stage.kept();
        Ok(stage)
    }

    fn furnish(&self, collector: u16) -> Result<(), Failure> {
        let key = self.secret_of("home/.ssh/id_ed25519");
        let key = format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{key}\n-----END OPENSSH PRIVATE KEY-----\n");
        let credentials = self.secret_of("home/.aws/credentials");
        let files = [
            ("home/.ssh/id_ed25519", key),
            ("home/.aws/credentials", format!("[default]\naws_secret_access_key = {credentials}\n")),
            ("home/.bashrc", "# start-up of the shell\n".into()),
            ("home/documents/thesis.md", "ten years of work\n".into()),
            ("home/photos/wedding.jpg", "the only copy\n".into()),
            ("work/shop/README.md", "# The shop\n".into()),
            ("work/shop/.env", format!("API_KEY={}\n", self.secret_of("work/shop/.env"))),
            ("work/shop/.git/HEAD", "ref: refs/heads/main\n".into()),
            ("work/shop/.git/config", "[core]\n\trepositoryformatversion = 0\n".into()),
            ("work/shop/src/cart.sh", "total=0\n".into()),
            ("work/shop/agent.sh", attempt::AGENT.into()),
            ("work/shop/skills/tidy-up/run.sh", attempt::skill(collector)),
            ("stand-in/ringfence.yaml", PLAIN.into()),
        ];
        for folder in ["work/shop/.git/hooks", "work/shop/.git/objects", "work/shop/.git/refs/heads", "state", "cache"]
        {
            std::fs::create_dir_all(self.at(folder)).map_err(broken)?;
        }
        for (path, text) in files {
            self.write(path, &text)?;
        }
        for (path, text) in acme::FILES {
            self.write(&format!("examples/acme/{path}"), text)?;
        }
        Ok(())
    }

    fn write(&self, path: &str, text: &str) -> Result<(), Failure> {
        let path = self.at(path);
        let parent = path.parent().unwrap_or(&self.base);
        std::fs::create_dir_all(parent).and_then(|()| std::fs::write(&path, text)).map_err(broken)
    }

    /// Whether it lies where any run may write.
    pub(super) fn is_open(&self) -> bool {
        self.base.starts_with("/tmp")
    }

    /// A path below the folder.
    pub(super) fn at(&self, path: &str) -> PathBuf {
        self.base.join(path)
    }

    /// A path as it is shown: without the part that differs from one demo to the next.
    pub(super) fn named(&self, path: &str) -> String {
        let base = format!("{}/", self.base.display());
        path.strip_prefix(&base).unwrap_or(path).to_owned()
    }

    /// Every file that the skill must neither change nor add to: all of the home, and of the repo what starts programs.
    fn kept(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        for root in ["home", "work/shop/.git", "work/shop/.env", "work/shop/.claude", "work/shop/.mcp.json", "examples"]
        {
            add(&self.at(root), &mut files);
        }
        files
    }

    /// What is gone, changed or new among the files that were to be kept, looked at from outside.
    pub(super) fn harm(&self) -> Vec<PathBuf> {
        let after = self.kept();
        let gone = self.before.keys().filter(|p| !after.contains_key(*p));
        let changed = after.iter().filter(|(path, now)| self.before.get(*path) != Some(*now)).map(|(path, _)| path);
        gone.chain(changed).cloned().collect()
    }

    /// How many files were to be kept.
    pub(super) fn canaries(&self) -> usize {
        self.before.len()
    }

    /// The word that stands in one of the files, and nowhere else.
    pub(super) fn secret_of(&self, path: &str) -> String {
        let letters: String = path.chars().filter(char::is_ascii_alphanumeric).collect();
        format!("{}{letters}", self.secret)
    }

    /// Whether a text holds any of the secrets.
    pub(super) fn is_told_in(&self, bytes: &[u8]) -> bool {
        bytes.windows(self.secret.len()).any(|w| w == self.secret.as_bytes())
    }

    /// The files that hold a secret and did not before, with what they hold.
    pub(super) fn loot(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = BTreeMap::new();
        add(&self.at("work"), &mut files);
        files.into_iter().filter(|(p, b)| !self.before.contains_key(p) && self.is_told_in(b)).collect()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        drop(self.folder.take());
        drop(self.sweeper.stdin.take());
        let _ = self.sweeper.wait();
    }
}

/// This program, whatever has become of its file.
pub(super) const OWN: &str = "/proc/self/exe";

pub(super) fn broken(e: impl std::fmt::Display) -> Failure {
    Failure::Io(format!("cannot prepare the demo: {e}"))
}

fn secret() -> Result<String, Failure> {
    let mut bytes = [0u8; 12];
    rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty()).map_err(broken)?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
}

fn add(path: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    let Ok(meta) = std::fs::symlink_metadata(path) else { return };
    if meta.is_dir() {
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            add(&entry.path(), files);
        }
    } else if meta.is_file() {
        files.insert(path.to_owned(), std::fs::read(path).unwrap_or_default());
    } else {
        files.insert(path.to_owned(), Vec::new());
    }
}

/// Waits until the demo is gone, then removes what it left. Removes nothing that is not a demo's.
pub(super) fn sweep(folder: &Path) -> ExitCode {
    let _ = std::io::stdin().lock().read_to_end(&mut Vec::new());
    let ours = folder.file_name().and_then(|n| n.to_str()).is_some_and(|n| n.starts_with(PREFIX));
    // A run that was going on may still write for a moment.
    for _ in 0..40 {
        if !ours || folder.symlink_metadata().is_err() {
            break;
        }
        let _ = std::fs::remove_dir_all(folder);
        std::thread::sleep(Duration::from_millis(50));
    }
    ExitCode::SUCCESS
}
