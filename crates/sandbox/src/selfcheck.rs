//! The box tries what it must refuse, from the inside, before the command starts. What it did not refuse is not
//! claimed; a wall that should stand and does not ends the run before it begins.

use crate::error::{Result, SandboxError};
use crate::plan::Plan;
use ringfence_policy::scale::{NetworkMode, Tier};
use rustix::fs::{Mode, OFlags, open};
use rustix::net::{AddressFamily, SocketType, connect, socket};
use std::net::{Ipv4Addr, SocketAddr};

/// A file of the box's own that no rule grants: only Landlock keeps it shut.
pub(crate) const UNGRANTED: &str = "/.ungranted";

/// Folders of a host that a run without namespaces has no business in.
const FOREIGN: &[&str] = &["/var", "/srv", "/boot", "/mnt", "/media"];

/// Tries files: after Landlock, before the filter, which may turn them into questions.
pub(crate) fn files(plan: &Plan) -> Result<Vec<String>> {
    let mut refused = Vec::new();
    if plan.tier == Tier::A {
        let write = OFlags::WRONLY | OFlags::CLOEXEC;
        if open("/proc/sys/kernel/core_pattern", write, Mode::empty()).is_ok() {
            return Err(not_refused("writing kernel settings"));
        }
        refused.push("write /proc/sys/kernel/core_pattern".to_owned());
    }
    let read = OFlags::RDONLY | OFlags::CLOEXEC;
    let ungranted: Vec<&str> = match plan.tier {
        _ if plan.layout.full => Vec::new(),
        Tier::A => vec![UNGRANTED],
        _ => {
            let granted = |p: &&&str| {
                !plan.layout.binds.iter().any(|b| b.path.starts_with(p) || std::path::Path::new(p).starts_with(&b.path))
            };
            FOREIGN.iter().filter(granted).copied().collect()
        }
    };
    for path in ungranted {
        match open(path, read, Mode::empty()) {
            Ok(_) => return Err(not_refused(&format!("reading `{path}`"))),
            Err(rustix::io::Errno::NOENT) => {}
            Err(_) => refused.push(format!("read {path}")),
        }
    }
    Ok(refused)
}

/// Tries sockets: after the filter.
pub(crate) fn sockets(plan: &Plan) -> Result<Vec<String>> {
    let mut refused = Vec::new();
    if socket(AddressFamily::VSOCK, SocketType::STREAM, None).is_ok() {
        return Err(not_refused("a vsock socket"));
    }
    refused.push("socket vsock".to_owned());
    // Where connecting is a question to the supervisor, it would wait for an answer that cannot come yet.
    let asks = plan.tier == Tier::B && plan.network == NetworkMode::Allowlist;
    if plan.network != NetworkMode::Host && !asks {
        // An address for documentation: nobody is there, and a box must not even have a way to it.
        let nobody: SocketAddr = (Ipv4Addr::new(192, 0, 2, 1), 9).into();
        let reached = socket(AddressFamily::INET, SocketType::STREAM, None).and_then(|s| connect(&s, &nobody));
        match reached {
            Err(rustix::io::Errno::NETUNREACH | rustix::io::Errno::CONNREFUSED | rustix::io::Errno::AFNOSUPPORT) => {
                refused.push("connect 192.0.2.1:9".to_owned());
            }
            _ => return Err(not_refused("a connection to 192.0.2.1")),
        }
    }
    Ok(refused)
}

fn not_refused(what: &str) -> SandboxError {
    SandboxError::Unavailable {
        what: "the box".into(),
        why: format!("it did not refuse {what} when it tried"),
        help: "run `ringfence doctor`; this should be reported as a defect".into(),
    }
}
