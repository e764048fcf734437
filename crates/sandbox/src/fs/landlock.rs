//! The layout in Landlock's terms: the second wall in tier A, the only one for files in tiers B and C.
//!
//! The second wall is around what files hold: reading, writing, making, moving, removing and executing them. Listing
//! folders and cutting files short are left to the mounts there: Landlock would climb from every folder that is opened
//! up to the root, to say what the mount tree says by itself.
//!
//! Landlock only adds rights below a path. Where a hidden or protected path lies inside a granted one and no mount
//! covers it (tiers B and C), the grant is cut up: every entry beside it is granted by itself, and nothing can be
//! made, moved or removed in the folder that holds it.

use crate::error::{Result, SandboxError};
use crate::fs::layout::{Access, Layout};
use crate::landlock_support::Support;
use landlock::{
    Access as _, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};
use std::path::{Path, PathBuf};

/// What a run may execute.
#[derive(Debug, Clone)]
pub(crate) enum Programs {
    /// Whatever it can read.
    Any,
    /// These files.
    Only(Vec<PathBuf>),
}

/// Whether mounts see to hidden and protected paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wall {
    /// The mount tree does; Landlock is the second wall.
    Second,
    /// Nothing else does.
    Only,
}

const READ: BitFlags<AccessFs> = landlock::make_bitflags!(AccessFs::{ReadFile | ReadDir});

/// Rights of Landlock on the system's own folders and the run's own.
struct Rules {
    ruleset: RulesetCreated,
    handled: BitFlags<AccessFs>,
    programs: bool,
    count: usize,
}

/// The most rules: a cut-up folder with more entries refuses the run.
const MOST_RULES: usize = 20_000;

/// Rules that are ready to be put on.
pub(crate) struct Prepared(RulesetCreated);

/// Says the layout to the kernel. Nothing is restricted yet.
pub(crate) fn prepare(layout: &Layout, programs: &Programs, wall: Wall, support: Support) -> Result<Prepared> {
    let all = AccessFs::from_all(support.abi);
    let handled = match wall {
        Wall::Second => all & !(AccessFs::ReadDir | AccessFs::Truncate),
        Wall::Only => all,
    };
    let mut ruleset =
        Ruleset::default().set_compatibility(CompatLevel::HardRequirement).handle_access(handled).map_err(refused)?;
    if support.scopes {
        ruleset = ruleset.scope(Scope::AbstractUnixSocket | Scope::Signal).map_err(refused)?;
    }
    let any = matches!(programs, Programs::Any);
    let mut rules = Rules { ruleset: ruleset.create().map_err(refused)?, handled, programs: any, count: 0 };
    rules.places(layout, wall, all)?;
    if let Programs::Only(files) = programs {
        for file in files {
            rules.add(file, AccessFs::Execute | AccessFs::ReadFile)?;
        }
    }
    Ok(Prepared(rules.ruleset))
}

impl Prepared {
    /// Puts the rules on the process for good.
    pub(crate) fn restrict(self) -> Result<()> {
        let status = self.0.restrict_self().map_err(refused)?;
        if status.ruleset != RulesetStatus::FullyEnforced {
            return Err(SandboxError::Unavailable {
                what: "Landlock".into(),
                why: "the kernel enforces only part of the rules".into(),
                help: "run a newer kernel".into(),
            });
        }
        Ok(())
    }
}

fn refused(e: impl std::fmt::Display) -> SandboxError {
    SandboxError::Unavailable { what: "Landlock".into(), why: e.to_string(), help: "see `ringfence doctor`".into() }
}

impl Rules {
    fn places(&mut self, layout: &Layout, wall: Wall, all: BitFlags<AccessFs>) -> Result<()> {
        let execute = if self.programs { AccessFs::Execute.into() } else { BitFlags::EMPTY };
        let read = READ | execute;
        // No device nodes: a run has no business making them.
        let write =
            (all & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev | AccessFs::Execute)) | execute;
        let device = (READ | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev) & all;
        if layout.full {
            return match wall {
                Wall::Second => self.add(Path::new("/"), write | device),
                Wall::Only => self.cut_up(Path::new("/"), write, layout, Access::Write),
            };
        }
        for bind in &layout.binds {
            let rights = if bind.access == Access::Read { read } else { write & all };
            match wall {
                Wall::Second => self.add(&bind.path, rights)?,
                // Without mounts nothing is copy-on-write: such a cache can be read.
                Wall::Only if bind.access == Access::Write => self.cut_up(&bind.path, rights, layout, bind.access)?,
                Wall::Only => self.cut_up(&bind.path, read, layout, Access::Read)?,
            }
        }
        if layout.etc {
            self.etc(wall, read, layout)?;
        }
        self.own(layout, wall, read, write, device)
    }

    fn etc(&mut self, wall: Wall, read: BitFlags<AccessFs>, layout: &Layout) -> Result<()> {
        use crate::fs::etc;
        if wall == Wall::Second {
            return self.add(Path::new("/etc"), read);
        }
        let names = etc::FILES.iter().chain(etc::FOLDERS).chain(&["resolv.conf", "hosts"]);
        for name in names {
            let path = Path::new("/etc").join(name);
            self.cut_up(&path.canonicalize().unwrap_or(path), read, layout, Access::Read)?;
        }
        Ok(())
    }

    /// What belongs to the run itself.
    fn own(
        &mut self,
        layout: &Layout,
        wall: Wall,
        read: BitFlags<AccessFs>,
        write: BitFlags<AccessFs>,
        device: BitFlags<AccessFs>,
    ) -> Result<()> {
        self.add(Path::new("/proc"), READ)?;
        self.streams()?;
        match wall {
            Wall::Second => {
                self.add(Path::new("/dev"), device)?;
                let own = [Path::new("/tmp"), &layout.home, Path::new("/dev/shm")];
                own.into_iter().try_for_each(|path| self.add(path, if layout.scratch { write } else { read }))
            }
            Wall::Only => {
                for name in ["null", "zero", "full", "random", "urandom", "tty"] {
                    self.add(&Path::new("/dev").join(name), device)?;
                }
                self.add(Path::new("/dev/ptmx"), device)?;
                self.add(Path::new("/dev/pts"), device)
            }
        }
    }

    /// Files that the run was given as its standard streams: `/dev/stdout` opens them again.
    fn streams(&mut self) -> Result<()> {
        use rustix::fs::{OFlags, fcntl_getfl, fstat};
        for stream in [rustix::stdio::stdin(), rustix::stdio::stdout(), rustix::stdio::stderr()] {
            let is_file = fstat(stream).is_ok_and(|s| s.st_mode & libc::S_IFMT == libc::S_IFREG);
            let Ok(flags) = fcntl_getfl(stream) else { continue };
            if !is_file {
                continue;
            }
            let rights = match flags & OFlags::ACCMODE {
                OFlags::RDONLY => AccessFs::ReadFile.into(),
                OFlags::WRONLY => AccessFs::WriteFile.into(),
                _ => AccessFs::ReadFile | AccessFs::WriteFile,
            };
            let rule = PathBeneath::new(stream, rights).set_compatibility(CompatLevel::HardRequirement);
            (&mut self.ruleset).add_rule(rule).map_err(refused)?;
        }
        Ok(())
    }

    fn add(&mut self, path: &Path, rights: BitFlags<AccessFs>) -> Result<()> {
        self.count += 1;
        if self.count > MOST_RULES {
            let message = format!("more than {MOST_RULES} rules are needed around the hidden and protected paths");
            return Err(SandboxError::Refused(message));
        }
        // What does not exist needs no right.
        let Ok(fd) = PathFd::new(path) else { return Ok(()) };
        let is_folder = rustix::fs::fstat(&fd).is_ok_and(|s| s.st_mode & libc::S_IFMT == libc::S_IFDIR);
        let file_rights = AccessFs::from_file(landlock::ABI::V9);
        let rights = self.handled & if is_folder { rights } else { rights & file_rights };
        if rights.is_empty() {
            return Ok(());
        }
        let rule = PathBeneath::new(fd, rights).set_compatibility(CompatLevel::HardRequirement);
        (&mut self.ruleset).add_rule(rule).map_err(refused)?;
        Ok(())
    }

    /// Grants a place but for what is hidden in it, and for writing what is protected in it.
    fn cut_up(&mut self, path: &Path, rights: BitFlags<AccessFs>, layout: &Layout, access: Access) -> Result<()> {
        let writes = access == Access::Write;
        let hidden = |p: &Path| layout.hidden.iter().any(|h| p.starts_with(h));
        let holds = |p: &Path, list: &[PathBuf]| list.iter().any(|h| h.starts_with(p));
        let mut places = vec![(path.to_owned(), rights)];
        while let Some((path, rights)) = places.pop() {
            if hidden(&path) {
                continue;
            }
            let protected = writes && layout.protected.iter().any(|p| path.starts_with(p));
            let rights = if protected { rights & (READ | AccessFs::Execute) } else { rights };
            let split = holds(&path, &layout.hidden) || (writes && !protected && holds(&path, &layout.protected));
            let nested = layout.binds.iter().any(|b| b.access != access && b.path != path && b.path.starts_with(&path));
            if !(split || nested && writes) {
                self.add(&path, rights)?;
                continue;
            }
            // The folder itself can be listed; nothing is made, moved or removed in it.
            self.add(&path, AccessFs::ReadDir.into())?;
            let Ok(entries) = std::fs::read_dir(&path) else { continue };
            for entry in entries.flatten().take(MOST_RULES) {
                // A link grants nothing by itself: Landlock looks at where it leads.
                if entry.file_type().is_ok_and(|t| !t.is_symlink()) {
                    places.push((entry.path(), rights));
                }
            }
        }
        Ok(())
    }
}
