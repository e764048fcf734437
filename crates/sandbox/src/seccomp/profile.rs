//! The `agent` profile: the lists, with the reason for each group.
//!
//! A deny list, because programs must run unchanged; what it guards is the kernel's own surface and the few doors
//! that namespaces and Landlock leave open. Rights on files, names and processes are theirs.

use super::{Action, Rule, Test};
use ringfence_policy::scale::{NetworkMode, Tier};

/// What the filter depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Profile {
    /// The tier: without namespaces more doors have to be shut here.
    pub(crate) tier: Tier,
    /// The network.
    pub(crate) network: NetworkMode,
    /// Whether starting a program is a question to the supervisor.
    pub(crate) ask_exec: bool,
    /// Whether opening, making and moving files are questions to the supervisor.
    pub(crate) ask_files: Ask,
}

impl Profile {
    /// Whether any call is a question.
    pub(crate) fn asks(self) -> bool {
        self.ask_exec || self.ask_files != Ask::Nothing || self.tier == Tier::B
    }
}

/// Which file calls are questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ask {
    /// None: the default.
    Nothing,
    /// Those that write; the supervisor decides (a broker).
    Writes,
    /// All, to be told of them (an observer).
    All,
}

/// The kernel's own surface: nothing an agent's work needs, much of what exploits need.
const SURFACE: &[i64] = &[
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kcmp,
    libc::SYS_lookup_dcookie,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_vhangup,
    libc::SYS_nfsservctl,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
];

/// The machine: clock, names, power, swap.
const MACHINE: &[i64] = &[
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
];

/// Mounts and namespaces: the walls themselves.
const WALLS: &[i64] = &[
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
];

/// Calls that only the older interface of x86 has.
#[cfg(target_arch = "x86_64")]
const LEGACY: &[i64] = &[
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
    libc::SYS_uselib,
    libc::SYS_ustat,
    libc::SYS_sysfs,
    libc::SYS__sysctl,
];
#[cfg(not(target_arch = "x86_64"))]
const LEGACY: &[i64] = &[];

/// Shared memory, queues and semaphores without names in the file system: shut where there is no namespace for them.
const SHARED: &[i64] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// Calls that change what Landlock has no right for: mode, owner, times and attributes of files.
const METADATA: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    // Newer than the C library: attributes by descriptor and name.
    463,
    466,
    469,
];

/// The same calls of the older interface.
#[cfg(target_arch = "x86_64")]
const OLD_METADATA: &[i64] =
    &[libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown, libc::SYS_utime, libc::SYS_utimes, libc::SYS_futimesat];
#[cfg(not(target_arch = "x86_64"))]
const OLD_METADATA: &[i64] = &[];

/// Calls that act on another process by its number, and which argument holds it; zero is the caller itself.
const OTHERS: &[(i64, u8)] = &[
    (libc::SYS_prlimit64, 0),
    (libc::SYS_setpriority, 1),
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setattr, 0),
    (libc::SYS_ioprio_set, 1),
];

/// `open_tree_attr` and `file_setattr`-age calls that the C library does not name yet.
const OPEN_TREE_ATTR: i64 = 467;

const EVERY_NAMESPACE: u32 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP) as u32;

/// The kernel packs flags into the type of a socket.
const TYPE: u32 = 0xf;
const ALL: u32 = u32::MAX;
const NO: Action = Action::Fail(libc::EPERM);

/// The rules of a profile.
pub(crate) fn rules(profile: Profile) -> Vec<Rule> {
    let lists = [SURFACE, MACHINE, WALLS, LEGACY, &[OPEN_TREE_ATTR]];
    let mut rules: Vec<Rule> = lists.into_iter().flatten().map(|n| always(*n, NO)).collect();
    // Its flags lie in memory where a filter cannot look; the C library falls back to `clone`.
    rules.push(always(libc::SYS_clone3, Action::Fail(libc::ENOSYS)));
    rules.push(Rule {
        number: libc::SYS_clone,
        cases: vec![(vec![Test::AnyOf(0, EVERY_NAMESPACE)], NO)],
        otherwise: Action::Allow,
    });
    rules.push(terminal());
    rules.push(personality());
    rules.push(socket(profile));
    rules.push(Rule {
        number: libc::SYS_socketpair,
        cases: vec![(vec![Test::Masked(0, ALL, libc::AF_UNIX as u32)], Action::Allow)],
        otherwise: NO,
    });
    if profile.tier != Tier::A {
        rules.extend(SHARED.iter().chain(METADATA).chain(OLD_METADATA).map(|n| always(*n, NO)));
        rules.extend(OTHERS.iter().map(|(number, argument)| Rule {
            number: *number,
            cases: vec![(vec![Test::Masked(*argument, ALL, 0)], Action::Allow)],
            otherwise: NO,
        }));
        rules.extend(outside(profile));
    }
    if profile.ask_exec {
        rules.push(always(libc::SYS_execve, Action::Ask));
        rules.push(always(libc::SYS_execveat, Action::Ask));
    }
    rules.extend(files(profile.ask_files));
    rules
}

fn always(number: i64, action: Action) -> Rule {
    Rule { number, cases: vec![], otherwise: action }
}

/// Input may not be put into a terminal, nor a console be driven.
fn terminal() -> Rule {
    let is = |request: u32| (vec![Test::Masked(1, ALL, request)], NO);
    Rule {
        number: libc::SYS_ioctl,
        cases: vec![is(libc::TIOCSTI as u32), is(libc::TIOCLINUX as u32)],
        otherwise: Action::Allow,
    }
}

/// Only what leaves the process as it is, and what debuggers switch off.
fn personality() -> Rule {
    let is = |value: u32| (vec![Test::Masked(0, ALL, value)], Action::Allow);
    Rule { number: libc::SYS_personality, cases: vec![is(0), is(ALL), is(0x0004_0000)], otherwise: NO }
}

/// Stream and datagram sockets of the plain families; no MPTCP, no raw, packet, vsock or crypto sockets.
fn socket(profile: Profile) -> Rule {
    let mut cases = Vec::new();
    let mut allow = |family: i32, kind: i32, protocol: i32| {
        cases.push((
            vec![
                Test::Masked(0, ALL, family as u32),
                Test::Masked(1, TYPE, kind as u32),
                Test::Masked(2, ALL, protocol as u32),
            ],
            Action::Allow,
        ));
    };
    allow(libc::AF_UNIX, libc::SOCK_STREAM, 0);
    allow(libc::AF_UNIX, libc::SOCK_SEQPACKET, 0);
    let own_network = profile.tier == Tier::A;
    if own_network {
        allow(libc::AF_UNIX, libc::SOCK_DGRAM, 0);
        // Reading interfaces and routes of the run's own namespace: `getifaddrs` and what builds on it.
        allow(libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_ROUTE);
        allow(libc::AF_NETLINK, libc::SOCK_DGRAM, libc::NETLINK_ROUTE);
    }
    let host = profile.network == NetworkMode::Host;
    if own_network || host || (profile.tier == Tier::B && profile.network == NetworkMode::Allowlist) {
        for family in [libc::AF_INET, libc::AF_INET6] {
            allow(family, libc::SOCK_STREAM, 0);
            allow(family, libc::SOCK_STREAM, libc::IPPROTO_TCP);
            if own_network || host {
                allow(family, libc::SOCK_DGRAM, 0);
                allow(family, libc::SOCK_DGRAM, libc::IPPROTO_UDP);
            }
        }
    }
    // An unknown family is what a program without that kind of network sees anyway.
    Rule { number: libc::SYS_socket, cases, otherwise: Action::Fail(libc::EAFNOSUPPORT) }
}

/// Without a network namespace: nobody connects but the supervisor, and data may not bring a connection along.
fn outside(profile: Profile) -> Vec<Rule> {
    let connect = match profile.tier {
        Tier::B => Action::Ask,
        _ if profile.network == NetworkMode::Host => Action::Allow,
        _ => NO,
    };
    let fast_open = |number: i64, flags: u8| Rule {
        number,
        cases: vec![(vec![Test::AnyOf(flags, libc::MSG_FASTOPEN as u32)], NO)],
        otherwise: Action::Allow,
    };
    // A socket that listens without an address of its own listens to the whole network.
    let listen = match (profile.tier, profile.network) {
        (Tier::B, NetworkMode::Allowlist) => Action::Ask,
        _ => Action::Allow,
    };
    vec![
        always(libc::SYS_listen, listen),
        always(libc::SYS_connect, connect),
        fast_open(libc::SYS_sendto, 3),
        fast_open(libc::SYS_sendmsg, 2),
        fast_open(libc::SYS_sendmmsg, 3),
    ]
}

/// File calls that are questions.
fn files(ask: Ask) -> Vec<Rule> {
    const WRITES: u32 = (libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC) as u32;
    let opens = |number: i64, flags: u8| Rule {
        number,
        cases: vec![(vec![Test::AnyOf(flags, WRITES)], Action::Ask)],
        otherwise: if ask == Ask::All { Action::Ask } else { Action::Allow },
    };
    if ask == Ask::Nothing {
        return Vec::new();
    }
    let mut rules = vec![
        opens(libc::SYS_openat, 2),
        // The flags of `openat2` lie in memory; the C library falls back to `openat`.
        always(libc::SYS_openat2, Action::Fail(libc::ENOSYS)),
        always(libc::SYS_mkdirat, Action::Ask),
        always(libc::SYS_unlinkat, Action::Ask),
        always(libc::SYS_renameat2, Action::Ask),
        always(libc::SYS_linkat, Action::Ask),
        always(libc::SYS_symlinkat, Action::Ask),
        always(libc::SYS_mknodat, Action::Ask),
        always(libc::SYS_truncate, Action::Ask),
    ];
    #[cfg(target_arch = "x86_64")]
    {
        rules.push(opens(libc::SYS_open, 1));
        let older = [
            libc::SYS_creat,
            libc::SYS_mkdir,
            libc::SYS_rmdir,
            libc::SYS_unlink,
            libc::SYS_rename,
            libc::SYS_renameat,
            libc::SYS_link,
            libc::SYS_symlink,
            libc::SYS_mknod,
        ];
        rules.extend(older.into_iter().map(|n| always(n, Action::Ask)));
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_call_has_two_rules() {
        for tier in [Tier::A, Tier::B, Tier::C] {
            for ask_files in [Ask::Nothing, Ask::Writes, Ask::All] {
                let profile = Profile { tier, network: NetworkMode::Allowlist, ask_exec: true, ask_files };
                let rules = rules(profile);
                let numbers: BTreeSet<i64> = rules.iter().map(|r| r.number).collect();
                assert_eq!(numbers.len(), rules.len());
            }
        }
    }
}
