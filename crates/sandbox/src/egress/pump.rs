//! Moves bytes between two sockets, through a pipe and not through memory.
//!
//! In: two connected sockets. Out: every byte of one in the other, then its end. What is in a pipe is always
//! moved on before more is taken, so the slower side sets the pace. Pipes are lent for one move only: idle
//! connections hold none.

use rustix::fd::OwnedFd;
use rustix::net::Shutdown;
use rustix::pipe::{PipeFlags, SpliceFlags, fcntl_setpipe_size, pipe_with, splice};
use std::cell::{Cell, RefCell};
use std::io;
use std::time::Duration;
use tokio::io::Interest;
use tokio::net::TcpStream;
use tokio::time::Instant;

/// Bytes a pipe may hold; they are taken only while they are on their way.
const PIPE: usize = 1 << 20;
/// Pipes kept for the next move.
const SPARE: usize = 8;
/// Bytes read at once where they go through memory.
const READ: usize = 16 << 10;

struct Pipe {
    read: OwnedFd,
    write: OwnedFd,
}

/// Pipes to lend.
#[derive(Default)]
pub(crate) struct Pipes(RefCell<Vec<Pipe>>);

impl Pipes {
    fn lend(&self) -> io::Result<Pipe> {
        if let Some(pipe) = self.0.borrow_mut().pop() {
            return Ok(pipe);
        }
        let (read, write) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        // Where a bigger pipe is refused, the usual size does.
        let _ = fcntl_setpipe_size(&write, PIPE);
        Ok(Pipe { read, write })
    }

    /// Takes an empty pipe back.
    fn take_back(&self, pipe: Pipe) {
        let mut spare = self.0.borrow_mut();
        if spare.len() < SPARE {
            spare.push(pipe);
        }
    }
}

/// When a connection last did something, and how long it may do nothing.
pub(crate) struct Activity {
    last: Cell<Instant>,
    patience: Cell<Duration>,
}

impl Activity {
    pub(crate) fn new(patience: Duration) -> Self {
        Self { last: Cell::new(Instant::now()), patience: Cell::new(patience) }
    }

    pub(crate) fn note(&self) {
        self.last.set(Instant::now());
    }

    /// Waits less from now on.
    pub(crate) fn shorten(&self, patience: Duration) {
        self.patience.set(patience.min(self.patience.get()));
        self.note();
    }

    /// Ends when nothing happened for too long. Looks often enough to see a shortened patience.
    pub(crate) async fn ran_out(&self) {
        loop {
            let until = self.last.get() + self.patience.get();
            if until <= Instant::now() {
                return;
            }
            tokio::time::sleep_until(until.min(Instant::now() + Duration::from_secs(5))).await;
        }
    }
}

/// What one move did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moved {
    /// Bytes went over.
    Some,
    /// There was nothing yet.
    Nothing,
    /// The source ended.
    End,
}

/// Moves what is ready, all of it, before it answers. Call when `from` is readable.
pub(crate) async fn move_some(from: &TcpStream, to: &TcpStream, pipes: &Pipes) -> io::Result<Moved> {
    let Ok(pipe) = pipes.lend() else { return copy_some(from, to).await };
    let flags = SpliceFlags::NONBLOCK | SpliceFlags::MOVE;
    let took = from.try_io(Interest::READABLE, || Ok(splice(from, None, &pipe.write, None, PIPE, flags)?));
    let mut left = match took {
        Ok(0) => {
            pipes.take_back(pipe);
            return Ok(Moved::End);
        }
        Ok(count) => count,
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
            pipes.take_back(pipe);
            return Ok(Moved::Nothing);
        }
        Err(error) => return Err(error),
    };
    while left > 0 {
        let gave = to.async_io(Interest::WRITABLE, || Ok(splice(&pipe.read, None, to, None, left, flags)?)).await?;
        if gave == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        left = left.saturating_sub(gave);
    }
    pipes.take_back(pipe);
    Ok(Moved::Some)
}

/// The same through memory, for when no pipe can be had.
async fn copy_some(from: &TcpStream, to: &TcpStream) -> io::Result<Moved> {
    let mut buffer = Vec::with_capacity(READ);
    match from.try_read_buf(&mut buffer) {
        Ok(0) => Ok(Moved::End),
        Ok(_) => write_all(to, &buffer).await.map(|()| Moved::Some),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Moved::Nothing),
        Err(error) => Err(error),
    }
}

/// Moves everything, then the end.
pub(crate) async fn relay(from: &TcpStream, to: &TcpStream, pipes: &Pipes, activity: &Activity) -> io::Result<()> {
    loop {
        from.readable().await?;
        match move_some(from, to, pipes).await? {
            Moved::Some => activity.note(),
            Moved::Nothing => {}
            Moved::End => return end(to),
        }
    }
}

/// Tells the other side that nothing more comes. One that is gone already needs no telling.
pub(crate) fn end(to: &TcpStream) -> io::Result<()> {
    match rustix::net::shutdown(to, Shutdown::Write) {
        Err(error) if error != rustix::io::Errno::NOTCONN => Err(error.into()),
        _ => Ok(()),
    }
}

/// Reads what is there after `buffer`, at most one helping. 0 is the end.
pub(crate) async fn fill(from: &TcpStream, buffer: &mut Vec<u8>) -> io::Result<usize> {
    loop {
        from.readable().await?;
        let start = buffer.len();
        buffer.resize(start + READ, 0);
        let got = from.try_read(buffer.get_mut(start..).unwrap_or_default());
        buffer.truncate(start + got.as_ref().copied().unwrap_or(0));
        match got {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            other => return other,
        }
    }
}

/// Writes all of it.
pub(crate) async fn write_all(to: &TcpStream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        to.writable().await?;
        match to.try_write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Says a last word and closes so that it is read: takes in what the other side still sends, for a moment.
pub(crate) async fn last_word(to: &TcpStream, bytes: &[u8]) {
    let say = async {
        write_all(to, bytes).await?;
        end(to)?;
        let mut taken = 0;
        let mut buffer = Vec::new();
        while taken < 1 << 20 {
            buffer.clear();
            match fill(to, &mut buffer).await? {
                0 => break,
                count => taken += count,
            }
        }
        io::Result::Ok(())
    };
    // Whether it was heard changes nothing.
    let _ = tokio::time::timeout(Duration::from_millis(500), say).await;
}

/// Closes at once and says so: the other side sees a refused connection.
pub(crate) fn reset(stream: TcpStream) {
    let _ = rustix::net::sockopt::set_socket_linger(&stream, Some(Duration::ZERO));
    drop(stream);
}
