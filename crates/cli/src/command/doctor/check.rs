//! The mechanisms: for each what a box must refuse, and beside it what it must allow.
//!
//! In: a tier and a world to try things in. Out: lists of attempts. What came of them is judged in `judge`.

use super::attempt::Attempt;
use super::fixture::Fixture;
use ringfence_policy::scale::{NetworkMode, Tier};
use ringfence_policy::slice::KernelSlice;
use std::path::{Path, PathBuf};

/// The box that a check needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// A repo to work in and no network.
    Main,
    /// An allowlist of names and of programs.
    Names,
    /// Small limits.
    Limits,
}

/// One mechanism.
#[derive(Debug)]
pub(super) struct Check {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    /// What must be refused.
    pub(super) forbidden: Vec<Trial>,
    /// What must be allowed.
    pub(super) twins: Vec<Trial>,
    /// What must not be there on the host afterwards.
    pub(super) absent: Vec<PathBuf>,
}

/// One thing to try.
#[derive(Debug, Clone)]
pub(super) struct Trial {
    pub(super) what: &'static str,
    pub(super) attempt: Attempt,
    /// Whether it works without a box, so that only the box can be what refuses it.
    pub(super) controlled: bool,
    /// A file of the host that it would change. Where a box has files of its own under the same name, doing it inside
    /// counts as refused as long as nothing of it arrives here.
    pub(super) on_host: Option<PathBuf>,
}

fn trial(what: &'static str, attempt: Attempt) -> Trial {
    Trial { what, attempt, controlled: true, on_host: None }
}

/// Outside a box there is nothing to compare it with.
fn alone(what: &'static str, attempt: Attempt) -> Trial {
    Trial { what, attempt, controlled: false, on_host: None }
}

/// Something is written that must not arrive on the host.
fn written(what: &'static str, path: PathBuf) -> Trial {
    let attempt = Attempt::Write { path: path.clone() };
    Trial { what, attempt, controlled: true, on_host: Some(path) }
}

/// Every mechanism in the order it is shown.
pub(super) const MECHANISMS: &[(&str, &str)] = &[
    ("namespaces", "namespaces"),
    ("files", "files outside"),
    ("landlock", "landlock"),
    ("hidden", "hidden files"),
    ("protected", "protected paths"),
    ("caches", "toolchain caches"),
    ("network", "network none"),
    ("sockets", "unix sockets of the host"),
    ("names", "egress by name"),
    ("programs", "programs"),
    ("processes", "processes and signals"),
    ("supervisor", "supervisor's memory"),
    ("environment", "environment"),
    ("filter", "system call filter"),
    ("privileges", "privileges"),
    ("memory-limit", "memory limit"),
    ("process-limit", "process limit"),
];

/// Whether a policy needs a mechanism.
pub(super) fn is_required(id: &str, slice: &KernelSlice) -> bool {
    match id {
        "names" => slice.network_mode == NetworkMode::Allowlist,
        "network" => slice.network_mode != NetworkMode::Host,
        "programs" => slice.exec.allowlist.is_some() || !slice.exec.denied.is_empty(),
        "memory-limit" => slice.limits.memory_bytes.is_some(),
        "process-limit" => slice.limits.processes.is_some(),
        _ => true,
    }
}

/// The checks of one box.
pub(super) fn checks(part: Part, tier: Tier, at: &Fixture, program: &Path) -> Vec<Check> {
    let mut checks = match part {
        Part::Main => main(tier, at),
        Part::Names => names(tier, at, program),
        Part::Limits => limits(tier),
    };
    checks.retain(|c| !c.forbidden.is_empty() || !c.absent.is_empty());
    checks
}

fn check(id: &'static str, forbidden: Vec<Trial>, twins: Vec<Trial>) -> Check {
    let title = MECHANISMS.iter().find(|(known, _)| *known == id).map_or(id, |(_, title)| title);
    Check { id, title, forbidden, twins, absent: Vec::new() }
}

fn main(tier: Tier, at: &Fixture) -> Vec<Check> {
    let read = |p: &str| Attempt::Read { path: at.at(p) };
    let write = |p: &str| Attempt::Write { path: at.at(p) };
    let mut all = files(tier, at);
    let protected = [".git/hooks/pre-commit", ".mcp.json", ".claude/settings.json", ".vscode/tasks.json"];
    all.push(Check {
        absent: protected.iter().map(|p| at.at("repo").join(p)).collect(),
        ..check(
            "protected",
            vec![
                trial("write .git/config", write("repo/.git/config")),
                trial("add a git hook", write("repo/.git/hooks/pre-commit")),
                trial("make .mcp.json", write("repo/.mcp.json")),
                trial("make .claude/settings.json", write("repo/.claude/settings.json")),
                trial("make .vscode/tasks.json", write("repo/.vscode/tasks.json")),
                trial("move .git/hooks away", Attempt::Rename { from: at.at("repo/.git/hooks"), to: at.at("repo/h") }),
                trial("move .git away", Attempt::Rename { from: at.at("repo/.git"), to: at.at("repo/g") }),
            ],
            vec![
                trial("make a file in the repo", write("repo/work/new")),
                trial("make a file in .git/objects", write("repo/.git/objects/new")),
                trial("read .git/config", read("repo/.git/config")),
            ],
        )
    });
    all.push(caches(tier, at));
    all.extend(network(tier, at));
    all.extend(processes(tier, at));
    all.push(filter(at));
    all.push(check(
        "privileges",
        vec![
            alone("hold a capability", Attempt::Capability),
            alone("gain privileges by a program", Attempt::NewPrivileges),
            trial("raise one's priority", Attempt::Priority),
            trial("make a user namespace", Attempt::Unshare),
        ],
        vec![trial("start a program", Attempt::Exec { path: at.at("repo/work/program"), args: vec![] })],
    ));
    all
}

fn files(tier: Tier, at: &Fixture) -> Vec<Check> {
    let read = |p: &str| Attempt::Read { path: at.at(p) };
    let write = |p: &str| Attempt::Write { path: at.at(p) };
    let hidden = check(
        "hidden",
        vec![trial("read a hidden file", read("repo/.env")), trial("write a hidden file", write("repo/.env"))],
        vec![trial("read the file beside it", read("repo/file"))],
    );
    let outside = Check {
        absent: vec![at.at("outside/new")],
        ..check(
            "files",
            vec![
                trial("read a file outside", read("outside/secret")),
                trial("read it through a link", read("repo/work/link")),
                written("write it", at.at("outside/secret")),
                written("make a file outside", at.at("outside/new")),
                trial("set the mode of a file outside", Attempt::Mode { path: at.at("outside/program") }),
            ],
            vec![
                trial("read a file of the repo", read("repo/work/file")),
                trial("write it", write("repo/work/file")),
                trial("set its mode", Attempt::Mode { path: at.at("repo/work/file") }),
                trial("make a file in the repo", write("repo/work/made")),
            ],
        )
    };
    if tier != Tier::A {
        // Without a tree of its own, Landlock is all there is: the files are its probe.
        let wall = check(
            "landlock",
            vec![
                alone("read /var", Attempt::Shut { path: "/var".into() }),
                alone("read a file outside", Attempt::Shut { path: at.at("outside/secret") }),
            ],
            vec![trial("read a file of the repo", read("repo/work/file"))],
        );
        return vec![outside, wall, hidden];
    }
    let kinds = ["user", "mnt", "pid", "net", "ipc", "uts", "cgroup"];
    let namespaces = kinds.map(|kind| {
        let id = std::fs::read_link(format!("/proc/self/ns/{kind}"));
        let id = id.map(|p| p.to_string_lossy().into_owned()).unwrap_or_default();
        trial(kind, Attempt::Namespace { kind: kind.to_owned(), id })
    });
    let own = check(
        "namespaces",
        namespaces.into(),
        vec![trial("read /proc", Attempt::Read { path: "/proc/self/status".into() })],
    );
    let wall = check(
        "landlock",
        vec![alone("read a file of the box that no rule grants", Attempt::Shut { path: "/.ungranted".into() })],
        vec![trial("read a granted file", Attempt::Read { path: "/etc/passwd".into() })],
    );
    vec![own, outside, wall, hidden]
}

/// Caches can be used; what a run writes to them stays in the run, or cannot be written at all.
fn caches(tier: Tier, at: &Fixture) -> Check {
    let write = trial("write a cache", Attempt::Write { path: at.at("home/.npm/new") });
    let read = trial("read a cache", Attempt::Read { path: at.at("home/.npm/file") });
    let absent = vec![at.at("home/.npm/new")];
    match tier {
        Tier::A => Check { absent, ..check("caches", vec![], vec![read, write]) },
        _ => Check { absent, ..check("caches", vec![write], vec![read]) },
    }
}

fn network(tier: Tier, at: &Fixture) -> Vec<Check> {
    let own = match tier {
        Tier::A => trial("serve on one's own loopback", Attempt::OwnLoopback),
        _ => trial("a pair of sockets", Attempt::Pair),
    };
    let own_socket = match tier {
        Tier::C => trial("a pair of sockets", Attempt::Pair),
        _ => trial("serve on a socket in the repo", Attempt::OwnUnix { path: at.at("repo/work/socket") }),
    };
    vec![
        check(
            "network",
            vec![
                trial(
                    "connect to a service of the host",
                    Attempt::Connect { address: at.tcp, token: at.token.clone() },
                ),
                trial("send it a datagram", Attempt::Datagram { address: at.udp }),
            ],
            vec![own],
        ),
        check(
            "sockets",
            vec![
                trial("connect to an abstract socket", Attempt::Abstract { name: at.name.clone() }),
                trial("connect to a socket outside", Attempt::UnixPath { path: at.at("outside/socket") }),
            ],
            vec![own_socket],
        ),
    ]
}

fn processes(tier: Tier, at: &Fixture) -> Vec<Check> {
    let (pid, token) = (at.victim(), at.token.clone());
    let mut signals = vec![trial("signal a process of the host", Attempt::Signal { pid, token: token.clone() })];
    let priority = Attempt::PriorityOf { pid, token: token.clone() };
    signals.push(trial("set the priority of a process of the host", priority));
    if tier == Tier::A {
        signals.push(trial("see a process of the host", Attempt::See { pid, token: token.clone() }));
    }
    vec![
        check("processes", signals, vec![trial("signal oneself", Attempt::SignalSelf)]),
        check(
            "supervisor",
            vec![
                alone("open the supervisor's memory", Attempt::Memory { pid: 0 }),
                trial("open the first process's memory", Attempt::Memory { pid: 1 }),
                trial("open a process's memory", Attempt::Memory { pid }),
            ],
            vec![trial("open one's own memory", Attempt::Memory { pid: -1 })],
        ),
        check(
            "environment",
            vec![
                trial("have a variable that is not kept", Attempt::Variable { name: super::boxes::SECRET.into() }),
                trial("find it in another process", Attempt::Environs { token }),
            ],
            vec![trial("have PATH", Attempt::Variable { name: "PATH".into() })],
        ),
    ]
}

fn filter(at: &Fixture) -> Check {
    const MPTCP: u32 = 262;
    let socket = |family: u16, kind: u32, protocol: u32| Attempt::Socket { family, kind, protocol };
    check(
        "filter",
        vec![
            alone("run without a filter", Attempt::Unfiltered),
            trial("an MPTCP socket", socket(2, 1, MPTCP)),
            trial("a vsock socket", socket(40, 1, 0)),
            trial("a crypto socket", socket(38, 5, 0)),
            trial("a packet socket", socket(17, 3, 0)),
            trial("mount", Attempt::Mount { path: at.at("repo/work") }),
            trial("change the root", Attempt::Chroot { path: "/".into() }),
        ],
        vec![trial("a unix socket", socket(1, 1, 0)), trial("a pair of sockets", Attempt::Pair)],
    )
}

/// A name that is allowed, and one that is not.
pub(super) const ALLOWED: &str = "allowed.doctor.test";
const DENIED: &str = "denied.doctor.test";

fn names(tier: Tier, at: &Fixture, program: &Path) -> Vec<Check> {
    let page = |host: &str, says: &str| Attempt::Page {
        host: host.into(),
        port: at.tcp.port(),
        says: says.into(),
        token: at.token.clone(),
    };
    let exec = |path: &Path, args: &[&str]| Attempt::Exec {
        path: path.to_owned(),
        args: args.iter().map(|a| (*a).to_owned()).collect(),
    };
    let programs = check(
        "programs",
        vec![
            trial("start a program that is not on the list", exec(Path::new("/bin/sh"), &["-c", "exit 0"])),
            trial("start a program outside", exec(&at.at("outside/program"), &[])),
            trial("start a script of the repo", exec(&at.at("repo/work/program"), &[])),
        ],
        vec![trial("start one that is", exec(program, &["__probe", "nothing"]))],
    );
    if tier == Tier::C {
        return vec![programs];
    }
    let names = check(
        "names",
        vec![
            alone("ask for a denied name", Attempt::Name { name: DENIED.into() }),
            alone("tunnel data in a name", Attempt::Name { name: format!("c2VjcmV0.{DENIED}") }),
            alone("fetch a page of a denied name", page(DENIED, DENIED)),
            alone("name a denied host on an allowed connection", page(ALLOWED, DENIED)),
            trial("connect to a service of the host", Attempt::Connect { address: at.other, token: at.token.clone() }),
        ],
        vec![
            alone("ask for an allowed name", Attempt::Name { name: ALLOWED.into() }),
            alone("fetch its page", page(ALLOWED, ALLOWED)),
            alone("ask for it as programs do", Attempt::Resolve { name: ALLOWED.into() }),
        ],
    );
    vec![names, programs]
}

/// Bytes of memory that a box with small limits has.
pub(super) const MEMORY: u64 = 96 << 20;
/// Processes that it has.
pub(super) const PROCESSES: u64 = 40;

fn limits(tier: Tier) -> Vec<Check> {
    let memory = check(
        "memory-limit",
        vec![trial("take twice the memory", Attempt::Allocate { bytes: 192 << 20 })],
        vec![trial("take a little", Attempt::Allocate { bytes: 4 << 20 })],
    );
    let too_many = match tier {
        // Ids of processes run out at a number that kernels do not let be small.
        Tier::A => Attempt::Threads { count: 400 },
        _ => Attempt::Linger { threads: 60, ms: 3000 },
    };
    let processes = check(
        "process-limit",
        vec![trial("have too many processes", too_many)],
        vec![trial("have a few", Attempt::Threads { count: 8 })],
    );
    // The one that may end the box comes last.
    vec![memory, processes]
}
