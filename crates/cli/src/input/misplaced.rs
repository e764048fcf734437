//! Files of a policy folder that are not read and look as if they were meant to be.
//!
//! A rule in a file that nobody reads is a rule that does nothing, so it is pointed out. A folder may well hold
//! other things: only names near a known one are looked at, and only those that end like a policy.

use super::file::is_policy_file;
use std::path::{Path, PathBuf};

/// Files by themselves, without their ending.
const FILES: &[&str] = &["ringfence", "org", "tools", "host"];
/// Folders of files.
const FOLDERS: &[&str] = &["projects", "agents", "specs", "packs", "presets"];
/// Folders in which somebody may group files by folder.
const GROUPED: &[&str] = &["projects", "agents", "specs"];
/// More than this is no slip.
const MOST: usize = 50;

/// A file that is not read.
#[derive(Debug)]
pub(super) struct Misplaced {
    /// Where it is.
    pub(super) path: PathBuf,
    /// Where it would be read.
    pub(super) place: PathBuf,
    /// Something is there already.
    pub(super) taken: bool,
}

/// The files of a policy folder that miss their place. A lone `ringfence.yaml` stands in a repo of other things:
/// beside it, only what could be another one is meant.
pub(super) fn find(dir: &Path, lone: bool) -> Vec<Misplaced> {
    let mut out = Vec::new();
    let (files, folders) = if lone { (&["ringfence"][..], &["packs", "presets"][..]) } else { (FILES, FOLDERS) };
    let here = names(dir);
    for name in &here {
        let path = dir.join(name);
        if path.is_dir() {
            let Some(folder) = missed(dir, &here, name, name, folders) else { continue };
            out.extend(policy_files(&path).map(|n| misplaced(path.join(&n), dir.join(folder).join(&n))));
        } else if is_policy_file(Path::new(&name.to_lowercase())) {
            let Some((stem, ending)) = name.rsplit_once('.') else { continue };
            let Some(file) = missed(dir, &here, name, stem, files) else { continue };
            out.push(misplaced(path, dir.join(format!("{file}.{}", ending.to_lowercase()))));
        }
    }
    for folder in GROUPED.iter().map(|f| dir.join(f)).filter(|_| !lone) {
        for group in names(&folder).iter().map(|n| folder.join(n)).filter(|p| p.is_dir()) {
            out.extend(policy_files(&group).map(|n| misplaced(group.join(&n), folder.join(&n))));
        }
    }
    out.truncate(MOST);
    out
}

fn misplaced(path: PathBuf, place: PathBuf) -> Misplaced {
    let taken = place.symlink_metadata().is_ok();
    Misplaced { path, place, taken }
}

/// The known name that was meant. Where the file system takes both spellings for one, nothing was missed.
fn missed(dir: &Path, here: &[String], name: &str, stem: &str, known: &[&'static str]) -> Option<&'static str> {
    let right = |k: &str| name.to_lowercase().replacen(&stem.to_lowercase(), k, 1);
    let meant = known.iter().copied().find(|k| is_near(&stem.to_lowercase(), k))?;
    let right = right(meant);
    let same_file = right == name.to_lowercase() && !here.contains(&right) && dir.join(&right).exists();
    (right != name && !same_file).then_some(meant)
}

/// Plain files that end like a policy, without those of editors.
fn policy_files(dir: &Path) -> impl Iterator<Item = String> {
    let dir = dir.to_owned();
    names(&dir).into_iter().filter(move |n| is_policy_file(Path::new(n)) && !dir.join(n).is_dir())
}

/// The names in a folder, in order, without hidden ones. A folder that cannot be read is reported elsewhere.
fn names(dir: &Path) -> Vec<String> {
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|e| e.file_name().into_string().ok()).collect();
    names.retain(|n| !n.starts_with('.'));
    names.sort();
    names
}

/// At most one letter more, less or other, or two neighbours the other way round.
fn is_near(written: &str, known: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (written.chars().collect(), known.chars().collect());
    let same = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (a, b) = (a.get(same..).unwrap_or_default(), b.get(same..).unwrap_or_default());
    let same = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    match (a.get(..a.len() - same).unwrap_or_default(), b.get(..b.len() - same).unwrap_or_default()) {
        ([x, y], [v, w]) => x == w && y == v,
        (a, b) => a.len() <= 1 && b.len() <= 1,
    }
}

#[cfg(test)]
mod tests {
    use super::is_near;

    #[test]
    fn near_is_one_slip() {
        for (written, known) in [("orgs", "org"), ("project", "projects"), ("agnets", "agents"), ("tolls", "tools")] {
            assert!(is_near(written, known), "{written}");
        }
        for (written, known) in [("package", "packs"), ("todos", "tools"), ("spectrum", "specs"), ("o", "org")] {
            assert!(!is_near(written, known), "{written}");
        }
    }
}
