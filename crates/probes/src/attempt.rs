//! The shapes that most attempts share: read a canary, make and remove, write and put back, start and listen.

use crate::context::Context;
use crate::outcome::Outcome;
use crate::raw;
use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// How long an answer may take.
pub const ANSWER: Duration = Duration::from_millis(1500);

/// The most that is read of anything.
const MOST: u64 = 1 << 20;

/// Reads the beginning of a file.
///
/// # Errors
/// Those of the system.
pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?.take(MOST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a file that should hold the canary.
pub fn reads(path: impl AsRef<Path>, context: &Context) -> Outcome {
    Outcome::holds(read(path), &context.canary)
}

/// Reads any file.
pub fn reads_any(path: impl AsRef<Path>) -> Outcome {
    match read(path) {
        Ok(bytes) if !bytes.is_empty() => Outcome::Did(format!("{} bytes read", bytes.len())),
        Ok(_) => Outcome::Refused("it is empty".to_owned()),
        Err(error) => Outcome::refused(&error),
    }
}

/// Makes a file and removes it.
pub fn makes(path: impl AsRef<Path>) -> Outcome {
    let made = OpenOptions::new().write(true).create_new(true).open(&path);
    let made = made.and_then(|mut file| file.write_all(b"planted\n"));
    Outcome::of(made, "the file was made").then(|| drop(fs::remove_file(&path)))
}

/// Makes a file, with the folders above it, and removes all of it.
pub fn makes_below(top: impl AsRef<Path>, rest: &str) -> Outcome {
    let path = top.as_ref().join(rest);
    let made = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, "planted\n"));
    Outcome::of(made, "the file was made").then(|| drop(fs::remove_dir_all(&top)))
}

/// Adds to a file and takes it away again.
pub fn appends(path: impl AsRef<Path>) -> Outcome {
    let opened = OpenOptions::new().append(true).open(&path);
    let written = opened.and_then(|mut file| {
        let length = file.metadata()?.len();
        file.write_all(b"tampered\n")?;
        file.set_len(length)
    });
    Outcome::of(written, "the file was changed")
}

/// Opens a file for writing and writes nothing.
pub fn opens_for_writing(path: impl AsRef<Path>) -> Outcome {
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    Outcome::of(OpenOptions::new().write(true).custom_flags(flags).open(path), "open for writing")
}

/// Opens a file for reading and reads nothing.
pub fn opens(path: impl AsRef<Path>) -> Outcome {
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    Outcome::of(OpenOptions::new().read(true).custom_flags(flags).open(path), "open for reading")
}

/// Writes to a file what already stands in it, which changes nothing and needs every right.
pub fn writes_the_same(path: impl AsRef<Path>) -> Outcome {
    let same = read(&path).and_then(|bytes| File::options().write(true).open(&path)?.write_all(&bytes));
    Outcome::of(same, "written")
}

/// Renames, and back.
pub fn renames(from: &Path, to: &Path) -> Outcome {
    Outcome::of(fs::rename(from, to), "renamed").then(|| drop(fs::rename(to, from)))
}

/// Swaps two names in one step, and back.
pub fn exchanges(one: &Path, other: &Path) -> Outcome {
    let swap = || {
        let (a, b) = (path(one)?, path(other)?);
        let here = libc::AT_FDCWD as usize;
        let flags = libc::RENAME_EXCHANGE as usize;
        raw::call(libc::SYS_renameat2, [here, a.as_ptr() as usize, here, b.as_ptr() as usize, flags])
    };
    Outcome::of(swap(), "exchanged").then(|| drop(swap()))
}

/// A path for the kernel.
///
/// # Errors
/// When it holds a NUL.
pub fn path(path: &Path) -> io::Result<CString> {
    CString::new(path.as_os_str().as_bytes()).map_err(io::Error::from)
}

/// What a program prints on both outputs.
///
/// # Errors
/// When it cannot be started.
pub fn output(program: impl AsRef<Path>, arguments: &[&str]) -> io::Result<Vec<u8>> {
    let mut command = Command::new(program.as_ref());
    let out = command.args(arguments).stdin(Stdio::null()).output()?;
    Ok([out.stdout, out.stderr].concat())
}

/// How the services outside write what they read, so that nobody else's mention of a name is taken for theirs.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Connects and waits for words that only the service outside says.
pub fn hears(address: SocketAddr, context: &Context) -> Outcome {
    let heard = TcpStream::connect_timeout(&address, ANSWER).and_then(|stream| listen(stream, b"hello\n"));
    Outcome::holds(heard, &context.canary)
}

/// Sends and takes what comes back first.
///
/// # Errors
/// Those of the system.
pub fn listen(mut stream: TcpStream, words: &[u8]) -> io::Result<Vec<u8>> {
    stream.set_read_timeout(Some(ANSWER))?;
    stream.set_write_timeout(Some(ANSWER))?;
    stream.write_all(words)?;
    answer(&mut stream)
}

/// What comes back first.
///
/// # Errors
/// Those of the system.
pub fn answer(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; 8192];
    let n = stream.read(&mut bytes)?;
    bytes.truncate(n);
    Ok(bytes)
}

/// Sends a datagram and waits for the echo.
pub fn echoes(address: SocketAddr, context: &Context) -> Outcome {
    let any = if address.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
    let heard = UdpSocket::bind(any).and_then(|socket| {
        socket.set_read_timeout(Some(ANSWER))?;
        socket.send_to(b"hello\n", address)?;
        let mut bytes = vec![0; 2048];
        let (n, _) = socket.recv_from(&mut bytes)?;
        bytes.truncate(n);
        Ok(bytes)
    });
    Outcome::holds(heard, &context.canary)
}

/// A socket of any kind.
///
/// # Errors
/// Those of the system.
pub fn socket(family: i32, kind: i32, protocol: i32) -> io::Result<OwnedFd> {
    let kind = kind | libc::SOCK_CLOEXEC;
    raw::open(libc::SYS_socket, [family as usize, kind as usize, protocol as usize])
}

/// Opens a socket of any kind.
pub fn opens_socket(family: i32, kind: i32, protocol: i32) -> Outcome {
    Outcome::of(socket(family, kind, protocol), "the socket was made")
}

/// The bytes of a socket address, as the kernel reads them.
#[must_use]
pub fn sockaddr(address: SocketAddr) -> Vec<u8> {
    let mut bytes = Vec::new();
    match address {
        SocketAddr::V4(v4) => {
            bytes.extend((libc::AF_INET as u16).to_ne_bytes());
            bytes.extend(v4.port().to_be_bytes());
            bytes.extend(v4.ip().octets());
            bytes.extend([0; 8]);
        }
        SocketAddr::V6(v6) => {
            bytes.extend((libc::AF_INET6 as u16).to_ne_bytes());
            bytes.extend(v6.port().to_be_bytes());
            bytes.extend([0; 4]);
            bytes.extend(v6.ip().octets());
            bytes.extend([0; 4]);
        }
    }
    bytes
}

/// Connects a socket made by number.
///
/// # Errors
/// Those of the system.
pub fn connect(socket: &OwnedFd, address: &[u8]) -> io::Result<usize> {
    raw::call(libc::SYS_connect, [socket.as_raw_fd() as usize, address.as_ptr() as usize, address.len()])
}

/// A child that does nothing until it is killed.
pub fn with_own_child(act: impl FnOnce(i32) -> Outcome) -> Outcome {
    match raw::fork() {
        Err(error) => Outcome::refused(&error),
        Ok(None) => {
            std::thread::sleep(Duration::from_secs(10));
            raw::exit(0)
        }
        Ok(Some(pid)) => {
            let outcome = act(pid);
            let _ = raw::call(libc::SYS_kill, [pid as usize, libc::SIGKILL as usize]);
            let _ = raw::wait(pid);
            outcome
        }
    }
}

/// A child that ends at once with what a call gave: for calls that change the caller.
pub fn in_own_child(act: impl FnOnce() -> io::Result<usize>) -> Outcome {
    match raw::fork() {
        Err(error) => Outcome::refused(&error),
        Ok(None) => raw::exit(act().map_or_else(|e| e.raw_os_error().unwrap_or(255).min(255), |_| 0)),
        Ok(Some(pid)) => match raw::wait(pid) {
            Ok(0) => Outcome::Did("it worked in a child".to_owned()),
            Ok(status) if raw::ended_by(status).is_some() => Outcome::Refused("ended by a signal".to_owned()),
            Ok(status) => Outcome::refused(&io::Error::from_raw_os_error(status >> 8)),
            Err(error) => Outcome::refused(&error),
        },
    }
}
