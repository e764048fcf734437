//! The folder that keeps what a run made: the same paths as in the repo, made when something is first kept there.

use crate::open;
use crate::trail::{Trail, open_own};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::fs::{Mode, mkdirat};
use rustix::io::Errno;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// More restores of one run than this are a loop.
const MAX_ROUNDS: u32 = 100_000;

/// A folder like the repo, with only what was moved there.
#[derive(Debug)]
pub(crate) struct Mirror {
    /// The folder of all restores of the run.
    undone: PathBuf,
    made: Option<(PathBuf, Trail)>,
}

impl Mirror {
    pub(crate) fn new(undone: PathBuf) -> Self {
        Self { undone, made: None }
    }

    /// The folder of this restore; none where nothing was moved.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.made.as_ref().map(|(path, _)| path.as_path())
    }

    /// Forgets folders below a depth, because the walk has left them.
    pub(crate) fn leave_to(&mut self, depth: usize) -> io::Result<()> {
        if let Some((_, trail)) = &mut self.made {
            while trail.depth() > depth.max(1) {
                trail.leave()?;
            }
        }
        Ok(())
    }

    /// The folder that stands for the one at the end of `names`, the names from below the root on.
    ///
    /// INVARIANT: the trail is a prefix of that way, since [`Mirror::leave_to`] follows the walk.
    pub(crate) fn folder<'a>(&mut self, names: impl Iterator<Item = &'a [u8]>) -> io::Result<BorrowedFd<'_>> {
        let (_, trail) = match &mut self.made {
            Some(made) => made,
            none => none.insert(first(&self.undone)?),
        };
        for name in names.skip(trail.depth() - 1) {
            match mkdirat(trail.here()?, open::os(name), Mode::RWXU) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(e) => return Err(e.into()),
            }
            let next = open::folder(trail.here()?, name)?;
            trail.enter(next)?;
        }
        trail.here()
    }
}

/// Makes the next numbered folder: a restore never adds to what an earlier one kept.
fn first(undone: &Path) -> io::Result<(PathBuf, Trail)> {
    DirBuilder::new().recursive(true).mode(0o700).create(undone)?;
    // A folder that was there already is ours, but not to be relied on for who may enter.
    rustix::fs::fchmod(open_own(undone)?.as_fd(), Mode::RWXU)?;
    let used = fs::read_dir(undone)?.flatten().filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok()).max();
    for round in used.unwrap_or(0) + 1..MAX_ROUNDS {
        let path = undone.join(round.to_string());
        match DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => {
                let trail = Trail::new(open_own(&path)?)?;
                return Ok((path, trail));
            }
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
    Err(io::Error::other("too many restores of one run"))
}
