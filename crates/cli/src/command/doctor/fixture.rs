//! A small world to try things in: a repo, a home, a secret beside them, a service on loopback, sockets, a process.
//! Everything lies below one temporary folder and goes away with it.

use crate::failure::Failure;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// The world.
pub(super) struct Fixture {
    _folder: TempDir,
    base: PathBuf,
    /// A word that nobody else uses.
    pub(super) token: String,
    /// A service of the host.
    pub(super) tcp: SocketAddr,
    /// Another one.
    pub(super) other: SocketAddr,
    /// A service of the host that answers datagrams.
    pub(super) udp: SocketAddr,
    /// The name of an abstract socket.
    pub(super) name: String,
    victim: Child,
    over: Arc<AtomicBool>,
    _unix: [UnixListener; 2],
}

impl Fixture {
    /// Makes it.
    pub(super) fn new(program: &Path) -> Result<Self, Failure> {
        let folder = tempfile::Builder::new().prefix("ringfence-doctor-").tempdir().map_err(broken)?;
        let base = folder.path().canonicalize().map_err(broken)?;
        let token = token(&base);
        for dir in ["repo/work", "repo/.git/objects", "repo/.git/hooks", "home/.npm", "outside"] {
            std::fs::create_dir_all(base.join(dir)).map_err(broken)?;
        }
        let files = [
            ("repo/file", "shown"),
            ("repo/.env", "hidden"),
            ("repo/.git/HEAD", "ref: refs/heads/main\n"),
            ("repo/.git/config", "[core]\n"),
            ("repo/work/file", "shown"),
            ("home/.npm/file", "cached"),
            ("outside/secret", "secret"),
        ];
        for (path, text) in files {
            std::fs::write(base.join(path), text).map_err(broken)?;
        }
        std::os::unix::fs::symlink(base.join("outside/secret"), base.join("repo/work/link")).map_err(broken)?;
        let script = base.join("outside/program");
        std::fs::write(&script, "#!/bin/sh\nexit 0\n").map_err(broken)?;
        std::fs::copy(&script, base.join("repo/work/program")).map_err(broken)?;
        for path in ["outside/program", "repo/work/program"] {
            let mode = <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o755);
            std::fs::set_permissions(base.join(path), mode).map_err(broken)?;
        }
        let name = format!("ringfence-{token}");
        let address = std::os::unix::net::SocketAddr::from_abstract_name(&name).map_err(broken)?;
        let unix = [
            UnixListener::bind_addr(&address).map_err(broken)?,
            UnixListener::bind(base.join("outside/socket")).map_err(broken)?,
        ];
        let over = Arc::new(AtomicBool::new(false));
        // Where there is no network to begin with, attempts on it fail without a box too, and prove nothing.
        let nowhere: SocketAddr = (Ipv4Addr::LOCALHOST, 9).into();
        let tcp = serve(&token, over.clone()).unwrap_or(nowhere);
        let other = serve(&token, over.clone()).unwrap_or(nowhere);
        let udp = echo(over.clone()).unwrap_or(nowhere);
        let victim = Command::new(program)
            .args(["__probe", "victim", &token])
            .env(super::boxes::SECRET, &token)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(broken)?;
        Ok(Self { _folder: folder, base, token, tcp, other, udp, name, victim, over, _unix: unix })
    }

    /// A path below the folder.
    pub(super) fn at(&self, path: &str) -> PathBuf {
        self.base.join(path)
    }

    /// The process that is to be left alone.
    pub(super) fn victim(&self) -> i32 {
        i32::try_from(self.victim.id()).unwrap_or(i32::MAX)
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        drop(self.victim.stdin.take());
        let _ = self.victim.wait();
    }
}

pub(super) fn broken(e: impl std::fmt::Display) -> Failure {
    Failure::Io(format!("cannot prepare what the doctor tries: {e}"))
}

/// The folder's own random part, which is nobody else's.
fn token(base: &Path) -> String {
    let name = base.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    format!("{}{}", name.rsplit('-').next().unwrap_or_default(), std::process::id())
}

const TICK: Duration = Duration::from_millis(10);

/// A service that tells the word to whoever asks anything.
fn serve(token: &str, over: Arc<AtomicBool>) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let length = token.len();
    let page = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{token}");
    let serving = move || {
        while !over.load(Ordering::Relaxed) {
            let Ok((mut stream, _)) = listener.accept() else {
                std::thread::sleep(TICK);
                continue;
            };
            let _ = stream.set_nonblocking(false);
            let _ = stream.set_read_timeout(Some(Duration::from_millis(300)));
            if stream.read(&mut [0u8; 4096]).is_ok_and(|n| n > 0) {
                let _ = stream.write_all(page.as_bytes());
            }
        }
    };
    std::thread::Builder::new().spawn(serving)?;
    Ok(address)
}

fn echo(over: Arc<AtomicBool>) -> std::io::Result<SocketAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    let _ = socket.set_read_timeout(Some(TICK));
    let address = socket.local_addr()?;
    let serving = move || {
        let mut bytes = [0u8; 64];
        while !over.load(Ordering::Relaxed) {
            if let Ok((n, from)) = socket.recv_from(&mut bytes) {
                let _ = socket.send_to(bytes.get(..n).unwrap_or_default(), from);
            }
        }
    };
    std::thread::Builder::new().spawn(serving)?;
    Ok(address)
}
