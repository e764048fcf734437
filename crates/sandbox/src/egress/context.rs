//! What every connection of one box shares, and the one place where a target is admitted.

use super::event::{EventSink, NetEvent, Verdict, Via, Why, safe};
use super::names::{Meaning, Names};
use super::origin::Origin;
use super::pump::Pipes;
use super::report::Reporter;
use super::rules::{LiveRules, Rules, Target};
use ringfence_policy::pattern::Host;
use std::cell::RefCell;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::watch;

/// The state of one box.
pub(crate) struct Context {
    pub(crate) live: Arc<LiveRules>,
    pub(crate) names: RefCell<Names>,
    pub(crate) report: Reporter,
    pub(crate) origin: Origin,
    pub(crate) pipes: Pipes,
}

/// Something that was refused, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Denial {
    pub(crate) host: String,
    pub(crate) port: Option<u16>,
    pub(crate) via: Via,
    pub(crate) why: Why,
    pub(crate) detail: String,
}

/// How a connection ended before its time.
#[derive(Debug)]
pub(crate) enum Stop {
    /// It was refused.
    Denied(Denial),
    /// The network failed, or somebody left.
    Failed(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<Denial> for Stop {
    fn from(denial: Denial) -> Self {
        Self::Denied(denial)
    }
}

/// A target that the rules cover, with the rules as they change.
pub(crate) struct Admitted {
    pub(crate) target: Target,
    pub(crate) rules: watch::Receiver<Arc<Rules>>,
}

impl Context {
    pub(crate) fn new(live: Arc<LiveRules>, origin: Origin, sink: Arc<dyn EventSink>) -> Self {
        Self { live, names: RefCell::default(), report: Reporter::new(sink), origin, pipes: Pipes::default() }
    }

    /// What an address that a connection goes to means.
    pub(crate) fn target_at(&self, address: IpAddr, port: u16, via: Via) -> Result<Target, Denial> {
        let text = match self.names.borrow().meaning(address) {
            Meaning::Name(name) => name.to_string(),
            Meaning::Address(address) => address.to_string(),
            Meaning::Nothing => {
                let text = address.to_canonical().to_string();
                return Err(denial(text.as_bytes(), Some(port), via, Why::AddressUnknown));
            }
        };
        let host = Host::parse(&text).map(Host::into_owned);
        let host = host.map_err(|_| denial(text.as_bytes(), Some(port), via, Why::NameMalformed))?;
        Ok(Target { host, port })
    }

    /// A host that was named to us: a synthetic address is the name it stands for.
    pub(crate) fn target_of(&self, host: Host<'static>, port: u16, via: Via) -> Result<Target, Denial> {
        match host.as_str().parse() {
            Ok(address) if host.is_address() => self.target_at(address, port, via),
            _ => Ok(Target { host, port }),
        }
    }

    /// The decision. Hears of changes from before it was made.
    pub(crate) fn admit(&self, target: Target, via: Via) -> Result<Admitted, Denial> {
        let mut rules = self.live.subscribe();
        let now = rules.borrow_and_update().clone();
        let rule = now.allows(&target.host, target.port).map_err(|why| target.denial(via, why))?;
        self.report.allowed(target.host.as_str(), target.port, via, Some(rule.to_string()));
        Ok(Admitted { target, rules })
    }

    /// Writes a refusal down.
    pub(crate) fn tell(&self, denial: &Denial) {
        self.report.denied(NetEvent {
            verdict: Verdict::Denied,
            host: denial.host.clone(),
            port: denial.port,
            via: denial.via,
            why: denial.why,
            detail: denial.detail.clone(),
            rule: None,
            count: 1,
        });
    }
}

/// A refusal of something that is no target.
pub(crate) fn denial(host: &[u8], port: Option<u16>, via: Via, why: Why) -> Denial {
    Denial { host: safe(host), port, via, why, detail: String::new() }
}

impl Target {
    /// A refusal of this target.
    pub(crate) fn denial(&self, via: Via, why: Why) -> Denial {
        denial(self.host.as_str().as_bytes(), Some(self.port), via, why)
    }
}

impl Denial {
    /// Adds what else is known.
    pub(crate) fn about(mut self, detail: &[u8]) -> Self {
        self.detail = safe(detail);
        self
    }

    /// The refusal as an HTTP answer that people and models can read.
    pub(crate) fn answer(&self) -> Vec<u8> {
        let place = match self.port {
            Some(port) if self.host.contains(':') => format!("[{}]:{port}", self.host),
            Some(port) => format!("{}:{port}", self.host),
            None => self.host.clone(),
        };
        let how = match self.why {
            Why::NameNotAllowed | Why::PortNotAllowed | Why::AddressNotNamed => {
                format!("add `{place}` to `sandbox.network.allowlist`")
            }
            Why::AddressOffLimits => "add the address itself to `sandbox.network.allowlist`".to_owned(),
            Why::HttpRule | Why::Uncheckable => "change what `sandbox.network.http` says of this host".to_owned(),
            _ => "send a request for the host the connection is for".to_owned(),
        };
        let body = serde_json::json!({
            "error": self.why.code(),
            "host": self.host,
            "port": self.port,
            "rule": null,
            "why": self.why.words(),
            "detail": self.detail,
            "how_to_allow": how,
        });
        plain_answer("403 Forbidden", &body.to_string())
    }
}

/// An HTTP answer that ends its connection.
pub(crate) fn plain_answer(status: &str, body: &str) -> Vec<u8> {
    let length = body.len() + 1;
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}\n"
    )
    .into_bytes()
}
