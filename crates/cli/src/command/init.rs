//! `ringfence init`: looks at a folder and writes one short commented `ringfence.yaml`.
//!
//! In: a few files of the folder, read within bounds and never run. Out: a document that has been read back
//! without a problem, or nothing at all. What stands in those files is hostile: a name is used only when a
//! pattern parser takes it, and nothing unprintable reaches the terminal or the document.

mod detect;
mod render;

use detect::Found;
use ringfence_policy::document::PolicyDocument;
use ringfence_policy::node;
use ringfence_policy::read::Reader;
use ringfence_policy::span::Sources;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The file that is written.
const TARGET: &str = "ringfence.yaml";
/// Files beside which a `ringfence.yaml` would be a second policy for one folder.
const RIVALS: &[&str] = &["ringfence.yml", "ringfence.json", "org.yaml", "org.yml", "org.json"];

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

/// Looks, writes and says what to do next.
pub(crate) fn run(args: &Args) -> Result<ExitCode, String> {
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
    if args.stdout {
        report(&mut io::stderr().lock(), &found);
        return print(&text).map(|()| ExitCode::SUCCESS);
    }
    write_atomically(&target, &text, args.force)?;
    let mut out = io::stdout().lock();
    report(&mut out, &found);
    next_steps(&mut out, &target);
    Ok(ExitCode::SUCCESS)
}

/// A path for people, without anything a terminal could act on.
fn shown(path: &Path) -> String {
    path.display().to_string().escape_debug().to_string()
}

/// Refuses to write beside another policy, through a link or over something that is not a file, and over a
/// file without `--force`.
fn check_target(target: &Path, force: bool) -> Result<(), String> {
    let name = shown(target);
    if let Some(rival) = RIVALS.iter().find(|r| fs::symlink_metadata(target.with_file_name(r)).is_ok()) {
        return Err(format!("the folder has a policy already, `{rival}`; nothing was written"));
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

fn print(text: &str) -> Result<(), String> {
    let mut out = io::stdout().lock();
    let printed = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match printed {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(format!("cannot print: {e}")),
        _ => Ok(()),
    }
}

/// What was found and what was left out. That nobody reads it is no failure.
fn report(out: &mut dyn Write, found: &Found) {
    let lines = found.lines();
    if lines.is_empty() {
        let _ = writeln!(out, "found nothing that this command knows; the policy is a plain one");
    }
    for (kind, name, evidence) in lines {
        let _ = writeln!(out, "found    {kind:<11} {name:<24} {evidence}");
    }
    for note in &found.notes {
        let _ = writeln!(out, "skipped  {note}");
    }
}

fn next_steps(out: &mut dyn Write, target: &Path) {
    let dir = target.parent().map(shown).filter(|d| !d.is_empty() && d != ".");
    let at = dir.map_or_else(String::new, |d| format!(" -C '{d}'"));
    let _ = writeln!(out, "wrote    {}", shown(target));
    let _ = writeln!(
        out,
        "\nRead it, it is short. It states what should hold; this version does not enforce it yet. Then:"
    );
    let _ = writeln!(out, "  ringfence check{at}    is it valid");
    let _ = writeln!(out, "  ringfence test{at}     do its tests hold");
    let _ = writeln!(out, "  ringfence explain{at} net example.com    what would happen, and why");
}
