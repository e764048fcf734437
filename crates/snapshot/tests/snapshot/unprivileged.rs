//! Everything above, once more as a user without privileges.

use crate::support::{chmod, is_root};
use std::process::Command;

#[test]
fn everything_holds_for_an_unprivileged_user() {
    if !is_root() {
        return eprintln!("skipped: this is the unprivileged run");
    }
    // The folder of the build may be closed to others.
    let dir = tempfile::tempdir_in("/tmp").expect("a folder");
    chmod(dir.path(), 0o755);
    let program = dir.path().join("tests");
    std::fs::copy(std::env::current_exe().expect("this program"), &program).expect("a copy");
    chmod(&program, 0o755);
    let run = Command::new("runuser")
        .args(["-u", "nobody", "--"])
        .arg(&program)
        // One at a time: a program that one test starts holds another's locks until it has become that program.
        .arg("--test-threads=1")
        .env("PROPTEST_CASES", "24")
        .env_remove("NEXTEST")
        .current_dir("/")
        .output();
    match run {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{said}");
        }
        Err(e) => eprintln!("skipped: no `runuser` here: {e}"),
    }
}
