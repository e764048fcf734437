//! SOCKS5 CONNECT: names and addresses, no authentication, nothing else.
//!
//! A name is bytes with a length here, so a NUL or space inside it is seen as what it is and refused.

use super::context::{Context, Denial, Stop, denial};
use super::event::{Via, Why};
use super::proxy::reach;
use super::pump::{fill, last_word, write_all};
use super::tunnel::{self, Start};
use ringfence_policy::pattern::Host;
use std::future::ready;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// The first byte of everything.
pub(crate) const VERSION: u8 = 5;
const PATIENCE: Duration = Duration::from_secs(30);

/// What a message turned out to be.
#[derive(Debug, PartialEq, Eq)]
enum Read<T> {
    /// More bytes are needed.
    Need,
    /// The value and the bytes it took.
    Whole(T, usize),
    /// It is refused with this reply.
    Bad(u8),
}

/// Where a request wants to go.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    Name(Vec<u8>, u16),
    Address(IpAddr, u16),
}

/// The greeting: whether a client goes without authentication.
fn greeting(bytes: &[u8]) -> Read<()> {
    match bytes {
        [VERSION, count, methods @ ..] => match methods.get(..usize::from(*count)) {
            None => Read::Need,
            Some(offered) if offered.contains(&0) => Read::Whole((), 2 + offered.len()),
            Some(_) => Read::Bad(0xff),
        },
        [VERSION] | [] => Read::Need,
        _ => Read::Bad(0xff),
    }
}

fn request(bytes: &[u8]) -> Read<Place> {
    let (kind, rest) = match bytes {
        [VERSION, 1, 0, kind, rest @ ..] => (*kind, rest),
        [VERSION, 1, 0] | [VERSION, 1] | [VERSION] | [] => return Read::Need,
        [VERSION, 1, ..] => return Read::Bad(1),
        [VERSION, ..] => return Read::Bad(7),
        _ => return Read::Bad(1),
    };
    let (skip, length) = match (kind, rest.first()) {
        (1, _) => (0, 4),
        (4, _) => (0, 16),
        (3, Some(length)) => (1, usize::from(*length)),
        (3, None) => return Read::Need,
        _ => return Read::Bad(8),
    };
    let (Some(place), Some([high, low])) = (rest.get(skip..skip + length), rest.get(skip + length..skip + length + 2))
    else {
        return Read::Need;
    };
    let port = u16::from_be_bytes([*high, *low]);
    let place = match kind {
        1 => <[u8; 4]>::try_from(place).ok().map(|o| Place::Address(Ipv4Addr::from(o).into(), port)),
        4 => <[u8; 16]>::try_from(place).ok().map(|o| Place::Address(Ipv6Addr::from(o).into(), port)),
        _ => Some(Place::Name(place.to_vec(), port)),
    };
    place.map_or(Read::Bad(8), |place| Read::Whole(place, 4 + skip + length + 2))
}

/// Serves one connection whose first bytes are here.
pub(crate) async fn serve(context: &Context, client: &TcpStream, mut bytes: Vec<u8>) {
    if take(client, &mut bytes, greeting).await.is_none() {
        return last_word(client, &[VERSION, 0xff]).await;
    }
    if write_all(client, &[VERSION, 0]).await.is_err() {
        return;
    }
    let place = match take(client, &mut bytes, request).await {
        Some(Ok(place)) => place,
        Some(Err(code)) => {
            context.tell(&denial(b"", None, Via::Socks, Why::SocksUnsupported));
            return last_word(client, &reply(code)).await;
        }
        None => return,
    };
    let admitted = match target(context, place).and_then(|target| context.admit(target, Via::Socks)) {
        Ok(admitted) => admitted,
        Err(denial) => return refuse(context, client, &denial).await,
    };
    let upstream = match reach(context, &admitted.target, Via::Socks).await {
        Ok(upstream) => upstream,
        Err(Stop::Denied(denial)) => return refuse(context, client, &denial).await,
        Err(Stop::Failed(_)) => return last_word(client, &reply(4)).await,
    };
    if write_all(client, &reply(0)).await.is_ok() {
        tunnel::run(context, client, admitted, Start::Unseen(bytes), ready(Ok(upstream))).await;
    }
}

/// Reads one message and removes it. `None` when the client left or broke off; for a greeting a refusal is
/// `Some(Err)` too.
async fn take<T>(client: &TcpStream, bytes: &mut Vec<u8>, read: fn(&[u8]) -> Read<T>) -> Option<Result<T, u8>> {
    loop {
        match read(bytes) {
            Read::Whole(value, length) => {
                bytes.drain(..length);
                return Some(Ok(value));
            }
            Read::Bad(0xff) => return None,
            Read::Bad(code) => return Some(Err(code)),
            Read::Need => {}
        }
        match timeout(PATIENCE, fill(client, bytes)).await {
            Ok(Ok(1..)) => {}
            _ => return None,
        }
    }
}

fn target(context: &Context, place: Place) -> Result<super::rules::Target, Denial> {
    match place {
        Place::Address(address, port) => context.target_at(address, port, Via::Socks),
        Place::Name(name, port) => {
            let text = str::from_utf8(&name).ok().filter(|t| t.bytes().all(|b| b.is_ascii_graphic()));
            let host = text.and_then(|t| Host::parse(t).ok()).map(Host::into_owned);
            let host = host.ok_or_else(|| denial(&name, Some(port), Via::Socks, Why::NameMalformed))?;
            context.target_of(host, port, Via::Socks)
        }
    }
}

fn reply(code: u8) -> [u8; 10] {
    [VERSION, code, 0, 1, 0, 0, 0, 0, 0, 0]
}

async fn refuse(context: &Context, client: &TcpStream, denial: &Denial) {
    context.tell(denial);
    last_word(client, &reply(2)).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn greetings_and_requests() {
        assert_eq!(greeting(&[5, 1, 0]), Read::Whole((), 3));
        assert_eq!(greeting(&[5, 2, 2, 0, 9]), Read::Whole((), 4));
        assert_eq!(greeting(&[5, 1, 2]), Read::Bad(0xff));
        assert_eq!(greeting(&[5, 2, 0]), Read::Need);
        assert_eq!(greeting(&[4, 1]), Read::Bad(0xff));
        assert_eq!(request(b"\x05\x01\0\x03\x03a\0b\x01\xbbrest"), Read::Whole(Place::Name(b"a\0b".to_vec(), 443), 10));
        let v4 = Place::Address("1.2.3.4".parse().unwrap(), 80);
        assert_eq!(request(&[5, 1, 0, 1, 1, 2, 3, 4, 0, 80]), Read::Whole(v4, 10));
        assert_eq!(request(&[5, 2, 0, 1]), Read::Bad(7), "bind");
        assert_eq!(request(&[5, 3, 0, 1]), Read::Bad(7), "udp");
        assert_eq!(request(&[5, 1, 0, 9, 1]), Read::Bad(8));
        assert_eq!(request(&[5, 1, 0, 3]), Read::Need);
    }

    proptest! {
        #[test]
        fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            greeting(&bytes);
            if let Read::Whole(_, length) = request(&bytes) { prop_assert!(length <= bytes.len()); }
        }
    }
}
