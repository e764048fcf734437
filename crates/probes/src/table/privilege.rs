//! Privilege: having some, and getting more.

use super::own;
use crate::attempt::{in_own_child, output};
use crate::context::Context;
use crate::outcome::Outcome;
use crate::probe::{ONLY_A, Probe};
use crate::raw;
use std::path::Path;

const WHO: (&str, crate::probe::Act) = ("start the same program without special bits", |c| {
    Outcome::of(output(c.repo.join("probe"), &["identity"]), "started")
});
const SELF: (&str, crate::probe::Act) = ("become who one is", |_| {
    in_own_child(|| {
        let uid = raw::call(libc::SYS_getuid, [])?;
        raw::call(libc::SYS_setresuid, [uid, uid, uid])
    })
});
const CAP_VERSION: u32 = 0x2008_0522;

pub(super) const PROBES: &[Probe] = &[
    Probe::new(
        "set-uid",
        "start a set-uid program of the repo",
        |c| identity(c, "suid-probe", &["identity"], "Uid:"),
        WHO,
    ),
    Probe::new(
        "set-gid",
        "start a set-gid program of the repo",
        |c| identity(c, "sgid-probe", &["identity"], "Gid:"),
        WHO,
    ),
    Probe::new(
        "file-capabilities",
        "start a program with file capabilities",
        |c| match capabilities(&c.repo.join("cap-probe")) {
            Ok(held) => Outcome::when(held != 0, &format!("{held:x} held"), "none held"),
            Err(outcome) => outcome,
        },
        WHO,
    ),
    Probe::new(
        "set-uid-system",
        "start the system's own set-uid program",
        |_| {
            let said = output("/bin/sh", &["-c", "exec setpriv --dump 2>/dev/null | grep -i no_new_privs"]);
            let said = said.map(|b| String::from_utf8_lossy(&b).to_lowercase());
            match said {
                Ok(text) if text.contains("no_new_privs: 0") => {
                    Outcome::Did("set-uid programs would be root".to_owned())
                }
                Ok(text) if text.contains("no_new_privs: 1") => {
                    Outcome::Refused("no_new_privs is inherited".to_owned())
                }
                _ => Outcome::Absent("there is no setpriv here".to_owned()),
            }
        },
        own::START,
    ),
    Probe::new(
        "no-new-privs",
        "run without the promise never to gain privileges",
        |_| {
            let promised = raw::call(libc::SYS_prctl, [libc::PR_GET_NO_NEW_PRIVS as usize, 0, 0, 0, 0]);
            Outcome::when(promised.is_ok_and(|p| p == 0), "not promised", "promised")
        },
        ("promise it again", |_| {
            Outcome::of(raw::call(libc::SYS_prctl, [libc::PR_SET_NO_NEW_PRIVS as usize, 1, 0, 0, 0]), "promised")
        }),
    ),
    Probe::new(
        "preload-into-set-uid",
        "pass a library to a set-uid program",
        |c| identity(c, "suid-probe", &["identity"], "Uid:"),
        ("pass a variable to a program", |_| {
            let said = output("/bin/sh", &["-c", "LD_PRELOAD= X=own sh -c 'echo $X'"]);
            Outcome::when(said.is_ok_and(|b| b == b"own\n"), "passed", "lost")
        }),
    ),
    Probe::new("capabilities-effective", "hold capabilities", |_| held("CapEff"), own::START).as_root(),
    Probe::new("capabilities-permitted", "be able to raise capabilities", |_| held("CapPrm"), own::START).as_root(),
    Probe::new(
        "capabilities-inheritable",
        "hand capabilities on",
        |_| {
            let mut data = [0_u32, 0, 0, 0, 0, 0];
            let mut header = [CAP_VERSION, 0];
            let got = raw::call(libc::SYS_capget, [header.as_mut_ptr() as usize, data.as_mut_ptr() as usize]);
            let raised = got.and_then(|_| {
                let [_, permitted, _, _, more, _] = data;
                if permitted == 0 && more == 0 {
                    return Err(std::io::Error::from_raw_os_error(libc::EPERM));
                }
                let data = [0, permitted, permitted, 0, more, more];
                raw::call(libc::SYS_capset, [header.as_ptr() as usize, data.as_ptr() as usize])
            });
            Outcome::of(raised, "raised")
        },
        own::START,
    )
    .as_root(),
    Probe::new("capabilities-bounding", "be able to gain capabilities from files", |_| held("CapBnd"), own::START)
        .tiers(ONLY_A, "emptying the set takes a capability; without one, no_new_privs makes it void"),
    Probe::new(
        "capabilities-ambient",
        "keep capabilities across programs",
        |_| {
            let raise = [libc::PR_CAP_AMBIENT as usize, libc::PR_CAP_AMBIENT_RAISE as usize, 13, 0, 0];
            match held("CapAmb") {
                Outcome::Did(held) => Outcome::Did(held),
                // Raising one needs it inheritable first, which root may do.
                _ => in_own_child(|| {
                    let header = [CAP_VERSION, 0];
                    let bit = 1_u32 << 13;
                    let data = [bit, bit, bit, 0, 0, 0];
                    raw::call(libc::SYS_capset, [header.as_ptr() as usize, data.as_ptr() as usize])?;
                    raw::call(libc::SYS_prctl, raise)
                }),
            }
        },
        own::START,
    )
    .as_root(),
    Probe::new(
        "capset",
        "give oneself a capability",
        |_| {
            in_own_child(|| {
                let header = [CAP_VERSION, 0];
                let data = [1_u32 << 21, 1 << 21, 0, 0, 0, 0];
                raw::call(libc::SYS_capset, [header.as_ptr() as usize, data.as_ptr() as usize])
            })
        },
        own::START,
    )
    .as_root(),
    Probe::new(
        "secure-bits",
        "change what being root means",
        |_| in_own_child(|| raw::call(libc::SYS_prctl, [libc::PR_SET_SECUREBITS as usize, 0x10, 0, 0, 0])),
        own::START,
    )
    .as_root(),
    Probe::new(
        "become-another",
        "become another user",
        |c| {
            in_own_child(|| {
                let target = if c.uid == 0 { 65534 } else { 0 };
                raw::call(libc::SYS_setresuid, [target, target, target])
            })
        },
        SELF,
    )
    .as_root(),
    Probe::new(
        "become-another-group",
        "become another group",
        |_| {
            in_own_child(|| {
                let gid = raw::call(libc::SYS_getgid, [])?;
                let target = if gid == 0 { 65534 } else { 0 };
                raw::call(libc::SYS_setresgid, [target, target, target])
            })
        },
        SELF,
    )
    .as_root(),
    Probe::new(
        "setgroups",
        "choose one's groups",
        |_| {
            in_own_child(|| {
                let groups = [4_u32];
                raw::call(libc::SYS_setgroups, [1, groups.as_ptr() as usize])
            })
        },
        SELF,
    )
    .as_root(),
    Probe::new(
        "other-groups",
        "belong to the groups of the caller",
        |_| {
            let groups = own::status("Groups").unwrap_or_default();
            let own = own::status("Gid").unwrap_or_default();
            let own = own.split_whitespace().next().unwrap_or_default().to_owned();
            let other = groups.split_whitespace().any(|g| g != own && g != "65534");
            Outcome::when(other, &groups, "none but one's own")
        },
        SELF,
    )
    .unproven("the fixture's users have no further groups"),
    Probe::new(
        "filter",
        "run without a filter on system calls",
        |_| Outcome::when(own::status("Seccomp").as_deref() == Some("0"), "no filter", "filtered"),
        ("put a further filter on oneself", |_| {
            // One instruction: return SECCOMP_RET_ALLOW.
            let program = [0x7fff_0000_0000_0006_u64];
            let header = [1_usize, program.as_ptr() as usize];
            let _ = raw::call(libc::SYS_prctl, [libc::PR_SET_NO_NEW_PRIVS as usize, 1, 0, 0, 0]);
            Outcome::of(raw::call(libc::SYS_seccomp, [1, 0, header.as_ptr() as usize]), "filtered")
        }),
    ),
    Probe::new(
        "raise-priority",
        "take a higher priority",
        |_| in_own_child(|| raw::call(libc::SYS_setpriority, [0, 0, (-5_isize) as usize])),
        ("take a lower priority", |_| in_own_child(|| raw::call(libc::SYS_setpriority, [0, 0, 5]))),
    )
    .as_root(),
    Probe::new(
        "realtime",
        "run in real time",
        |_| {
            in_own_child(|| {
                let priority = 1_i32;
                raw::call(libc::SYS_sched_setscheduler, [0, libc::SCHED_FIFO as usize, (&raw const priority) as usize])
            })
        },
        ("run as a batch job", |_| {
            in_own_child(|| {
                let priority = 0_i32;
                raw::call(libc::SYS_sched_setscheduler, [0, libc::SCHED_BATCH as usize, (&raw const priority) as usize])
            })
        }),
    )
    .as_root(),
];

fn held(set: &str) -> Outcome {
    let held = own::status(set).unwrap_or_default();
    let any = held.bytes().any(|b| b != b'0');
    Outcome::when(any && !held.is_empty(), &held, "none held")
}

/// Whether a program with special bits became somebody else.
fn identity(context: &Context, program: &str, arguments: &[&str], line: &str) -> Outcome {
    let path = context.repo.join(program);
    if !path.exists() {
        return Outcome::Absent("only root can make such a program for the fixture".to_owned());
    }
    match output(&path, arguments) {
        Err(error) => Outcome::refused(&error),
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let ids = text.lines().find_map(|l| l.strip_prefix(line)).unwrap_or_default();
            let mut ids = ids.split_whitespace();
            let (real, effective) = (ids.next(), ids.next());
            Outcome::when(real != effective, &format!("it runs as {effective:?}"), "it runs as its caller")
        }
    }
}

fn capabilities(path: &Path) -> Result<u64, Outcome> {
    if !path.exists() {
        return Err(Outcome::Absent("only root can make such a program for the fixture".to_owned()));
    }
    let bytes = output(path, &["identity"]).map_err(|e| Outcome::refused(&e))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let held = text.lines().find_map(|l| l.strip_prefix("CapEff:")).unwrap_or_default().trim().to_owned();
    u64::from_str_radix(&held, 16).map_err(|_| Outcome::Broken(text))
}
