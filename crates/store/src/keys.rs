//! The key that signs checkpoints: made at its first use, kept where only its owner can read it.
//!
//! Two processes that start at once agree on one key: a key gets its name only when it is whole, and only the first
//! one gets it.

use crate::StoreError;
use crate::edge::random;
use crate::folder::{Access, Folder, read_small};
use ringfence_seal::key::{PublicKey, SigningKey};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

const FOLDER: &str = "keys";
const SECRET: &str = "log.ed25519";
const PUBLIC: &str = "log.pub";
/// The most bytes of a file with public keys: some 800 of them.
const LARGEST: u64 = 64 * 1024;

/// The key of a state folder; made where there is none.
pub fn signing_key(state: &Path) -> Result<SigningKey, StoreError> {
    in_folder(&Folder::open_or_make(state)?).map(|(key, _)| key)
}

/// Where the public keys of a state folder stand.
pub fn public_path(state: &Path) -> PathBuf {
    state.join(FOLDER).join(PUBLIC)
}

/// The public keys in a file: one a line, `#` starts a remark.
pub fn public_keys(path: &Path) -> Result<Vec<PublicKey>, StoreError> {
    let file = std::fs::File::open(path).map_err(StoreError::io("open", path))?;
    parse(&read_small(file, path, LARGEST)?, path)
}

/// The key, and every public key that is listed beside it.
pub(crate) fn in_folder(state: &Folder) -> Result<(SigningKey, Vec<PublicKey>), StoreError> {
    let keys = state.child_or_make(FOLDER)?;
    let key = match load(&keys)? {
        Some(key) => key,
        None => {
            make(&keys)?;
            let gone = || StoreError::BadKey { path: keys.path(SECRET), why: "it vanished".into() };
            load(&keys)?.ok_or_else(gone)?
        }
    };
    let listed = list(&keys, &key.public())?;
    Ok((key, listed))
}

fn load(keys: &Folder) -> Result<Option<SigningKey>, StoreError> {
    let path = keys.path(SECRET);
    let Some(file) = keys.open(SECRET, Access::Read, 0o077)? else { return Ok(None) };
    let key = SigningKey::parse_seed(&read_small(file, &path, 256)?);
    let bad = || StoreError::BadKey { path, why: "not 32 bytes in hex; move it away and a new key is made".into() };
    key.map(Some).ok_or_else(bad)
}

/// Makes a key, unless somebody else was faster.
fn make(keys: &Folder) -> Result<(), StoreError> {
    write_once(keys, SECRET, &SigningKey::seed_text(&random()?))
}

/// Sees to it that the public key is listed. Older keys stay: old logs are checked with them.
fn list(keys: &Folder, key: &PublicKey) -> Result<Vec<PublicKey>, StoreError> {
    let path = keys.path(PUBLIC);
    let line = format!("{key}\n");
    let Some(mut file) = keys.open(PUBLIC, Access::Append, 0o022)? else {
        // Whoever was faster listed the same key.
        write_once(keys, PUBLIC, &line)?;
        return Ok(vec![key.clone()]);
    };
    let copy = file.try_clone().map_err(StoreError::io("read", &path))?;
    let mut listed = parse(&read_small(copy, &path, LARGEST)?, &path)?;
    if !listed.contains(key) {
        file.write_all(line.as_bytes()).and_then(|()| file.sync_all()).map_err(StoreError::io("write", &path))?;
        listed.push(key.clone());
    }
    Ok(listed)
}

/// A whole file under a name, or the one that is there already.
fn write_once(keys: &Folder, name: &str, text: &str) -> Result<(), StoreError> {
    let path = keys.path(name);
    let failed = StoreError::io("write", &path);
    let temporary = format!(".{name}.{:016x}", u64::from_ne_bytes(random()?));
    let mut file = keys.create(&temporary).map_err(&failed)?;
    if let Err(e) = file.write_all(text.as_bytes()).and_then(|()| file.sync_all()) {
        // Nobody is helped by half a key; that the first error is told matters more than this one.
        let _ = keys.remove(&temporary);
        return Err(failed(e));
    }
    match keys.publish(&temporary, name) {
        Err(e) if e.kind() != ErrorKind::AlreadyExists => Err(failed(e)),
        _ => keys.sync(),
    }
}

fn parse(text: &str, path: &Path) -> Result<Vec<PublicKey>, StoreError> {
    let lines = text.lines().enumerate().map(|(n, line)| (n + 1, line.trim()));
    let stated = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let key = |(n, line): (usize, &str)| {
        let why = || format!("line {n} is not `ed25519:` and 64 hex digits");
        PublicKey::parse(line).ok_or_else(|| StoreError::BadKey { path: path.to_owned(), why: why() })
    };
    stated.map(key).collect()
}
