//! What the supervisor and the run's first process say to each other: small messages, with descriptors attached.

use crate::error::SandboxError;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::path::PathBuf;

/// From the first process to the supervisor.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Report {
    /// The box stands and has refused what it must; the command starts. Descriptors follow in this order.
    Ready {
        /// What was tried and refused just now.
        refused: Vec<String>,
        /// Whether the descriptor of the filter's questions comes along.
        questions: bool,
        /// Whether the terminal's other end comes along.
        terminal: bool,
        /// The header of the egress sockets that come along.
        egress: Option<String>,
    },
    /// The box could not be built.
    Failed(Failure),
    /// The command could not be started.
    NotStarted {
        /// Which.
        command: String,
        /// Why.
        errno: i32,
    },
    /// The command ended, with the status as `waitpid` gives it.
    Ended(i32),
    /// The command was stopped by a signal.
    Stopped(i32),
    /// The command reads the terminal: keys are its own from now on.
    WantsKeys,
}

/// From the supervisor to the first process.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Order {
    /// The user ids are mapped.
    Mapped,
    /// The protected names are kept free, but for these, counted from the first: nobody can write there.
    Placed(Vec<usize>),
    /// What has to be there before the command starts is there.
    Go,
    /// Pass this signal on to the command.
    Signal(i32),
    /// Start another command; the standard streams and the socket to answer on come along.
    Run(Box<Command>),
}

/// A command to start.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Command {
    /// Program and arguments, as bytes.
    pub args: Vec<Vec<u8>>,
    /// `NAME=value`, as bytes.
    pub env: Vec<Vec<u8>>,
    /// Where it starts.
    pub cwd: PathBuf,
}

/// An error on its way through the socket.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Failure {
    Unavailable { what: String, why: String, help: String },
    NotFound { command: String, why: String },
    Refused(String),
    Setup { step: String, path: Option<PathBuf>, errno: i32 },
}

impl From<SandboxError> for Failure {
    fn from(e: SandboxError) -> Self {
        match e {
            SandboxError::Unavailable { what, why, help } => Self::Unavailable { what, why, help },
            SandboxError::NotFound { command, why } => Self::NotFound { command, why },
            SandboxError::Refused(why) => Self::Refused(why),
            SandboxError::Setup { step, path, errno } => Self::Setup { step, path, errno: errno.raw_os_error() },
        }
    }
}

impl From<Failure> for SandboxError {
    fn from(f: Failure) -> Self {
        match f {
            Failure::Unavailable { what, why, help } => Self::Unavailable { what, why, help },
            Failure::NotFound { command, why } => Self::NotFound { command, why },
            Failure::Refused(why) => Self::Refused(why),
            Failure::Setup { step, path, errno } => Self::Setup { step, path, errno: Errno::from_raw_os_error(errno) },
        }
    }
}

/// One end of the conversation.
#[derive(Debug)]
pub(crate) struct Channel(OwnedFd);

/// The longest message: arguments and environment of a command.
const MOST_BYTES: usize = 1 << 20;
/// As long as most messages are.
const USUAL_BYTES: usize = 2048;
/// The most descriptors of one message.
const MOST_FDS: usize = 112;

impl Channel {
    /// Two ends.
    pub(crate) fn pair() -> rustix::io::Result<(Self, Self)> {
        let (a, b) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        for end in [&a, &b] {
            let _ = rustix::net::sockopt::set_socket_send_buffer_size(end, MOST_BYTES);
        }
        Ok((Self(a), Self(b)))
    }

    /// An end that came from elsewhere.
    pub(crate) fn from_fd(fd: OwnedFd) -> Self {
        Self(fd)
    }

    /// Lets go of this end; its number stands for something else from now on.
    pub(crate) fn replace(&mut self, by: &OwnedFd) -> rustix::io::Result<()> {
        rustix::io::dup2(by, &mut self.0)
    }

    /// Sends a message.
    pub(crate) fn send(&self, message: &impl Serialize, fds: &[BorrowedFd<'_>]) -> rustix::io::Result<()> {
        let bytes = serde_json::to_vec(message).map_err(|_| Errno::INVAL)?;
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FDS))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if !fds.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(fds)) {
            return Err(Errno::NOBUFS);
        }
        sendmsg(&self.0, &[IoSlice::new(&bytes)], &mut ancillary, SendFlags::NOSIGNAL)?;
        Ok(())
    }

    /// The next message; nothing when the other end is gone.
    pub(crate) fn receive<T: DeserializeOwned>(&self) -> rustix::io::Result<Option<(T, Vec<OwnedFd>)>> {
        // Most messages are short, and memory that nobody has touched yet costs more than a second look.
        let mut bytes = vec![0u8; USUAL_BYTES];
        let waiting = rustix::net::recv(&self.0, bytes.as_mut_slice(), RecvFlags::PEEK | RecvFlags::TRUNC)?.1;
        if waiting > bytes.len() {
            bytes.resize(waiting.min(MOST_BYTES), 0);
        }
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FDS))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let got = recvmsg(&self.0, &mut [IoSliceMut::new(&mut bytes)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
        if got.bytes == 0 {
            return Ok(None);
        }
        let mut fds = Vec::new();
        for message in ancillary.drain() {
            if let RecvAncillaryMessage::ScmRights(received) = message {
                fds.extend(received);
            }
        }
        let message = bytes.get(..got.bytes).and_then(|b| serde_json::from_slice(b).ok()).ok_or(Errno::BADMSG)?;
        Ok(Some((message, fds)))
    }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
