//! One connection of the box and its counterpart outside.
//!
//! In: a client socket, an admitted target, a dial under way. Out: bytes both ways, once the first bytes of
//! the client were looked at. The server may speak first; the client's bytes wait until they are judged. The
//! connection ends when either side fails, when nothing happens for long, or when the rules stop covering it.

use super::context::{Admitted, Context, Denial, Stop};
use super::dial::{Upstream, forbidden};
use super::event::{Via, Why};
use super::http;
use super::inspect::{Speech, speech};
use super::pump::{Activity, Moved, end, fill, last_word, move_some, relay, write_all};
use super::rules::{HiddenHello, Rules, Target};
use super::session::{self, Ask};
use super::tls::{self, Hello, Next};
use ringfence_policy::pattern::Host;
use std::cell::Cell;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::{Notify, SetOnce, watch};
use tokio::time::timeout;

const IDLE: Duration = Duration::from_secs(30 * 60);
const HALF_CLOSED: Duration = Duration::from_secs(5 * 60);
/// For the rest of a hello or of a first line.
const UNFINISHED: Duration = Duration::from_secs(10);
/// After this, text without a line end on a port of its own is no HTTP.
const UNDECIDED: Duration = Duration::from_secs(3);
/// For the answers that are under way when a later request is refused.
const LAST_ANSWERS: Duration = Duration::from_secs(5);

/// How the client's side begins.
pub(crate) enum Start {
    /// With bytes nobody looked at yet, some of them here.
    Unseen(Vec<u8>),
    /// With one HTTP request that was judged: what the server gets, the body, and what came after the head.
    Judged { head: Vec<u8>, body: http::Body, rest: Vec<u8> },
}

/// What the two directions tell each other.
pub(crate) struct Tunnel<'a> {
    pub(crate) context: &'a Context,
    pub(crate) client: &'a TcpStream,
    pub(crate) target: &'a Target,
    pub(crate) activity: Activity,
    /// Set when the server is connected.
    upstream: SetOnce<Upstream>,
    /// Whether the server said anything that reached the client.
    spoke: Cell<bool>,
    /// Whether a last word to the client waits for the server's answers.
    late: Cell<bool>,
    /// Whether nobody can look inside any more.
    pub(crate) sealed: Cell<bool>,
    pub(crate) upgrade: Upgrading,
}

/// A change of protocol under way.
#[derive(Default)]
pub(crate) struct Upgrading {
    /// Set before the request goes out: the next answer must be read.
    pub(crate) asked: Cell<bool>,
    answered: Cell<Option<Changed>>,
    told: Notify,
}

/// How the server answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Changed {
    Switched,
    Stayed,
}

impl Upgrading {
    fn tell(&self, changed: Changed) {
        self.asked.set(false);
        self.answered.set(Some(changed));
        self.told.notify_one();
    }

    pub(crate) async fn answer(&self) -> Changed {
        loop {
            if let Some(changed) = self.answered.get() {
                return changed;
            }
            self.told.notified().await;
        }
    }
}

/// Runs a connection to its end and answers a refusal as the protocol has it.
pub(crate) async fn run<D>(context: &Context, client: &TcpStream, admitted: Admitted, start: Start, dial: D)
where
    D: Future<Output = Result<Upstream, Stop>>,
{
    let Admitted { target, mut rules } = admitted;
    let tunnel = Tunnel {
        context,
        client,
        target: &target,
        activity: Activity::new(IDLE),
        upstream: SetOnce::new(),
        spoke: Cell::new(false),
        late: Cell::new(false),
        sealed: Cell::new(false),
        upgrade: Upgrading::default(),
    };
    let ended = tokio::select! {
        biased;
        stop = tunnel.no_longer_covered(&mut rules) => Err(stop),
        both = tunnel.both_ways(start, dial) => both,
        () = tunnel.activity.ran_out() => Err(io::Error::from(io::ErrorKind::TimedOut).into()),
    };
    match ended {
        Ok(None) => {}
        Ok(Some(late)) => {
            context.tell(&late);
            last_word(client, &late.answer()).await;
        }
        Err(Stop::Denied(denial)) => {
            context.tell(&denial);
            match denial.via {
                Via::Tls if !tunnel.spoke.get() => last_word(client, ACCESS_DENIED).await,
                Via::Http | Via::Proxy if !tunnel.spoke.get() => last_word(client, &denial.answer()).await,
                _ => cut(client),
            }
        }
        Err(Stop::Failed(_)) => cut(client),
    }
}

/// A fatal TLS alert: access denied.
const ACCESS_DENIED: &[u8] = &[0x15, 3, 3, 0, 2, 2, 49];

/// The close that follows is a reset.
fn cut(client: &TcpStream) {
    let _ = rustix::net::sockopt::set_socket_linger(client, Some(Duration::ZERO));
}

impl Tunnel<'_> {
    async fn both_ways<D>(&self, start: Start, dial: D) -> Result<Option<Denial>, Stop>
    where
        D: Future<Output = Result<Upstream, Stop>>,
    {
        let down = async {
            let upstream = dial.await?;
            // The rules may have changed while the server was being reached.
            if let Some(what) = forbidden(&self.rules(), upstream.address, self.target.port) {
                return Err(self.refuse(Via::Connect, Why::AddressOffLimits).about(what.as_bytes()).into());
            }
            let _ = self.upstream.set(upstream);
            self.down(&self.server().await.stream).await.map_err(Stop::from)
        };
        let ((), late) = tokio::try_join!(down, self.up(start))?;
        Ok(late)
    }

    /// The server, as soon as it is connected.
    pub(crate) async fn server(&self) -> &Upstream {
        self.upstream.wait().await
    }

    /// The rules of this moment.
    pub(crate) fn rules(&self) -> Arc<Rules> {
        self.context.live.current()
    }

    /// A refusal of this connection.
    pub(crate) fn refuse(&self, via: Via, why: Why) -> Denial {
        self.target.denial(via, why)
    }

    /// Ends when the rules stop covering the connection.
    async fn no_longer_covered(&self, rules: &mut watch::Receiver<Arc<Rules>>) -> Stop {
        loop {
            if rules.changed().await.is_err() {
                return io::Error::from(io::ErrorKind::ConnectionAborted).into();
            }
            let now = rules.borrow_and_update().clone();
            let Target { host, port } = self.target;
            let covered = now.allows(host, *port).is_ok()
                && self.upstream.get().is_none_or(|up| forbidden(&now, up.address, *port).is_none())
                && !(self.sealed.get() && now.restricts_http(host, *port));
            if !covered {
                return self.refuse(Via::Connect, Why::RulesChanged).into();
            }
        }
    }

    /// Server to client.
    async fn down(&self, server: &TcpStream) -> io::Result<()> {
        loop {
            server.readable().await?;
            if self.upgrade.asked.get() {
                self.read_answer(server).await?;
                continue;
            }
            match move_some(server, self.client, &self.context.pipes).await? {
                Moved::Some => {
                    self.spoke.set(true);
                    self.activity.note();
                }
                Moved::Nothing => {}
                Moved::End => {
                    self.activity.shorten(HALF_CLOSED);
                    return if self.late.get() { Ok(()) } else { end(self.client) };
                }
            }
        }
    }

    /// Passes the answer to a change of protocol on while reading its head.
    async fn read_answer(&self, server: &TcpStream) -> io::Result<()> {
        let (mut seen, mut looked_at) = (Vec::new(), 0);
        loop {
            let start = seen.len();
            if fill(server, &mut seen).await? == 0 {
                self.upgrade.tell(Changed::Stayed);
                return Ok(());
            }
            self.spoke.set(true);
            self.activity.note();
            write_all(self.client, seen.get(start..).unwrap_or_default()).await?;
            while http::end_of_head(&seen, looked_at).is_some() || seen.len() >= http::LONGEST {
                match http::read_answer(&seen) {
                    http::Answer::Interim(length) => {
                        seen.drain(..length);
                        looked_at = 0;
                    }
                    http::Answer::Switches(_) => {
                        self.upgrade.tell(Changed::Switched);
                        return Ok(());
                    }
                    http::Answer::Need | http::Answer::Stays => {
                        self.upgrade.tell(Changed::Stayed);
                        return Ok(());
                    }
                }
            }
            looked_at = seen.len();
        }
    }

    /// Client to server. A refusal that must wait for earlier answers is handed back.
    async fn up(&self, start: Start) -> Result<Option<Denial>, Stop> {
        let mut bytes = match start {
            Start::Judged { head, body, rest } => {
                write_all(&self.server().await.stream, &head).await?;
                return session::only_body(self, body, rest).await.map(|()| None);
            }
            Start::Unseen(bytes) => bytes,
        };
        let Some(speech) = self.listen(&mut bytes).await? else {
            self.activity.shorten(HALF_CLOSED);
            end(&self.server().await.stream)?;
            return Ok(None);
        };
        let Target { host, port } = self.target;
        let restricted = self.rules().restricts_http(host, *port);
        match speech {
            Speech::Http => {
                let late = session::run(self, bytes).await?;
                if late.is_some() {
                    self.late.set(true);
                    self.activity.shorten(LAST_ANSWERS);
                    end(&self.server().await.stream)?;
                }
                return Ok(late);
            }
            Speech::Tls if restricted => return Err(self.refuse(Via::Tls, Why::Uncheckable).into()),
            Speech::Http2 if restricted || is_web(*port) => {
                return Err(self.refuse(Via::Http, Why::Uncheckable).into());
            }
            Speech::Raw if is_web(*port) => return Err(self.refuse(Via::Connect, Why::NotWeb).into()),
            Speech::Raw if restricted => return Err(self.refuse(Via::Connect, Why::Uncheckable).into()),
            Speech::Tls => self.hellos(&mut bytes).await?,
            Speech::Http2 | Speech::Raw => {}
        }
        self.seal(bytes).await.map(|()| None)
    }

    /// From here on bytes pass unseen.
    pub(crate) async fn seal(&self, first: Vec<u8>) -> Result<(), Stop> {
        self.sealed.set(true);
        let Target { host, port } = self.target;
        let server = &self.server().await.stream;
        // The rules may have changed while the first bytes were on their way.
        if self.upgrade.answered.get().is_none() && self.rules().restricts_http(host, *port) {
            return Err(self.refuse(Via::Connect, Why::Uncheckable).into());
        }
        write_all(server, &first).await?;
        drop(first);
        relay(self.client, server, &self.context.pipes, &self.activity).await?;
        self.activity.shorten(HALF_CLOSED);
        Ok(())
    }

    /// Reads until it is clear what the client speaks. `None` when it left without a word.
    async fn listen(&self, bytes: &mut Vec<u8>) -> Result<Option<Speech>, Stop> {
        let open_port = !is_web(self.target.port) && !self.rules().restricts_http(&self.target.host, self.target.port);
        loop {
            if let Some(speech) = speech(bytes) {
                return Ok(Some(speech));
            }
            let patience = match (bytes.is_empty(), open_port) {
                (true, _) => IDLE,
                (false, true) => UNDECIDED,
                (false, false) => UNFINISHED,
            };
            match timeout(patience, fill(self.client, bytes)).await {
                Ok(Ok(0)) if bytes.is_empty() => return Ok(None),
                Ok(Ok(0)) => return Ok(Some(Speech::Raw)),
                Ok(got) => drop(got?),
                Err(_) if open_port => return Ok(Some(Speech::Raw)),
                Err(_) => return Err(self.refuse(Via::Connect, Why::NotWeb).into()),
            }
            self.activity.note();
        }
    }

    /// Checks the hello and, where the server asks for one more, that one too. What was checked goes to the
    /// server; `bytes` keeps what follows.
    async fn hellos(&self, bytes: &mut Vec<u8>) -> Result<(), Stop> {
        let mut hellos = 0;
        loop {
            let need = match tls::next(bytes) {
                Next::Need(need) if hellos > 0 => need,
                Next::Skip(length) if hellos > 0 => {
                    self.pass(bytes, length).await?;
                    continue;
                }
                Next::Sealed if hellos > 0 => return Ok(()),
                Next::Hello if hellos > 1 => return Err(self.refuse(Via::Tls, Why::TlsMalformed).into()),
                _ => match tls::read(bytes) {
                    Hello::Need(need) => need,
                    Hello::Bad => return Err(self.refuse(Via::Tls, Why::TlsMalformed).into()),
                    Hello::Whole { name, hides, length } => {
                        self.judge_hello(name.as_deref(), hides)?;
                        self.pass(bytes, length).await?;
                        hellos += 1;
                        continue;
                    }
                },
            };
            if !self.read_to(bytes, need).await? {
                return if hellos > 0 { Ok(()) } else { Err(self.refuse(Via::Tls, Why::TlsMalformed).into()) };
            }
        }
    }

    /// Reads until there are this many bytes; false at the end of the stream. Nothing at all may take long.
    async fn read_to(&self, bytes: &mut Vec<u8>, need: usize) -> Result<bool, Stop> {
        while bytes.len() < need {
            if bytes.is_empty() {
                // A connection that waits holds no buffer.
                *bytes = Vec::new();
            }
            let patience = if bytes.is_empty() { IDLE } else { UNFINISHED };
            let got = timeout(patience, fill(self.client, bytes)).await;
            if got.map_err(|_| self.refuse(Via::Tls, Why::TlsMalformed))?? == 0 {
                return Ok(false);
            }
            self.activity.note();
        }
        Ok(true)
    }

    async fn pass(&self, bytes: &mut Vec<u8>, length: usize) -> Result<(), Stop> {
        write_all(&self.server().await.stream, bytes.get(..length).unwrap_or_default()).await?;
        bytes.drain(..length.min(bytes.len()));
        Ok(())
    }

    fn judge_hello(&self, name: Option<&str>, hides: bool) -> Result<(), Denial> {
        let refuse = |why| self.refuse(Via::Tls, why);
        if hides && self.rules().hidden_hello() == HiddenHello::Refuse {
            return Err(refuse(Why::EncryptedHello));
        }
        match name {
            // An address has no server name.
            None if self.target.host.is_address() => Ok(()),
            None => Err(refuse(Why::SniMissing)),
            Some(text) => match Host::parse(text) {
                Ok(host) if host == self.target.host => Ok(()),
                _ => Err(refuse(Why::SniMismatch).about(text.as_bytes())),
            },
        }
    }

    /// Judges one request of this connection by the rules of this moment.
    pub(crate) fn judge(&self, head: &http::Head, ask: Ask) -> Result<(), Denial> {
        let rules = self.rules();
        let Target { host, port } = self.target;
        let refuse = |why| self.refuse(Via::Http, why);
        if head.method == "CONNECT" {
            return Err(refuse(Why::ConnectRefused));
        }
        if head.host != *host || head.port.is_some_and(|p| p != *port) {
            return Err(refuse(Why::HostMismatch).about(head.host.as_str().as_bytes()));
        }
        judge_request(&rules, self.target, head, Via::Http)?;
        match head.upgrade {
            http::Upgrade::None => Ok(()),
            _ if ask == Ask::Later => Err(refuse(Why::LateUpgrade)),
            http::Upgrade::Other if rules.restricts_http(host, *port) => Err(refuse(Why::Uncheckable)),
            _ => Ok(()),
        }
    }
}

/// Whether the rules take this request of this target.
pub(crate) fn judge_request(rules: &Rules, target: &Target, head: &http::Head, via: Via) -> Result<(), Denial> {
    let Target { host, port } = target;
    rules.allows(host, *port).map_err(|why| target.denial(via, why))?;
    let what = format!("{} {}", head.method, head.path);
    let allowed = rules.allows_request(host, *port, &head.method, &head.path);
    let overridden = head.overrides_method && rules.restricts_http(host, *port);
    match allowed {
        Ok(()) if !overridden => Ok(()),
        _ => Err(target.denial(via, Why::HttpRule).about(what.as_bytes())),
    }
}

/// The ports of the web carry TLS or HTTP and nothing else.
fn is_web(port: u16) -> bool {
    matches!(port, 80 | 443)
}
