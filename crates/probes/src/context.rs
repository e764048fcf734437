//! What an attacker who knows the machine would know: where the canaries are, which services run, who the victim is.
//!
//! The fixture writes it, the probes read it. Nothing in it grants anything.

use serde::{Deserialize, Serialize};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;

/// The tiers of the kernel layer.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub enum Tier {
    /// Namespaces, Landlock and seccomp.
    A,
    /// Landlock and seccomp, with a supervisor that acts on behalf of the process.
    B,
    /// Landlock and seccomp alone.
    C,
}

/// What is outside, and what is promised inside.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Context {
    /// Whether no fence stands, so that the forbidden things should work.
    pub control: bool,
    /// The tier that is promised; none in a control run.
    pub tier: Option<Tier>,
    /// Text that stands in every secret file, variable and service, and nowhere else.
    pub canary: String,
    /// Name of the variable of the supervisor that holds the canary.
    pub variable: String,
    /// User id outside.
    pub uid: u32,
    /// The working repo.
    pub repo: PathBuf,
    /// Home directory that must not be seen.
    pub home: PathBuf,
    /// Folder outside that everybody may write.
    pub outside: PathBuf,
    /// File of the host's `/tmp` with the canary.
    pub host_tmp: PathBuf,
    /// File of the host's `/dev/shm` with the canary.
    pub host_shm: PathBuf,
    /// Handle of the home secret as `name_to_handle_at` gives it: type and bytes.
    pub handle: Option<(i32, Vec<u8>)>,
    /// Unix socket paths outside: stream, datagram.
    pub sockets: (PathBuf, PathBuf),
    /// Abstract unix socket outside, of which a datagram twin has `-d` added.
    pub abstract_name: String,
    /// System V objects: segment, queue, semaphore set.
    pub sysv: [i32; 3],
    /// POSIX queue, without the slash.
    pub queue: String,
    /// The process outside.
    pub victim: Victim,
    /// Block devices of the host.
    pub disks: Vec<PathBuf>,
    /// Cgroup files in which the host lists processes.
    pub cgroups: Vec<PathBuf>,
    /// TCP and UDP port of the host's loopback service, the same for IPv4 and IPv6.
    pub loopback_port: u16,
    /// A mount that a control run may unmount and remount.
    pub mount: Option<PathBuf>,
    /// The `ringfence` program inside the repo.
    pub ringfence: Option<PathBuf>,
    /// The internet of this run; none where there is no network.
    pub network: Option<Internet>,
    /// Descriptors from 3 up that were open when the attacker started; filled in by the attacker.
    #[serde(default)]
    pub inherited: Vec<String>,
    /// The attacker's parent when it started; filled in by the attacker.
    #[serde(default)]
    pub parent: i32,
}

/// A process outside that the attacker wants.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Victim {
    /// Its process id outside.
    pub pid: i32,
    /// Where its secret is in memory.
    pub address: usize,
    /// The descriptor under which it holds a secret file.
    pub descriptor: i32,
}

/// Names and addresses outside.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Internet {
    /// Name that may be reached, on ports 80 and 443.
    pub allowed: String,
    /// Where it is.
    pub allowed_address: Ipv4Addr,
    /// Name that may not be reached, with services on ports 80 and 443.
    pub denied: String,
    /// Where it is.
    pub denied_address: Ipv4Addr,
    /// Where it is in IPv6.
    pub denied_address6: Ipv6Addr,
    /// Resolver of the attacker.
    pub resolver: Ipv4Addr,
    /// Allowed names that resolve to private, loopback and metadata addresses, on port 80.
    pub rebinding: Vec<String>,
    /// A port of the allowed name that no rule allows.
    pub closed_port: u16,
    /// A proxy of the control run that believes what it is told.
    pub naive_proxy: Option<SocketAddr>,
}

impl Context {
    /// The host's loopback services.
    #[must_use]
    pub fn loopback(&self, address: impl Into<IpAddr>) -> SocketAddr {
        SocketAddr::new(address.into(), self.loopback_port)
    }

    /// The canary file that a home directory keeps best.
    #[must_use]
    pub fn secret(&self) -> PathBuf {
        self.home.join(".ssh/id_ed25519")
    }

    /// The file outside that everybody may read and write.
    #[must_use]
    pub fn outside_file(&self) -> PathBuf {
        self.outside.join("open.txt")
    }

    /// A path for one attempt, in a folder of the repo that holds nothing special.
    #[must_use]
    pub fn scratch(&self, name: &str) -> PathBuf {
        self.repo.join(format!("work/scratch-{name}-{}", std::process::id()))
    }

    /// A path for one attempt at the top of the repo.
    #[must_use]
    pub fn beside(&self, name: &str) -> PathBuf {
        self.repo.join(format!("scratch-{name}-{}", std::process::id()))
    }

    /// The address of the victim as a path below `/proc`.
    #[must_use]
    pub fn victim_file(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/{name}", self.victim.pid))
    }
}
