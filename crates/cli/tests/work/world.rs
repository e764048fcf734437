//! A home, a repo and a policy for one user, and the program run there.

use crate::registry::Registry;
use crate::tools;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Who runs the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct User {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
}

const ROOT: User = User { uid: 0, gid: 0 };
/// `nobody`, on every Linux.
pub(crate) const NOBODY: User = User { uid: 65534, gid: 65534 };

/// The same work as root and as a user without rights. Without root, only as whoever runs the tests.
pub(crate) fn everybody(work: impl Fn(World)) {
    let me = myself();
    if me == ROOT {
        eprintln!("as root");
        work(World::of(ROOT));
        eprintln!("as nobody");
        work(World::of(NOBODY));
    } else {
        eprintln!("not root: only as user {}", me.uid);
        work(World::of(me));
    }
}

/// Whoever runs the tests.
pub(crate) fn myself() -> User {
    User { uid: rustix::process::getuid().as_raw(), gid: rustix::process::getgid().as_raw() }
}

/// Whether tests that need a second user can run. Says so if not.
pub(crate) fn is_root(test: &str) -> bool {
    let root = rustix::process::getuid().is_root();
    if !root {
        eprintln!("SKIPPED, needs root: {test}");
    }
    root
}

/// One user's machine.
pub(crate) struct World {
    pub(crate) user: User,
    dir: TempDir,
    /// Where the program starts; the repo unless a test says otherwise.
    pub(crate) cwd: PathBuf,
    /// The network that the policy allows.
    pub(crate) port: Option<u16>,
    /// Variables beside the usual.
    pub(crate) variables: Vec<(String, String)>,
    /// Folders of programs beside the system's.
    pub(crate) programs: Vec<PathBuf>,
}

impl World {
    pub(crate) fn of(user: User) -> Self {
        Self::in_folder(user, OsStr::new("repo"))
    }

    /// With a repo of that name.
    pub(crate) fn in_folder(user: User, name: &OsStr) -> Self {
        let dir = tempfile::Builder::new().prefix("ringfence-work-").tempdir().expect("a folder");
        let path = dir.path().canonicalize().expect("a real path");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a folder that others can enter");
        let cwd = path.join("home").join(name);
        let world = Self { user, dir, cwd, port: None, variables: Vec::new(), programs: Vec::new() };
        let program = path.join("ringfence");
        tools::share(Path::new(env!("CARGO_BIN_EXE_ringfence")), &program);
        world.own(&path);
        for folder in [world.home(), world.repo(), path.join("policy"), path.join("state")] {
            world.folder(&folder);
        }
        world.write(&world.home().join(".gitconfig"), GIT);
        world
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.dir.path().canonicalize().expect("a real path")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.path().join("home")
    }

    pub(crate) fn repo(&self) -> PathBuf {
        self.cwd.clone()
    }

    /// Lets the program reach a registry.
    pub(crate) fn reach(&mut self, registry: &Registry) {
        self.port = Some(registry.port());
    }

    /// Gives something to the user.
    pub(crate) fn own(&self, path: &Path) {
        if rustix::process::getuid().is_root() {
            chown(path, Some(self.user.uid), Some(self.user.gid)).expect("a new owner");
        }
    }

    pub(crate) fn folder(&self, path: &Path) {
        let missing: Vec<&Path> = path.ancestors().take_while(|p| !p.exists()).collect();
        for folder in missing.into_iter().rev() {
            fs::create_dir(folder).expect("a folder");
            self.own(folder);
        }
    }

    /// A file of the user's.
    pub(crate) fn write(&self, path: &Path, content: impl AsRef<[u8]>) {
        self.folder(path.parent().expect("a folder above"));
        fs::write(path, content).expect("a file");
        self.own(path);
    }

    /// A file in the repo.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) {
        self.write(&self.repo().join(name), content);
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.repo().join(name)).unwrap_or_default()
    }

    /// A program of the machine, as the user, without a box.
    pub(crate) fn outside<I: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = I>) -> Command {
        let mut words = words.into_iter();
        let mut command = Command::new(words.next().expect("a program"));
        command.args(words);
        self.dress(&mut command);
        command
    }

    /// Does it, and must succeed.
    pub(crate) fn prepare<I: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = I>) -> String {
        let mut command = self.outside(words);
        let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
        assert!(output.status.success(), "{command:?}: {}", describe(&output));
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// A command line for the shell, as the user, without a box.
    pub(crate) fn shell(&self, line: &str) -> String {
        self.prepare(["bash", "-euc", line])
    }

    /// `ringfence run` with the words as its command.
    pub(crate) fn boxed<I: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = I>) -> Command {
        let mut command = self.outside(self.line(words));
        self.dress(&mut command);
        command
    }

    /// The words that run others in a box.
    pub(crate) fn line<I: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = I>) -> Vec<std::ffi::OsString> {
        let policy = self.path().join("policy");
        self.write(&policy.join("ringfence.yaml"), self.policy());
        let program = self.path().join("ringfence");
        let mut line = vec![program.into(), "run".into(), "--quiet".into(), "-C".into(), policy.into()];
        if self.port.is_some() {
            line.extend(["--resolve".into(), "registry.test=127.0.0.1".into()]);
        }
        line.extend(["--repo".into(), self.repo().into(), "--".into()]);
        line.extend(words.into_iter().map(|w| w.as_ref().to_owned()));
        line
    }

    /// Runs a shell line in the box; it must end well. What it printed comes back.
    pub(crate) fn work(&self, line: &str) -> String {
        let output = self.try_to(line);
        assert!(output.status.success(), "`{line}` as {:?}: {}", self.user, describe(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Runs a shell line in the box.
    pub(crate) fn try_to(&self, line: &str) -> Output {
        self.boxed(["bash", "-euc", line]).output().expect("the program starts")
    }

    fn policy(&self) -> String {
        let network = match self.port {
            Some(port) => {
                format!("{{ mode: allowlist, allowlist: [\"registry.test:{port}\", \"127.0.0.1:{port}\"] }}")
            }
            None => "{ mode: none }".into(),
        };
        format!(
            "policy: work\nlevel: project\nbecause: Ordinary work in a repo.\nsandbox:\n  network: {network}\n  \
             filesystem: {{ permission: repo-readwrite }}\n  limits: {{ memory: 8GiB, processes: 1024 }}\n"
        )
    }

    fn dress(&self, command: &mut Command) {
        let programs = self.programs.iter().map(|p| p.as_path()).chain(tools::SYSTEM.iter().map(Path::new));
        let path = std::env::join_paths(programs).expect("a search path");
        command.env_clear().env("PATH", path).env("HOME", self.home()).current_dir(&self.cwd).stdin(Stdio::null());
        command.env("RINGFENCE_STATE", self.path().join("state"));
        let usual = [("LANG", "C.UTF-8"), ("TERM", "xterm-256color"), ("SHELL", "/bin/bash"), ("NO_COLOR", "1")];
        command.envs(usual).envs(self.variables.iter().map(|(k, v)| (k, v)));
        if rustix::process::getuid().is_root() {
            command.uid(self.user.uid).gid(self.user.gid);
        }
    }
}

const GIT: &str = "[user]\n\tname = Somebody\n\temail = somebody@example.com\n[init]\n\tdefaultBranch = main\n\
                   [protocol \"file\"]\n\tallow = always\n[advice]\n\tdetachedHead = false\n";

/// What a program left, for a failure's message.
pub(crate) fn describe(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}\n--- stdout\n{}\n--- stderr\n{}", output.status, text(&output.stdout), text(&output.stderr))
}
