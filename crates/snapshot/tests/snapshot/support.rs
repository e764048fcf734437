//! A repo, a state folder and something outside of both that no restore may touch.

use ringfence_snapshot::{Changes, Limits, Restored, Snapshot, Taken};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

pub(crate) struct World {
    dir: PathBuf,
    /// Held for its end.
    _folder: Option<TempDir>,
}

/// What can be said about a tree: one line for each path.
pub(crate) type Description = BTreeMap<PathBuf, String>;

impl World {
    pub(crate) fn new() -> Self {
        Self::below(Path::new("/tmp"))
    }

    /// A world in memory, where there is one, for trees that are large.
    pub(crate) fn quick() -> Self {
        let memory = Path::new("/dev/shm");
        if memory.is_dir() { Self::below(memory) } else { Self::new() }
    }

    /// A world whose repo lies below another folder, perhaps on another filesystem.
    pub(crate) fn below(parent: &Path) -> Self {
        let folder = tempfile::Builder::new().prefix("snapshot-").tempdir_in(parent).expect("a folder");
        let dir = folder.path().canonicalize().expect("its path");
        for name in ["repo", "outside"] {
            fs::create_dir(dir.join(name)).expect("a folder");
        }
        fs::write(dir.join("outside/canary"), "alive").expect("a canary");
        Self { dir, _folder: Some(folder) }
    }

    pub(crate) fn repo(&self) -> PathBuf {
        self.dir.join("repo")
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.dir.join("outside")
    }

    pub(crate) fn run(&self) -> PathBuf {
        self.dir.join("state/run")
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.repo().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("its folder");
        fs::write(&path, text).expect("a file");
        path
    }

    pub(crate) fn take(&self) -> Taken {
        self.take_within(&Limits::default()).expect("a snapshot")
    }

    pub(crate) fn take_within(&self, limits: &Limits) -> Result<Taken, ringfence_snapshot::SnapshotError> {
        Snapshot::take(&self.repo(), &self.run().join("snapshot"), limits, &mut |_| {})
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot::open(&self.run().join("snapshot")).expect("the snapshot opens")
    }

    pub(crate) fn compare(&self) -> Changes {
        self.snapshot().compare(&self.repo()).expect("a comparison")
    }

    /// Restores, and says that nothing failed and nothing differs any more.
    pub(crate) fn restore(&self) -> Restored {
        let restored = self.snapshot().restore(&self.repo(), &mut |_| {}).expect("a restore");
        assert_eq!(restored.changes.failed, [], "nothing fails");
        let left = self.compare();
        assert!(left.is_empty(), "differs after the restore: {left:?}");
        restored
    }

    pub(crate) fn describe(&self) -> Description {
        describe(&self.repo())
    }
}

impl Drop for World {
    /// Trees deeper than a recursive removal likes, and folders without permissions.
    fn drop(&mut self) {
        let _ = Command::new("chmod").args(["-R", "u+rwx"]).arg(&self.dir).output();
        let _ = Command::new("rm").arg("-rf").arg(&self.dir).output();
    }
}

/// Everything a restore must bring back.
pub(crate) fn describe(root: &Path) -> Description {
    let mut found = Description::new();
    let mut open = vec![root.to_owned()];
    while let Some(path) = open.pop() {
        let m = fs::symlink_metadata(&path).expect("an entry");
        let content = if m.is_symlink() {
            format!("{:?}", fs::read_link(&path).expect("a link"))
        } else if m.is_dir() {
            let list = fs::read_dir(&path);
            open.extend(list.into_iter().flatten().map(|e| e.expect("an entry").path()));
            String::new()
        } else if m.is_file() {
            format!(
                "{:?}",
                fs::read(&path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).map_err(|e| e.kind())
            )
        } else {
            String::new()
        };
        let time = (m.mtime(), m.mtime_nsec());
        let line = format!("{:o} {}:{} {time:?} {} {content}", m.mode(), m.uid(), m.gid(), labels(&path, &m));
        found.insert(path.strip_prefix(root).expect("below").to_owned(), line);
    }
    found
}

/// User attributes, which only files and folders have.
fn labels(path: &Path, m: &fs::Metadata) -> String {
    if !m.is_file() && !m.is_dir() {
        return String::new();
    }
    let mut value = [0; 64];
    let n = rustix::fs::lgetxattr(path, "user.label", &mut value[..]).unwrap_or(0);
    String::from_utf8_lossy(&value[..n]).into_owned()
}

pub(crate) fn label(path: &Path, value: &str) {
    rustix::fs::setxattr(path, "user.label", value.as_bytes(), rustix::fs::XattrFlags::empty()).expect("an attribute");
}

pub(crate) fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
}

pub(crate) fn name(bytes: &[u8]) -> &OsStr {
    OsStr::from_bytes(bytes)
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
