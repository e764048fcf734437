//! A box that stays: built once, it runs further commands that come over a socket, each as fast as outside.
//!
//! The supervisor takes a call, scrubs its environment by the policy and hands it, streams and answering socket included,
//! to the run's first process; how the command ended goes from there straight to the caller. A caller that goes away
//! ends its command. Only the user who made the session may call.

use crate::control::{Channel, Command, Order, Report};
use crate::env;
use crate::error::{During, Result, SandboxError};
use crate::event::{Ending, Event, Witness};
use crate::launch::{self, not_started};
use crate::plan::Request;
use crate::streams;
use crate::supervise::{Changes, Supervisor, ending};
use ringfence_policy::slice::KernelSlice;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, accept_with, bind, connect, listen, socket_with,
};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a caller wants.
#[derive(Debug, Serialize, Deserialize)]
enum Call {
    /// Run a command; its standard streams come along.
    Run(Command),
    /// End the session.
    End,
}

/// Where calls arrive.
pub(crate) struct Door {
    socket: OwnedFd,
    slice: KernelSlice,
    extra: Vec<env::Variable>,
    idle: Duration,
    last: Instant,
}

/// How long a caller has to say what it wants.
const PATIENCE: Duration = Duration::from_secs(2);

/// Builds a box and serves a session at a path until it is told to end, or until nobody has called for `idle`. Calls
/// `ready` when the first call can come.
pub fn serve(
    request: &Request,
    path: &Path,
    idle: Duration,
    witness: Arc<dyn Witness>,
    changes: &mut dyn Changes,
    ready: impl FnOnce(),
) -> Result<Ending> {
    let kind = SocketType::SEQPACKET;
    let socket = socket_with(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None).during("make a socket")?;
    bind(&socket, &SocketAddrUnix::new(path).during_at("name the session", path)?)
        .during_at("open the session", path)?;
    listen(&socket, 64).during_at("open the session", path)?;
    let _name = Name(path.to_owned());
    let launched = launch::launch(request, witness.as_ref())?;
    let door = Door {
        socket,
        slice: request.slice.clone(),
        extra: request.extra_environment.clone(),
        idle,
        last: Instant::now(),
    };
    let supervisor = Supervisor::new(request, launched, witness)?.with_door(door);
    ready();
    supervisor.supervise(changes)
}

/// The session's name goes with the session.
struct Name(PathBuf);

impl Drop for Name {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// What came of a call.
pub(crate) enum Called {
    /// Nothing to do.
    Done,
    /// The session is over.
    Over,
}

impl Door {
    /// Takes one call.
    pub(crate) fn take(&mut self, first: &Channel, witness: &dyn Witness) -> Called {
        self.last = Instant::now();
        let Ok(caller) = accept_with(&self.socket, SocketFlags::CLOEXEC) else { return Called::Done };
        let own = rustix::process::geteuid();
        let _ = rustix::net::sockopt::set_socket_timeout(&caller, rustix::net::sockopt::Timeout::Recv, Some(PATIENCE));
        if !rustix::net::sockopt::socket_peercred(&caller).is_ok_and(|peer| peer.uid == own) {
            return Called::Done;
        }
        let caller = Channel::from_fd(caller);
        match caller.receive::<Call>() {
            Ok(Some((Call::Run(command), fds))) => {
                witness.event(Event::Called { args: command.args.clone(), cwd: command.cwd.clone() });
                self.hand_on(first, &caller, command, &fds);
                Called::Done
            }
            Ok(Some((Call::End, _))) => Called::Over,
            Ok(None) | Err(_) => Called::Done,
        }
    }

    fn hand_on(&self, first: &Channel, caller: &Channel, mut command: Command, streams: &[OwnedFd]) {
        let [stdin, stdout, stderr] = streams else { return };
        if streams::has_folder([stdin.as_fd(), stdout.as_fd(), stderr.as_fd()]) {
            let name = command.args.first().map(|a| String::from_utf8_lossy(a).into_owned()).unwrap_or_default();
            let _ = caller.send(&Report::NotStarted { command: name, errno: libc::EISDIR }, &[]);
            return;
        }
        let pairs = command.env.iter().filter_map(|line| split(line));
        let mut kept = env::scrubbed(&self.slice, pairs);
        for (name, value) in &self.extra {
            kept.retain(|(n, _)| n != name);
            kept.push((name.clone(), value.clone()));
        }
        command.env = kept.into_iter().map(join).collect();
        let fds = [stdin.as_fd(), stdout.as_fd(), stderr.as_fd(), caller.as_fd()];
        let _ = first.send(&Order::Run(Box::new(command)), &fds);
    }

    /// How long until nobody has called for too long.
    pub(crate) fn patience(&self) -> Duration {
        self.idle.saturating_sub(self.last.elapsed())
    }
}

impl AsFd for Door {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

fn split(line: &[u8]) -> Option<env::Variable> {
    let at = line.iter().position(|b| *b == b'=')?;
    let (name, value) = (line.get(..at)?, line.get(at + 1..)?);
    Some((OsString::from_vec(name.to_vec()), OsString::from_vec(value.to_vec())))
}

fn join((name, value): env::Variable) -> Vec<u8> {
    let mut line = name.into_vec();
    line.push(b'=');
    line.extend(value.as_bytes());
    line
}

/// A session to call.
#[derive(Debug)]
pub struct Session {
    path: PathBuf,
}

impl Session {
    /// The session at a path.
    pub fn at(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    fn call(&self) -> Result<Channel> {
        let kind = SocketType::SEQPACKET;
        let socket = socket_with(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None).during("make a socket")?;
        let address = SocketAddrUnix::new(self.path.as_path()).during_at("name the session", &self.path)?;
        connect(&socket, &address).during_at("reach the session", &self.path)?;
        Ok(Channel::from_fd(socket))
    }

    /// Whether somebody serves it.
    pub fn is_served(&self) -> bool {
        self.call().is_ok()
    }

    /// Runs a command in the session's box with the given streams, and waits for its end.
    pub fn run(
        &self,
        args: &[OsString],
        environment: impl IntoIterator<Item = env::Variable>,
        cwd: &Path,
        streams: [BorrowedFd<'_>; 3],
    ) -> Result<Ending> {
        let channel = self.call()?;
        let command = Command {
            args: args.iter().map(|a| a.as_bytes().to_vec()).collect(),
            env: environment.into_iter().map(join).collect(),
            cwd: cwd.to_owned(),
        };
        channel.send(&Call::Run(command), &streams).during("call the session")?;
        match channel.receive::<Report>().during("hear from the session")? {
            Some((Report::Ended(status), _)) => Ok(ending(status)),
            Some((Report::NotStarted { command, errno }, _)) => Err(not_started(command, errno)),
            Some(_) => Err(SandboxError::step("hear from the session", rustix::io::Errno::PROTO)),
            None => Ok(Ending::Lost),
        }
    }

    /// Ends the session.
    pub fn end(&self) -> Result<()> {
        let channel = self.call()?;
        channel.send(&Call::End, &[]).during("call the session")?;
        // Its end of the socket closes when it is gone.
        let _ = channel.receive::<Report>();
        Ok(())
    }
}
