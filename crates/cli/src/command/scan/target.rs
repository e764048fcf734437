//! Paths → what to scan: files as they are named, folders walked in order, links inside them not followed.

use crate::failure::Failure;
use crate::output::shown_path;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The most files of one call.
const FILES: usize = 100_000;
/// The deepest folder.
const DEPTH: usize = 64;

/// One text to scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// Standard input.
    Stdin,
    /// A file that was named.
    Named(PathBuf),
    /// A file in a folder that was named; not scanned where it is no text.
    Walked(PathBuf),
}

impl Target {
    /// The name in reports.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Stdin => "stdin".to_owned(),
            Self::Named(path) | Self::Walked(path) => path.to_string_lossy().into_owned(),
        }
    }
}

/// What there is to scan, and why the rest cannot be.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) targets: Vec<Target>,
    pub(super) left_out: Vec<String>,
}

/// Finds everything that the paths name; no path names stdin.
pub(super) fn find(paths: &[PathBuf]) -> Result<Found, Failure> {
    let mut found = Found::default();
    if paths.iter().filter(|path| is_stdin(path)).count() > 1 {
        return Err(Failure::Usage("stdin can be scanned once: give `-` once".into()));
    }
    if paths.is_empty() {
        found.targets.push(Target::Stdin);
    }
    for path in paths {
        match path {
            path if is_stdin(path) => found.targets.push(Target::Stdin),
            path if path.is_dir() => walk(path, 0, &mut found),
            path => found.targets.push(Target::Named(path.clone())),
        }
    }
    if found.targets.len() > FILES {
        found.targets.truncate(FILES);
        found.left_out.push(format!("there are more than {FILES} files: the others were not scanned"));
    }
    Ok(found)
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// Adds the files of a folder in the order of their names. `.git` is left out: nobody reads it as text.
fn walk(dir: &Path, depth: usize, found: &mut Found) {
    if found.targets.len() > FILES {
        return;
    }
    if depth == DEPTH {
        found.left_out.push(format!("`{}` is nested too deeply: it was not scanned", shown_path(dir)));
        return;
    }
    let entries =
        fs::read_dir(dir).and_then(|entries| entries.map(|e| Ok(e?.path())).collect::<Result<BTreeSet<_>, _>>());
    let entries = match entries {
        Ok(entries) => entries,
        Err(e) => {
            found.left_out.push(format!("cannot read the folder `{}`: {e}", shown_path(dir)));
            return;
        }
    };
    for path in entries {
        match fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_dir() && !path.ends_with(".git") => walk(&path, depth + 1, found),
            Ok(meta) if meta.is_file() => found.targets.push(Target::Walked(path)),
            Ok(_) => {}
            Err(e) => found.left_out.push(format!("cannot read `{}`: {e}", shown_path(&path))),
        }
    }
}
