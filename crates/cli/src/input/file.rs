//! One file → text. Only regular files are read, never more than the budget, and every way a file can be
//! bad is a diagnostic with its name.

use super::EXTENSIONS;
use ringfence_policy::diagnostic::{Code, Diagnostic};
use ringfence_policy::node::{MAX_BYTES, decode_text, too_large};
use ringfence_policy::span::{Place, SourceId, Sources};
use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::path::Path;

/// Whether a name ends like a policy file.
pub(crate) fn is_policy_file(path: &Path) -> bool {
    path.extension().and_then(|e| e.to_str()).is_some_and(|e| EXTENSIONS.contains(&e))
}

/// The name of a file without its ending: what a document is called that states no id.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Reads a file into the sources.
pub(crate) fn read(path: &Path, sources: &mut Sources) -> Result<SourceId, Box<Diagnostic>> {
    let name = path.display().to_string();
    let bytes = match bytes(path, &name) {
        Ok(bytes) => bytes,
        Err(d) => return Err(blame(*d, sources.add(name, ""))),
    };
    // The id only serves to point at the file; the text is added when it turns out to be text.
    match decode_text(&bytes, SourceId::default()) {
        Ok(text) => Ok(sources.add(name, text)),
        Err(d) => {
            let source = sources.add(name.clone(), "");
            let mut d = *d;
            d.message = format!("`{name}`: {}", d.message);
            d.labels.iter_mut().for_each(|l| l.place.source = source);
            Err(Box::new(d))
        }
    }
}

/// The start of a source: where a problem of the whole file is shown.
pub(crate) fn start(source: SourceId) -> Place {
    Place { source, line: 1, column: 1, start: 0, end: 0 }
}

fn blame(d: Diagnostic, source: SourceId) -> Box<Diagnostic> {
    Box::new(d.at(start(source), "this file"))
}

/// The bytes of a file, where it is a regular one of a size that is read.
pub(super) fn bytes(path: &Path, name: &str) -> Result<Vec<u8>, Box<Diagnostic>> {
    let io = |e: std::io::Error| Box::new(unreadable(path, name, &e));
    // Asked before opening, because opening a pipe waits for whoever writes to it; asked again after, because
    // the name may mean something else by then.
    regular(&std::fs::metadata(path).map_err(io)?, name)?;
    let file = File::open(path).map_err(io)?;
    let metadata = file.metadata().map_err(io)?;
    regular(&metadata, name)?;
    if metadata.len() > MAX_BYTES as u64 {
        return Err(over_budget(name, metadata.len()));
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() > MAX_BYTES {
        return Err(over_budget(name, bytes.len() as u64));
    }
    Ok(bytes)
}

fn over_budget(name: &str, len: u64) -> Box<Diagnostic> {
    let mut d = too_large(len);
    d.message = format!("`{name}`: {}", d.message);
    Box::new(d)
}

fn regular(metadata: &Metadata, name: &str) -> Result<(), Box<Diagnostic>> {
    if metadata.is_file() {
        return Ok(());
    }
    let d = if metadata.is_dir() {
        Diagnostic::error(Code::Unreadable, format!("`{name}` is a folder, not a file"))
            .help("name a file; `-C` searches a policy folder")
    } else {
        Diagnostic::error(Code::Unreadable, format!("`{name}` is not a regular file"))
            .help("only regular files are read, no pipes, sockets or devices")
    };
    Err(Box::new(d))
}

fn unreadable(path: &Path, name: &str, e: &std::io::Error) -> Diagnostic {
    let d = |message| Diagnostic::error(Code::Unreadable, message);
    match e.kind() {
        ErrorKind::NotFound if path.symlink_metadata().is_ok() => {
            d(format!("`{name}` is a link to nothing")).help("correct the link, or remove it")
        }
        ErrorKind::NotFound => d(format!("there is no file `{name}`"))
            .help("check the path; names without an ending such as `.yaml` are looked up in a policy folder"),
        ErrorKind::PermissionDenied => {
            d(format!("cannot read `{name}`: permission denied")).help("give yourself the right to read it")
        }
        _ => d(format!("cannot read `{name}`: {e}")).help("check the path and the disk"),
    }
}
