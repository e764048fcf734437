//! Rules by HTTP method and path: which requests a host takes over plain HTTP.
//!
//! Entries of one document with the same host add up; entries with different hosts that cover a request must
//! all take it, and so must those of other documents. So a rule only ever narrows, and a host that no entry
//! covers is not narrowed. TLS cannot be looked into: whoever enforces these rules refuses it where they hold.

use crate::diagnostic::{Code, Diagnostic};
use crate::node::{Node, Value};
use crate::pattern::{Host, HostPattern, Method, RequestPath};
use crate::read::Reader;
use crate::sets::{AllowSet, Nested, Pattern, few};
use crate::slice::HttpRule;
use crate::span::Place;
use crate::strictness::{Merge, Relaxation, Stated, Strictness};
use serde_json::{Map, Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

const KEYS: &[&str] = &["host", "methods", "paths"];

/// The most combinations of host, method and path that one document may state: what rules cost grows with them.
const MOST: usize = 4_096;
/// The most methods that one document may name.
const MOST_METHODS: usize = 64;
/// How far back a finding is looked for that says the same of another port; ports of one host stand together.
const NEAR: usize = 16;

/// The requests that one host pattern takes.
///
/// INVARIANT: every named method takes at least what the others take, and one that takes just that is not named.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Requests {
    named: BTreeMap<Method, AllowSet<RequestPath>>,
    other: AllowSet<RequestPath>,
}

impl Requests {
    fn new(named: BTreeMap<Method, AllowSet<RequestPath>>, other: AllowSet<RequestPath>) -> Self {
        let named = named.into_iter().filter(|(_, paths)| *paths != other).collect();
        Self { named, other }
    }

    fn paths(&self, method: &Method) -> &AllowSet<RequestPath> {
        self.named.get(method).unwrap_or(&self.other)
    }

    fn join(&self, also: &Self) -> Self {
        let methods: BTreeSet<&Method> = self.named.keys().chain(also.named.keys()).collect();
        let named = methods.into_iter().map(|m| (m.clone(), self.paths(m).join(also.paths(m))));
        Self::new(named.collect(), self.other.join(&also.other))
    }

    fn takes(&self, method: &str, target: &str) -> bool {
        let named = self.named.iter().find(|(m, _)| m.as_str() == method).map(|(_, paths)| paths);
        named.unwrap_or(&self.other).members().iter().any(|p| p.matches(target))
    }

    /// Methods with the same paths together, beyond those of all methods, which stand last.
    fn groups(&self) -> Vec<(Option<Vec<String>>, Vec<String>)> {
        let mut out: Vec<(Option<Vec<String>>, Vec<String>)> = Vec::new();
        for (method, paths) in &self.named {
            let own = paths.members().iter().filter(|p| !self.other.covers(p));
            let paths: Vec<String> = own.map(ToString::to_string).collect();
            match out.iter_mut().find(|(_, p)| *p == paths) {
                Some((Some(methods), _)) => methods.push(method.to_string()),
                _ => out.push((Some(vec![method.to_string()]), paths)),
            }
        }
        if self.named.is_empty() || !self.other.is_empty() {
            out.push((None, RequestPath::print(self.other.members())));
        }
        out
    }

    fn words(&self) -> String {
        let group = |(methods, paths): (Option<Vec<String>>, Vec<String>)| {
            let methods = methods.map_or_else(|| "any method".to_owned(), |m| few(&m));
            if paths.is_empty() { "no request".to_owned() } else { format!("{methods} {}", few(&paths)) }
        };
        self.groups().into_iter().map(group).collect::<Vec<_>>().join("; ")
    }
}

/// What one or more documents say about the requests of hosts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HttpRules {
    /// Sorted.
    hosts: Vec<HostPattern>,
    /// What each of them takes.
    requests: Vec<Requests>,
}

/// What one entry of a list says; no methods and no paths stand for all of them.
struct Entry {
    hosts: Vec<HostPattern>,
    methods: Option<Vec<Method>>,
    paths: Option<Vec<RequestPath>>,
}

impl Entry {
    fn size(&self) -> usize {
        let some = |count: Option<usize>| count.unwrap_or(1).max(1);
        let methods = some(self.methods.as_ref().map(Vec::len));
        self.hosts.len().saturating_mul(methods).saturating_mul(some(self.paths.as_ref().map(Vec::len)))
    }
}

impl HttpRules {
    /// Reads the rules of a slice.
    pub fn parse(rules: &[HttpRule]) -> Result<Self, String> {
        let entry = |rule: &HttpRule| {
            let methods = rule.methods.as_ref().map(|m| m.iter().map(|m| Method::new(m)).collect());
            let paths = rule.paths.iter().map(|p| RequestPath::new(p)).collect::<Result<_, _>>()?;
            Ok(Entry { hosts: HostPattern::parse(&rule.host)?, methods: methods.transpose()?, paths: Some(paths) })
        };
        Ok(Self::new(rules.iter().map(entry).collect::<Result<_, String>>()?))
    }

    fn new(entries: Vec<Entry>) -> Self {
        type Open = (BTreeMap<Method, Vec<RequestPath>>, Vec<RequestPath>);
        let mut by_host: BTreeMap<HostPattern, Open> = BTreeMap::new();
        for Entry { hosts, methods, paths } in entries {
            let paths = paths.unwrap_or_else(|| vec![RequestPath::any()]);
            for host in hosts {
                let (named, other) = by_host.entry(host).or_default();
                match &methods {
                    None => other.extend(paths.iter().cloned()),
                    Some(methods) => {
                        for method in methods {
                            named.entry(method.clone()).or_default().extend(paths.iter().cloned());
                        }
                    }
                }
            }
        }
        let close = |(named, other): Open| {
            let with_others = |paths: Vec<RequestPath>| paths.into_iter().chain(other.iter().cloned()).collect();
            let named = named.into_iter().map(|(m, paths)| (m, AllowSet::new(with_others(paths))));
            Requests::new(named.collect(), AllowSet::new(other.clone()))
        };
        let (hosts, requests) = by_host.into_iter().map(|(host, open)| (host, close(open))).unzip();
        Self { hosts, requests }
    }

    /// The hosts there are rules for, in order.
    pub fn hosts(&self) -> &[HostPattern] {
        &self.hosts
    }

    fn covering<'a>(&'a self, host: &'a Host<'_>, port: u16) -> impl Iterator<Item = &'a Requests> {
        self.hosts.iter().zip(&self.requests).filter(move |(p, _)| p.matches(host, port)).map(|(_, r)| r)
    }

    /// Whether method and path count for this host and port. Where they do, what cannot be looked into must
    /// not pass.
    pub fn restricts(&self, host: &Host<'_>, port: u16) -> bool {
        self.covering(host, port).next().is_some()
    }

    /// Whether a request may be made.
    pub fn allows(&self, host: &Host<'_>, port: u16, method: &str, target: &str) -> bool {
        self.covering(host, port).all(|requests| requests.takes(method, target))
    }

    /// What a host and port takes, in words; nothing where no rule covers it.
    pub fn words(&self, host: &Host<'_>, port: u16) -> Option<String> {
        let all = self.covering(host, port).cloned().reduce(|all, more| all.join(&more));
        all.map(|requests| requests.words())
    }

    /// The rules as a list, each with the hosts it stands for.
    pub fn list(&self) -> Vec<(HttpRule, Vec<&HostPattern>)> {
        let mut out = Vec::new();
        let numbered: Vec<(&HostPattern, &Requests)> = self.hosts.iter().zip(&self.requests).collect();
        let alike = |a: &(&HostPattern, &Requests), b: &(&HostPattern, &Requests)| same_name(a.0, b.0) && a.1 == b.1;
        for group in numbered.chunk_by(alike) {
            let Some((_, requests)) = group.first() else { continue };
            let hosts: Vec<HostPattern> = group.iter().map(|(host, _)| (*host).clone()).collect();
            for (host, members) in HostPattern::groups(&hosts) {
                let stands_for: Vec<_> = members.iter().filter_map(|n| group.get(*n)).map(|(host, _)| *host).collect();
                for (methods, paths) in requests.groups() {
                    out.push((HttpRule { host: host.clone(), methods, paths }, stands_for.clone()));
                }
            }
        }
        out
    }

    /// All that the rules say of one of their own hosts.
    fn all_of(&self, host: &HostPattern) -> Option<Requests> {
        let mut all: Option<Requests> = None;
        self.each_covering(host, |_, requests| all = Some(all.take().map_or(requests.clone(), |a| a.join(requests))));
        all
    }

    fn each_covering(&self, host: &HostPattern, mut found: impl FnMut(&HostPattern, &Requests)) {
        host.covering(&self.hosts, &mut |n| {
            if let (Some(host), Some(requests)) = (self.hosts.get(n), self.requests.get(n)) {
                found(host, requests);
            }
            false
        });
    }
}

/// Whether two patterns differ in their port at most.
fn same_name(a: &HostPattern, b: &HostPattern) -> bool {
    let ((a, a_below, _), (b, b_below, _)) = (a.parts(), b.parts());
    a == b && a_below == b_below
}

impl Strictness for HttpRules {
    type Item = HostPattern;
    const MERGE: Merge = Merge::Predicates;

    fn join(&self, other: &Self) -> Self {
        let mut all: BTreeMap<&HostPattern, Requests> = BTreeMap::new();
        for (host, requests) in self.hosts.iter().zip(&self.requests).chain(other.hosts.iter().zip(&other.requests)) {
            all.entry(host).and_modify(|r| *r = r.join(requests)).or_insert_with(|| requests.clone());
        }
        let (hosts, requests) = all.into_iter().map(|(host, requests)| (host.clone(), requests)).unzip();
        Self { hosts, requests }
    }

    /// A host is judged by all that its own document says of it, as for constraints: a document that repeats
    /// the one above relaxes nothing. The ports of one host make one finding.
    fn relaxations(&self, floor: &Self) -> Vec<Relaxation<HostPattern>> {
        let mut out: Vec<Relaxation<HostPattern>> = Vec::new();
        for host in &self.hosts {
            let Some(mine) = self.all_of(host) else { continue };
            floor.each_covering(host, |above, requests| {
                let (attempt, floor) = (mine.words(), requests.words());
                let known = |r: &Relaxation<HostPattern>| {
                    r.attempt_item.as_ref().is_some_and(|h| same_name(h, host))
                        && r.floor_item.as_ref().is_some_and(|h| same_name(h, above))
                        && (&r.attempt, &r.floor) == (&attempt, &floor)
                };
                if mine.join(requests) != mine && !out.iter().rev().take(NEAR).any(known) {
                    let (attempt_item, floor_item) = (Some(host.clone()), Some(above.clone()));
                    out.push(Relaxation { attempt_item, floor_item, attempt, floor });
                }
            });
        }
        out
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Stated<Self>> {
        let nodes = reader.list(node, "HTTP rules")?;
        let before = reader.diagnostics.len();
        let (mut items, mut size): (Vec<(HostPattern, Place)>, usize) = (Vec::new(), 0);
        let mut methods: BTreeSet<Method> = BTreeSet::new();
        let mut entries = Vec::new();
        for node in nodes {
            let Some((entry, place)) = read_entry(node, reader) else { continue };
            size = size.saturating_add(entry.size());
            methods.extend(entry.methods.iter().flatten().cloned());
            if size > MOST || methods.len() > MOST_METHODS {
                reader.report(
                    Diagnostic::error(
                        Code::TooLarge,
                        format!("more than {MOST} HTTP rules by host, method and path, or {MOST_METHODS} methods"),
                    )
                    .at(place, "one too many")
                    .help("name folders of paths with `/*`, or leave the methods out"),
                );
                return None;
            }
            items.extend(entry.hosts.iter().map(|host| (host.clone(), place)));
            entries.push(entry);
        }
        items.sort_by(|a, b| a.0.cmp(&b.0));
        items.dedup_by(|b, a| a.0 == b.0);
        (reader.diagnostics.len() == before).then(|| Stated { value: Self::new(entries), place: node.place, items })
    }

    fn print(&self) -> Json {
        let entry = |(rule, _): (HttpRule, _)| {
            let mut map = Map::new();
            map.insert("host".to_owned(), json!(rule.host));
            rule.methods.map(|methods| map.insert("methods".to_owned(), json!(methods)));
            map.insert("paths".to_owned(), json!(rule.paths));
            Json::Object(map)
        };
        Json::Array(self.list().into_iter().map(entry).collect())
    }

    fn schema() -> Json {
        let list = |example: &str| json!({ "type": "array", "items": { "type": "string", "minLength": 1, "examples": [example] } });
        json!({ "type": "array", "items": {
            "type": "object",
            "additionalProperties": false,
            "required": ["host"],
            "properties": {
                "host": { "type": "string", "minLength": 1, "examples": [HostPattern::EXAMPLE] },
                "methods": list("GET"),
                "paths": list(RequestPath::EXAMPLE),
            }
        } })
    }
}

fn read_entry(node: &Node, reader: &mut Reader) -> Option<(Entry, Place)> {
    let mut host = None;
    let mut entry = Entry { hosts: Vec::new(), methods: None, paths: None };
    for (key, part) in reader.keys(node, KEYS, "an HTTP rule") {
        let part = &part.value;
        match key {
            "host" => host = reader.text(part, HostPattern::WHAT).map(|text| (text, part.place)),
            "methods" => entry.methods = read_list(part, reader, "an HTTP method", "GET", Method::new),
            _ => entry.paths = read_list(part, reader, RequestPath::WHAT, RequestPath::EXAMPLE, RequestPath::new),
        }
    }
    if !matches!(node.value, Value::Map(_)) {
        return None;
    }
    let Some((text, place)) = host else {
        let help = "name the host, such as `{ host: api.example.com, methods: [GET] }`";
        reader.invalid(node.place, "an HTTP rule has no host", help);
        return None;
    };
    match HostPattern::parse(text) {
        Ok(hosts) => entry.hosts = hosts,
        Err(why) => reader.invalid(place, why, format!("{}, such as `{}`", HostPattern::WHAT, HostPattern::EXAMPLE)),
    }
    Some((entry, place))
}

fn read_list<T>(
    node: &Node,
    reader: &mut Reader,
    what: &str,
    example: &str,
    parse: fn(&str) -> Result<T, String>,
) -> Option<Vec<T>> {
    let mut out = Vec::new();
    for node in reader.list(node, what)? {
        match reader.text(node, what).map(parse) {
            Some(Ok(value)) => out.push(value),
            Some(Err(why)) => reader.invalid(node.place, why, format!("{what}, such as `{example}`")),
            None => {}
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Host, methods and paths.
    type Line<'a> = (&'a str, Option<&'a [&'a str]>, &'a [&'a str]);

    fn rules(list: &[Line<'_>]) -> HttpRules {
        let texts = |list: &[&str]| list.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
        let rule = |(host, methods, paths): &Line<'_>| HttpRule {
            host: (*host).to_owned(),
            methods: methods.map(texts),
            paths: texts(paths),
        };
        HttpRules::parse(&list.iter().map(rule).collect::<Vec<_>>()).unwrap()
    }

    fn takes(rules: &HttpRules, host: &str, request: &str) -> bool {
        let (host, port) = Host::parse_with_port(host).unwrap();
        let (method, path) = request.split_once(' ').unwrap();
        rules.allows(&host, port.unwrap_or(80), method, path)
    }

    #[test]
    fn entries_of_one_host_add_up() {
        let rules = rules(&[
            ("a.example", Some(&["GET", "HEAD"]), &["/v1/*"]),
            ("a.example", Some(&["POST"]), &["/v1/search"]),
            ("a.example", None, &["/open"]),
        ]);
        for (request, want) in [
            ("GET /v1/x", true),
            ("HEAD /v1/x", true),
            ("POST /v1/search", true),
            ("POST /v1/x", false),
            ("PUT /open", true),
            ("GET /open", true),
            ("PUT /v1/x", false),
            ("get /v1/x", false),
        ] {
            assert_eq!(takes(&rules, "a.example", request), want, "{request}");
        }
        let host = Host::parse("a.example").unwrap();
        assert!(rules.restricts(&host, 80) && rules.restricts(&host, 443) && !rules.restricts(&host, 8080));
        assert!(takes(&rules, "b.example", "DELETE /"), "no rule speaks of it");
    }

    #[test]
    fn hosts_that_overlap_must_all_take_it() {
        let rules = rules(&[("*.example:80", Some(&["GET"]), &["/*"]), ("a.example:80", None, &["/v1/*"])]);
        assert!(takes(&rules, "a.example", "GET /v1/x"));
        assert!(!takes(&rules, "a.example", "POST /v1/x") && !takes(&rules, "a.example", "GET /v2"));
        assert!(takes(&rules, "b.example", "GET /v2") && !takes(&rules, "b.example", "POST /v2"));
    }

    #[test]
    fn two_documents_take_what_both_take() {
        let above = rules(&[("a.example", None, &["/v1/*"])]);
        let below = rules(&[("a.example", Some(&["GET"]), &["/*"])]);
        let both = above.join(&below);
        assert!(takes(&both, "a.example", "GET /v1/x"));
        assert!(!takes(&both, "a.example", "GET /v2") && !takes(&both, "a.example", "POST /v1/x"));
        assert_eq!(below.relaxations(&above).len(), 1, "one finding, not one a port");
        assert!(both.relaxations(&above).is_empty() && both.relaxations(&below).is_empty());
        let none = rules(&[("a.example", Some(&["PUT"]), &["/v1/*"])]).join(&below);
        assert_eq!(none.print(), json!([{ "host": "a.example", "paths": [] }]));
        assert!(!takes(&none, "a.example", "PUT /v1/x") && !takes(&none, "a.example", "GET /v1/x"));
    }

    #[test]
    fn a_list_reads_as_it_was_written() {
        let added = rules(&[("a.example", Some(&["GET"]), &["/v1/x"]), ("a.example", None, &["/v2/*"])]);
        assert_eq!(added.list().len(), 2, "what all methods take is said once");
        assert_eq!(added.print()[0]["paths"], json!(["/v1/x"]));
        let list =
            [("a.example", Some(&["GET", "HEAD"][..]), &["/v1/*"][..]), ("b.example:8080", None, &["/x", "/y/*"])];
        let read = rules(&list);
        let printed: Vec<HttpRule> = read.list().into_iter().map(|(rule, _)| rule).collect();
        assert_eq!(printed.len(), 2);
        assert_eq!(HttpRules::parse(&printed).unwrap(), read);
    }
}
