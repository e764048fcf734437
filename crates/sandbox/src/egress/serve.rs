//! Serves the sockets of one box from outside, on one thread.
//!
//! In: the sockets, the rules, a sink for events. Out: a handle. Accepting stops while too many connections
//! are open, so a box can only make itself wait.

use super::context::{Context, denial};
use super::dial::dial;
use super::dns;
use super::event::{EventSink, Via, Why};
use super::origin::Origin;
use super::proxy;
use super::pump::reset;
use super::rules::LiveRules;
use super::sockets::{Role, Sockets};
use super::tunnel::{self, Start};
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::{JoinSet, LocalSet};

/// Open connections at a time, at most; fewer where descriptors are few.
const MOST_CONNECTIONS: usize = 1024;
/// Descriptors that are left for the rest of the supervisor.
const LEFT_FOR_OTHERS: u64 = 128;
/// Between two reports of repeats.
const FLUSH: Duration = Duration::from_secs(1);

/// A running egress thread. Dropping it stops the thread.
#[derive(Debug)]
pub struct Handle {
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Handle {
    /// Closes every connection, reports what is left to report, and waits for the thread.
    pub fn stop(mut self) -> io::Result<()> {
        self.finish()
    }

    /// Whether the thread ended by itself: then nothing is reachable any more.
    pub fn has_ended(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    fn finish(&mut self) -> io::Result<()> {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(ended)) => ended,
            Some(Err(_)) => Err(io::Error::other("the egress thread broke down")),
            None => Ok(()),
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let _ = self.finish();
    }
}

/// Starts a thread that serves the sockets until the handle is stopped or dropped.
pub fn spawn_thread(
    sockets: Sockets,
    rules: Arc<LiveRules>,
    origin: Origin,
    sink: Arc<dyn EventSink>,
) -> io::Result<Handle> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .max_blocking_threads(8)
        .thread_stack_size(256 << 10)
        .thread_keep_alive(Duration::from_secs(2))
        .build()?;
    let (stop, stopped) = oneshot::channel();
    let body = move || {
        let ended = LocalSet::new().block_on(
            &runtime,
            serve(sockets, rules, origin, sink, async {
                let _ = stopped.await;
            }),
        );
        // A lookup that hangs must not hold up the end.
        runtime.shutdown_background();
        ended
    };
    let thread = std::thread::Builder::new().name("egress".to_owned()).stack_size(512 << 10).spawn(body)?;
    Ok(Handle { stop: Some(stop), thread: Some(thread) })
}

/// Serves the sockets until `stop` is done. Must run inside a [`LocalSet`] of a current-thread runtime.
pub async fn serve(
    sockets: Sockets,
    rules: Arc<LiveRules>,
    origin: Origin,
    sink: Arc<dyn EventSink>,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    if matches!(origin, Origin::LocalAddress) {
        rules.listening_on(sockets.header().ports());
    }
    let context = Rc::new(Context::new(rules, origin, sink));
    let room = Arc::new(Semaphore::new(room_for_connections()));
    let mut tasks = JoinSet::new();
    for (role, fd) in sockets.all {
        match role {
            Role::DnsUdp => {
                let socket = std::net::UdpSocket::from(fd);
                socket.set_nonblocking(true)?;
                tasks.spawn_local(dns::over_udp(context.clone(), UdpSocket::from_std(socket)?));
            }
            _ => {
                let listener = std::net::TcpListener::from(fd);
                listener.set_nonblocking(true)?;
                tasks.spawn_local(accept(context.clone(), role, TcpListener::from_std(listener)?, room.clone()));
            }
        }
    }
    tasks.spawn_local(flush(context.clone()));
    let ended = tokio::select! {
        () = stop => Ok(()),
        Some(ended) = tasks.join_next() => ended.unwrap_or_else(|error| Err(io::Error::other(error))),
    };
    tasks.shutdown().await;
    context.report.flush();
    ended
}

/// Two sockets and, while bytes move, a pipe for each connection.
fn room_for_connections() -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::MAX);
    let room = limit.saturating_sub(LEFT_FOR_OTHERS) / 4;
    usize::try_from(room).unwrap_or(MOST_CONNECTIONS).clamp(8, MOST_CONNECTIONS)
}

async fn flush(context: Rc<Context>) -> io::Result<()> {
    loop {
        tokio::time::sleep(FLUSH).await;
        context.report.flush();
    }
}

/// Accepts for ever. Connections end with this task.
async fn accept(context: Rc<Context>, role: Role, listener: TcpListener, room: Arc<Semaphore>) -> io::Result<()> {
    let mut open = JoinSet::new();
    loop {
        while open.try_join_next().is_some() {}
        let (client, from) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(_) => {
                // Out of descriptors, or a client that was gone before we came: neither is the end.
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            }
        };
        // One that waits here holds up its own port only.
        let Ok(permit) = room.clone().acquire_owned().await else { return Ok(()) };
        let context = context.clone();
        open.spawn_local(async move {
            let _permit = permit;
            connection(&context, role, client, from).await;
        });
    }
}

async fn connection(context: &Context, role: Role, client: TcpStream, from: SocketAddr) {
    let _ = client.set_nodelay(true);
    let local = client.local_addr().ok();
    let Some(there) = local.and_then(|local| context.origin.destination(from, local)) else {
        context.tell(&denial(from.ip().to_string().as_bytes(), None, Via::Connect, Why::NotExpected));
        return reset(client);
    };
    match role {
        Role::DnsUdp => {}
        Role::DnsTcp => drop(dns::over_tcp(context, &client).await),
        Role::Proxy(_) => proxy::serve(context, &client).await,
        Role::Transparent(_) => transparent(context, client, there).await,
    }
}

async fn transparent(context: &Context, client: TcpStream, there: SocketAddr) {
    let via = Via::Connect;
    let admitted = context.target_at(there.ip(), there.port(), via).and_then(|target| context.admit(target, via));
    let admitted = match admitted {
        Ok(admitted) => admitted,
        Err(denial) => {
            context.tell(&denial);
            return reset(client);
        }
    };
    let target = admitted.target.clone();
    let reach = async {
        let rules = context.live.current();
        dial(&rules, &target, via).await
    };
    tunnel::run(context, &client, admitted, Start::Unseen(Vec::new()), reach).await;
}
