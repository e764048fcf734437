//! The resolver that answers inside the box: allowed names get an address that stands for them.
//!
//! In: DNS messages over UDP and TCP, to any resolver address. Out: answers made here. No question ever
//! leaves: what a name really resolves to is asked when a connection to it was allowed, by the supervisor.

mod server;
mod wire;

pub(crate) use server::{over_tcp, over_udp};
