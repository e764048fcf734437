//! A box, servers to reach, and bytes to send.

use ringfence_policy::http::HttpRules;
use ringfence_policy::slice::HttpRule;
use ringfence_sandbox::egress::namespace::{Options, prepare};
use ringfence_sandbox::egress::{
    EventSink, Handle, Header, LiveRules, NetEvent, Origin, Rules, Sockets, Verdict, Why, spawn_thread,
};
use rustix::fd::{AsFd, OwnedFd};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

const SPACE: usize = 1024;

fn send_fds(to: &UnixStream, bytes: &[u8], fds: &[OwnedFd]) {
    let fds: Vec<_> = fds.iter().map(AsFd::as_fd).collect();
    let mut space = [MaybeUninit::uninit(); SPACE];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !fds.is_empty() {
        assert!(control.push(SendAncillaryMessage::ScmRights(&fds)));
    }
    sendmsg(to, &[IoSlice::new(bytes)], &mut control, SendFlags::empty()).unwrap();
}

fn receive_fds(from: &UnixStream) -> (Vec<u8>, Vec<OwnedFd>) {
    let mut bytes = vec![0; 4096];
    let mut space = [MaybeUninit::uninit(); SPACE];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut parts = [IoSliceMut::new(&mut bytes)];
    let got = recvmsg(from, &mut parts, &mut control, RecvFlags::CMSG_CLOEXEC).unwrap();
    let mut fds = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(some) = message {
            fds.extend(some);
        }
    }
    bytes.truncate(got.bytes);
    (bytes, fds)
}

/// The process inside: prepares the namespace, then makes sockets as it is told.
#[test]
#[ignore = "started by the other tests, inside a namespace"]
fn socket_factory() {
    let line = UnixStream::from(io::stdin().as_fd().try_clone_to_owned().unwrap());
    let (ports, _) = receive_fds(&line);
    let ports = ports[1..].chunks(2).map(|p| u16::from_be_bytes([p[0], p[1]])).collect();
    let before = Instant::now();
    let sockets = prepare(&ports, Options::default()).unwrap();
    let took = before.elapsed();
    let (header, fds) = sockets.into_fds();
    send_fds(&line, &header.to_bytes(), &fds);
    drop(fds);
    loop {
        let (order, _) = receive_fds(&line);
        match String::from_utf8(order).unwrap().split_once(' ') {
            Some(("tcp", to)) => match TcpStream::connect(to.parse::<SocketAddr>().unwrap()) {
                Ok(stream) => send_fds(&line, b"ok", &[stream.into()]),
                Err(error) => send_fds(&line, format!("{}", error.raw_os_error().unwrap()).as_bytes(), &[]),
            },
            Some(("udp", at)) => {
                send_fds(&line, b"ok", &[UdpSocket::bind(at.parse::<SocketAddr>().unwrap()).unwrap().into()])
            }
            Some(("run", command)) => {
                let out = Command::new("sh").args(["-c", command]).stdin(Stdio::null()).output().unwrap();
                let text = [&out.stdout[..], &out.stderr[..]].concat();
                send_fds(&line, &[b"=", &text[..text.len().min(4000)]].concat(), &[]);
            }
            Some(("took", _)) => send_fds(&line, took.as_nanos().to_string().as_bytes(), &[]),
            _ => return,
        }
    }
}

/// Events as they come.
#[derive(Default)]
pub(crate) struct Events(Mutex<Vec<NetEvent>>);

impl EventSink for Events {
    fn net(&self, event: NetEvent) {
        self.0.lock().unwrap().push(event);
    }
}

impl Events {
    pub(crate) fn all(&self) -> Vec<NetEvent> {
        self.0.lock().unwrap().clone()
    }
}

/// A box with its egress served.
pub(crate) struct Sandbox {
    child: Child,
    line: UnixStream,
    pub(crate) rules: Arc<LiveRules>,
    pub(crate) events: Arc<Events>,
    pub(crate) proxy_port: u16,
    egress: Option<Handle>,
}

impl Sandbox {
    /// A box with these rules. `None`, said aloud, where there are no namespaces.
    pub(crate) fn open(rules: Rules) -> Option<Self> {
        let (line, theirs) = UnixStream::pair().unwrap();
        let mut command = Command::new("unshare");
        command.args(["-Urn", "--"]).arg(std::env::current_exe().unwrap());
        command.args(["--exact", "support::socket_factory", "--ignored", "--nocapture"]);
        let child = command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).spawn();
        let mut child = child.map_err(|e| eprintln!("SKIPPED: no `unshare`: {e}")).ok()?;
        line.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let ports: Vec<u8> = std::iter::once(0).chain(rules.ports().into_iter().flat_map(u16::to_be_bytes)).collect();
        send_fds(&line, &ports, &[]);
        drop(command);
        let (header, fds) = receive_fds(&line);
        if header.is_empty() {
            eprintln!("SKIPPED: no user and network namespaces here: {:?}", child.wait());
            return None;
        }
        let header = Header::from_bytes(&header).unwrap();
        let sockets = Sockets::from_fds(&header, fds).unwrap();
        let (rules, events) = (LiveRules::new(rules), Arc::new(Events::default()));
        let proxy_port = sockets.proxy_port().unwrap();
        let egress = spawn_thread(sockets, rules.clone(), Origin::LocalAddress, events.clone()).unwrap();
        Some(Self { child, line, rules, events, proxy_port, egress: Some(egress) })
    }

    fn order(&self, text: &str) -> (Vec<u8>, Vec<OwnedFd>) {
        send_fds(&self.line, text.as_bytes(), &[]);
        receive_fds(&self.line)
    }

    /// Connects from inside.
    pub(crate) fn connect(&self, to: SocketAddr) -> io::Result<TcpStream> {
        let (word, mut fds) = self.order(&format!("tcp {to}"));
        match fds.pop() {
            Some(fd) => {
                let stream = TcpStream::from(fd);
                stream.set_read_timeout(Some(Duration::from_secs(20)))?;
                Ok(stream)
            }
            None => Err(io::Error::from_raw_os_error(String::from_utf8(word).unwrap().parse().unwrap())),
        }
    }

    /// A UDP socket inside.
    pub(crate) fn udp(&self, at: &str) -> UdpSocket {
        let socket = UdpSocket::from(self.order(&format!("udp {at}")).1.pop().unwrap());
        socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        socket
    }

    /// Runs a shell command inside.
    pub(crate) fn run(&self, command: &str) -> String {
        String::from_utf8_lossy(&self.order(&format!("run {command}")).0[1..]).into_owned()
    }

    /// How long the preparation took.
    pub(crate) fn preparation(&self) -> Duration {
        Duration::from_nanos(String::from_utf8(self.order("took x").0).unwrap().parse().unwrap())
    }

    /// Asks for a name and connects to what stands for it.
    pub(crate) fn reach(&self, name: &str, port: u16) -> TcpStream {
        let address = self.resolve(name, 1).unwrap_or_else(|| panic!("{name} has no address"));
        self.connect(SocketAddr::new(address, port)).unwrap()
    }

    /// Asks the resolver at 8.8.8.8 for an address of type 1 (A) or 28 (AAAA).
    pub(crate) fn resolve(&self, name: &str, kind: u16) -> Option<IpAddr> {
        let socket = self.udp("0.0.0.0:0");
        let labels: Vec<&[u8]> = name.split('.').map(str::as_bytes).collect();
        socket.send_to(&question(&labels, kind), "8.8.8.8:53").unwrap();
        let mut answer = [0; 600];
        let (length, from) = socket.recv_from(&mut answer).unwrap();
        assert_eq!(from, "8.8.8.8:53".parse().unwrap());
        address_in(&answer[..length])
    }

    /// Waits for a denial with this reason.
    pub(crate) fn denied(&self, why: Why) -> NetEvent {
        self.event(&format!("{why:?}"), |e| e.verdict == Verdict::Denied && e.why == why)
    }

    /// Waits for an event.
    pub(crate) fn event(&self, what: &str, is_it: impl Fn(&NetEvent) -> bool) -> NetEvent {
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            if let Some(event) = self.events.all().into_iter().find(&is_it) {
                return event;
            }
            assert!(Instant::now() < until, "no event {what}: {:?}", self.events.all());
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Ends the egress and gives all events.
    pub(crate) fn close(mut self) -> Vec<NetEvent> {
        self.egress.take().unwrap().stop().unwrap();
        self.events.all()
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A DNS question.
pub(crate) fn question(labels: &[&[u8]], kind: u16) -> Vec<u8> {
    let mut out = vec![0xab, 0xcd, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    for label in labels {
        out.push(u8::try_from(label.len()).unwrap());
        out.extend_from_slice(label);
    }
    out.push(0);
    out.extend_from_slice(&kind.to_be_bytes());
    out.extend_from_slice(&[0, 1]);
    out
}

/// The address at the end of an answer without EDNS.
pub(crate) fn address_in(answer: &[u8]) -> Option<IpAddr> {
    match (answer[3] & 15, answer[7]) {
        (0, 1) if answer[answer.len() - 5] == 4 => {
            Some(<[u8; 4]>::try_from(&answer[answer.len() - 4..]).unwrap().into())
        }
        (0, 1) => Some(<[u8; 16]>::try_from(&answer[answer.len() - 16..]).unwrap().into()),
        _ => None,
    }
}

/// A server outside, on an address of its own so that tests do not meet.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
}

static NEXT: AtomicU8 = AtomicU8::new(1);

fn own_address() -> Ipv4Addr {
    let [.., high, low] = std::process::id().to_be_bytes();
    Ipv4Addr::new(127, NEXT.fetch_add(1, Ordering::Relaxed), high | 1, low | 1)
}

impl Server {
    /// Serves each connection with `serve`, on any port.
    pub(crate) fn start(serve: impl Fn(TcpStream) + Send + Sync + 'static) -> Self {
        Self::start_on(0, serve).unwrap()
    }

    /// Serves on this port; `None`, said aloud, where that is not permitted.
    pub(crate) fn start_on(port: u16, serve: impl Fn(TcpStream) + Send + Sync + 'static) -> Option<Self> {
        let listener = match TcpListener::bind((own_address(), port)) {
            Ok(listener) => listener,
            Err(error) => {
                eprintln!("SKIPPED: port {port} cannot be listened on here: {error}");
                return None;
            }
        };
        let address = listener.local_addr().unwrap();
        let serve = Arc::new(serve);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let serve = serve.clone();
                thread::spawn(move || serve(stream));
            }
        });
        Some(Self { address })
    }

    /// Sends back what it gets, to the end.
    pub(crate) fn echo() -> Self {
        Self::start(echo)
    }

    /// Answers every request with its own head, and keeps the connection.
    pub(crate) fn http() -> Self {
        Self::start(http)
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Rules by which `names` lead to this server.
    pub(crate) fn rules(&self, names: &[&str]) -> Rules {
        let own = self.address.to_string();
        let mut list: Vec<String> = names.iter().map(|n| format!("{n}:{}", self.port())).collect();
        list.push(own);
        names.iter().fold(Rules::parse(&list).unwrap(), |rules, name| self.leads_here(rules, name))
    }

    /// Fixes the address of a name.
    pub(crate) fn leads_here(&self, rules: Rules, name: &str) -> Rules {
        let name = name.replace("*.", "any.");
        if name == "*" { rules } else { rules.with_addresses(&name, vec![self.address.ip()]).unwrap() }
    }
}

/// The rule that a host takes these paths by one method.
pub(crate) fn http_rule(host: &str, method: &str, paths: &[&str]) -> HttpRules {
    let paths = paths.iter().map(|p| (*p).to_owned()).collect();
    let rule = HttpRule { host: host.to_owned(), methods: Some(vec![method.to_owned()]), paths };
    HttpRules::parse(&[rule]).unwrap()
}

pub(crate) fn echo(mut stream: TcpStream) {
    let mut buffer = [0; 65536];
    while let Ok(count @ 1..) = stream.read(&mut buffer) {
        if stream.write_all(&buffer[..count]).is_err() {
            return;
        }
    }
}

pub(crate) fn http(mut stream: TcpStream) {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        while let Some(end) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            let head: Vec<u8> = bytes.drain(..end + 4).collect();
            let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", head.len());
            stream.write_all(&[answer.as_bytes(), &head].concat()).unwrap();
        }
        match stream.read(&mut buffer) {
            Ok(count @ 1..) => bytes.extend_from_slice(&buffer[..count]),
            _ => return,
        }
    }
}

/// Sends bytes and reads what comes until the text is in it.
pub(crate) fn exchange(stream: &mut TcpStream, send: &[u8], want: &str) -> String {
    stream.write_all(send).unwrap();
    let mut got = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&got).into_owned();
        if text.contains(want) {
            return text;
        }
        match stream.read(&mut buffer) {
            Ok(count @ 1..) => got.extend_from_slice(&buffer[..count]),
            other => panic!("wanted {want:?}, got {text:?} then {other:?}"),
        }
    }
}

/// Sends bytes and reads to the end, however it comes.
pub(crate) fn exchange_all(stream: &mut TcpStream, send: &[u8]) -> Vec<u8> {
    let _ = stream.write_all(send);
    let mut got = Vec::new();
    let _ = stream.read_to_end(&mut got);
    got
}
