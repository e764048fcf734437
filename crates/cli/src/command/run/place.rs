//! Where a run takes place: the repo, the home directory, the current folder, each without links in it.

use crate::failure::Failure;
use ringfence_sandbox::Place;
use std::path::{Path, PathBuf};

/// Finds them.
pub(crate) fn find(repo: Option<&Path>) -> Result<Place, Failure> {
    let cwd = std::env::current_dir().map_err(|e| Failure::Io(format!("cannot tell the current folder: {e}")))?;
    let repo = repo.unwrap_or(&cwd);
    let repo = repo.canonicalize().map_err(|e| Failure::io("open the repo", repo, e))?;
    if !repo.is_dir() || repo == Path::new("/") {
        return Err(Failure::Usage(format!("`{}` cannot be a repo; give a folder with `--repo`", repo.display())));
    }
    let home = std::env::home_dir().filter(|h| h.is_absolute()).unwrap_or_else(|| PathBuf::from("/nonexistent"));
    let home = home.canonicalize().unwrap_or(home);
    let cwd = if cwd.starts_with(&repo) { cwd } else { repo.clone() };
    Ok(Place { repo, home, cwd })
}
