//! Runs the program in a folder made for the occasion.

use serde_json::Value as Json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The exit codes that scripts rely on.
pub(crate) const USAGE: i32 = 119;
pub(crate) const INVALID: i32 = 120;
pub(crate) const FINDINGS: i32 = 121;

/// A time for everything that prints one.
pub(crate) const AT: &str = "2026-01-31T09:00:00Z";

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    /// The one JSON value on stdout.
    pub(crate) fn json(&self) -> Json {
        serde_json::from_str(&self.out).expect("one JSON value on stdout")
    }

    /// The codes of the errors, in order; nothing else may stand on stdout or stderr.
    pub(crate) fn error_codes(&self) -> Vec<String> {
        assert_eq!(self.code, INVALID, "{self:?}");
        assert_eq!(self.err, "", "errors as JSON go to stdout only");
        let json = self.json();
        let keys: Vec<&String> = json.as_object().expect("an object").keys().collect();
        assert_eq!(keys, ["errors", "warnings"], "errors and nothing else");
        let errors = json["errors"].as_array().expect("a list");
        errors.iter().map(|e| e["code"].as_str().expect("a code").to_owned()).collect()
    }
}

/// Runs the program in a folder. A panic is never an answer.
pub(crate) fn ringfence(dir: impl AsRef<Path>, args: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ringfence"));
    command.args(args).current_dir(dir).env("NO_COLOR", "1").env_remove("CLICOLOR_FORCE");
    let output = command.output().expect("the program runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    let run = Run {
        code: output.status.code().expect("an exit code, not a signal"),
        out: text(output.stdout),
        err: text(output.stderr),
    };
    assert!(!run.err.contains("panicked"), "{}", run.err);
    run
}

/// A folder with these files.
pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("its folder");
        fs::write(path, text).expect("a file");
    }
    dir
}

/// The folder that holds `examples`.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
