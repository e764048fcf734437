//! A place to run in: a repo, a state folder, a home and a cache, all of its own.

use serde_json::Value as Json;
use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// What a command left behind.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// A place to run in.
pub(crate) struct Bench {
    dir: TempDir,
    /// The user that runs: the one of the test, or nobody.
    nobody: bool,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::of(false)
    }

    /// The same for a user without rights; none where the test has no right to become one.
    pub(crate) fn of_nobody() -> Option<Self> {
        rustix::process::geteuid().is_root().then(|| Self::of(true))
    }

    /// One as whoever runs the test, one as nobody where that can be had.
    pub(crate) fn each() -> Vec<Self> {
        [Some(Self::new()), Self::of_nobody()].into_iter().flatten().collect()
    }

    fn of(nobody: bool) -> Self {
        let dir = base();
        let bench = Self { dir, nobody };
        for name in ["repo", "home"] {
            fs::create_dir(bench.dir.path().join(name)).expect("a folder");
        }
        if nobody {
            // The program itself lies where nobody may not look.
            fs::copy(env!("CARGO_BIN_EXE_ringfence"), bench.dir.path().join("ringfence")).expect("a copy");
            let all = Command::new("chown").args(["-R", "nobody"]).arg(bench.dir.path()).status().expect("chown");
            assert!(all.success());
        }
        bench
    }

    pub(crate) fn repo(&self) -> PathBuf {
        self.dir.path().join("repo")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.dir.path().join("state")
    }

    /// Writes a file below the repo.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.repo().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    pub(crate) fn command<S: AsRef<OsStr>>(&self, args: &[S]) -> Command {
        let mut command = if self.nobody {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(self.dir.path().join("ringfence"));
            command
        } else {
            Command::new(env!("CARGO_BIN_EXE_ringfence"))
        };
        command.args(args).current_dir(self.repo()).stdin(Stdio::null());
        command.env("RINGFENCE_STATE", self.state()).env("HOME", self.home()).env("NO_COLOR", "1");
        command.env_remove("XDG_CACHE_HOME").env_remove("CLICOLOR_FORCE").env_remove("CI");
        command
    }

    pub(crate) fn ran(&self, args: &[&str]) -> Ran {
        ended(self.command(args).output().expect("the program runs"))
    }

    /// Runs a shell script in the box.
    pub(crate) fn sh(&self, flags: &[&str], script: &str) -> Ran {
        let mut args = vec!["run"];
        args.extend_from_slice(flags);
        args.extend_from_slice(&["--", "/bin/sh", "-c", script]);
        self.ran(&args)
    }

    /// The events of the latest run.
    pub(crate) fn events(&self) -> Vec<Json> {
        let shown = self.ran(&["--format", "json", "log", "show", "last"]);
        assert_eq!(shown.code, 0, "{}", shown.err);
        shown.out.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect()
    }

    /// The folders of runs.
    pub(crate) fn runs(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.state().join("runs")).into_iter().flatten().flatten();
        entries.map(|e| e.path()).collect()
    }
}

/// A folder outside `/tmp`, which a run has for its own, and where another user can look in.
fn base() -> TempDir {
    let home = std::env::var("HOME").unwrap_or_default();
    let places = ["/srv", "/home", &home, env!("CARGO_TARGET_TMPDIR")];
    let dir = places.iter().find_map(|place| TempDir::new_in(place).ok()).expect("a folder");
    fs::set_permissions(dir.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("a mode");
    dir
}

pub(crate) fn ended(output: Output) -> Ran {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert!(!err.contains("panicked"), "{err}");
    Ran { code: output.status.code().unwrap_or(-1), out, err }
}

/// A server on loopback that answers every connection with one word, for as long as the test runs.
pub(crate) fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = stream;
            let _ = stream.read(&mut [0; 1024]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello");
        }
    });
    port
}

/// A policy with an allowlist.
pub(crate) fn allowing(hosts: &[&str]) -> String {
    let list: String = hosts.iter().map(|h| format!("      - \"{h}\"\n")).collect();
    format!(
        "policy: demo\nlevel: project\nbecause: A test project.\nsandbox:\n  network:\n    allowlist:\n{list}  filesystem: {{ permission: repo-readwrite }}\n"
    )
}

/// The words of a kind in a list of events.
pub(crate) fn of_kind<'a>(events: &'a [Json], kind: &str) -> Vec<&'a Json> {
    events.iter().filter(|e| e["kind"] == kind).collect()
}

/// Reads a JSON file.
pub(crate) fn json(path: &Path) -> Json {
    serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON")
}
