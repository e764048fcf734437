//! What the egress path says about itself: one event for each thing allowed or refused.
//!
//! In: verdicts. Out: plain values for the run's log. Text that the sandboxed process chose is clipped and
//! escaped before it gets here, so an event can be printed anywhere.

use std::fmt;

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The traffic passes.
    Allowed,
    /// The traffic was refused.
    Denied,
}

/// Where in the path the decision was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Via {
    /// A question to the resolver.
    Dns,
    /// A transparent connection, judged by its destination.
    Connect,
    /// The server name of a TLS hello.
    Tls,
    /// A request head of plain HTTP.
    Http,
    /// The HTTP proxy door.
    Proxy,
    /// The SOCKS5 proxy door.
    Socks,
}

impl Via {
    /// The stable word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dns => "dns",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Http => "http",
            Self::Proxy => "proxy",
            Self::Socks => "socks",
        }
    }
}

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $words:literal;)*) => {
        /// Why, as a stable code with fixed words.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Why { $($(#[$doc])* $name,)* }

        impl Why {
            /// Every reason there is.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The stable code.
            pub fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// The reason in words.
            pub fn words(self) -> &'static str {
                match self { $(Self::$name => $words,)* }
            }
        }
    };
}

reasons! {
    /// A rule of the policy names it.
    Rule = "net.rule", "a rule of the allowlist names it";
    /// No rule names it.
    NameNotAllowed = "net.name_not_allowed", "no rule of the allowlist names this host";
    /// Rules name the host on other ports only.
    PortNotAllowed = "net.port_not_allowed", "the allowlist names this host on other ports only";
    /// An address nobody named.
    AddressNotNamed = "net.address_not_named", "an address must be named by the allowlist itself";
    /// An address of the synthetic range that was never given out.
    AddressUnknown = "net.address_unknown", "the address stands for no name that was asked for";
    /// Not a host name in the one grammar there is.
    NameMalformed = "net.name_malformed", "this is not a host name";
    /// The name resolves to addresses that are off limits only.
    AddressOffLimits = "net.address_off_limits", "the name leads to an address that must be named by the allowlist itself";
    /// No more names fit.
    NamesFull = "net.names_full", "too many different names were asked for in this run";
    /// The supervisor did not hear of this connection.
    NotExpected = "net.not_expected", "the connection does not come from the sandboxed process";
    /// The rules changed under an open connection.
    RulesChanged = "net.rules_changed", "the allowlist no longer covers this open connection";
    /// Neither TLS nor HTTP on a web port.
    NotWeb = "net.not_web", "ports 80 and 443 are for TLS and HTTP";
    /// The question makes no sense.
    DnsMalformed = "dns.malformed", "the question could not be read";
    /// A hello that cannot be read.
    TlsMalformed = "tls.malformed", "the TLS hello could not be read";
    /// A hello without a server name.
    SniMissing = "tls.sni_missing", "the TLS hello names no server";
    /// A hello for somebody else.
    SniMismatch = "tls.sni_mismatch", "the TLS hello names another server than the connection is for";
    /// A hello that may hide another one.
    EncryptedHello = "tls.encrypted_hello", "the TLS hello hides the server name (encrypted client hello)";
    /// A request that cannot be read in one way only.
    HttpMalformed = "http.malformed", "the HTTP request could be read in more than one way";
    /// No or several `Host` lines.
    HostMissing = "http.host_missing", "the HTTP request must have exactly one host";
    /// A request for somebody else.
    HostMismatch = "http.host_mismatch", "the HTTP request names another host than the connection is for";
    /// `CONNECT` where there is no proxy.
    ConnectRefused = "http.connect_refused", "CONNECT is for the proxy door only";
    /// A method or path rule.
    HttpRule = "http.rule", "no HTTP rule of this host allows the method and path";
    /// Rules exist and cannot be applied to this traffic.
    Uncheckable = "http.uncheckable", "HTTP rules of this host cannot be checked on this kind of traffic";
    /// `Upgrade` on a later request.
    LateUpgrade = "http.late_upgrade", "a change of protocol must be the first request of its connection";
    /// A SOCKS request that is not a plain connect.
    SocksUnsupported = "socks.unsupported", "only SOCKS5 CONNECT is offered";
    /// More happened in one second than is written down one by one.
    More = "net.more", "more of the same kind, not listed one by one";
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

/// One thing that was allowed or refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetEvent {
    /// What was decided.
    pub verdict: Verdict,
    /// The name or address it was about, safe to print.
    pub host: String,
    /// The port, where there is one.
    pub port: Option<u16>,
    /// Where it was decided.
    pub via: Via,
    /// Why.
    pub why: Why,
    /// What else is known: the name that disagreed, the range of the address. May be empty; safe to print.
    pub detail: String,
    /// The rule that decided, as the policy prints it.
    pub rule: Option<String>,
    /// How often, since the last event of the same kind.
    pub count: u64,
}

/// Takes events. Called on the egress thread: it must not block for long.
pub trait EventSink: Send + Sync {
    /// Takes one event.
    fn net(&self, event: NetEvent);
}

/// A text from the sandbox, made safe to print: ASCII, escaped, at most 253 characters.
pub(crate) fn safe(text: &[u8]) -> String {
    const LONGEST: usize = 253;
    let mut out = String::new();
    for byte in text.iter().take(LONGEST) {
        out.extend(std::ascii::escape_default(*byte).map(char::from));
        if out.len() > LONGEST {
            break;
        }
    }
    out.truncate(LONGEST);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_different() {
        let mut codes: Vec<_> = Why::ALL.iter().map(|w| w.code()).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), Why::ALL.len());
    }

    #[test]
    fn hostile_text_is_escaped_and_clipped() {
        assert_eq!(safe(b"a\0b\x1b[31m"), "a\\x00b\\x1b[31m");
        assert_eq!(safe(&[0; 5000]).len(), 253);
    }
}
