//! Egress by name: a box reaches the hosts of its allowlist and nothing else.
//!
//! Inside an empty network namespace every address is local. [`namespace::prepare`] makes the sockets there;
//! [`spawn_thread`] serves them from outside: it answers DNS with addresses that stand for names, takes the
//! connections to them, and dials the name itself after the rules said yes. The decision is in [`Rules`], and
//! only there. Nothing the box sends reaches a server before its first bytes were looked at.

pub mod address;
mod context;
mod dial;
mod dns;
mod event;
mod http;
mod inspect;
mod names;
pub mod namespace;
mod netlink;
mod origin;
mod proxy;
mod pump;
mod report;
mod rules;
mod serve;
mod session;
mod sockets;
mod socks;
mod tls;
mod tunnel;

pub use event::{EventSink, NetEvent, Verdict, Via, Why};
pub use names::{OWN_V4, OWN_V6};
pub use origin::{Origin, OriginTable, TableFull};
pub use proxy::proxy_env;
pub use rules::{Change, HiddenHello, LiveRules, RuleError, Rules};
pub use serve::{Handle, serve, spawn_thread};
pub use sockets::{Header, MOST_PORTS, Role, Sockets, SocketsError};
