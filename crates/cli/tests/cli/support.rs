//! Runs the program in a folder made for the occasion.

pub(crate) use crate::program::Run;
use crate::program::{self, command, run};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The exit codes that scripts rely on.
pub(crate) const USAGE: i32 = 119;
pub(crate) const INVALID: i32 = 120;
pub(crate) const FINDINGS: i32 = 121;

/// A time for everything that prints one.
pub(crate) const AT: &str = "2026-01-31T09:00:00Z";

impl Run {
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

/// Runs the program in a folder.
pub(crate) fn ringfence(dir: impl AsRef<Path>, args: &[&str]) -> Run {
    let mut command = command(args);
    command.current_dir(dir);
    run(command, b"")
}

/// A folder with these files.
pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    let files: Vec<(&str, &[u8])> = files.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
    program::folder(&files)
}

/// The folder that holds `examples`.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
