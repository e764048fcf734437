//! A layout → a root directory of its own (tier A), made inside fresh namespaces.
//!
//! What is mounted is opened before anything is covered. Links are never followed below the repo. The old root
//! is gone at the end.

use crate::error::{During, Result, SandboxError};
use crate::fs::etc;
use crate::fs::layout::{Access, Bind, Layout};
use crate::fs::placeholder::Guard;
use crate::sys::{Aside, Copies, MountAttr, set_mount_attr};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, mkdirat, openat, openat2, symlinkat};
use rustix::io::Errno;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MoveMountFlags, OpenTreeFlags, fsconfig_create, fsconfig_set_flag,
    fsconfig_set_string, fsmount, fsopen, move_mount, open_tree,
};
use std::io::Write;
use std::path::{Path, PathBuf};

/// What the tree depends on beside the layout.
pub(crate) struct Options {
    /// Bytes that the run's own files may take.
    pub(crate) scratch_bytes: u64,
    /// Processes that may exist at a time.
    pub(crate) processes: Option<u64>,
    /// Whether names are answered.
    pub(crate) names: bool,
    /// Programs that cannot be started.
    pub(crate) masked_programs: Vec<PathBuf>,
}

/// A mount of the host, cloned and not yet in its place.
struct Source {
    path: PathBuf,
    tree: OwnedFd,
}

const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty"];

/// Files of `/proc` that tell about the host.
const TELLTALES: &[&str] = &["proc/keys"];

/// Files of `/proc` that only root can read anyway.
const ROOT_TELLTALES: &[&str] = &["proc/timer_list", "proc/kcore", "proc/sysrq-trigger"];

/// What the tree is built on.
pub(crate) struct Ground {
    root: OwnedFd,
    /// The host's `/etc`, and the one inside, where a choice of it is copied.
    etc: Option<(OwnedFd, OwnedFd)>,
}

impl Ground {
    /// The new root, with nothing in it but an empty `/etc`, or with everything.
    pub(crate) fn new(layout: &Layout, options: &Options) -> Result<Self> {
        if layout.full {
            return Ok(Self { root: host()?, etc: None });
        }
        let root = scratch(options.scratch_bytes)?;
        let inside = Path::new("etc");
        mkdirat(&root, inside, Mode::from_raw_mode(0o755)).during_at("make the folder", inside)?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let open = || openat(&root, inside, flags, Mode::empty());
        let etc = match layout.etc {
            // A host without one has nothing to copy from, like the one that is still empty.
            true => Some((rustix::fs::open("/etc", flags, Mode::empty()).or_else(|_| open()), open())),
            false => None,
        };
        let etc = etc.map(|(hosts, own)| Ok::<_, Errno>((hosts?, own?))).transpose().during_at("find", inside)?;
        Ok(Self { root, etc })
    }

    /// What becomes the root.
    pub(crate) fn root(&self) -> Result<OwnedFd> {
        self.root.try_clone().during("hold the new root")
    }

    /// The files of `/etc` that a helper copies meanwhile. What a link points at may not exist inside, so it is the
    /// file itself that counts.
    pub(crate) fn copies(&self, options: &Options) -> Result<Option<Copies>> {
        let Some((from, into)) = &self.etc else { return Ok(None) };
        let during = "copy files of /etc";
        let resolver = if options.names { etc::RESOLV_CONF } else { etc::NO_RESOLVER };
        Ok(Some(Copies {
            from: from.try_clone().during(during)?,
            into: into.try_clone().during(during)?,
            names: etc::FILES,
            most_bytes: etc::MOST_BYTES,
            texts: [("resolv.conf", resolver), ("hosts", etc::HOSTS), ("hostname", "sandbox\n")],
        }))
    }
}

/// Builds the tree and makes it the root of the process; the helper then takes the old one away. What is protected is asked for last: somebody may still be at
/// work on it.
pub(crate) fn build<'a>(
    ground: Ground,
    layout: &Layout,
    options: &Options,
    helper: &Aside,
    guards: impl FnOnce() -> Result<Vec<(&'a Path, Guard)>>,
) -> Result<()> {
    let Ground { root, etc } = ground;
    let sources = if layout.full { Vec::new() } else { clone_all(&layout.binds)? };
    let etc_folders = if layout.etc && !layout.full { clone_etc() } else { Vec::new() };
    let devices = clone_devices()?;
    let lowers: Vec<_> = layout.binds.iter().filter(|b| b.access == Access::CopyOnWrite).map(lower).collect();

    // Everything of the host is open now but the files of `/etc`, which are opened where they lie until the root
    // changes: the new root may cover what it likes.
    move_mount(&root, "", CWD, "/tmp", MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH).during("attach the new root")?;
    let root = root.as_fd();
    if !layout.full {
        skeleton(root, layout)?;
        for source in etc_folders.iter().chain(&sources) {
            place(root, source)?;
        }
        caches(root, lowers)?;
        device_folder(root, &devices)?;
    }
    let veil = veil(root, layout.full)?;
    processes(root, options)?;
    masks(root, layout, options, &veil)?;
    protect(root, guards()?)?;
    if !layout.full {
        forget_veil(root, &veil);
    }
    helper.copy().during("copy files of /etc")?;
    if etc.is_some() {
        seal(root, Path::new("etc"))?;
    }
    enter(root)?;
    helper.let_go();
    Ok(())
}

/// The host's own tree, for a run that may see everything.
fn host() -> Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
    let tree = open_tree(CWD, "/", flags).during("clone the host's files")?;
    set_mount_attr(tree.as_fd(), MountAttr::PLAIN, true).during("restrict the host's files")?;
    Ok(tree)
}

/// An empty file system in memory.
fn scratch(bytes: u64) -> Result<OwnedFd> {
    let during = "make a file system in memory";
    let fs = fsopen("tmpfs", FsOpenFlags::FSOPEN_CLOEXEC).during(during)?;
    fsconfig_set_string(&fs, "size", bytes.to_string().as_str()).during(during)?;
    fsconfig_set_string(&fs, "nr_inodes", "1000000").during(during)?;
    fsconfig_set_string(&fs, "mode", "755").during(during)?;
    fsconfig_create(&fs).during(during)?;
    let attr = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV;
    fsmount(&fs, FsMountFlags::FSMOUNT_CLOEXEC, attr).during(during)
}

fn clone(path: &Path, attr: MountAttr) -> Result<Source> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE
        | OpenTreeFlags::AT_SYMLINK_NOFOLLOW;
    let tree = open_tree(CWD, path, flags).during_at("clone", path)?;
    set_mount_attr(tree.as_fd(), attr, true).during_at("restrict", path)?;
    Ok(Source { path: path.to_owned(), tree })
}

fn clone_all(binds: &[Bind]) -> Result<Vec<Source>> {
    let read_only = MountAttr::PLAIN.and(MountAttr::READ_ONLY);
    let attr = |access: Access| if access == Access::Write { MountAttr::PLAIN } else { read_only };
    let mut out = Vec::new();
    for bind in binds.iter().filter(|b| b.access != Access::CopyOnWrite) {
        match clone(&bind.path, attr(bind.access)) {
            Ok(source) => out.push(source),
            // What the repo's owner cannot reach outside, it has no claim to inside.
            Err(SandboxError::Setup { errno: Errno::ACCESS, .. }) if bind.access == Access::Read => {}
            Err(e) => return Err(e),
        }
    }
    Ok(out)
}

/// Folders of `/etc` that exist and can be shown; one that cannot is simply not there.
fn clone_etc() -> Vec<Source> {
    let attr = MountAttr::PLAIN.and(MountAttr::READ_ONLY);
    let paths = etc::FOLDERS.iter().map(|name| Path::new("/etc").join(name));
    let is_folder = |s: &Source| rustix::fs::fstat(&s.tree).is_ok_and(|s| s.st_mode & libc::S_IFMT == libc::S_IFDIR);
    paths.filter_map(|p| clone(&p, attr).ok()).filter(is_folder).collect()
}

fn clone_devices() -> Result<Vec<Source>> {
    // No NODEV: these are the devices.
    let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
    let mut out = Vec::new();
    for name in DEVICES {
        let path = Path::new("/dev").join(name);
        match open_tree(CWD, &path, flags) {
            Ok(tree) => out.push(Source { path, tree }),
            Err(Errno::NOENT) => {}
            Err(e) => return Err(SandboxError::at("clone", &path, e)),
        }
    }
    Ok(out)
}

/// Folders and links that every run has.
fn skeleton(root: BorrowedFd<'_>, layout: &Layout) -> Result<()> {
    for folder in ["dev", "dev/pts", "dev/shm", "proc", "tmp", "var", "run"] {
        mkdirat(root, folder, Mode::from_raw_mode(0o755)).during_at("make the folder", Path::new(folder))?;
    }
    for open in ["tmp", "dev/shm"] {
        let mode = Mode::from_raw_mode(0o1777);
        rustix::fs::chmodat(root, open, mode, rustix::fs::AtFlags::empty()).during_at("open up", Path::new(open))?;
    }
    match layout.binds.iter().any(|b| b.path.starts_with("/var/tmp")) {
        true => make_folders(root, Path::new("var/tmp"), 0o1777)?,
        false => symlinkat("/tmp", root, "var/tmp").during("link /var/tmp")?,
    }
    file(root, inside(Path::new(crate::selfcheck::UNGRANTED)).to_str().unwrap_or_default(), b"")?;
    make_folders(root, inside(&layout.home), 0o700)?;
    for (link, target) in &layout.links {
        let _ = symlinkat(target.as_path(), root, inside(link));
    }
    let links = [("/proc/self/fd", "dev/fd"), ("fd/0", "dev/stdin"), ("fd/1", "dev/stdout"), ("fd/2", "dev/stderr")];
    for (target, link) in links.into_iter().chain([("pts/ptmx", "dev/ptmx"), ("/proc/self/mounts", "etc/mtab")]) {
        symlinkat(target, root, link).during_at("link", Path::new(link))?;
    }
    Ok(())
}

fn file(root: BorrowedFd<'_>, path: &str, bytes: &[u8]) -> Result<()> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
    match openat(root, path, flags, Mode::from_raw_mode(0o644)) {
        Ok(fd) => std::fs::File::from(fd).write_all(bytes).during_at("write", Path::new(path)),
        Err(Errno::EXIST) => Ok(()),
        Err(e) => Err(SandboxError::at("write", Path::new(path), e)),
    }
}

/// A path below the new root.
fn inside(path: &Path) -> &Path {
    path.strip_prefix("/").unwrap_or(path)
}

/// Makes a folder, and those above it that are missing; those that exist stay as they are.
fn make_folders(root: BorrowedFd<'_>, path: &Path, mode: u32) -> Result<()> {
    if path.as_os_str().is_empty() {
        return Ok(());
    }
    match mkdirat(root, path, Mode::from_raw_mode(mode)) {
        Ok(()) | Err(Errno::EXIST | Errno::ROFS | Errno::ACCESS) => Ok(()),
        Err(Errno::NOENT) => {
            make_folders(root, path.parent().unwrap_or(Path::new("")), mode)?;
            match mkdirat(root, path, Mode::from_raw_mode(mode)) {
                Ok(()) | Err(Errno::EXIST | Errno::ROFS | Errno::ACCESS) => Ok(()),
                Err(e) => Err(SandboxError::at("make the folder", path, e)),
            }
        }
        Err(e) => Err(SandboxError::at("make the folder", path, e)),
    }
}

/// Puts a clone at its place, making the folders above.
fn place(root: BorrowedFd<'_>, source: &Source) -> Result<()> {
    let target = inside(&source.path);
    let is_folder = rustix::fs::fstat(&source.tree).is_ok_and(|s| s.st_mode & libc::S_IFMT == libc::S_IFDIR);
    if is_folder {
        make_folders(root, target, 0o755)?;
    } else {
        make_folders(root, target.parent().unwrap_or(Path::new("")), 0o755)?;
        match put_on_new_file(root, source) {
            // Something is there already, or nothing can be made there: it lies in another mount.
            Err(SandboxError::Setup { errno: Errno::EXIST | Errno::ROFS | Errno::ACCESS, .. }) => {}
            put => return put,
        }
    }
    attach(&source.tree, root, target)
}

/// Puts a clone on a file that is made for it.
fn put_on_new_file(root: BorrowedFd<'_>, source: &Source) -> Result<()> {
    let target = inside(&source.path);
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
    let made = openat2(root, target, flags, Mode::from_raw_mode(0o644), NO_LINKS).during_at("make", target)?;
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    move_mount(&source.tree, "", &made, "", flags).during_at("mount", target)
}

fn attach(tree: &OwnedFd, root: BorrowedFd<'_>, target: &Path) -> Result<()> {
    let spot = spot(root, target)?;
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    move_mount(tree, "", &spot, "", flags).during_at("mount", target)
}

const NO_LINKS: ResolveFlags =
    ResolveFlags::NO_SYMLINKS.union(ResolveFlags::NO_MAGICLINKS).union(ResolveFlags::BENEATH);

/// Where a mount goes, found without following a link.
fn spot(root: BorrowedFd<'_>, target: &Path) -> Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat2(root, target, flags, Mode::empty(), NO_LINKS).during_at("find", target)
}

/// A cache of the host, to lie under an overlay. The upper layer lies in the run's own files.
fn lower(bind: &Bind) -> (PathBuf, Option<OwnedFd>) {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    (bind.path.clone(), rustix::fs::open(&bind.path, flags, Mode::empty()).ok())
}

/// Copy-on-write caches. Where the kernel has no overlay for users, they are read-only.
fn caches(root: BorrowedFd<'_>, lowers: Vec<(PathBuf, Option<OwnedFd>)>) -> Result<()> {
    for (n, (path, lower)) in lowers.into_iter().enumerate() {
        let Some(lower) = lower else { continue };
        make_folders(root, inside(&path), 0o755)?;
        let (upper, work) = (format!(".cow/{n}/upper"), format!(".cow/{n}/work"));
        make_folders(root, Path::new(&upper), 0o755)?;
        make_folders(root, Path::new(&work), 0o755)?;
        if let Ok(mount) = overlay(root, &lower, &upper, &work) {
            attach(&mount, root, inside(&path))?;
        }
    }
    Ok(())
}

fn overlay(root: BorrowedFd<'_>, lower: &OwnedFd, upper: &str, work: &str) -> rustix::io::Result<OwnedFd> {
    use rustix::mount::fsconfig_set_fd;
    let open = |p: &str| openat(root, p, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
    let fs = fsopen("overlay", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_set_flag(&fs, "userxattr")?;
    fsconfig_set_fd(&fs, "lowerdir+", lower)?;
    fsconfig_set_fd(&fs, "upperdir", open(upper)?)?;
    fsconfig_set_fd(&fs, "workdir", open(work)?)?;
    fsconfig_create(&fs)?;
    fsmount(&fs, FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV)
}

fn device_folder(root: BorrowedFd<'_>, devices: &[Source]) -> Result<()> {
    for device in devices {
        put_on_new_file(root, device)?;
    }
    let during = "make terminals";
    let fs = fsopen("devpts", FsOpenFlags::FSOPEN_CLOEXEC).during(during)?;
    fsconfig_set_flag(&fs, "newinstance").during(during)?;
    fsconfig_set_string(&fs, "ptmxmode", "0666").during(during)?;
    fsconfig_set_string(&fs, "mode", "0620").during(during)?;
    fsconfig_create(&fs).during(during)?;
    let attr = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NOEXEC;
    let mount = fsmount(&fs, FsMountFlags::FSMOUNT_CLOEXEC, attr).during(during)?;
    attach(&mount, root, Path::new("dev/pts"))
}

/// A `/proc` of the run's own, read-only: that shuts `core_pattern`, `sysrq-trigger` and every other switch at once,
/// for root too. What programs write below `/proc/self` they do without.
fn processes(root: BorrowedFd<'_>, options: &Options) -> Result<()> {
    let during = "mount /proc";
    let fs = fsopen("proc", FsOpenFlags::FSOPEN_CLOEXEC).during(during)?;
    fsconfig_create(&fs).during(during)?;
    let attr = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV | MountAttrFlags::MOUNT_ATTR_NOEXEC;
    let mount = fsmount(&fs, FsMountFlags::FSMOUNT_CLOEXEC, attr).during(during)?;
    if let Some(most) = options.processes {
        // Kernels before 6.14 have one such number for the machine, which nobody here can write; rlimits remain.
        let most = most.saturating_add(300).clamp(301, 4_000_000).to_string();
        if let Ok(fd) = openat(&mount, "sys/kernel/pid_max", OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty()) {
            let _ = rustix::io::write(&fd, most.as_bytes());
        }
    }
    set_mount_attr(mount.as_fd(), MountAttr::READ_ONLY, true).during(during)?;
    attach(&mount, root, Path::new("proc"))
}

/// Covers hidden paths with something that nobody may read.
fn masks(root: BorrowedFd<'_>, layout: &Layout, options: &Options, veil: &OwnedFd) -> Result<()> {
    let root_only = if rustix::process::getuid().is_root() { ROOT_TELLTALES } else { &[] };
    let telltales = TELLTALES.iter().chain(root_only).map(PathBuf::from);
    let exists = |p: &PathBuf| rustix::fs::statat(root, p, rustix::fs::AtFlags::SYMLINK_NOFOLLOW).is_ok();
    let targets: Vec<PathBuf> = layout
        .hidden
        .iter()
        .chain(&options.masked_programs)
        .map(|p| inside(p).to_owned())
        .chain(telltales)
        .filter(exists)
        .collect();
    for target in targets {
        let spot = match spot(root, &target) {
            Ok(spot) => spot,
            // A link: what it points at is hidden or not by its own name.
            Err(SandboxError::Setup { errno: Errno::LOOP, .. }) => continue,
            Err(e) => return Err(e),
        };
        let stat = rustix::fs::fstat(&spot).during_at("look at", &target)?;
        let what = match stat.st_mode & libc::S_IFMT {
            libc::S_IFLNK => continue,
            libc::S_IFDIR => "folder",
            _ => "file",
        };
        let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
        let mask = open_tree(veil, what, flags).during_at("hide", &target)?;
        let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
        move_mount(&mask, "", &spot, "", flags).during_at("hide", &target)?;
    }
    Ok(())
}

/// What the masks were made from; they stand by themselves now.
fn forget_veil(root: BorrowedFd<'_>, veil: &OwnedFd) {
    use rustix::fs::{AtFlags, unlinkat};
    let _ = unlinkat(veil, "file", AtFlags::empty());
    let _ = unlinkat(veil, "folder", AtFlags::REMOVEDIR);
    let _ = unlinkat(root, VEIL, AtFlags::REMOVEDIR);
}

const VEIL: &str = ".veil";

/// A file and a folder that nobody may open, to put over others. They need a place in the tree to be cloned from: the
/// run's own files, or below `/proc`, which covers them.
fn veil(root: BorrowedFd<'_>, full: bool) -> Result<OwnedFd> {
    let during = "make a mask";
    let veil = if full {
        let veil = scratch(4096)?;
        attach(&veil, root, Path::new("proc"))?;
        veil
    } else {
        make_folders(root, Path::new(VEIL), 0o700)?;
        openat(root, VEIL, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).during(during)?
    };
    mkdirat(&veil, "folder", Mode::empty()).during(during)?;
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
    openat(&veil, "file", flags, Mode::empty()).during(during)?;
    Ok(veil)
}

/// Pins, read-only paths and kept names, parents first: each is mounted on itself. Of the kept names the first is, and
/// what it became, read-only as it is, is mounted on the others.
fn protect(root: BorrowedFd<'_>, guards: Vec<(&Path, Guard)>) -> Result<()> {
    let mut kept: Option<OwnedFd> = None;
    for (path, guard) in guards {
        let spot = spot(root, inside(path))?;
        let put = |tree: &OwnedFd| {
            let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
            move_mount(tree, "", &spot, "", flags)
        };
        if let Some(kept) = kept.as_ref().filter(|_| guard == Guard::Kept)
            && again(kept).and_then(|tree| put(&tree)).is_ok()
        {
            continue;
        }
        // Also where somebody has just made a folder of that name, on which no file can be mounted.
        let tree = again(&spot).during_at("protect", path)?;
        if guard != Guard::Pin {
            set_mount_attr(tree.as_fd(), MountAttr::READ_ONLY, false).during_at("protect", path)?;
        }
        put(&tree).during_at("protect", path)?;
        if guard == Guard::Kept {
            kept.get_or_insert(tree);
        }
    }
    Ok(())
}

/// Makes a folder of the run's own files read-only. What is mounted in it stays as it is.
fn seal(root: BorrowedFd<'_>, folder: &Path) -> Result<()> {
    let spot = spot(root, folder)?;
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    let tree = open_tree(&spot, "", flags).during_at("seal", folder)?;
    set_mount_attr(tree.as_fd(), MountAttr::READ_ONLY, false).during_at("seal", folder)?;
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    move_mount(&tree, "", &spot, "", flags).during_at("seal", folder)
}

/// One more mount of what a descriptor stands for, with the same properties.
fn again(what: &OwnedFd) -> rustix::io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_EMPTY_PATH;
    open_tree(what, "", flags)
}

/// Makes the tree the root. The old one lies over it until somebody takes it away.
fn enter(root: BorrowedFd<'_>) -> Result<()> {
    rustix::process::fchdir(root).during("enter the new root")?;
    rustix::process::pivot_root(".", ".").during("change the root")?;
    rustix::process::chdir("/").during("enter the new root")
}
