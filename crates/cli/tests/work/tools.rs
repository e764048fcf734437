//! The tools of this machine.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where programs of the system lie.
pub(crate) const SYSTEM: &[&str] = &["/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin"];

/// Each must be there; `./test` installs what is missing.
pub(crate) fn need(programs: &[&str]) {
    let missing = |name: &&&str| !SYSTEM.iter().any(|dir| Path::new(dir).join(name).exists());
    let missing: Vec<_> = programs.iter().filter(missing).collect();
    assert!(missing.is_empty(), "missing in {SYSTEM:?}: {missing:?}; run `./test`, or install them as it does");
}

/// A Python of the system that has these modules.
pub(crate) fn python(modules: &str) -> &'static str {
    let has = |python: &&&str| {
        let probe = Command::new(python).args(["-c", &format!("import {modules}")]).output();
        probe.is_ok_and(|o| o.status.success())
    };
    ["/usr/bin/python3", "/usr/local/bin/python3"].iter().find(has).copied().unwrap_or_else(|| {
        panic!("no Python of the system has {modules}; run `./test`, or install python3-venv and python3-pytest")
    })
}

/// The same file under another name; a copy where that cannot be.
pub(crate) fn share(from: &Path, to: &Path) {
    if fs::hard_link(from, to).is_err() {
        fs::copy(from, to).expect("a copy");
    }
}

/// A Rust toolchain that somebody else than its owner can use: its programs' folder.
pub(crate) fn rust_for_anybody(into: &Path) -> PathBuf {
    let from = sysroot();
    for folder in ["bin", "lib"] {
        share_files(&from.join(folder), &into.join(folder));
    }
    let mut folders = vec![PathBuf::from("lib/rustlib").join(host())];
    while let Some(folder) = folders.pop() {
        let below = share_files(&from.join(&folder), &into.join(&folder));
        folders.extend(below.into_iter().map(|name| folder.join(name)));
    }
    into.join("bin")
}

/// Shares a folder's files, and tells which folders it has.
fn share_files(from: &Path, into: &Path) -> Vec<OsString> {
    fs::create_dir_all(into).expect("a folder");
    let (folders, files): (Vec<_>, Vec<_>) =
        fs::read_dir(from).expect("the toolchain").flatten().partition(|e| e.file_type().is_ok_and(|t| t.is_dir()));
    for file in files {
        share(&file.path(), &into.join(file.file_name()));
    }
    folders.into_iter().map(|f| f.file_name()).collect()
}

/// The toolchain that builds this.
pub(crate) fn sysroot() -> PathBuf {
    PathBuf::from(ask(&["--print", "sysroot"]))
}

fn host() -> String {
    let text = ask(&["-vV"]);
    text.lines().find_map(|l| l.strip_prefix("host: ")).expect("a host").to_owned()
}

fn ask(arguments: &[&str]) -> String {
    let output = Command::new("rustc").args(arguments).output().expect("rustc is on the PATH");
    String::from_utf8(output.stdout).expect("UTF-8").trim_end().to_owned()
}
