//! The program, run to its end: arguments and what it reads in; an exit code and what it said out.

use serde_json::Value as Json;
use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

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
}

/// The program, without colours.
pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ringfence"));
    command.args(args).env("NO_COLOR", "1").env_remove("CLICOLOR_FORCE");
    command
}

/// Runs a command that reads `input`.
pub(crate) fn run(mut command: Command, input: &[u8]) -> Run {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    let mut stdin = child.stdin.take().expect("its stdin");
    let input = input.to_vec();
    // A program that ends early does not read everything.
    let feed = std::thread::spawn(move || _ = stdin.write_all(&input));
    let output = child.wait_with_output().expect("it ends");
    feed.join().expect("fed");
    ran(output)
}

/// What is left of a run that has ended. A panic is never an answer.
pub(crate) fn ran(output: Output) -> Run {
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let run = Run {
        code: output.status.code().expect("an exit code, not a signal"),
        out: text(output.stdout),
        err: text(output.stderr),
    };
    assert!(!run.err.contains("panicked"), "{}", run.err);
    run
}

/// A folder with these files.
pub(crate) fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for (path, bytes) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("its folder");
        fs::write(path, bytes).expect("a file");
    }
    dir
}
