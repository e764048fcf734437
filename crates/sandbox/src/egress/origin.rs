//! Where a connection was going before it came to us.
//!
//! In a namespace where every address is local, the socket's own address is the answer. Without namespaces
//! another thread makes the connection on the process's behalf and writes the answer down first.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

const MOST: usize = 16_384;

/// How to learn where a connection was going.
#[derive(Debug, Clone)]
pub enum Origin {
    /// The local address of the accepted socket.
    LocalAddress,
    /// A table by the client's address. Who is not in it is not served.
    Table(Arc<OriginTable>),
}

/// Client address to original destination.
#[derive(Debug, Default)]
pub struct OriginTable(Mutex<HashMap<SocketAddr, SocketAddr>>);

/// The table has no room: the connection must be refused.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("too many connections wait to be accepted")]
pub struct TableFull;

impl OriginTable {
    /// Announces a connection before it is made.
    pub fn expect(&self, client: SocketAddr, destination: SocketAddr) -> Result<(), TableFull> {
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if table.len() >= MOST && !table.contains_key(&client) {
            return Err(TableFull);
        }
        table.insert(client, destination);
        Ok(())
    }

    /// Forgets a client: a connection that failed, a UDP socket that was closed.
    pub fn forget(&self, client: &SocketAddr) -> Option<SocketAddr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(client)
    }

    /// Whether a client was announced.
    pub(crate) fn knows(&self, client: &SocketAddr) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains_key(client)
    }
}

impl Origin {
    /// Where an accepted connection was going. An announcement serves once.
    pub(crate) fn destination(&self, client: SocketAddr, local: SocketAddr) -> Option<SocketAddr> {
        match self {
            Self::LocalAddress => Some(local),
            Self::Table(table) => table.forget(&client),
        }
    }

    /// Whether a datagram of this client is served.
    pub(crate) fn serves(&self, client: &SocketAddr) -> bool {
        match self {
            Self::LocalAddress => true,
            Self::Table(table) => table.knows(client),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_announcement_serves_once() {
        let table = Arc::new(OriginTable::default());
        let origin = Origin::Table(table.clone());
        let (client, there): (SocketAddr, SocketAddr) =
            ("127.0.0.1:5".parse().unwrap(), "1.2.3.4:443".parse().unwrap());
        assert_eq!(origin.destination(client, there), None);
        table.expect(client, there).unwrap();
        assert!(origin.serves(&client));
        assert_eq!(origin.destination(client, client), Some(there));
        assert_eq!(origin.destination(client, client), None);
        assert_eq!(Origin::LocalAddress.destination(client, there), Some(there));
    }

    #[test]
    fn the_table_is_bounded() {
        let table = OriginTable::default();
        let address = |n: usize| SocketAddr::from((u32::try_from(n).unwrap().to_be_bytes(), 1));
        for n in 0..MOST {
            table.expect(address(n), address(n)).unwrap();
        }
        assert_eq!(table.expect(address(MOST), address(0)), Err(TableFull));
        assert_eq!(table.expect(address(0), address(1)), Ok(()));
    }
}
