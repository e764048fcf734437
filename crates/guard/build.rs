//! Writes Unicode's skeletons as one text without pointers.
//!
//! In: the tables of `unicode-security`. Out: `skeletons.txt`, a line for each character that stands for others: five
//! hex digits, then the same for each character of its skeleton. The tables themselves hold thousands of addresses,
//! which every start of the program would have to fill in, whether it looks at text or not.

use std::fmt::Write;
use std::path::PathBuf;
use std::{env, fs, io};
use unicode_normalization::UnicodeNormalization;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let mut lines = String::new();
    // What is made of others is taken apart before anybody asks.
    for c in ('\0'..=char::MAX).filter(|c| c.nfd().eq([*c])) {
        let mut buffer = [0; 4];
        let skeleton: Vec<char> = unicode_security::skeleton(c.encode_utf8(&mut buffer)).collect();
        if skeleton == [c] {
            continue;
        }
        for c in [c].into_iter().chain(skeleton) {
            if u32::from(c) > 0xf_ffff {
                return Err(io::Error::other(format!("{c:?} does not fit into five digits")));
            }
            write!(lines, "{:05x}", u32::from(c)).map_err(io::Error::other)?;
        }
        lines.push('\n');
    }
    let folder = env::var_os("OUT_DIR").map(PathBuf::from).ok_or(io::ErrorKind::NotFound)?;
    fs::write(folder.join("skeletons.txt"), lines)
}
