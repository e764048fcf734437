//! `run --session NAME`: a box that stays, for an agent's many small calls. The first call builds it in the background;
//! later ones are handed to it and cost no more than starting a program.

use super::{Args, failure};
use crate::exit::Exit;
use crate::failure::Failure;
use ringfence_sandbox::{Ending, Session};
use ringfence_store::state::state_dir;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

/// A session that nobody calls for this long ends.
pub(super) const IDLE: Duration = Duration::from_secs(30 * 60);

/// What the background process says when calls can come.
pub(super) const READY: &str = "ready";

/// Calls a session, after building it where there is none.
pub(super) fn call(name: &str, args: &Args) -> Result<ExitCode, Failure> {
    let path = path(name)?;
    let session = Session::at(&path);
    if args.session_end {
        if session.is_served() {
            session.end().map_err(failure)?;
        }
        return Ok(Exit::Done.into());
    }
    if !session.is_served() {
        // Left behind by a session that was killed.
        let _ = std::fs::remove_file(&path);
        if let Some(code) = build()? {
            return Ok(code);
        }
    }
    let cwd = std::env::current_dir().map_err(|e| Failure::Io(format!("cannot tell the current folder: {e}")))?;
    let streams = [rustix::stdio::stdin(), rustix::stdio::stdout(), rustix::stdio::stderr()];
    let ending = session.run(&args.command, std::env::vars_os(), &cwd, streams).map_err(failure)?;
    match ending {
        Ending::Exited(code) => Ok(ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX))),
        Ending::Signaled(signal) => ringfence_sandbox::die_by(signal),
        Ending::Aborted(_) | Ending::Lost => Ok(Exit::Aborted.into()),
    }
}

/// Where a session is called: in the state folder, which no box can see.
pub(super) fn path(name: &str) -> Result<PathBuf, Failure> {
    path_in(&state_dir(|name| std::env::var_os(name)).map_err(|e| Failure::Io(e.to_string()))?, name)
}

/// The same in a given state folder.
pub(crate) fn path_in(state: &Path, name: &str) -> Result<PathBuf, Failure> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if name.is_empty() || name.len() > 32 || !name.chars().all(plain) {
        return Err(Failure::Usage("a session's name is up to 32 letters, digits, `-` and `_`".into()));
    }
    let folder = state.join("sessions");
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder);
    made.map_err(|e| Failure::io("make", &folder, e))?;
    Ok(folder.join(format!("{name}.sock")))
}

/// Starts this same command in the background, as the one who serves. The exit code, where it cannot.
fn build() -> Result<Option<ExitCode>, Failure> {
    let start = |e| Failure::Io(format!("cannot start the session: {e}"));
    let mut words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let at = words.iter().position(|w| w == "--").unwrap_or(words.len());
    words.insert(at, "--session-serve".into());
    let mut child = Command::new("/proc/self/exe")
        .args(&words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(start)?;
    let mut line = String::new();
    if let Some(stdout) = child.stdout.take() {
        BufReader::new(stdout.take(64)).read_line(&mut line).map_err(start)?;
    }
    if line.trim_end() == READY {
        return Ok(None);
    }
    let mut why = String::new();
    if let Some(stderr) = child.stderr.take() {
        let _ = stderr.take(64 * 1024).read_to_string(&mut why);
    }
    eprint!("{why}");
    let status = child.wait().map_err(start)?;
    Ok(Some(ExitCode::from(status.code().and_then(|c| u8::try_from(c).ok()).unwrap_or(Exit::Internal.code()))))
}
