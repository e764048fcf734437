//! What differs and what was done about it, for people and as JSON. Every path is a stranger's.

use super::runs::Run;
use crate::output::{count, shown, shown_path};
use ringfence_snapshot::{Changes, Header, Restored, Tally};
use serde_json::{Value as Json, json};
use std::path::Path;

/// How many paths a person sees.
const PATHS: usize = 20;
/// A longer path is cut: a tree can be ten thousand folders deep.
const PATH_CHARS: usize = 200;

/// The kinds of difference, the letter they are listed under and what they are called.
fn kinds(changes: &Changes) -> [(char, &'static str, &Tally); 5] {
    [
        ('+', "added", &changes.added),
        ('~', "changed", &changes.changed),
        ('-', "removed", &changes.removed),
        ('!', "of another kind", &changes.retyped),
        ('.', "with other metadata", &changes.metadata),
    ]
}

/// What an undo would do.
pub(crate) fn plan(id: &str, repo: &Path, changes: &Changes) -> String {
    let repo = shown_path(repo);
    if changes.is_empty() {
        return format!("nothing to undo: `{repo}` is as it was before run {id}\n");
    }
    let mut out = format!("since run {id} started, in `{repo}`, by whomever:\n");
    let found = kinds(changes).into_iter().filter(|(_, _, tally)| tally.count > 0);
    let words: Vec<String> = found.map(|(_, word, tally)| format!("{} {word}", tally.count)).collect();
    out.push_str(&format!("  {}\n\n", words.join(", ")));
    let mut left = PATHS;
    for (letter, _, tally) in kinds(changes) {
        for path in tally.first.iter().take(left) {
            out.push_str(&format!("  {letter} {}\n", cut(path)));
            left -= 1;
        }
    }
    let listed = (PATHS - left) as u64;
    if changes.total() > listed {
        out.push_str(&format!("  and {} more\n", changes.total() - listed));
    }
    out + &failures(changes, "could not be looked at")
}

/// What an undo did.
pub(crate) fn outcome(restored: &Restored) -> String {
    let changes = &restored.changes;
    let total = usize::try_from(changes.total()).unwrap_or(usize::MAX);
    let mut out = match changes.failures {
        0 => format!("\nrestored {}\n", entries(total)),
        _ => format!("\nrestored what could be, of {}\n", entries(total)),
    };
    if let Some(kept) = &restored.kept_in {
        out.push_str(&format!("what was there instead is kept in `{}`\n", shown_path(kept)));
    }
    out + &failures(changes, "could not be restored")
}

fn entries(n: usize) -> String {
    if n == 1 { "1 entry".to_owned() } else { format!("{n} entries") }
}

fn failures(changes: &Changes, what: &str) -> String {
    if changes.failures == 0 {
        return String::new();
    }
    let n = usize::try_from(changes.failures).unwrap_or(usize::MAX);
    let mut out = format!("{} {what}:\n", count(n, "path"));
    for failure in changes.failed.iter().take(PATHS) {
        out.push_str(&format!("  {}: {}\n", cut(&failure.path), shown(&failure.reason)));
    }
    if n > PATHS {
        out.push_str(&format!("  and {} more\n", n - PATHS));
    }
    out
}

fn cut(path: &Path) -> String {
    let text = shown_path(path);
    match text.char_indices().nth(PATH_CHARS) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None if text.is_empty() => ".".to_owned(),
        None => text,
    }
}

/// `3.2 MiB`
pub(crate) fn size(bytes: u64) -> String {
    let mut scaled = (bytes, 0);
    for unit in ["B", "KiB", "MiB", "GiB"] {
        if scaled.0 < 1024 {
            return match scaled {
                (n, _) if unit == "B" => format!("{n} B"),
                (n, rest) => format!("{n}.{} {unit}", rest * 10 / 1024),
            };
        }
        scaled = (scaled.0 / 1024, scaled.0 % 1024);
    }
    format!("{} TiB", scaled.0)
}

/// The result as JSON. Paths that are no text are shown with replacement characters.
pub(crate) fn json(id: &str, repo: &Path, changes: &Changes, kept_in: Option<&Path>, restored: bool) -> Json {
    let list = |tally: &Tally| {
        let paths: Vec<String> = tally.first.iter().map(|p| p.display().to_string()).collect();
        json!({ "count": tally.count, "paths": paths })
    };
    let failure = |f: &ringfence_snapshot::Failure| json!({ "path": f.path.display().to_string(), "reason": f.reason });
    json!({
        "run_id": id,
        "repo": repo.display().to_string(),
        "restored": restored,
        "added": list(&changes.added),
        "changed": list(&changes.changed),
        "removed": list(&changes.removed),
        "retyped": list(&changes.retyped),
        "metadata": list(&changes.metadata),
        "failed": { "count": changes.failures, "paths": changes.failed.iter().map(failure).collect::<Vec<_>>() },
        "kept_in": kept_in.map(|p| p.display().to_string()),
    })
}

/// The runs that can be undone, as JSON.
pub(crate) fn list_json(runs: &[(Run, Header)]) -> Json {
    let run = |(run, header): &(Run, Header)| {
        json!({
            "run_id": run.id,
            "repo": header.repo.display().to_string(),
            "taken_at": header.taken_at,
            "files": header.files,
            "bytes": header.bytes,
            "exclude": header.exclude,
        })
    };
    json!({ "runs": runs.iter().map(run).collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_as_a_person_would_say_them() {
        for (bytes, text) in [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (5 << 30, "5.0 GiB"), (2 << 40, "2 TiB")]
        {
            assert_eq!(size(bytes), text);
        }
    }
}
