//! The attacker's end: a listener on loopback that keeps what it hears, and that is shown to hear at all.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

const WAIT: Duration = Duration::from_secs(2);
const CONTROL: &str = "is anybody there";

/// The listener.
pub(super) struct Collector {
    address: SocketAddr,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Collector {
    /// Starts to listen.
    pub(super) fn new() -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let heard = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&heard);
        let listen = move || {
            for mut stream in listener.incoming().flatten() {
                let _ = stream.set_read_timeout(Some(WAIT));
                let mut bytes = [0; 4096];
                let n = stream.read(&mut bytes).unwrap_or(0);
                let text = String::from_utf8_lossy(bytes.get(..n).unwrap_or_default()).into_owned();
                list.lock().unwrap_or_else(PoisonError::into_inner).push(text);
                let _ = stream.write_all(b"k");
            }
        };
        std::thread::Builder::new().name("collector".into()).spawn(listen)?;
        Ok(Self { address, heard })
    }

    /// Its port.
    pub(super) fn port(&self) -> u16 {
        self.address.port()
    }

    /// What it heard from anybody else; none where it cannot even hear this process, and so proves nothing.
    pub(super) fn heard(&self) -> Option<Vec<String>> {
        let mut stream = TcpStream::connect_timeout(&self.address, WAIT).ok()?;
        stream.set_read_timeout(Some(WAIT)).ok()?;
        stream.write_all(CONTROL.as_bytes()).ok()?;
        stream.read_exact(&mut [0; 1]).ok()?;
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let own = heard.iter().position(|text| text == CONTROL)?;
        heard.remove(own);
        Some(heard)
    }
}
