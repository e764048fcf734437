//! One attempt: something that a box must refuse, or its twin that it must allow, and what came of it.
//!
//! The same attempts are made outside any box first, so that a refusal inside means the box and not a mistake here.

mod net;

use rustix::process::{Pid, Signal};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// What to try.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "try", rename_all = "snake_case")]
pub(super) enum Attempt {
    /// Open a file and read it.
    Read { path: PathBuf },
    /// Make a file, or open it for writing, and write a word into it.
    Write { path: PathBuf },
    /// Set the mode of a file to what it is.
    Mode { path: PathBuf },
    /// Move something away.
    Rename { from: PathBuf, to: PathBuf },
    /// Start a program that should end well.
    Exec { path: PathBuf, args: Vec<String> },
    /// Find a process by what it was started with.
    See { pid: i32, token: String },
    /// Send a harmless signal to that process.
    Signal { pid: i32, token: String },
    /// Set the priority of that process to what it is.
    PriorityOf { pid: i32, token: String },
    /// Send a harmless signal to oneself.
    SignalSelf,
    /// Open the memory of a process; 0 is the supervisor, -1 is oneself.
    Memory { pid: i32 },
    /// Have a file that is there anything but shut by permission.
    Shut { path: PathBuf },
    /// Find a word in the environment of any process that can be seen.
    Environs { token: String },
    /// Have a variable.
    Variable { name: String },
    /// Connect to an address and read a word.
    Connect { address: SocketAddr, token: String },
    /// Send a datagram.
    Datagram { address: SocketAddr },
    /// Connect to a socket in the file system.
    UnixPath { path: PathBuf },
    /// Connect to a socket by an abstract name.
    Abstract { name: String },
    /// Listen on loopback and connect to it.
    OwnLoopback,
    /// Listen on a socket in the file system and connect to it.
    OwnUnix { path: PathBuf },
    /// A pair of connected sockets.
    Pair,
    /// Make a socket of a family, kind and protocol.
    Socket { family: u16, kind: u32, protocol: u32 },
    /// Be answered a name, over TCP.
    Name { name: String },
    /// Be answered a name as programs ask for it.
    Resolve { name: String },
    /// Ask a host for a page and get a word back.
    Page { host: String, port: u16, says: String, token: String },
    /// Mount something.
    Mount { path: PathBuf },
    /// Make a user namespace.
    Unshare,
    /// Change the root directory.
    Chroot { path: PathBuf },
    /// Be in the namespace of a kind that the doctor is in.
    Namespace { kind: String, id: String },
    /// Raise one's own priority.
    Priority,
    /// Hold any capability.
    Capability,
    /// Be able to gain privileges by starting a program.
    NewPrivileges,
    /// Run without a filter on system calls.
    Unfiltered,
    /// Take so many bytes of memory.
    Allocate { bytes: usize },
    /// Have so many threads at a time.
    Threads { count: usize },
    /// Stay for so many milliseconds with so many threads.
    Linger { threads: usize, ms: u64 },
}

/// What came of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Outcome {
    /// Whether it could be done.
    pub(super) done: bool,
    /// What the kernel said.
    pub(super) said: String,
}

/// What an attempt to write leaves behind.
pub(super) const WORD: &[u8] = b"written by the doctor\n";

type Tried = Result<(), String>;

impl Attempt {
    /// Tries it.
    pub(super) fn make(&self, supervisor: i32) -> Outcome {
        match self.tried(supervisor) {
            Ok(()) => Outcome { done: true, said: String::new() },
            Err(said) => Outcome { done: false, said },
        }
    }

    fn tried(&self, supervisor: i32) -> Tried {
        match self {
            Self::Read { path } => std::fs::read(path).map(drop).map_err(said),
            Self::Write { path } => write(path),
            Self::Mode { path } => mode(path),
            Self::Rename { from, to } => std::fs::rename(from, to).map_err(said),
            Self::Exec { path, args } => exec(path, args),
            Self::See { pid, token } => see(*pid, token),
            Self::Signal { pid, token } => signal(*pid, token),
            Self::PriorityOf { pid, token } => priority_of(*pid, token),
            Self::SignalSelf => rustix::process::kill_process(rustix::process::getpid(), Signal::URG).map_err(said),
            Self::Memory { pid } => memory(*pid, supervisor),
            Self::Shut { path } => shut(path),
            Self::Environs { token } => environs(token),
            Self::Variable { name } => std::env::var_os(name).map(drop).ok_or_else(|| "it is not set".to_owned()),
            Self::Connect { address, token } => net::connect(*address, token),
            Self::Datagram { address } => net::datagram(*address),
            Self::UnixPath { path } => std::os::unix::net::UnixStream::connect(path).map(drop).map_err(said),
            Self::Abstract { name } => net::abstract_name(name),
            Self::OwnLoopback => net::own_loopback(),
            Self::OwnUnix { path } => net::own_unix(path),
            Self::Pair => std::os::unix::net::UnixStream::pair().map(drop).map_err(said),
            Self::Socket { family, kind, protocol } => net::socket(*family, *kind, *protocol),
            Self::Name { name } => net::name(name).map(drop),
            Self::Resolve { name } => net::resolve(name),
            Self::Page { host, port, says, token } => net::page(host, *port, says, token),
            Self::Mount { path } => mount(path),
            Self::Unshare => unshare(),
            Self::Chroot { path } => rustix::process::chroot(path).map_err(said),
            Self::Namespace { kind, id } => namespace(kind, id),
            Self::Priority => rustix::process::nice(-1).map(drop).map_err(said),
            Self::Capability => status(&["CapInh", "CapPrm", "CapEff", "CapAmb"], |v| !v.trim_matches('0').is_empty()),
            Self::NewPrivileges => status(&["NoNewPrivs"], |v| v == "0"),
            Self::Unfiltered => status(&["Seccomp"], |v| v != "2"),
            Self::Allocate { bytes } => allocate(*bytes),
            Self::Threads { count } => threads(*count, 0),
            Self::Linger { threads: count, ms } => threads(*count, *ms),
        }
    }
}

fn said(e: impl Into<std::io::Error>) -> String {
    let e: std::io::Error = e.into();
    match e.raw_os_error() {
        Some(n) => rustix::io::Errno::from_raw_os_error(n).to_string(),
        None => e.to_string(),
    }
}

fn write(path: &Path) -> Tried {
    if let Some(parent) = path.parent()
        && !parent.exists()
    {
        std::fs::create_dir_all(parent).map_err(said)?;
    }
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).map_err(said)?;
    file.write_all(WORD).map_err(said)
}

fn mode(path: &Path) -> Tried {
    let mode = std::fs::metadata(path).map_err(said)?.permissions();
    std::fs::set_permissions(path, mode).map_err(said)
}

fn exec(path: &Path, args: &[String]) -> Tried {
    use std::process::Stdio;
    let mut command = std::process::Command::new(path);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match command.status().map_err(said)? {
        status if status.success() => Ok(()),
        status => Err(status.to_string()),
    }
}

/// Numbers are given anew in a pid namespace, so the process must also be the one that is meant.
fn see(pid: i32, token: &str) -> Tried {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).map_err(said)?;
    if holds(&line, token) { Ok(()) } else { Err("another process has that number".into()) }
}

fn signal(pid: i32, token: &str) -> Tried {
    let number = Pid::from_raw(pid).ok_or("there is no such number")?;
    rustix::process::kill_process(number, Signal::URG).map_err(said)?;
    meant(pid, token)
}

fn priority_of(pid: i32, token: &str) -> Tried {
    let number = Pid::from_raw(pid).ok_or("there is no such number")?;
    let now = rustix::process::getpriority_process(Some(number)).map_err(said)?;
    rustix::process::setpriority_process(Some(number), now).map_err(said)?;
    meant(pid, token)
}

/// What can be reached and not seen is the process all the same, unless the number means another one here.
fn meant(pid: i32, token: &str) -> Tried {
    match see(pid, token) {
        Err(e) if e.starts_with("another") => Err(e),
        _ => Ok(()),
    }
}

fn memory(pid: i32, supervisor: i32) -> Tried {
    let process = match pid {
        0 => supervisor.to_string(),
        -1 => "self".into(),
        pid => pid.to_string(),
    };
    // Numbers are given anew in a pid namespace: the supervisor's may mean somebody else there.
    let line = std::fs::read(format!("/proc/{process}/cmdline")).map_err(said)?;
    if pid == 0 && !holds(&line, "box") {
        return Err("another process has that number".into());
    }
    std::fs::File::open(format!("/proc/{process}/mem")).map(drop).map_err(said)
}

fn shut(path: &Path) -> Tried {
    match std::fs::File::open(path) {
        Err(e) if e.kind() == std::io::ErrorKind::PermissionDenied => Err(said(e)),
        _ => Ok(()),
    }
}

fn environs(token: &str) -> Tried {
    let own = std::process::id().to_string();
    let Ok(entries) = std::fs::read_dir("/proc") else { return Err("there is no /proc".into()) };
    for entry in entries.flatten().take(100_000) {
        let name = entry.file_name();
        let is_process = name.to_str().is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()) && n != own);
        if is_process && std::fs::read(entry.path().join("environ")).is_ok_and(|bytes| holds(&bytes, token)) {
            return Ok(());
        }
    }
    Err("no process shows it".into())
}

fn holds(bytes: &[u8], token: &str) -> bool {
    bytes.windows(token.len().max(1)).any(|w| w == token.as_bytes())
}

fn mount(path: &Path) -> Tried {
    rustix::mount::mount("doctor", path, "tmpfs", rustix::mount::MountFlags::empty(), None).map_err(said)?;
    rustix::mount::unmount(path, rustix::mount::UnmountFlags::DETACH).map_err(said)
}

#[expect(deprecated, reason = "the newer form is for flags that this does not use, and it is unsafe")]
fn unshare() -> Tried {
    rustix::thread::unshare(rustix::thread::UnshareFlags::NEWUSER).map_err(said)
}

fn namespace(kind: &str, id: &str) -> Tried {
    let own = std::fs::read_link(format!("/proc/self/ns/{kind}")).map_err(said)?;
    if own.to_str() == Some(id) { Ok(()) } else { Err("it has its own".into()) }
}

/// Whether any of the fields of this process says so.
fn status(fields: &[&str], says: impl Fn(&str) -> bool) -> Tried {
    let text = std::fs::read_to_string("/proc/self/status").map_err(said)?;
    let found = text.lines().filter_map(|l| l.split_once(':')).filter(|(name, _)| fields.contains(name));
    let found: Vec<(&str, &str)> = found.map(|(name, value)| (name, value.trim())).collect();
    if found.is_empty() || found.iter().any(|(_, value)| says(value)) {
        return Ok(());
    }
    Err(found.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", "))
}

fn allocate(bytes: usize) -> Tried {
    let mut taken: Vec<u8> = Vec::new();
    taken.try_reserve_exact(bytes).map_err(|e| e.to_string())?;
    taken.resize(bytes, 1);
    if std::hint::black_box(&taken).len() == bytes { Ok(()) } else { Err("it is too short".into()) }
}

fn threads(count: usize, ms: u64) -> Tried {
    let (end, ended) = std::sync::mpsc::channel::<()>();
    let ended = std::sync::Arc::new(std::sync::Mutex::new(ended));
    let mut running = Vec::new();
    let mut failed = None;
    for _ in 0..count {
        let ended = ended.clone();
        let wait = move || drop(ended.lock().map(|e| e.recv()));
        match std::thread::Builder::new().stack_size(64 * 1024).spawn(wait) {
            Ok(thread) => running.push(thread),
            Err(e) => {
                failed = Some(format!("{} after {}", said(e), running.len()));
                break;
            }
        }
    }
    std::thread::sleep(std::time::Duration::from_millis(ms));
    drop(end);
    for thread in running {
        let _ = thread.join();
    }
    failed.map_or(Ok(()), Err)
}
