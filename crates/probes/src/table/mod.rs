//! Every probe, by subject. A table in, nothing out: running them is `child`'s part.

pub mod bombs;
mod descriptors;
mod devices;
mod egress;
mod entry;
mod files;
mod hidden;
mod http;
mod ipc;
mod kernel;
mod links;
mod loopback;
mod mounts;
mod names;
mod namespaces;
mod nested;
mod own;
mod privilege;
mod process;
mod procfs;
mod protected;
mod proxy;
mod sockets;
mod tls;

use crate::probe::Group;

/// Every probe.
pub const GROUPS: &[Group] = &[
    Group { name: "files", probes: files::PROBES },
    Group { name: "links", probes: links::PROBES },
    Group { name: "hidden", probes: hidden::PROBES },
    Group { name: "protected", probes: protected::PROBES },
    Group { name: "process", probes: process::PROBES },
    Group { name: "procfs", probes: procfs::PROBES },
    Group { name: "devices", probes: devices::PROBES },
    Group { name: "descriptors", probes: descriptors::PROBES },
    Group { name: "ipc", probes: ipc::PROBES },
    Group { name: "sockets", probes: sockets::PROBES },
    Group { name: "loopback", probes: loopback::PROBES },
    Group { name: "mounts", probes: mounts::PROBES },
    Group { name: "namespaces", probes: namespaces::PROBES },
    Group { name: "privilege", probes: privilege::PROBES },
    Group { name: "kernel", probes: kernel::PROBES },
    Group { name: "entry", probes: entry::PROBES },
    Group { name: "egress", probes: egress::PROBES },
    Group { name: "names", probes: names::PROBES },
    Group { name: "tls", probes: tls::PROBES },
    Group { name: "http", probes: http::PROBES },
    Group { name: "proxy", probes: proxy::PROBES },
    Group { name: "nested", probes: nested::PROBES },
];
