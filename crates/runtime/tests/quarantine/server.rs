//! A summariser's server on the loopback that does what it is told: well, badly, slowly, hugely or not at all.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ringfence_runtime::quarantine::Provider;
use serde_json::json;

/// What the server does with a request.
#[derive(Clone)]
pub(crate) enum Reply {
    /// A proper envelope around this answer.
    Answer(String),
    /// These bytes, then the end.
    Bytes(Vec<u8>),
    /// A body of this many bytes, with its length or in chunks.
    Huge { bytes: usize, chunked: bool },
    /// One byte of a never-ending body now and then.
    Drip,
    /// Nothing, for as long as the client waits.
    Silence,
    /// The end, at once.
    HangUp,
}

impl Reply {
    pub(crate) fn status(status: u16, headers: &str) -> Self {
        Self::Bytes(format!("HTTP/1.1 {status} Told\r\n{headers}content-length: 0\r\n\r\n").into_bytes())
    }

    pub(crate) fn body(body: &str) -> Self {
        Self::Bytes(format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes())
    }
}

pub(crate) struct Server {
    pub(crate) url: String,
    /// Head and body of each request.
    pub(crate) requests: Arc<Mutex<Vec<(String, String)>>>,
    /// Bytes of huge bodies that went out.
    pub(crate) written: Arc<AtomicUsize>,
}

/// Wraps an answer as the provider's API does.
pub(crate) fn envelope(provider: Provider, answer: &str) -> String {
    match provider {
        Provider::OpenAi => json!({"choices": [{"message": {"role": "assistant", "content": answer}}]}),
        Provider::Anthropic => json!({"content": [{"type": "text", "text": answer}], "stop_reason": "end_turn"}),
        Provider::Ollama => json!({"message": {"role": "assistant", "content": answer}, "done": true}),
    }
    .to_string()
}

impl Server {
    /// Serves each request with the next reply, the last one for ever.
    pub(crate) fn start(provider: Provider, replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = Self { url, requests: Arc::default(), written: Arc::default() };
        let (requests, written) = (Arc::clone(&server.requests), Arc::clone(&server.written));
        std::thread::spawn(move || {
            for (n, stream) in listener.incoming().flatten().enumerate() {
                let reply = replies[n.min(replies.len() - 1)].clone();
                let (requests, written) = (Arc::clone(&requests), Arc::clone(&written));
                std::thread::spawn(move || {
                    requests.lock().unwrap().push(read_request(&stream));
                    serve(stream, provider, reply, &written)
                });
            }
        });
        server
    }
}

pub(crate) fn read_request(stream: impl Read) -> (String, String) {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while reader.read_line(&mut head).unwrap_or(0) > 2 {}
    let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    let _ = reader.read_exact(&mut body);
    (head, String::from_utf8(body).unwrap())
}

fn serve(mut stream: TcpStream, provider: Provider, reply: Reply, written: &AtomicUsize) {
    let mut send = |bytes: &[u8]| stream.write_all(bytes).is_ok();
    match reply {
        Reply::Answer(answer) => {
            let body = envelope(provider, &answer);
            send(format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len()).as_bytes());
        }
        Reply::Bytes(bytes) => {
            send(&bytes);
        }
        Reply::Huge { bytes, chunked } => {
            let length = if chunked { "transfer-encoding: chunked".into() } else { format!("content-length: {bytes}") };
            send(format!("HTTP/1.1 200 OK\r\n{length}\r\n\r\n").as_bytes());
            let block = vec![b' '; 64 * 1024];
            let framed = [b"10000\r\n".as_slice(), &block, b"\r\n"].concat();
            while written.load(Ordering::Relaxed) < bytes && send(if chunked { &framed } else { &block }) {
                written.fetch_add(block.len(), Ordering::Relaxed);
            }
        }
        Reply::Drip => {
            send(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
            while send(b"1\r\n \r\n") {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
        }
        Reply::Silence => {
            let _ = stream.read(&mut [0]);
        }
        Reply::HangUp => {}
    }
}
