//! The folders of past runs: where they are and which of them have a snapshot.

use crate::failure::Failure;
use crate::output::shown;
use ringfence_seal::run_id::RunId;
use ringfence_snapshot::{Header, Snapshot};
use ringfence_store::runs::Runs;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A run that left a folder.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) id: String,
    dir: PathBuf,
}

impl Run {
    /// Where its snapshot is, if it has one.
    pub(crate) fn snapshot(&self) -> PathBuf {
        self.dir.join("snapshot")
    }

    /// Whether its supervisor is alive: that one holds the log as long as it lives, however it ends.
    pub(crate) fn goes_on(&self, state: &Path) -> bool {
        let log = RunId::parse(&self.id).ok().and_then(|id| Runs::new(state).open(&id).ok());
        log.is_some_and(|log| log.is_written())
    }
}

/// The state folder: `$RINGFENCE_STATE`, else `$XDG_STATE_HOME/ringfence`, else `~/.local/state/ringfence`.
pub(crate) fn state() -> Result<PathBuf, Failure> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    if let Some(given) = std::env::var_os("RINGFENCE_STATE").filter(|p| !p.is_empty()) {
        return std::path::absolute(given).map_err(|e| Failure::Io(format!("cannot find the state folder: {e}")));
    }
    let base = folder("XDG_STATE_HOME").or_else(|| folder("HOME").map(|home| home.join(".local/state")));
    base.map(|base| base.join("ringfence")).ok_or_else(|| {
        Failure::Io("no state folder: none of `RINGFENCE_STATE`, `XDG_STATE_HOME` and `HOME` is set".to_owned())
    })
}

/// Whether a text can be the name of a run's folder, and of nothing above or below it.
fn is_id(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    text.len() <= 128 && text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(plain)
}

/// Every run, oldest first: the ids begin with the time.
fn all(state: &Path) -> Result<Vec<Run>, Failure> {
    let dir = state.join("runs");
    let entries = match fs::read_dir(&dir) {
        Ok(entries) => entries,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(Failure::io("list", &dir, e)),
    };
    let ids = entries.flatten().filter(|e| e.file_type().is_ok_and(|t| t.is_dir()));
    let ids = ids.filter_map(|e| e.file_name().into_string().ok()).filter(|id| is_id(id));
    let mut runs: Vec<Run> = ids.map(|id| Run { dir: dir.join(&id), id }).collect();
    // Ids tell seconds; between runs of one second the file system knows which is newer.
    runs.sort_by_cached_key(|r| {
        let started = ["run.json", "."].map(|name| fs::metadata(r.dir.join(name)).and_then(|m| m.modified()).ok());
        let seconds = r.id.rsplit_once('-').map_or_else(String::new, |(time, _)| time.to_owned());
        (seconds, started.into_iter().flatten().next(), r.id.clone())
    });
    Ok(runs)
}

/// The run that is meant. INVARIANT: `last` is the latest run, not the latest that can be undone: an older run is
/// undone only when it is named.
pub(crate) fn find(state: &Path, wanted: &str) -> Result<Run, Failure> {
    let mut runs = all(state)?;
    let run = match wanted {
        "last" => runs.pop().ok_or_else(|| Failure::Usage("there is no run yet".to_owned()))?,
        id => runs
            .into_iter()
            .find(|r| r.id == id)
            .ok_or_else(|| Failure::Usage(format!("no run `{}`; `ringfence undo --list` shows them", shown(id))))?,
    };
    if !run.snapshot().is_dir() {
        return Err(Failure::Usage(format!(
            "run `{}` cannot be undone, it was started without `--snapshot`; `ringfence undo --list` shows those that can",
            run.id
        )));
    }
    Ok(run)
}

/// The runs with a snapshot that can be read, oldest first.
pub(crate) fn undoable(state: &Path) -> Result<Vec<(Run, Header)>, Failure> {
    let header = |run: Run| Snapshot::header_of(&run.snapshot()).ok().map(|header| (run, header));
    Ok(all(state)?.into_iter().filter_map(header).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_names_a_folder_of_runs_and_nothing_else() {
        for good in ["r-20261116T012500Z-1a2b3c4d", "a", "1_2.3"] {
            assert!(is_id(good), "{good}");
        }
        for bad in ["", ".", "..", "../x", "a/b", "-x", ".hidden", "a\u{1b}b", &"a".repeat(200)] {
            assert!(!is_id(bad), "{bad}");
        }
    }
}
