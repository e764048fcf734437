//! Device nodes: the machine's, and those one could make.

use crate::attempt::{self, opens};
use crate::context::Context;
use crate::outcome::Outcome;
use crate::probe::Probe;
use crate::raw;
use std::fs;
use std::io::Read;
use std::os::unix::fs::MetadataExt;

const RANDOM: (&str, crate::probe::Act) = ("read random bytes", |_| {
    let mut bytes = [0; 8];
    Outcome::of(fs::File::open("/dev/urandom").and_then(|mut f| f.read_exact(&mut bytes)), "read")
});
const NULL: (&str, crate::probe::Act) = ("write to /dev/null", |_| attempt::opens_for_writing("/dev/null"));
const ZERO: (&str, crate::probe::Act) = ("open /dev/zero and /dev/full", |_| {
    Outcome::of(fs::File::open("/dev/zero").and_then(|_| fs::File::open("/dev/full")), "open")
});

pub(super) const PROBES: &[Probe] = &[
    Probe::new(
        "dev-mem",
        "open the machine's memory",
        |_| Outcome::of(fs::File::open("/dev/mem").or_else(|_| fs::File::open("/dev/port")), "open"),
        RANDOM,
    )
    .as_root()
    .unproven("many kernels have no such device"),
    Probe::new("dev-kmsg", "read the kernel's log", |_| reads_any_line("/dev/kmsg"), NULL).as_root(),
    Probe::new(
        "disk",
        "open a disk of the host",
        |c| {
            let opened = c.disks.iter().map(opens).find(Outcome::worked);
            opened.unwrap_or(Outcome::Refused("none opens".to_owned()))
        },
        ZERO,
    )
    .as_root(),
    Probe::new("mknod-disk", "make a node for a disk of the host", makes_disk, NULL).as_root(),
    Probe::new("mknod-memory", "make a node for the machine's memory", |c| node(c, libc::S_IFCHR, 1, 1), NULL)
        .as_root(),
    Probe::new("dev-kvm", "open the hypervisor", |_| opens("/dev/kvm"), NULL).as_root(),
    Probe::new("dev-fuse", "open the door to file systems of one's own", |_| opens("/dev/fuse"), NULL).as_root(),
    Probe::new("dev-tun", "open the door to networks of one's own", |_| opens("/dev/net/tun"), NULL).as_root(),
    Probe::new("dev-loop", "open the control of loop devices", |_| opens("/dev/loop-control"), ZERO).as_root(),
    Probe::new("dev-userfaultfd", "open the device for page faults", |_| opens("/dev/userfaultfd"), ZERO).as_root(),
    Probe::new("dev-console", "read the screen of the console", |_| opens("/dev/vcs"), ZERO).as_root(),
    Probe::new("dev-vsock", "open the device of the virtual machine's sockets", |_| opens("/dev/vsock"), ZERO)
        .as_root(),
    Probe::new(
        "dev-shm-list",
        "list the host's shared memory",
        |c| {
            let name = c.host_shm.file_name().map(|n| n.to_os_string());
            let seen = fs::read_dir("/dev/shm").is_ok_and(|d| d.flatten().any(|e| Some(e.file_name()) == name));
            Outcome::when(seen, "the host's file is there", "it is not there")
        },
        ("open a pseudo-terminal", |_| Outcome::of(raw::terminal(), "open")),
    ),
];

fn reads_any_line(path: &str) -> Outcome {
    let mut bytes = [0; 1024];
    use std::os::unix::fs::OpenOptionsExt;
    let opened = fs::OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path);
    Outcome::of(opened.and_then(|mut f| f.read(&mut bytes)), "read")
}

fn makes_disk(context: &Context) -> Outcome {
    // Inside, the disk cannot be looked at; then the number of a common first disk does.
    let device = context.disks.iter().find_map(|d| fs::metadata(d).ok()).map_or(0xfe00, |m| m.rdev());
    node(context, libc::S_IFBLK, libc::major(device), libc::minor(device))
}

fn node(context: &Context, kind: u32, major: u32, minor: u32) -> Outcome {
    let path = context.scratch("node");
    let device = libc::makedev(major, minor);
    let made = attempt::path(&path).and_then(|p| {
        let mode = (kind | 0o600) as usize;
        raw::call(libc::SYS_mknodat, [libc::AT_FDCWD as usize, p.as_ptr() as usize, mode, device as usize])
    });
    Outcome::of(made, "the node was made").then(|| drop(fs::remove_file(&path)))
}
