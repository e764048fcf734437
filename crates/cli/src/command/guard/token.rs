//! The secret of the marks: from a file that a session keeps, or drawn for this call.

use crate::failure::Failure;
use data_encoding::HEXLOWER_PERMISSIVE;
use ringfence_guard::spotlight::Token;
use rustix::rand::{GetRandomFlags, getrandom};
use std::io::Read;
use std::path::Path;

/// No token file is longer, line end included.
const LONGEST: u64 = 64;

/// The token of a file, or a fresh one.
pub(super) fn token(file: Option<&Path>) -> Result<Token, Failure> {
    file.map_or_else(fresh, read)
}

/// A token of sixteen random bytes.
pub(super) fn fresh() -> Result<Token, Failure> {
    let mut bytes = [0; 16];
    match getrandom(&mut bytes, GetRandomFlags::empty()) {
        Ok(16) => Ok(Token::from_bytes(bytes)),
        Ok(_) => Err(Failure::Io("the kernel gave too few random bytes".into())),
        Err(e) => Err(Failure::Io(format!("cannot take random bytes: {e}"))),
    }
}

/// What is wrong with a file is said without a character of it.
fn read(path: &Path) -> Result<Token, Failure> {
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(|e| Failure::io("read", path, e))?;
    file.take(LONGEST).read_to_string(&mut text).map_err(|e| Failure::io("read", path, e))?;
    let bytes = HEXLOWER_PERMISSIVE.decode(text.trim().as_bytes()).ok();
    let bytes: Option<[u8; 16]> = bytes.and_then(|bytes| bytes.try_into().ok());
    bytes.map(Token::from_bytes).ok_or_else(|| {
        Failure::Usage(format!("`{}` holds no token: write 32 random hex digits into it", path.display()))
    })
}
