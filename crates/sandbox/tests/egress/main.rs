//! Egress with real sockets: a namespace with nothing in it, served from outside.
//!
//! A second process of this test program enters a fresh network namespace, prepares it, hands the sockets
//! out, and then makes client sockets on request. A socket keeps its namespace, so the probes here are what a
//! program in the box could do. Each probe that must fail stands beside a twin that must not.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a probe that cannot go on fails")]

mod dns;
mod http;
mod live;
mod names;
mod proxy;
mod speed;
mod support;
mod tls;
mod tunnels;
