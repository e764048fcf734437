//! The kernel slice and this machine → a list of places: what exists inside, writable or not, what is hidden, what
//! is protected.
//!
//! In: the slice, the repo, the home directory. Out: a `Layout`. Reads the file system to see what exists; changes
//! nothing. What the policy names and this cannot make true is an error, never a quiet omission.

use crate::error::{Result, SandboxError};
use crate::fs::toolchain;
use crate::fs::toolchain::Kind;
use crate::fs::within::{lies_in, normal};
use ringfence_policy::pattern::{Anchor, PathPattern, PathRoot};
use ringfence_policy::scale::FsPermission;
use ringfence_policy::slice::FsRules;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// Where a run takes place.
#[derive(Debug, Clone)]
pub struct Place {
    /// The working repo, canonical.
    pub repo: PathBuf,
    /// The home directory, canonical where it exists.
    pub home: PathBuf,
    /// Where the command starts.
    pub cwd: PathBuf,
}

/// A directory or file of the host that exists inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bind {
    /// The same path inside and outside, `normal`.
    pub(crate) path: PathBuf,
    /// How it can be used.
    pub(crate) access: Access,
}

/// How a place can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Read, and executed where programs may be.
    Read,
    /// Read and written.
    Write,
    /// Written into a layer that is thrown away.
    CopyOnWrite,
}

/// What exists inside.
#[derive(Debug, Clone, Default)]
pub(crate) struct Layout {
    /// Everything is the host's; only hidden and protected paths differ.
    pub(crate) full: bool,
    /// Links at the top, such as `/bin`.
    pub(crate) links: Vec<(PathBuf, PathBuf)>,
    /// Places of the host, parents before children.
    pub(crate) binds: Vec<Bind>,
    /// Whether a choice of `/etc` exists.
    pub(crate) etc: bool,
    /// Whether `/tmp`, the home directory and shared memory can be written; all of them are the run's own.
    pub(crate) scratch: bool,
    /// The home directory.
    pub(crate) home: PathBuf,
    /// Paths that exist and are masked.
    pub(crate) hidden: Vec<PathBuf>,
    /// Paths that cannot be written although what they lie in can; existing or not.
    pub(crate) protected: Vec<PathBuf>,
    /// Git's folders outside the repo, where it is a worktree.
    pub(crate) git_folders: Vec<PathBuf>,
    /// Endings that written files may have; none when there is no such rule.
    pub(crate) extensions: Option<Vec<String>>,
}

/// The most entries that are looked at to find what a pattern hides.
const MOST_ENTRIES: usize = 500_000;

/// What a run sees.
pub(crate) fn layout(rules: &FsRules, place: &Place, variable: impl Fn(&str) -> Option<PathBuf>) -> Result<Layout> {
    let mut layout = Layout {
        full: rules.permission == FsPermission::Full,
        home: place.home.clone(),
        extensions: rules.write_extensions.clone(),
        ..Layout::default()
    };
    for (list, access) in [(&rules.read_roots, Access::Read), (&rules.write_roots, Access::Write)] {
        for text in list {
            add_root(&mut layout, place, text, access)?;
        }
    }
    if !layout.full && rules.permission != FsPermission::None {
        for (path, kind) in toolchain::parts(rules.toolchains.as_deref(), &place.home, variable) {
            let access = if kind == Kind::Cache { Access::CopyOnWrite } else { Access::Read };
            add(&mut layout.binds, path, access);
        }
        for (path, access) in git_folders(place, &layout.binds) {
            layout.git_folders.push(path.clone());
            add(&mut layout.binds, path, access);
        }
    }
    layout.binds.sort_by(|a, b| a.path.cmp(&b.path));
    hide(&mut layout, rules, place)?;
    protect(&mut layout, rules, place)?;
    Ok(layout)
}

impl Layout {
    /// How a path can be used: the innermost place that contains it decides.
    pub(crate) fn access(&self, path: &Path) -> Option<Access> {
        let path = normal(path);
        let within = self.binds.iter().filter(|b| lies_in(&path, &b.path));
        within.max_by_key(|b| b.path.as_os_str().len()).map(|b| b.access)
    }

    /// The same with nothing to write: somebody else writes on the run's behalf.
    pub(crate) fn read_only(mut self) -> Self {
        for bind in &mut self.binds {
            bind.access = Access::Read;
        }
        self
    }
}

/// One path, one access: the wider one wins, because both were granted.
fn add(binds: &mut Vec<Bind>, path: PathBuf, access: Access) {
    let path = normal(&path).into_owned();
    match binds.iter_mut().find(|b| b.path == path) {
        Some(bind) if access == Access::Write => bind.access = Access::Write,
        Some(_) => {}
        None => binds.push(Bind { path, access }),
    }
}

fn add_root(layout: &mut Layout, place: &Place, text: &str, access: Access) -> Result<()> {
    let root = PathRoot::new(text).map_err(SandboxError::Refused)?;
    let path = absolute(&root, place);
    match (root.anchor(), path.as_path()) {
        (Anchor::Root, p) if p == Path::new("/") => layout.full = true,
        (Anchor::Root, p) if p == Path::new("/tmp") => layout.scratch |= access == Access::Write,
        (Anchor::Root, p) if p == Path::new("/etc") && access == Access::Read => layout.etc = true,
        // A folder for reports need not be there yet; it is the only thing a run brings about outside.
        (Anchor::Repo, p) if access == Access::Write && p != place.repo && !p.exists() => {
            make_folder(place, &root)?;
            add(&mut layout.binds, path, access);
        }
        (Anchor::Root, p) if p.is_symlink() && access == Access::Read => {
            if let Ok(target) = std::fs::read_link(p) {
                layout.links.push((path, target));
            }
        }
        (_, p) if p.exists() => add(&mut layout.binds, path, access),
        _ => {}
    }
    Ok(())
}

/// Makes a folder below the repo, following no link on the way.
fn make_folder(place: &Place, root: &PathRoot) -> Result<()> {
    use rustix::fs::{Mode, OFlags, mkdirat, openat};
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let fail = |e| SandboxError::at("make the folder", &place.repo.join(root.rest()), e);
    let mut dir = rustix::fs::open(&place.repo, flags, Mode::empty()).map_err(fail)?;
    for component in root.rest().split('/') {
        match mkdirat(&dir, component, Mode::from_raw_mode(0o755)) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(e) => return Err(fail(e)),
        }
        dir = openat(&dir, component, flags, Mode::empty()).map_err(fail)?;
    }
    Ok(())
}

/// Where a path of the policy lies on this machine.
pub(crate) fn absolute(root: &PathRoot, place: &Place) -> PathBuf {
    let mut path = PathBuf::new();
    put(&mut path, &normal(base(root.anchor(), place)), root.rest());
    path
}

fn base(anchor: Anchor, place: &Place) -> &Path {
    match anchor {
        Anchor::Root => Path::new("/"),
        Anchor::Home => &place.home,
        Anchor::Repo => &place.repo,
    }
}

/// Makes `path` what lies below a folder.
fn put(path: &mut PathBuf, base: &Path, rest: &str) {
    let path = path.as_mut_os_string();
    path.clear();
    path.push(base);
    if !rest.is_empty() {
        if base != Path::new("/") {
            path.push("/");
        }
        path.push(rest);
    }
}

/// Reads paths of the policy one after the other, in one piece of memory.
struct Reader {
    place: Place,
    path: PathBuf,
}

impl Reader {
    fn new(place: &Place) -> Self {
        let normal = |path: &Path| normal(path).into_owned();
        let place = Place { repo: normal(&place.repo), home: normal(&place.home), cwd: place.cwd.clone() };
        Self { place, path: PathBuf::new() }
    }

    /// Where a path lies, `normal`; nothing for a pattern with globs.
    fn read(&mut self, text: &str) -> Result<Option<&Path>> {
        if text.contains('*') {
            return Ok(None);
        }
        if let Some((anchor, rest)) = PathRoot::as_printed(text) {
            put(&mut self.path, base(anchor, &self.place), rest);
        } else {
            let root = PathRoot::new(text).map_err(SandboxError::Refused)?;
            put(&mut self.path, base(root.anchor(), &self.place), root.rest());
        }
        Ok(Some(&self.path))
    }
}

/// Git's folders outside the repo, where the repo is a worktree: its own, and the one all worktrees share. A link is
/// believed only if the other side points back, because the repo's side may have been written by anybody.
fn git_folders(place: &Place, binds: &[Bind]) -> Vec<(PathBuf, Access)> {
    let Some(access) = binds.iter().find(|b| b.path == place.repo).map(|b| b.access) else { return Vec::new() };
    let Some(git_dir) = pointer(&place.repo.join(".git"), "gitdir: ") else { return Vec::new() };
    let Ok(git_dir) = place.repo.join(git_dir).canonicalize() else { return Vec::new() };
    let back = pointer(&git_dir.join("gitdir"), "").and_then(|p| p.canonicalize().ok());
    if back != place.repo.join(".git").canonicalize().ok() || git_dir.starts_with(&place.repo) {
        return Vec::new();
    }
    let shared = pointer(&git_dir.join("commondir"), "").map(|p| git_dir.join(p));
    let shared = shared.and_then(|p| p.canonicalize().ok()).filter(|p| git_dir.starts_with(p));
    vec![(shared.unwrap_or(git_dir), access)]
}

/// The path in a small one-line file.
fn pointer(file: &Path, prefix: &str) -> Option<PathBuf> {
    let meta = std::fs::symlink_metadata(file).ok()?;
    if !meta.is_file() || meta.len() > 4096 {
        return None;
    }
    let bytes = std::fs::read(file).ok()?;
    let line = bytes.strip_prefix(prefix.as_bytes())?;
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    (!line.is_empty()).then(|| PathBuf::from(OsStr::from_bytes(line)))
}

/// Finds what exists of the hidden paths.
fn hide(layout: &mut Layout, rules: &FsRules, place: &Place) -> Result<()> {
    let mut globs = Vec::new();
    let mut hidden = BTreeSet::new();
    let home =
        layout.full || layout.binds.iter().any(|b| b.path.starts_with(&place.home) || place.home.starts_with(&b.path));
    let mut reader = Reader::new(place);
    for text in rules.hidden.iter() {
        // Nothing of the home directory exists inside: nothing of it has to be hidden.
        if !home && text.starts_with("~/") {
            continue;
        }
        let Some(path) = reader.read(text)? else {
            globs.push(PathPattern::new(text).map_err(SandboxError::Refused)?);
            continue;
        };
        let inside = layout.binds.iter().any(|b| b.access == Access::Write && lies_in(&b.path, path));
        if inside && layout.binds.iter().any(|b| b.path == place.repo) && place.repo.starts_with(path) {
            let message = format!("the repo `{}` lies in `{text}`, which the policy hides", place.repo.display());
            return Err(SandboxError::Refused(message));
        }
        let visible = layout.full || layout.binds.iter().any(|b| lies_in(path, &b.path));
        if visible && std::fs::symlink_metadata(path).is_ok() {
            hidden.insert(path.to_owned());
        }
    }
    if !globs.is_empty() && (layout.full || layout.access(&place.repo).is_some()) {
        find(&globs, place, &mut hidden)?;
    }
    layout.hidden = hidden.into_iter().collect();
    Ok(())
}

/// Walks the repo for what the patterns hide.
fn find(globs: &[PathPattern], place: &Place, hidden: &mut BTreeSet<PathBuf>) -> Result<()> {
    let mut folders = vec![place.repo.clone()];
    let mut seen = 0usize;
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            seen += 1;
            if seen > MOST_ENTRIES {
                let message = format!(
                    "`{}` has more than {MOST_ENTRIES} entries, too many to look for `{}`",
                    place.repo.display(),
                    globs.first().map(|g| g.text().to_string()).unwrap_or_default()
                );
                return Err(SandboxError::Refused(message));
            }
            let path = entry.path();
            let matches = path.strip_prefix(&place.repo).is_ok_and(|r| globs.iter().any(|g| covers(g, r)));
            if matches {
                hidden.insert(path);
            } else if entry.file_type().is_ok_and(|t| t.is_dir()) && !path.ends_with(".git/objects") {
                folders.push(path);
            }
        }
    }
    Ok(())
}

/// Whether a pattern covers a path of the repo. Bytes that are no text are shown as a sign that only `*` covers; a path
/// that the one parser does not take at all is judged by its last name, and covered where even that is none.
fn covers(pattern: &PathPattern, relative: &Path) -> bool {
    match PathRoot::new(&relative.to_string_lossy()) {
        Ok(path) => pattern.matches(&path),
        Err(_) => {
            let name = relative.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
            PathRoot::new(&name).map_or(true, |name| pattern.matches(&name))
        }
    }
}

/// Finds which protected paths lie in something that can be written.
fn protect(layout: &mut Layout, rules: &FsRules, place: &Place) -> Result<()> {
    let mut protected = BTreeSet::new();
    if !layout.full && !layout.binds.iter().any(|b| b.access == Access::Write) {
        return Ok(());
    }
    let in_home =
        |b: &Bind| b.access == Access::Write && (b.path.starts_with(&place.home) || place.home.starts_with(&b.path));
    let home = layout.full || layout.binds.iter().any(in_home);
    let mut reader = Reader::new(place);
    for text in rules.protected.iter() {
        if !home && text.starts_with("~/") {
            continue;
        }
        let Some(path) = reader.read(text)? else {
            let pattern = PathPattern::new(text).map_err(SandboxError::Refused)?;
            let mut found = BTreeSet::new();
            find(std::slice::from_ref(&pattern), place, &mut found)?;
            protected.extend(found);
            continue;
        };
        protected.insert(path.to_owned());
    }
    for folder in layout.git_folders.iter().map(PathBuf::as_path).chain([place.repo.join(".git").as_path()]) {
        protected.extend(git_programs(folder));
    }
    let written = |p: &PathBuf| layout.full || layout.access(p) == Some(Access::Write);
    layout.protected = protected.into_iter().filter(|p| is_plain(p) && written(p)).collect();
    Ok(())
}

fn is_git_folder(path: &Path) -> bool {
    path.join("HEAD").is_file() && path.join("objects").is_dir()
}

/// What git runs or is steered by, in a git folder and in those of its modules.
fn git_programs(folder: &Path) -> Vec<PathBuf> {
    if !is_git_folder(folder) {
        return Vec::new();
    }
    let mut out = Vec::new();
    let mut folders = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        if depth > 4 || out.len() > 1024 {
            break;
        }
        if is_git_folder(&folder) {
            out.extend(["hooks", "config", "config.worktree", "info/attributes"].map(|n| folder.join(n)));
        }
        for sub in if is_git_folder(&folder) { vec![folder.join("modules")] } else { vec![folder.clone()] } {
            let Ok(entries) = std::fs::read_dir(&sub) else { continue };
            let folders_in = entries.flatten().filter(|e| e.file_type().is_ok_and(|t| t.is_dir()));
            folders.extend(folders_in.take(256).map(|e| (e.path(), depth + 1)));
        }
    }
    out
}

/// No `..` on the way: such a path means different things before and after a rename.
fn is_plain(path: &Path) -> bool {
    path.components().all(|c| matches!(c, Component::RootDir | Component::Normal(_)))
}
