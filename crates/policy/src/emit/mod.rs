//! Five emitters, one a layer: what holds → a slice, with the rules behind each leaf.

pub mod codemode;
pub mod gateway;
pub mod harness;
pub mod kernel;
pub mod mcp;

use crate::config::{Guards, QuarantineGuard, ScannerGuard, SpotlightGuard, ToolEffects};
use crate::fields::{FieldId, Fields, id};
use crate::ledger::StatementId;
use crate::pattern::PathPattern;
use crate::provenance::{Behind, Pointer};
use crate::resolve::{Resolved, THRESHOLD_CHARS, network_fields};
use crate::scale::{CapabilityClass, NetworkMode, SeverityBlock, SpotlightMode};
use crate::sets::{AllowSet, DenySet, Nested};
use crate::strictness::{Stated, Switch};
use std::sync::Arc;

/// Collects the rules behind each leaf while slices are built.
#[derive(Debug, Default)]
pub struct Trace {
    /// JSON pointer → what stands behind it.
    pub leaves: Vec<(Pointer, Behind)>,
}

impl Trace {
    /// Writes down the rules behind one leaf.
    pub fn put(&mut self, pointer: impl Into<Pointer>, rules: Vec<StatementId>) {
        self.leaves.push((pointer.into(), Behind::Rules(rules)));
    }

    /// A leaf that one field decides.
    pub fn field(&mut self, resolved: &Resolved<'_>, pointer: impl Into<Pointer>, field: FieldId) {
        let rule = resolved.stated_rule(field).unwrap_or(resolved.silence.default);
        self.leaves.push((pointer.into(), Behind::Rule(rule)));
    }

    /// A leaf that the spec or the format fixes.
    pub fn fixed(&mut self, resolved: &Resolved<'_>, pointer: impl Into<Pointer>) {
        self.leaves.push((pointer.into(), Behind::Rule(resolved.silence.spec)));
    }

    /// A list whose members are items of a deny set; an empty list is a leaf itself.
    pub fn items<T>(&mut self, resolved: &Resolved<'_>, pointer: &str, field: FieldId, list: &[T]) {
        if list.is_empty() {
            self.field(resolved, pointer.to_owned(), field);
        } else {
            self.leaves.push((format!("{pointer}/*").into(), Behind::OwnItem(field)));
        }
    }

    /// A list with the rules of each member; an empty list is a leaf itself.
    pub fn list(&mut self, resolved: &Resolved<'_>, pointer: &str, field: FieldId, rules: &[Vec<StatementId>]) {
        if rules.is_empty() {
            self.field(resolved, pointer.to_owned(), field);
        }
        for (n, behind) in rules.iter().enumerate() {
            self.put(format!("{pointer}/{n}"), behind.clone());
        }
    }
}

/// An allow set as texts, each with the rules of every document's list that covers it.
pub fn allowed<'a, P: Nested + 'a>(
    resolved: &'a Resolved<'_>,
    field: FieldId,
    set: &AllowSet<P>,
    get: impl Fn(&'a Fields) -> Option<&'a Stated<AllowSet<P>>>,
) -> (Vec<String>, Vec<Vec<StatementId>>) {
    let contributions = resolved.cascade.contributions();
    let by = resolved.fields.stated_by(field).iter();
    let lists: Vec<_> = by.filter_map(|c| Some((*c, get(&contributions.get(*c as usize)?.fields)?))).collect();
    let rules = |members: &[usize]| {
        let mut out: Vec<StatementId> = Vec::with_capacity(lists.len() * members.len());
        for member in members.iter().filter_map(|n| set.members().get(*n)) {
            for (c, stated) in &lists {
                member.covering(stated.value.members(), &mut |n| {
                    let item = stated.value.members().get(n).and_then(|m| stated.position(m));
                    out.extend(item.and_then(|n| resolved.ledger.item(*c, field, n)));
                    true
                });
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    };
    P::groups(set.members()).into_iter().map(|(text, members)| (text, rules(&members))).unzip()
}

/// An allow set as a list, or null where nobody states one.
macro_rules! allow_list {
    ($resolved:expr, $trace:expr, $pointer:expr, $name:ident) => {{
        let resolved = $resolved;
        let field = $crate::fields::id::$name;
        match &resolved.fields.$name.value {
            None => {
                $trace.field(resolved, $pointer.to_owned(), field);
                None
            }
            Some(set) => {
                let (list, rules) = $crate::emit::allowed(resolved, field, set, |f| f.$name.as_ref());
                $trace.list(resolved, $pointer, field, &rules);
                Some(list)
            }
        }
    }};
}

/// A deny set as a list.
macro_rules! deny_list {
    ($resolved:expr, $trace:expr, $pointer:expr, $name:ident) => {{
        let resolved = $resolved;
        let members = resolved.fields.$name.value.as_ref().map_or(&[][..], |s| s.members());
        let list: Vec<String> = members.iter().map(ToString::to_string).collect();
        $trace.items(resolved, $pointer, $crate::fields::id::$name, &list);
        list
    }};
}

pub(crate) use {allow_list, deny_list};

/// Escapes a key for a JSON pointer.
pub fn escape(key: &str) -> String {
    let mut out = String::with_capacity(key.len() + 2);
    push_escaped(key, &mut out);
    out
}

fn push_escaped(key: &str, out: &mut String) {
    let mut rest = key;
    while let Some(at) = rest.find(['~', '/']) {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        out.push_str(if after.starts_with('~') { "~0" } else { "~1" });
        rest = after.get(1..).unwrap_or_default();
    }
    out.push_str(rest);
}

/// The tools with their effects, and a leaf each that holds for every slice: `/*/*/tools/NAME`.
fn tool_effects(resolved: &Resolved<'_>, trace: &mut Trace) -> serde_json::Result<ToolEffects> {
    let verdicts = &resolved.tools;
    let mut out = Vec::with_capacity(verdicts.tools.len() + 1);
    trace.leaves.reserve(verdicts.tools.len() + 64);
    for verdict in std::iter::once(&verdicts.other).chain(&verdicts.tools) {
        let name = verdict.pattern.text();
        let mut pointer = String::with_capacity(name.len() + 20);
        pointer.push_str("/*/*/tools/");
        push_escaped(&name, &mut pointer);
        trace.put(pointer, verdict.reasons.iter().map(|r| r.statement).collect());
        out.push((name, verdict.effect));
    }
    out.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    ToolEffects::new(out)
}

/// The guards, the same in every slice that runs them.
pub fn guards(resolved: &Resolved<'_>, trace: &mut Trace, at: &str) -> Guards {
    let f = &resolved.fields;
    let on = |switch: Option<Switch>| switch.is_some_and(|s| s.0);
    for (key, field) in [
        ("output_scanner/enabled", id::scanner),
        ("output_scanner/severity_block", id::scanner_severity),
        ("quarantine/capability_class", id::quarantine_class),
        ("quarantine/enabled", id::quarantine),
        ("quarantine/on_unsafe", id::quarantine_unsafe),
        ("quarantine/threshold_chars", id::quarantine_threshold),
        ("spotlighting/enabled", id::spotlighting),
        ("spotlighting/mode", id::spotlighting_mode),
    ] {
        trace.field(resolved, format!("{at}/{key}"), field);
    }
    let urls = allow_list!(resolved, trace, &format!("{at}/output_scanner/url_allowlist"), scanner_urls);
    Guards {
        output_scanner: ScannerGuard {
            enabled: on(f.scanner.value),
            severity_block: f.scanner_severity.value.unwrap_or(SeverityBlock::Error),
            url_allowlist: urls.unwrap_or_default(),
        },
        quarantine: QuarantineGuard {
            capability_class: f.quarantine_class.value.unwrap_or(CapabilityClass::Extractive),
            enabled: on(f.quarantine.value),
            on_unsafe: on(f.quarantine_unsafe.value),
            threshold_chars: resolved.count(f.quarantine_threshold.value, THRESHOLD_CHARS),
        },
        spotlighting: SpotlightGuard {
            enabled: on(f.spotlighting.value),
            mode: f.spotlighting_mode.value.unwrap_or(SpotlightMode::Delimit),
        },
    }
}

/// The rules behind the network mode.
pub fn network_rules(resolved: &Resolved<'_>) -> Vec<StatementId> {
    network_fields(resolved).iter().flat_map(|f| resolved.rules(*f)).collect()
}

/// What more than one slice holds, worked out once.
#[derive(Debug)]
pub struct Shared {
    /// Tool or pattern → effect.
    pub tools: ToolEffects,
    /// Paths that cannot be seen.
    pub hidden: Arc<Vec<Arc<str>>>,
    /// Paths that cannot be written.
    pub protected: Arc<Vec<Arc<str>>>,
    /// Hosts that may be reached.
    pub hosts: Arc<Vec<String>>,
    host_rules: Vec<Vec<StatementId>>,
}

impl Shared {
    /// Works it out.
    pub fn new(resolved: &Resolved<'_>, trace: &mut Trace) -> serde_json::Result<Self> {
        let f = &resolved.fields;
        let texts = |set: &Option<DenySet<PathPattern>>| -> Arc<Vec<Arc<str>>> {
            Arc::new(set.iter().flat_map(|s| s.members()).map(PathPattern::text).collect())
        };
        let list = f.network_allowlist.value.as_ref().filter(|_| resolved.network == NetworkMode::Allowlist);
        let (hosts, host_rules) = list.map_or_else(Default::default, |set| {
            allowed(resolved, id::network_allowlist, set, |f| f.network_allowlist.as_ref())
        });
        Ok(Self {
            tools: tool_effects(resolved, trace)?,
            hidden: texts(&f.fs_hidden.value),
            protected: texts(&f.fs_protected.value),
            hosts: Arc::new(hosts),
            host_rules,
        })
    }

    /// The hosts as a list of a slice.
    pub fn hosts_at(&self, resolved: &Resolved<'_>, trace: &mut Trace, pointer: &str) -> Arc<Vec<String>> {
        if self.hosts.is_empty() {
            trace.put(pointer.to_owned(), network_rules(resolved));
        } else {
            trace.list(resolved, pointer, id::network_allowlist, &self.host_rules);
        }
        self.hosts.clone()
    }
}
