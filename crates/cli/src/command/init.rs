//! `ringfence init`: looks at a folder and writes one short commented `ringfence.yaml`.
//!
//! In: a few files of the folder, read within bounds and never run. Out: a document that has been read back
//! without a problem, or nothing at all. What stands in those files is hostile: a name is used only when a
//! pattern parser takes it, and nothing unprintable reaches the terminal or the document.

mod detect;
mod render;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::is_policy_file;
use crate::output::{self, Format, Output, shown_path as shown};
use crate::quote;
use detect::Found;
use ringfence_policy::document::PolicyDocument;
use ringfence_policy::node;
use ringfence_policy::read::Reader;
use ringfence_policy::span::Sources;
use serde::Serialize;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file that is written.
const TARGET: &str = "ringfence.yaml";
/// Files beside which a `ringfence.yaml` would be a second policy for one folder.
const RIVALS: &[&str] = &["ringfence.yml", "ringfence.json", "org.yaml", "org.yml", "org.json"];
/// Folders whose policy files make a policy of the folder above.
const RIVAL_FOLDERS: &[&str] = &["projects", "agents"];

/// Arguments of `ringfence init`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder to look at and to write to
    #[arg(value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    /// The level the document is for
    #[arg(long, value_name = "LEVEL", default_value = "project", value_parser = ["org", "project", "agent"])]
    level: String,
    /// Replace a `ringfence.yaml` that is there already
    #[arg(long)]
    force: bool,
    /// Print the document instead of writing it
    #[arg(long)]
    stdout: bool,
}

/// The result as JSON.
#[derive(Debug, Serialize)]
struct Initiated<'a> {
    found: Vec<Evidence<'a>>,
    skipped: &'a [String],
    /// The file that was written; none with `--stdout`.
    written: Option<String>,
    document: &'a str,
}

/// One thing that was found.
#[derive(Debug, Serialize)]
struct Evidence<'a> {
    kind: &'static str,
    name: String,
    file: &'a str,
}

/// Looks, writes and says what to do next.
pub(crate) fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let (found, text) = write(args).map_err(Failure::Io)?;
    let target = args.dir.join(TARGET);
    if output.format == Format::Json {
        let evidence = |(kind, name, file)| Evidence { kind, name, file };
        output.json(&Initiated {
            found: found.lines().into_iter().map(evidence).collect(),
            skipped: &found.notes,
            written: (!args.stdout).then(|| target.display().to_string()),
            document: &text,
        })?;
    } else if args.stdout {
        output.note(&report(&found));
        output.raw(&text)?;
    } else {
        output.result(&(report(&found) + &next_steps(&target)))?;
    }
    Ok(Exit::Done)
}

/// What was found and the document, which is in place unless it is only to be printed.
fn write(args: &Args) -> Result<(Found, String), String> {
    if !fs::metadata(&args.dir).is_ok_and(|m| m.is_dir()) {
        return Err(format!("`{}` is not a folder", shown(&args.dir)));
    }
    let target = args.dir.join(TARGET);
    if !args.stdout {
        check_target(&target, args.force)?;
    }
    let found = detect::look_around(&args.dir);
    let text = render::document(&found, &args.level);
    validate(&text)?;
    if !args.stdout {
        write_atomically(&target, &text, args.force)?;
    }
    Ok((found, text))
}

/// Refuses to write beside another policy, through a link or over something that is not a file, and over a
/// file without `--force`.
fn check_target(target: &Path, force: bool) -> Result<(), String> {
    let name = shown(target);
    if let Some(rival) = RIVALS.iter().find(|r| fs::symlink_metadata(target.with_file_name(r)).is_ok()) {
        return Err(format!("the folder has a policy already, `{rival}`; nothing was written"));
    }
    if let Some(rival) = RIVAL_FOLDERS.iter().find(|r| holds_policies(&target.with_file_name(r))) {
        return Err(format!("the folder has a policy already, in `{rival}/`; nothing was written"));
    }
    match fs::symlink_metadata(target) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(format!("`{name}` cannot be looked at: {e}; nothing was written")),
        Ok(m) if m.is_symlink() => Err(format!("`{name}` is a symbolic link; remove it first; nothing was written")),
        Ok(m) if !m.is_file() => Err(format!("`{name}` is not a file; nothing was written")),
        Ok(_) if !force => Err(format!("`{name}` exists; pass --force to replace it; nothing was written")),
        Ok(_) => Ok(()),
    }
}

/// Whether a folder has policy files, as the other commands see it.
fn holds_policies(dir: &Path) -> bool {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.map(|e| e.file_name()).any(|n| is_policy_file(Path::new(&n)) && !n.to_string_lossy().starts_with('.'))
}

/// The document must pass what `ringfence check` would do first. That it does not is a bug of this command.
fn validate(text: &str) -> Result<(), String> {
    let mut sources = Sources::default();
    let source = sources.add(TARGET, text);
    let mut reader = Reader::default();
    match node::parse(text, source) {
        Ok(node) => _ = PolicyDocument::read(&node, &mut reader),
        Err(d) => reader.report(*d),
    }
    match reader.diagnostics.first() {
        None => Ok(()),
        Some(d) => Err(format!("internal error: the generated policy is invalid: {}; nothing was written", d.message)),
    }
}

/// Writes beside the target and renames, so that a reader sees the old file or the new one, never a part.
fn write_atomically(target: &Path, text: &str, force: bool) -> Result<(), String> {
    let failed = |what: &str, e: &io::Error| format!("`{}` cannot be {what}: {e}; nothing was written", shown(target));
    let (mut file, temporary) = create_beside(target).map_err(|e| failed("written", &e))?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(|e| failed("written", &e));
    drop(file);
    let moved = written
        .and_then(|()| check_target(target, force))
        .and_then(|()| fs::rename(&temporary, target).map_err(|e| failed("put in place", &e)));
    if moved.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    moved
}

/// A new file in the folder of the target. `create_new` neither follows a link nor opens what is there.
fn create_beside(target: &Path) -> io::Result<(File, PathBuf)> {
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for attempt in 0..16 {
        let name = format!(".{TARGET}.{}-{attempt}.tmp", std::process::id());
        let path = target.with_file_name(name);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((file, path)),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => last = e,
            Err(e) => return Err(e),
        }
    }
    Err(last)
}

/// What was found and what was left out.
fn report(found: &Found) -> String {
    let mut out = String::new();
    let lines = found.lines();
    if lines.is_empty() {
        out.push_str("found nothing that this command knows; the policy is a plain one\n");
    }
    for (kind, name, evidence) in lines {
        out.push_str(&format!("found    {kind:<11} {name:<24} {evidence}\n"));
    }
    for note in &found.notes {
        out.push_str(&format!("skipped  {}\n", output::shown(note)));
    }
    out
}

/// Lines that can be copied into a shell as they are.
fn next_steps(target: &Path) -> String {
    let dir = target.parent().filter(|d| !d.as_os_str().is_empty() && *d != Path::new("."));
    let at = dir.map_or_else(String::new, |d| format!(" -C {}", quote::path(d)));
    format!(
        "wrote    {}\n\n\
         Read it, it is short. It states what holds for `ringfence run`. Then:\n\
         \x20 ringfence check{at}    # is it valid\n\
         \x20 ringfence test{at}     # do its tests hold\n\
         \x20 ringfence explain{at} net example.com    # what would happen, and why\n",
        shown(target)
    )
}
