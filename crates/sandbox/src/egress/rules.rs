//! The decision: may this host be reached on this port, with this request?
//!
//! In: the allowlist of the policy, HTTP rules, fixed addresses. Out: yes with the rule, or no with the
//! reason. Hosts are only ever read by the policy's own host parser, so what is decided here is what the
//! policy means. Pure: no clock, no network.

use super::event::Why;
use ringfence_policy::http::HttpRules;
use ringfence_policy::pattern::{Host, HostPattern};
use ringfence_policy::sets::Pattern;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use tokio::sync::watch;

/// What may be reached.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// Sorted by name, kind and port: the order of [`HostPattern::parts`].
    hosts: Vec<HostPattern>,
    http: HttpRules,
    resolve: BTreeMap<String, Vec<IpAddr>>,
    hidden_hello: HiddenHello,
}

/// What happens to a TLS hello that may hide its server name (encrypted client hello, real or greased).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HiddenHello {
    /// Refused: the name cannot be checked.
    #[default]
    Refuse,
    /// Passed when the outer name agrees. Browsers that grease the extension need it.
    Pass,
}

/// A rule list that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct RuleError {
    message: String,
}

impl RuleError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        "egress.bad_rule"
    }

    pub(crate) fn new(message: String) -> Self {
        Self { message }
    }
}

/// A host and a port that traffic is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) host: Host<'static>,
    pub(crate) port: u16,
}

impl Rules {
    /// Reads an allowlist as the policy prints it: `example.com`, `*.example.com:8443`, `10.0.0.5:5432`, `*`.
    pub fn parse<T: AsRef<str>>(allowlist: &[T]) -> Result<Self, RuleError> {
        let mut hosts = Vec::with_capacity(allowlist.len());
        for text in allowlist {
            hosts.extend(HostPattern::parse(text.as_ref()).map_err(RuleError::new)?);
        }
        Ok(Self::new(hosts))
    }

    /// Rules from patterns.
    pub fn new(mut hosts: Vec<HostPattern>) -> Self {
        hosts.sort_unstable();
        hosts.dedup();
        Self { hosts, ..Self::default() }
    }

    /// Adds rules by HTTP method and path. They only ever narrow.
    #[must_use]
    pub fn with_http(mut self, rules: HttpRules) -> Self {
        self.http = rules;
        self
    }

    /// Fixes the addresses of a name instead of asking the system. They are checked like any other.
    pub fn with_addresses(mut self, name: &str, addresses: Vec<IpAddr>) -> Result<Self, RuleError> {
        let host = Host::parse(name).map_err(RuleError::new)?;
        self.resolve.insert(host.as_str().to_owned(), addresses);
        Ok(self)
    }

    /// Says what happens to hellos that hide their server name.
    #[must_use]
    pub fn with_hidden_hello(mut self, choice: HiddenHello) -> Self {
        self.hidden_hello = choice;
        self
    }

    /// The ports that any rule names: one listener each.
    pub fn ports(&self) -> BTreeSet<u16> {
        self.hosts.iter().map(|p| p.parts().2).collect()
    }

    /// The rule that covers the host on the port, or why none does.
    pub fn allows(&self, host: &Host<'_>, port: u16) -> Result<&HostPattern, Why> {
        let mut rule = None;
        host.suffixes(|name, below| {
            let at = self.hosts.binary_search_by(|p| p.parts().cmp(&(name, below, port)));
            rule = at.ok().and_then(|n| self.hosts.get(n));
            rule.is_some()
        });
        rule.ok_or_else(|| match (host.is_address(), self.names(host)) {
            (_, true) => Why::PortNotAllowed,
            (true, false) => Why::AddressNotNamed,
            (false, false) => Why::NameNotAllowed,
        })
    }

    /// Whether a rule covers the host on any port.
    pub fn names(&self, host: &Host<'_>) -> bool {
        host.suffixes(|name, below| {
            let at = self.hosts.partition_point(|p| p.parts() < (name, below, 0));
            self.hosts.get(at).is_some_and(|p| p.parts().0 == name && p.parts().1 == below)
        })
    }

    /// Whether a rule names this very address on this port.
    pub fn names_address(&self, address: IpAddr, port: u16) -> bool {
        let text = address.to_canonical().to_string();
        Host::parse(&text).is_ok_and(|host| host.is_address() && self.allows(&host, port).is_ok())
    }

    /// The rules by HTTP method and path.
    pub fn http(&self) -> &HttpRules {
        &self.http
    }

    /// Whether method and path must be checked for this host and port.
    pub fn restricts_http(&self, host: &Host<'_>, port: u16) -> bool {
        self.http.restricts(host, port)
    }

    /// Whether a request may be made.
    pub fn allows_request(&self, host: &Host<'_>, port: u16, method: &str, path: &str) -> Result<(), Why> {
        if self.http.allows(host, port, method, path) { Ok(()) } else { Err(Why::HttpRule) }
    }

    /// The fixed addresses of a name.
    pub fn addresses(&self, host: &Host<'_>) -> Option<&[IpAddr]> {
        self.resolve.get(host.as_str()).map(Vec::as_slice)
    }

    /// What happens to hellos that hide their server name.
    pub fn hidden_hello(&self) -> HiddenHello {
        self.hidden_hello
    }
}

/// The rules in force, replaceable while connections are open.
#[derive(Debug)]
pub struct LiveRules {
    current: watch::Sender<Arc<Rules>>,
    listening: OnceLock<BTreeSet<u16>>,
}

/// What a change of rules could not do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Change {
    /// Ports that rules name and that got no listener when the box was made: they stay closed in this box.
    pub without_listener: Vec<u16>,
}

impl LiveRules {
    /// Puts rules in force.
    pub fn new(rules: Rules) -> Arc<Self> {
        Arc::new(Self { current: watch::Sender::new(Arc::new(rules)), listening: OnceLock::new() })
    }

    /// The rules in force now.
    pub fn current(&self) -> Arc<Rules> {
        self.current.borrow().clone()
    }

    /// Puts other rules in force. Open connections that they no longer cover are closed.
    pub fn replace(&self, rules: Rules) -> Change {
        let ports = rules.ports();
        self.current.send_replace(Arc::new(rules));
        let without_listener = self.listening.get().map(|open| ports.difference(open).copied().collect());
        Change { without_listener: without_listener.unwrap_or_default() }
    }

    /// Tells which ports can be reached at all, once.
    pub(crate) fn listening_on(&self, ports: BTreeSet<u16>) {
        self.listening.get_or_init(|| ports);
    }

    /// Hears of changes.
    pub(crate) fn subscribe(&self) -> watch::Receiver<Arc<Rules>> {
        self.current.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(text: &str) -> Host<'_> {
        Host::parse(text).unwrap()
    }

    #[test]
    fn name_port_and_reason() {
        let rules = Rules::parse(&["api.example.com", "*.cdn.example:8443", "10.0.0.5:5432", "[fd00::5]:22"]).unwrap();
        for (name, port, want) in [
            ("api.example.com", 443, None),
            ("API.Example.COM.", 80, None),
            ("api.example.com", 8443, Some(Why::PortNotAllowed)),
            ("example.com", 443, Some(Why::NameNotAllowed)),
            ("xapi.example.com", 443, Some(Why::NameNotAllowed)),
            ("api.example.com.evil.com", 443, Some(Why::NameNotAllowed)),
            ("a.cdn.example", 8443, None),
            ("a.b.cdn.example", 8443, None),
            ("cdn.example", 8443, Some(Why::NameNotAllowed)),
            ("a.cdn.example", 443, Some(Why::PortNotAllowed)),
            ("10.0.0.5", 5432, None),
            ("10.0.0.5", 80, Some(Why::PortNotAllowed)),
            ("10.0.0.6", 5432, Some(Why::AddressNotNamed)),
            ("fd00::5", 22, None),
            ("::ffff:10.0.0.5", 5432, None),
        ] {
            assert_eq!(rules.allows(&host(name), port).err(), want, "{name}:{port}");
        }
        assert!(rules.names_address("10.0.0.5".parse().unwrap(), 5432));
        assert!(rules.names_address("::ffff:10.0.0.5".parse().unwrap(), 5432));
        assert!(!rules.names_address("10.0.0.5".parse().unwrap(), 443));
        assert_eq!(rules.ports().into_iter().collect::<Vec<_>>(), [22, 80, 443, 5432, 8443]);
    }

    #[test]
    fn any_name_is_no_address() {
        let rules = Rules::parse(&["*"]).unwrap();
        assert!(rules.allows(&host("whatever.example"), 443).is_ok());
        assert!(rules.names(&host("whatever.example")));
        assert_eq!(rules.allows(&host("8.8.8.8"), 443).err(), Some(Why::AddressNotNamed));
        assert!(!rules.names_address("127.0.0.1".parse().unwrap(), 443));
    }

    #[test]
    fn a_change_says_which_ports_stay_closed() {
        let live = LiveRules::new(Rules::parse(&["a.example"]).unwrap());
        live.listening_on([80, 443].into());
        let change = live.replace(Rules::parse(&["b.example", "b.example:9000"]).unwrap());
        assert_eq!(change.without_listener, [9000]);
        assert!(live.current().names(&host("b.example")));
    }
}
