//! What a run must never change: the policies it runs under, the grants, the log, the cache of derived sandboxes.
//!
//! The baseline keeps their usual places. Here those that somebody put where the run can write are added by name.

use super::prepare::Preparation;
use crate::failure::Failure;
use ringfence_policy::pattern::{Anchor, PathRoot};
use ringfence_policy::scale::FsPermission;
use ringfence_policy::slice::FsRules;
use ringfence_sandbox::Place;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Hides the state and the cache, and protects the policies, where the run could otherwise write to them.
pub(super) fn keep(preparation: &mut Preparation, place: &Place, state: &Path) -> Result<(), Failure> {
    let cache = preparation.cache.as_ref().map(|(cache, _)| cache.path().to_owned());
    let fs = &mut preparation.prepared.slice.fs;
    for path in [Some(state.to_owned()), cache].into_iter().flatten() {
        let real = if is_written(fs, place, &path) { path.clone() } else { continue };
        Arc::make_mut(&mut fs.hidden).push(rule(&real)?);
    }
    for file in &preparation.files {
        let file = plain(file)?;
        if is_written(fs, place, &file) {
            let text = rule(&file)?;
            Arc::make_mut(&mut fs.protected).push(text);
        }
    }
    Ok(())
}

/// Whether a path lies in something that the run can write. A name in the repo that the baseline protects is not looked up.
fn is_written(fs: &FsRules, place: &Place, path: &Path) -> bool {
    if let Ok(name) = path.strip_prefix(&place.repo)
        && fs.protected.iter().any(|text| name.as_os_str() == &**text)
    {
        return false;
    }
    let within = |root: &String| {
        let Ok(root) = PathRoot::new(root) else { return false };
        let base = match root.anchor() {
            Anchor::Root => Path::new("/"),
            Anchor::Home => &place.home,
            Anchor::Repo => &place.repo,
        };
        // The run's `/tmp` is its own.
        !(root.anchor() == Anchor::Root && root.rest() == "tmp") && path.starts_with(base.join(root.rest()))
    };
    fs.permission == FsPermission::Full || fs.write_roots.iter().any(within)
}

/// The file without links and dots on the way.
fn plain(file: &Path) -> Result<PathBuf, Failure> {
    let path = std::path::absolute(file).map_err(|e| Failure::io("find", file, e))?;
    match path.components().any(|c| c == Component::ParentDir) {
        true => path.canonicalize().map_err(|e| Failure::io("find", file, e)),
        false => Ok(path),
    }
}

/// A path as a rule. What a pattern cannot say cannot be kept, so there is no run.
fn rule(path: &Path) -> Result<Arc<str>, Failure> {
    let text = path.to_str().filter(|t| !t.contains('*') && PathRoot::new(t).is_ok());
    text.map(Arc::from).ok_or_else(|| {
        Failure::Io(format!(
            "`{}` lies where the run can write, and its name cannot be protected; move it",
            path.display()
        ))
    })
}
