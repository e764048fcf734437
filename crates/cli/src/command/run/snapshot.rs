//! `run --snapshot`: keeps the files of the repo as they are before the run, for `ringfence undo`.

use crate::failure::Failure;
use crate::output::{Output, count, shown};
use ringfence_snapshot::{Limits, Progress, Snapshot};
use std::io::IsTerminal;
use std::path::Path;
use std::time::{Duration, Instant};

/// What to keep.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct SnapshotArgs {
    /// Keep the repo's files, so that `ringfence undo` can restore them
    #[arg(long)]
    snapshot: bool,
    /// Leave out what matches, as in .gitignore; repeatable
    #[arg(long, value_name = "GLOB", requires = "snapshot")]
    snapshot_exclude: Vec<String>,
    /// The most bytes to keep, such as 500MiB
    #[arg(long, value_name = "SIZE", requires = "snapshot", value_parser = size)]
    snapshot_limit: Option<u64>,
}

impl SnapshotArgs {
    /// Whether there is to be one.
    pub(super) fn is_wanted(&self) -> bool {
        self.snapshot
    }
}

/// Reads `500MiB`; a bare number is bytes.
fn size(text: &str) -> Result<u64, String> {
    let at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(at);
    let shift = match unit.trim() {
        "" | "B" => 0,
        "KiB" => 10,
        "MiB" => 20,
        "GiB" => 30,
        "TiB" => 40,
        _ => return Err("a size such as 500MiB or 4GiB".into()),
    };
    let bytes = digits.parse::<u64>().ok().and_then(|n| n.checked_mul(1 << shift));
    bytes.ok_or_else(|| "a size such as 500MiB or 4GiB".into())
}

/// Takes the snapshot if one is wanted. A run whose snapshot failed does not start: nobody could undo it.
pub(super) fn take(args: &SnapshotArgs, repo: &Path, folder: &Path, output: &Output) -> Result<(), Failure> {
    if !args.snapshot {
        return Ok(());
    }
    let mut limits = Limits { exclude: args.snapshot_exclude.clone(), ..Limits::default() };
    limits.max_bytes = args.snapshot_limit.unwrap_or(limits.max_bytes);
    let (terminal, began) = (std::io::stderr().is_terminal(), Instant::now());
    let mut shown_at: Option<Instant> = None;
    let mut progress = |p: Progress| {
        let now = Instant::now();
        let due = shown_at.is_none_or(|at| now - at > Duration::from_millis(200));
        if terminal && now - began > Duration::from_secs(1) && due {
            shown_at = Some(now);
            output.note(&format!("\rsnapshot: {} of {} files", p.entries, p.of_entries));
        }
    };
    let taken = Snapshot::take(repo, &folder.join("snapshot"), &limits, &mut progress);
    if shown_at.is_some() {
        output.note("\n");
    }
    let taken = taken.map_err(|e| Failure::Io(shown(&e.to_string())))?;
    if !taken.unread.is_empty() {
        let unread = count(taken.unread.len(), "entry").replace("entrys", "entries");
        output.note(&format!("ringfence: {unread} of the repo cannot be read and would not be restored\n"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_read_exactly_or_not_at_all() {
        assert_eq!(size("4GiB"), Ok(4 << 30));
        assert_eq!(size("17"), Ok(17));
        for bad in ["", "MiB", "1.5GiB", "-1", "99999999999TiB", "4GB", "0x10"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }
}
