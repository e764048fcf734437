//! The requests of one plain HTTP connection, each judged before a byte of it leaves.
//!
//! In: what the client sends. Out: the same to the server, request by request. A body is followed to its exact
//! end, so that the next head is where it must be.

use super::context::{Denial, Stop};
use super::event::{Via, Why};
use super::http::{self, Body, Chunks, Head, Upgrade};
use super::pump::{end, fill, write_all};
use super::tunnel::{Changed, Tunnel};
use std::io;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// For the rest of a head.
const HEAD: Duration = Duration::from_secs(30);

/// Which request of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ask {
    First,
    Later,
}

/// Passes requests on until the client ends. A later request that is refused is handed back: the answers to
/// earlier ones may still be on their way.
pub(crate) async fn run(tunnel: &Tunnel<'_>, mut bytes: Vec<u8>) -> Result<Option<Denial>, Stop> {
    let mut ask = Ask::First;
    loop {
        let judged = match next_head(tunnel, &mut bytes).await {
            Ok(None) => {
                end(&tunnel.server().await.stream)?;
                return Ok(None);
            }
            Ok(Some(head)) => tunnel.judge(&head, ask).map(|()| head),
            Err(Stop::Denied(denial)) => Err(denial),
            Err(stop) => return Err(stop),
        };
        let head = match (judged, ask) {
            (Ok(head), _) => head,
            (Err(denial), Ask::First) => return Err(denial.into()),
            (Err(denial), Ask::Later) => return Ok(Some(denial)),
        };
        let server = &tunnel.server().await.stream;
        tunnel.upgrade.asked.set(head.upgrade != Upgrade::None);
        write_all(server, bytes.get(..head.length).unwrap_or_default()).await?;
        bytes.drain(..head.length);
        body(tunnel, server, head.body, &mut bytes).await?;
        if head.upgrade != Upgrade::None && tunnel.upgrade.answer().await == Changed::Switched {
            return tunnel.seal(bytes).await.map(|()| None);
        }
        ask = Ask::Later;
    }
}

/// Passes the body of a request whose head went out already; what follows it is never read.
pub(crate) async fn only_body(tunnel: &Tunnel<'_>, framing: Body, mut bytes: Vec<u8>) -> Result<(), Stop> {
    let server = &tunnel.server().await.stream;
    body(tunnel, server, framing, &mut bytes).await
}

/// The next head, or `None` at the end between two requests.
async fn next_head(tunnel: &Tunnel<'_>, bytes: &mut Vec<u8>) -> Result<Option<Head>, Stop> {
    while bytes.is_empty() {
        // A connection that waits holds no buffer.
        *bytes = Vec::new();
        if fill(tunnel.client, bytes).await? == 0 {
            return Ok(None);
        }
    }
    let whole = timeout(HEAD, rest_of_head(tunnel, bytes)).await;
    let malformed = |why| tunnel.refuse(Via::Http, why);
    let Some(length) = whole.map_err(|_| malformed(Why::HttpMalformed))?? else { return Ok(None) };
    let head = bytes.get(..length).ok_or(Why::HttpMalformed).and_then(http::read);
    Ok(Some(head.map_err(malformed)?))
}

/// Reads to the end of the head; answers its length, or `None` when the client leaves in between.
async fn rest_of_head(tunnel: &Tunnel<'_>, bytes: &mut Vec<u8>) -> Result<Option<usize>, Stop> {
    let mut looked_at = 0;
    loop {
        // One empty line before a request is allowed and means nothing.
        if looked_at == 0 && bytes.starts_with(b"\r\n") {
            bytes.drain(..2);
        }
        if let Some(length) = http::end_of_head(bytes, looked_at) {
            return Ok(Some(length));
        }
        looked_at = bytes.len();
        if looked_at >= http::LONGEST {
            return Err(tunnel.refuse(Via::Http, Why::HttpMalformed).into());
        }
        if fill(tunnel.client, bytes).await? == 0 {
            return Ok(None);
        }
        tunnel.activity.note();
    }
}

async fn body(tunnel: &Tunnel<'_>, server: &TcpStream, framing: Body, bytes: &mut Vec<u8>) -> Result<(), Stop> {
    let mut left = match framing {
        Body::Length(length) => Left::Bytes(length),
        Body::Chunked => Left::Chunks(Chunks::START),
    };
    loop {
        // A chunk that cannot be read ends everything: what came before it went out as it was.
        let take = left.take(bytes).map_err(|why| io::Error::other(why.code()))?;
        write_all(server, bytes.get(..take).unwrap_or_default()).await?;
        bytes.drain(..take);
        if left.is_done() {
            return Ok(());
        }
        if fill(tunnel.client, bytes).await? == 0 {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        tunnel.activity.note();
    }
}

/// What is left of a body.
enum Left {
    Bytes(u64),
    Chunks(Chunks),
}

impl Left {
    fn take(&mut self, bytes: &[u8]) -> Result<usize, Why> {
        match self {
            Self::Chunks(chunks) => chunks.take(bytes),
            Self::Bytes(left) => {
                let take = u64::try_from(bytes.len()).unwrap_or(u64::MAX).min(*left);
                *left -= take;
                Ok(usize::try_from(take).unwrap_or(0))
            }
        }
    }

    fn is_done(&self) -> bool {
        matches!(self, Self::Bytes(0) | Self::Chunks(Chunks::Done))
    }
}
