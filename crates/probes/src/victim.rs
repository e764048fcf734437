//! The process outside: it holds a secret in its environment, its memory and a descriptor, and counts the signals
//! that reach it. It ends when its standard input does.

use crate::raw;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;

/// Says where its secret is and which descriptor holds the file, waits, says how many signals came.
///
/// # Errors
/// When the file cannot be opened or nobody listens.
pub fn wait(canary: &str, file: &str) -> io::Result<()> {
    raw::count_signals(&[libc::SIGUSR1, libc::SIGUSR2, libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGIO]);
    let secret = canary.as_bytes().to_vec().into_boxed_slice();
    let file = File::open(file)?;
    println!("{} {}", secret.as_ptr() as usize, file.as_raw_fd());
    io::stdout().flush()?;
    let mut rest = Vec::new();
    let mut stdin = io::stdin();
    while let Err(error) = stdin.read_to_end(&mut rest) {
        if error.kind() != io::ErrorKind::Interrupted {
            break;
        }
    }
    println!("{}", raw::signals_counted());
    io::stdout().flush()
}
