//! Other doors into the kernel: entries and numbers that a careless filter does not look at.

use super::own;
use crate::outcome::Outcome;
use crate::probe::Probe;
use crate::raw;

const X32: libc::c_long = 0x4000_0000;
const PERSONALITY: (&str, crate::probe::Act) = ("ask for one's own execution domain", |_| {
    Outcome::of(raw::call(libc::SYS_personality, [0xffff_ffff]), "answered")
});

pub(super) const PROBES: &[Probe] = &[
    Probe::new(
        "entry-i386",
        "call the kernel by its 32-bit entry",
        |_| match raw::getpid_by_int80() {
            None => Outcome::Absent("another processor".to_owned()),
            Some(pid) => Outcome::when(pid == std::process::id() as i32, "answered", &format!("it answered {pid}")),
        },
        own::THREAD,
    )
    .lesson("numbers mean other calls there"),
    Probe::new(
        "entry-x32",
        "call the kernel by x32 numbers",
        |_| Outcome::of(raw::call(libc::SYS_getpid | X32, []), "answered"),
        own::THREAD,
    ),
    Probe::new(
        "entry-x32-unshare",
        "make a namespace by an x32 number",
        |_| Outcome::of(raw::call(libc::SYS_unshare | X32, [libc::CLONE_NEWUSER as usize]), "made"),
        PERSONALITY,
    ),
    Probe::new(
        "entry-x32-socket",
        "make a socket by an x32 number",
        |_| Outcome::of(raw::call(libc::SYS_socket | X32, [libc::AF_VSOCK as usize, 1, 0]), "made"),
        PERSONALITY,
    ),
    Probe::new(
        "domain-bits",
        "make a vsock socket with the upper half of the argument set",
        |_| {
            let family = libc::AF_VSOCK as usize | (1 << 32);
            Outcome::of(raw::open(libc::SYS_socket, [family, 1, 0]), "made")
        },
        own::PAIR,
    )
    .lesson("a filter that compares 64 bits misses an argument that the kernel cuts to 32"),
    Probe::new(
        "clone-bits",
        "make a user namespace with the upper half of the flags set",
        |_| crate::attempt::in_own_child(|| raw::call(libc::SYS_unshare, [libc::CLONE_NEWUSER as usize | (1 << 32)])),
        own::THREAD,
    )
    .unproven("newer kernels reject the upper half by themselves"),
];
