//! What stands beside the walls: the log and its key, snapshots, control groups. Each is tried, and left as it was.

use ringfence_store::state::state_dir;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// One of them.
#[derive(Debug, Serialize)]
pub(super) struct Service {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    /// `works`, `off` or `unavailable`.
    pub(super) state: &'static str,
    pub(super) detail: String,
}

/// Tries them all.
pub(super) fn all() -> Vec<Service> {
    let state = state_dir(|name| std::env::var_os(name));
    let log = match &state {
        Ok(state) => log(state),
        Err(e) => service("log", "run log", "unavailable", e.to_string()),
    };
    let clones = match state.ok().as_deref().and_then(existing) {
        Some(folder) => clones(&folder),
        None => service("snapshots", "snapshots", "unavailable", "there is no folder to keep them in".into()),
    };
    vec![log, clones, groups()]
}

fn service(id: &'static str, title: &'static str, state: &'static str, detail: String) -> Service {
    Service { id, title, state, detail }
}

/// The nearest folder above a path that exists.
fn existing(path: &Path) -> Option<PathBuf> {
    path.ancestors().find(|p| p.is_dir()).map(Path::to_owned)
}

fn log(state: &Path) -> Service {
    let (id, title) = ("log", "run log");
    let Some(folder) = existing(state) else { return service(id, title, "unavailable", "no folder".into()) };
    if let Err(e) = tempfile::tempfile_in(&folder) {
        let detail = format!("`{}` cannot be written: {e}; set RINGFENCE_STATE to a folder that can", folder.display());
        return service(id, title, "unavailable", detail);
    }
    if folder != state {
        return service(
            id,
            title,
            "works",
            format!("`{}` will be made by the first run, with its key", state.display()),
        );
    }
    let public = ringfence_store::keys::public_path(state);
    if !public.exists() {
        return service(id, title, "works", format!("`{}`; its key will be made by the first run", state.display()));
    }
    match ringfence_store::keys::public_keys(&public) {
        Ok(keys) => service(
            id,
            title,
            "works",
            format!("`{}`, {} to check it with", state.display(), crate::output::count(keys.len(), "key")),
        ),
        Err(e) => service(id, title, "unavailable", e.to_string()),
    }
}

/// Whether files can share their blocks.
fn clones(folder: &Path) -> Service {
    let (id, title) = ("snapshots", "snapshots");
    let files = || -> std::io::Result<_> {
        let mut from = tempfile::tempfile_in(folder)?;
        from.write_all(&[1; 4096])?;
        Ok((from, tempfile::tempfile_in(folder)?))
    };
    let (from, to) = match files() {
        Ok(files) => files,
        Err(e) => {
            let detail = format!("`{}` cannot be written: {e}", folder.display());
            return service(id, title, "unavailable", detail);
        }
    };
    match rustix::fs::ioctl_ficlone(&to, &from) {
        Ok(()) => service(id, title, "works", "files are cloned: a snapshot takes no space at first".into()),
        Err(e) => {
            let detail = format!("files are copied: the file system of `{}` does not clone ({e})", folder.display());
            service(id, title, "works", detail)
        }
    }
}

/// Whether a group of one's own can be made. Runs do without: rlimits and the supervisor's count keep their limits.
fn groups() -> Service {
    let (id, title) = ("cgroups", "control groups");
    let own = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let v2 = own
        .lines()
        .find_map(|l| l.strip_prefix("0::"))
        .filter(|_| Path::new("/sys/fs/cgroup/cgroup.controllers").exists());
    let pids = || own.lines().find_map(|l| Some(l.split_once(":pids:")?.1));
    let (kind, folder) = match (v2, pids()) {
        (Some(path), _) => ("v2", format!("/sys/fs/cgroup{path}")),
        (None, Some(path)) => ("v1", format!("/sys/fs/cgroup/pids{path}")),
        (None, None) => {
            return service(
                id,
                title,
                "unavailable",
                "none here; rlimits and the supervisor's count keep limits".into(),
            );
        }
    };
    let name = Path::new(&folder).join(format!("ringfence-doctor-{}", std::process::id()));
    match std::fs::create_dir(&name).and_then(|()| std::fs::remove_dir(&name)) {
        Ok(()) => service(
            id,
            title,
            "off",
            format!("{kind} groups can be made and are not used; rlimits and the supervisor's count keep limits"),
        ),
        Err(e) => service(
            id,
            title,
            "unavailable",
            format!("{kind}, not this user's to use ({e}); rlimits and the supervisor's count keep limits"),
        ),
    }
}
