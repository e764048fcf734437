//! Reaches an admitted target from outside the box.
//!
//! In: a target the rules cover. Out: a connection, to an address that was looked at and is the very one that
//! was dialled. A name that leads to the machine itself or its neighbours is refused unless the allowlist
//! names that address and port.

use super::address::{is_own, off_limits};
use super::context::Stop;
use super::event::{Via, Why};
use super::rules::{Rules, Target};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;

const RESOLVE: Duration = Duration::from_secs(10);
const CONNECT: Duration = Duration::from_secs(8);
const MOST_ADDRESSES: usize = 8;

/// A connection to a server.
pub(crate) struct Upstream {
    pub(crate) stream: TcpStream,
    pub(crate) address: IpAddr,
}

/// Resolves, checks and connects.
pub(crate) async fn dial(rules: &Rules, target: &Target, via: Via) -> Result<Upstream, Stop> {
    let found =
        timeout(RESOLVE, resolve(rules, target)).await.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
    let mut refused = None;
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in found.into_iter().take(MOST_ADDRESSES) {
        if let Some(what) = forbidden(rules, address, target.port) {
            refused.get_or_insert_with(|| format!("{address} ({what})"));
            continue;
        }
        match timeout(CONNECT, TcpStream::connect(SocketAddr::new(address, target.port))).await {
            Ok(Ok(stream)) => {
                let _ = stream.set_nodelay(true);
                let _ = rustix::net::sockopt::set_socket_keepalive(&stream, true);
                return Ok(Upstream { stream, address });
            }
            Ok(Err(error)) => failure = error,
            Err(_) => failure = io::ErrorKind::TimedOut.into(),
        }
    }
    Err(match refused {
        Some(detail) => target.denial(via, Why::AddressOffLimits).about(detail.as_bytes()).into(),
        None => failure.into(),
    })
}

async fn resolve(rules: &Rules, target: &Target) -> io::Result<Vec<IpAddr>> {
    if target.host.is_address() {
        return target.host.as_str().parse().map(|a| vec![a]).map_err(|_| io::ErrorKind::InvalidInput.into());
    }
    if let Some(fixed) = rules.addresses(&target.host) {
        return Ok(fixed.to_vec());
    }
    let found = tokio::net::lookup_host((target.host.as_str(), target.port)).await?;
    Ok(found.map(|a| a.ip()).collect())
}

/// Why an address may not be dialled on this port, or nothing.
pub(crate) fn forbidden(rules: &Rules, address: IpAddr, port: u16) -> Option<&'static str> {
    let what = off_limits(address).or_else(|| is_own(address).then_some("this machine"))?;
    (!rules.names_address(address, port)).then_some(what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_address_rule_opens_what_is_inside() {
        let inside: IpAddr = "10.0.0.5".parse().unwrap();
        let any = Rules::parse(&["*", "*:5432"]).unwrap();
        assert_eq!(forbidden(&any, inside, 5432), Some("private"));
        let named = Rules::parse(&["db.example:5432", "10.0.0.5:5432"]).unwrap();
        assert_eq!(forbidden(&named, inside, 5432), None);
        assert_eq!(forbidden(&named, "::ffff:10.0.0.5".parse().unwrap(), 5432), None);
        assert_eq!(forbidden(&named, inside, 80), Some("private"));
        assert_eq!(forbidden(&named, "10.0.0.6".parse().unwrap(), 5432), Some("private"));
        assert_eq!(forbidden(&named, "127.0.0.1".parse().unwrap(), 5432), Some("loopback"));
    }
}
