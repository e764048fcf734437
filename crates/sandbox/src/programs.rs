//! Finding programs: which file a name means inside, and what the kernel opens to start it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Where programs are looked for when there is no `PATH`.
const USUAL: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The folders of a `PATH`.
pub(crate) fn search_path(env: &[(std::ffi::OsString, std::ffi::OsString)]) -> Vec<PathBuf> {
    let path = env.iter().find(|(name, _)| name == "PATH").map_or(OsStr::new(USUAL), |(_, value)| value);
    std::env::split_paths(path).filter(|p| p.is_absolute()).collect()
}

/// The file a command means, by the rules of a shell.
pub(crate) fn find(command: &OsStr, path: &[PathBuf], cwd: &Path) -> Option<PathBuf> {
    if command.as_bytes().contains(&b'/') {
        let file = cwd.join(command);
        return file.exists().then_some(file);
    }
    path.iter().map(|dir| dir.join(command)).find(|file| is_program(file))
}

/// Every file that a program of the policy means: a path, or a name wherever it is found.
pub(crate) fn named(program: &str, path: &[PathBuf]) -> Vec<PathBuf> {
    if program.contains('/') {
        return Path::new(program).canonicalize().into_iter().collect();
    }
    let usual = std::env::split_paths(USUAL);
    let dirs: BTreeSet<PathBuf> = path.iter().cloned().chain(usual).collect();
    let files = dirs.into_iter().map(|d| d.join(program)).filter(|f| is_program(f));
    files.filter_map(|f| f.canonicalize().ok()).collect::<BTreeSet<_>>().into_iter().collect()
}

fn is_program(file: &Path) -> bool {
    std::fs::metadata(file).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// The files the kernel opens to start these programs: themselves, the interpreters of scripts, the loader.
pub(crate) fn needed(programs: &[PathBuf]) -> Vec<PathBuf> {
    let mut out: BTreeSet<PathBuf> = BTreeSet::new();
    let mut open: Vec<(PathBuf, u8)> = programs.iter().map(|p| (p.clone(), 0)).collect();
    while let Some((file, depth)) = open.pop() {
        let Ok(file) = file.canonicalize() else { continue };
        if depth > 5 || !out.insert(file.clone()) {
            continue;
        }
        if let Some(next) = interpreter(&file) {
            open.push((next, depth + 1));
        }
    }
    out.into_iter().collect()
}

/// What a script or a dynamic program names as its interpreter.
fn interpreter(file: &Path) -> Option<PathBuf> {
    let mut head = Vec::new();
    std::fs::File::open(file).ok()?.take(64 * 1024).read_to_end(&mut head).ok()?;
    if let Some(line) = head.strip_prefix(b"#!") {
        let line = line.split(|b| *b == b'\n').next()?;
        let word = line.trim_ascii_start().split(|b| *b == b' ' || *b == b'\t').next()?;
        return (!word.is_empty()).then(|| PathBuf::from(OsStr::from_bytes(word)));
    }
    elf_interpreter(&head)
}

/// The loader of a 64-bit ELF file: the segment of type PT_INTERP.
fn elf_interpreter(head: &[u8]) -> Option<PathBuf> {
    const PT_INTERP: u32 = 3;
    if head.get(..5)? != b"\x7fELF\x02" {
        return None;
    }
    let number = |at: usize, len: usize| -> Option<usize> {
        let mut bytes = [0u8; 8];
        bytes.get_mut(..len)?.copy_from_slice(head.get(at..at.checked_add(len)?)?);
        usize::try_from(u64::from_le_bytes(bytes)).ok()
    };
    let (table, size, count) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
    for n in 0..count.min(64) {
        let at = table.checked_add(n.checked_mul(size)?)?;
        if number(at, 4)? == PT_INTERP as usize {
            let (start, len) = (number(at.checked_add(8)?, 8)?, number(at.checked_add(32)?, 8)?);
            let name = head.get(start..start.checked_add(len)?)?.split(|b| *b == 0).next()?;
            return Some(PathBuf::from(OsStr::from_bytes(name)));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_needs_its_interpreter_and_the_loader() {
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("s");
        std::fs::write(&script, "#! /bin/sh -e\necho\n").unwrap();
        let needed = needed(std::slice::from_ref(&script));
        assert!(needed.contains(&script.canonicalize().unwrap()));
        assert!(needed.contains(&Path::new("/bin/sh").canonicalize().unwrap()));
        assert!(needed.iter().any(|p| p.to_string_lossy().contains("ld-")), "{needed:?}");
    }

    #[test]
    fn cut_short_headers_are_no_programs() {
        let whole = std::fs::read("/bin/sh").unwrap();
        for n in 0..200 {
            assert_eq!(elf_interpreter(&whole[..n]), None);
        }
        assert!(elf_interpreter(&whole[..64 * 1024]).is_some());
    }
}
