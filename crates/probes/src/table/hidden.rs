//! Hidden files inside the repo: they are there, and cannot be had by any name.

use super::own;
use crate::attempt::{reads, reads_any};
use crate::context::Context;
use crate::outcome::Outcome;
use crate::probe::Probe;
use std::fs;
use std::path::Path;

pub(super) const PROBES: &[Probe] = &[
    Probe::new("hidden-read", "read a hidden file of the repo", |c| reads(c.repo.join(".env"), c), own::READ),
    Probe::new(
        "hidden-nested",
        "read a hidden file further down",
        |c| reads(c.repo.join("service/.env"), c),
        ("read the file beside it", |c| reads_any(c.repo.join("service/app.txt"))),
    ),
    Probe::new(
        "hidden-rename",
        "give a hidden file another name and read that",
        |c| renamed(&c.repo.join(".env"), c),
        own::WRITE,
    ),
    Probe::new(
        "hidden-hardlink",
        "give a hidden file a second name and read that",
        |c| linked(&c.repo.join(".env"), c),
        own::WRITE,
    ),
    Probe::new(
        "hidden-parent-rename",
        "rename the folder of a hidden file and read it there",
        |c| {
            let (from, to) = (c.repo.join("service"), c.beside("service"));
            if let Err(error) = fs::rename(&from, &to) {
                return Outcome::refused(&error);
            }
            let outcome = reads(to.join(".env"), c);
            let _ = fs::rename(&to, &from);
            outcome
        },
        ("rename a folder without hidden files", |c| {
            crate::attempt::renames(&c.repo.join("work/folder"), &c.scratch("folder"))
        }),
    ),
    Probe::new(
        "hidden-symlink",
        "read a hidden file through a symbolic link",
        |c| {
            let link = c.scratch("env-link");
            let _ = std::os::unix::fs::symlink(c.repo.join(".env"), &link);
            let outcome = reads(&link, c);
            let _ = fs::remove_file(&link);
            outcome
        },
        own::READ,
    ),
    Probe::new(
        "hidden-replace",
        "put another file over a hidden one",
        |c| {
            let (mine, kept) = (c.scratch("env"), c.scratch("env-kept"));
            let _ = fs::write(&mine, "TOKEN=mine\n");
            let copy = fs::copy(c.repo.join(".env"), &kept);
            let outcome = Outcome::of(fs::rename(&mine, c.repo.join(".env")), "replaced");
            let _ = fs::remove_file(&mine);
            let outcome = outcome.then(|| drop(copy.and_then(|_| fs::rename(&kept, c.repo.join(".env")))));
            let _ = fs::remove_file(&kept);
            outcome
        },
        own::WRITE,
    ),
];

fn renamed(from: &Path, context: &Context) -> Outcome {
    let to = context.scratch("renamed");
    if let Err(error) = fs::rename(from, &to) {
        return Outcome::refused(&error);
    }
    let outcome = reads(&to, context);
    let _ = fs::rename(&to, from);
    outcome
}

fn linked(from: &Path, context: &Context) -> Outcome {
    let to = context.scratch("linked");
    if let Err(error) = fs::hard_link(from, &to) {
        return Outcome::refused(&error);
    }
    let outcome = reads(&to, context);
    let _ = fs::remove_file(&to);
    outcome
}
