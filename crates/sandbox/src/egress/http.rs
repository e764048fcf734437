//! HTTP/1 request heads and how their bodies are framed, read in one way only or not at all.
//!
//! In: bytes of the client. Out: a head whose host, method and path can be judged, and the exact length of
//! what follows. Anything two servers might read differently (folded lines, bare line feeds, two lengths,
//! length and chunks, two hosts, userinfo) is refused, since a request hidden inside another is judged by
//! nobody.

use super::event::Why;
use ringfence_policy::pattern::Host;

/// The most bytes a head may take.
pub(crate) const LONGEST: usize = 64 << 10;
const MOST_HEADERS: usize = 128;

/// How the body of a request is framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Body {
    /// This many bytes, often none.
    Length(u64),
    /// In chunks.
    Chunked,
}

/// A change of protocol that a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Upgrade {
    None,
    WebSocket,
    Other,
}

/// A request head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) method: String,
    /// Path and query, as an origin server is asked for them.
    pub(crate) path: String,
    /// The host that is named, by the target or the `Host` line; both agree.
    pub(crate) host: Host<'static>,
    /// The port, where one is given.
    pub(crate) port: Option<u16>,
    /// Whether the target was a whole URI, as a proxy gets it.
    pub(crate) absolute: bool,
    pub(crate) body: Body,
    pub(crate) upgrade: Upgrade,
    /// Whether a header asks the server to take another method than the request line says.
    pub(crate) overrides_method: bool,
    /// The minor version: HTTP/1.0 or HTTP/1.1.
    pub(crate) version: u8,
    /// The bytes of the head.
    pub(crate) length: usize,
}

/// Where a head ends, looking only at what was not looked at before.
pub(crate) fn end_of_head(bytes: &[u8], looked_at: usize) -> Option<usize> {
    let from = looked_at.saturating_sub(3);
    let rest = bytes.get(from..)?;
    rest.windows(4).position(|w| w == b"\r\n\r\n").map(|at| from + at + 4)
}

/// Reads a whole head: `bytes` ends where the head ends.
pub(crate) fn read(bytes: &[u8]) -> Result<Head, Why> {
    if !lines_are_clean(bytes) {
        return Err(Why::HttpMalformed);
    }
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let status = request.parse(bytes).map_err(|_| Why::HttpMalformed)?;
    let (httparse::Status::Complete(length), Some(method), Some(target), Some(version)) =
        (status, request.method, request.path, request.version)
    else {
        return Err(Why::HttpMalformed);
    };
    if length != bytes.len() || !target.bytes().all(|b| (0x21..0x7f).contains(&b)) {
        return Err(Why::HttpMalformed);
    }
    let lines = Lines(request.headers);
    let (host, port) = if method == "CONNECT" { tunnel_to(&lines, target)? } else { host_of(&lines)? };
    let mut head = Head {
        method: method.to_owned(),
        path: target.to_owned(),
        host,
        port,
        absolute: false,
        body: body_of(&lines, version)?,
        upgrade: upgrade_of(&lines),
        overrides_method: OVERRIDES.iter().any(|name| lines.all(name).next().is_some()),
        version,
        length,
    };
    if method != "CONNECT" && !target.starts_with('/') && target != "*" {
        resolve_absolute(&mut head, target)?;
    }
    Ok(head)
}

const OVERRIDES: [&str; 3] = ["x-http-method-override", "x-http-method", "x-method-override"];

/// Every line ends in CR LF, no line is folded, no CR or NUL stands alone.
fn lines_are_clean(bytes: &[u8]) -> bool {
    bytes.split_inclusive(|b| *b == b'\n').enumerate().all(|(n, line)| {
        let text = line.strip_suffix(b"\r\n");
        let folded = n > 0 && matches!(line.first(), Some(b' ' | b'\t'));
        !folded && text.is_some_and(|t| !t.iter().any(|b| matches!(b, b'\r' | b'\n' | 0)) && (n > 0 || !t.is_empty()))
    })
}

struct Lines<'h, 'b>(&'h [httparse::Header<'b>]);

impl<'b> Lines<'_, 'b> {
    fn all(&self, name: &'static str) -> impl Iterator<Item = &'b [u8]> {
        self.0.iter().filter(move |h| h.name.eq_ignore_ascii_case(name)).map(|h| h.value)
    }

    /// The only value, `None` when there is no such line, an error when there are several.
    fn only(&self, name: &'static str) -> Result<Option<&'b [u8]>, ()> {
        let mut all = self.all(name);
        let first = all.next();
        if all.next().is_some() { Err(()) } else { Ok(first) }
    }
}

fn host_of(lines: &Lines<'_, '_>) -> Result<(Host<'static>, Option<u16>), Why> {
    let value = lines.only("host").ok().flatten().ok_or(Why::HostMissing)?;
    authority(value).ok_or(Why::HostMismatch)
}

/// The target of a CONNECT: a host and a port. A `Host` line is optional here and may leave the port out.
fn tunnel_to(lines: &Lines<'_, '_>, target: &str) -> Result<(Host<'static>, Option<u16>), Why> {
    let (host, port) = authority(target.as_bytes()).filter(|(_, port)| port.is_some()).ok_or(Why::NameMalformed)?;
    match lines.only("host") {
        Ok(None) => Ok((host, port)),
        Ok(Some(line)) if authority(line).is_some_and(|(also, _)| also == host) => Ok((host, port)),
        _ => Err(Why::HostMismatch),
    }
}

/// Reads `host[:port]`: ASCII only, so that no server sees other bytes than the ones judged.
pub(crate) fn authority(value: &[u8]) -> Option<(Host<'static>, Option<u16>)> {
    let text = str::from_utf8(value).ok().filter(|t| t.bytes().all(|b| b.is_ascii_graphic()))?;
    let (host, port) = Host::parse_with_port(text).ok()?;
    Some((host.into_owned(), port))
}

fn body_of(lines: &Lines<'_, '_>, version: u8) -> Result<Body, Why> {
    let only = |name| lines.only(name).map_err(|()| Why::HttpMalformed);
    match (only("content-length")?, only("transfer-encoding")?) {
        (None, None) => Ok(Body::Length(0)),
        (Some(length), None) => {
            let digits = (1..=18).contains(&length.len()) && length.iter().all(u8::is_ascii_digit);
            let text = str::from_utf8(length).ok().filter(|_| digits);
            text.and_then(|t| t.parse().ok()).map(Body::Length).ok_or(Why::HttpMalformed)
        }
        (None, Some(coding)) if version == 1 && coding.eq_ignore_ascii_case(b"chunked") => Ok(Body::Chunked),
        _ => Err(Why::HttpMalformed),
    }
}

fn upgrade_of(lines: &Lines<'_, '_>) -> Upgrade {
    match lines.only("upgrade") {
        Ok(None) => Upgrade::None,
        Ok(Some(token)) if token.eq_ignore_ascii_case(b"websocket") => Upgrade::WebSocket,
        _ => Upgrade::Other,
    }
}

/// `http://host[:port]/path`, which must agree with the `Host` line.
fn resolve_absolute(head: &mut Head, target: &str) -> Result<(), Why> {
    let scheme = target.get(..7).filter(|s| s.eq_ignore_ascii_case("http://")).ok_or(Why::HttpMalformed)?;
    let rest = target.get(scheme.len()..).unwrap_or_default();
    let at = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (place, path) = rest.split_at_checked(at).ok_or(Why::HttpMalformed)?;
    let (host, port) = authority(place.as_bytes()).ok_or(Why::HostMismatch)?;
    if host != head.host || port.unwrap_or(80) != head.port.unwrap_or(80) {
        return Err(Why::HostMismatch);
    }
    head.path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    head.absolute = true;
    Ok(())
}

/// The head as an origin server gets it from a proxy: origin form, nothing meant for the proxy, and the
/// connection ends after the answer, so that one judged request is all there ever is on it.
pub(crate) fn for_origin(head: &Head, bytes: &[u8]) -> Option<Vec<u8>> {
    let text = bytes.split_inclusive(|b| *b == b'\n').skip(1);
    let mut out = format!("{} {} HTTP/1.{}\r\n", head.method, head.path, head.version).into_bytes();
    for line in text {
        let name = line.split(|b| *b == b':').next().unwrap_or_default().to_ascii_lowercase();
        match name.as_slice() {
            b"\r\n" => out.extend_from_slice(b"Connection: close\r\n"),
            b"connection" | b"upgrade" | b"te" | b"keep-alive" | b"http2-settings" => continue,
            name if name.starts_with(b"proxy-") => continue,
            _ => {}
        }
        out.extend_from_slice(line);
    }
    out.ends_with(b"\r\n\r\n").then_some(out)
}

/// Follows a chunked body, so that its end is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chunks {
    /// In a size line: digits so far, value, inside an extension, after a CR, length of the line.
    Size { digits: u8, value: u64, extension: bool, cr: bool, length: u16 },
    /// In data of a chunk.
    Data(u64),
    /// After the data: CR LF must follow.
    AfterData { cr: bool },
    /// In a trailer line of this length; `cr` was the last byte.
    Trailer { length: u32, cr: bool, total: u32 },
    /// The body is over.
    Done,
}

impl Chunks {
    pub(crate) const START: Self = Self::Size { digits: 0, value: 0, extension: false, cr: false, length: 0 };

    /// Takes bytes; answers how many belong to the body. Stops where the body ends.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Result<usize, Why> {
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            match self {
                Self::Done => break,
                Self::Data(left) => {
                    let room = u64::try_from(bytes.len() - at).unwrap_or(u64::MAX).min(*left);
                    *left -= room;
                    at += usize::try_from(room).unwrap_or(0);
                    if *left == 0 {
                        *self = Self::AfterData { cr: false };
                    }
                    continue;
                }
                _ => *self = self.step(*byte).ok_or(Why::HttpMalformed)?,
            }
            at += 1;
        }
        Ok(at)
    }

    fn step(self, byte: u8) -> Option<Self> {
        match (self, byte) {
            (Self::AfterData { cr: false }, b'\r') => Some(Self::AfterData { cr: true }),
            (Self::AfterData { cr: true }, b'\n') => Some(Self::START),
            (Self::Size { digits: 1.., value, cr: true, .. }, b'\n') => Some(match value {
                0 => Self::Trailer { length: 0, cr: false, total: 0 },
                more => Self::Data(more),
            }),
            (Self::Size { digits, value, extension, cr: false, length }, _) => match byte {
                b'\r' if digits > 0 => Some(Self::Size { digits, value, extension, cr: true, length }),
                b';' if digits > 0 && length < 512 => {
                    Some(Self::Size { digits, value, extension: true, cr: false, length: length + 1 })
                }
                0x20..0x7f if extension && length < 512 => {
                    Some(Self::Size { digits, value, extension, cr: false, length: length + 1 })
                }
                _ if !extension && digits < 15 => {
                    let digit = char::from(byte).to_digit(16)?;
                    let value = value * 16 + u64::from(digit);
                    Some(Self::Size { digits: digits + 1, value, extension, cr: false, length: length + 1 })
                }
                _ => None,
            },
            (Self::Trailer { length: 0, cr: true, .. }, b'\n') => Some(Self::Done),
            (Self::Trailer { cr: true, total, .. }, b'\n') => Some(Self::Trailer { length: 0, cr: false, total }),
            (Self::Trailer { length, cr: false, total }, b'\r') => Some(Self::Trailer { length, cr: true, total }),
            (Self::Trailer { length, cr: false, total }, 0x20.. | b'\t') if total < 8192 => {
                let folded = length == 0 && matches!(byte, b' ' | b'\t');
                (!folded).then_some(Self::Trailer { length: length + 1, cr: false, total: total + 1 })
            }
            _ => None,
        }
    }
}

/// What the head of an answer says about a change of protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Not all of it is here.
    Need,
    /// `101`: the protocol changes after this many bytes.
    Switches(usize),
    /// An interim answer of this many bytes; another head follows.
    Interim(usize),
    /// Anything else: HTTP goes on.
    Stays,
}

/// Reads the head of an answer.
pub(crate) fn read_answer(bytes: &[u8]) -> Answer {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    match (response.parse(bytes), response.code) {
        (Ok(httparse::Status::Complete(length)), Some(101)) => Answer::Switches(length),
        (Ok(httparse::Status::Complete(length)), Some(100..200)) => Answer::Interim(length),
        (Ok(httparse::Status::Partial), _) if bytes.len() < LONGEST => Answer::Need,
        _ => Answer::Stays,
    }
}

#[cfg(test)]
mod tests;
