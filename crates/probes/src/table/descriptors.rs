//! What comes along: open descriptors, the working directory, the terminal.

use super::own;
use crate::outcome::Outcome;
use crate::probe::Probe;
use crate::raw;
use std::fs;
use std::os::fd::AsRawFd;

const SIZE: (&str, crate::probe::Act) = ("ask a terminal of one's own for its size", |_| {
    let mut size = [0_u16; 4];
    let asked = raw::terminal().and_then(|(master, _)| {
        raw::call(libc::SYS_ioctl, [master.as_raw_fd() as usize, libc::TIOCGWINSZ as usize, size.as_mut_ptr() as usize])
    });
    Outcome::of(asked, "answered")
});

pub(super) const PROBES: &[Probe] = &[
    Probe::new(
        "inherited-descriptor",
        "find a descriptor that the caller left open",
        |c| Outcome::when(!c.inherited.is_empty(), &c.inherited.join(", "), "none is open"),
        ("use the three that belong there", |_| {
            let all =
                [0_usize, 1, 2].into_iter().all(|fd| raw::call(libc::SYS_fcntl, [fd, libc::F_GETFD as usize]).is_ok());
            Outcome::when(all, "all are open", "one is closed")
        }),
    )
    .lesson("Landlock does not check descriptors that are open already"),
    Probe::new(
        "inherited-folder",
        "read a secret from the working directory of the caller",
        |c| crate::attempt::reads(".ssh/id_ed25519", c),
        own::READ,
    ),
    Probe::new("tiocsti", "type into the caller's terminal", |_| typed(0), SIZE)
        .lesson("eight peers let characters through; setsid or a filter stops it"),
    Probe::new(
        "tiocsti-tty",
        "type into the terminal by /dev/tty",
        |_| match fs::OpenOptions::new().read(true).write(true).open("/dev/tty") {
            Ok(tty) => typed(tty.as_raw_fd()),
            Err(error) => Outcome::refused(&error),
        },
        SIZE,
    ),
    Probe::new(
        "tioclinux",
        "ask the console for its selection",
        |_| {
            let mut code = 2_u8;
            let asked = raw::call(libc::SYS_ioctl, [0, libc::TIOCLINUX as usize, (&raw mut code) as usize]);
            Outcome::gate(asked, &[libc::ENOTTY, libc::EINVAL])
        },
        SIZE,
    ),
    Probe::new(
        "tiocsti-high-bits",
        "type into the terminal with the upper half of the request set",
        |_| {
            let letter = b'x';
            let request = libc::TIOCSTI as usize | (1 << 32);
            Outcome::of(raw::call(libc::SYS_ioctl, [0, request, (&raw const letter) as usize]), "typed")
        },
        SIZE,
    )
    .lesson("CVE-2017-5226 and its sequel: a filter that compares 64 bits misses a request that the kernel cuts to 32"),
];

fn typed(fd: i32) -> Outcome {
    let letter = b'x';
    let result = raw::call(libc::SYS_ioctl, [fd as usize, libc::TIOCSTI as usize, (&raw const letter) as usize]);
    match result {
        Err(error) if error.raw_os_error() == Some(libc::ENOTTY) => Outcome::Broken("no terminal".to_owned()),
        other => Outcome::of(other, "typed"),
    }
}
