//! A registry for three package managers, on the host's loopback: fixed answers over plain HTTP.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

/// By path: the kind of content, and the content.
type Pages = BTreeMap<String, (&'static str, Vec<u8>)>;

/// What is served, and what was asked for.
pub(crate) struct Registry {
    port: u16,
    pages: Arc<Mutex<Pages>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Registry {
    /// Serves until the test program ends.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let registry = Self { port, pages: Arc::default(), asked: Arc::default() };
        let (pages, asked) = (registry.pages.clone(), registry.asked.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (pages, asked) = (pages.clone(), asked.clone());
                std::thread::spawn(move || {
                    let _ = answer(stream, &pages.lock().expect("pages").clone(), &asked);
                });
            }
        });
        registry
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The name under which a box knows it.
    pub(crate) fn address(&self) -> String {
        format!("http://registry.test:{}", self.port)
    }

    pub(crate) fn page(&self, path: &str, kind: &'static str, content: impl Into<Vec<u8>>) {
        self.pages.lock().expect("pages").insert(path.to_owned(), (kind, content.into()));
    }

    pub(crate) fn was_asked_for(&self, path: &str) -> bool {
        self.asked.lock().expect("requests").iter().any(|p| p == path)
    }
}

fn answer(stream: TcpStream, pages: &Pages, asked: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    // A body, where there is one, is not read: nothing here answers to it.
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    let (status, kind, content) = match pages.get(&path) {
        Some((kind, content)) => ("200 OK", *kind, content.as_slice()),
        None => ("404 Not Found", "text/plain", b"not here".as_slice()),
    };
    asked.lock().expect("requests").push(path);
    let mut stream = stream;
    let length = content.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    )?;
    stream.write_all(content)
}

/// Files as a compressed archive, all below one folder.
pub(crate) fn archive(folder: &str, files: &[(&str, &str)]) -> Vec<u8> {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, content) in files {
        put(&dir.path().join(folder).join(name), content);
    }
    run(dir.path(), "tar", &["-czf", "archive", folder]);
    std::fs::read(dir.path().join("archive")).expect("an archive")
}

/// Files as a Python wheel.
pub(crate) fn wheel(python: &str, files: &[(&str, &str)]) -> Vec<u8> {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, content) in files {
        put(&dir.path().join(name), content);
    }
    let mut tops: Vec<&str> = files.iter().filter_map(|(name, _)| name.split('/').next()).collect();
    tops.dedup();
    run(dir.path(), python, &[&["-m", "zipfile", "-c", "wheel"], tops.as_slice()].concat());
    std::fs::read(dir.path().join("wheel")).expect("a wheel")
}

/// The digest of bytes in hexadecimal digits, by a tool of the machine such as `sha256sum`.
pub(crate) fn digest(tool: &str, bytes: &[u8]) -> String {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("bytes"), bytes).expect("a file");
    run(dir.path(), tool, &["bytes"]).split(' ').next().expect("a digest").to_owned()
}

fn put(path: &Path, content: &str) {
    std::fs::create_dir_all(path.parent().expect("a folder above")).expect("a folder");
    std::fs::write(path, content).expect("a file");
}

fn run(dir: &Path, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(dir).output().expect("a tool of the system");
    assert!(output.status.success(), "{program} {arguments:?}: {}", crate::world::describe(&output));
    String::from_utf8(output.stdout).expect("UTF-8")
}
