//! Five emitters, one a layer: what holds → a slice, with the rules behind each leaf.

pub mod codemode;
pub mod gateway;
pub mod harness;
pub mod kernel;
pub mod mcp;

use crate::config::{Guards, QuarantineGuard, ScannerGuard, SpotlightGuard, ToolEffects};
use crate::fields::{FieldId, id};
use crate::ledger::RuleId;
use crate::resolve::{Resolved, THRESHOLD_CHARS, item_rules, network_fields};
use crate::scale::{CapabilityClass, SeverityBlock, SpotlightMode};
use crate::sets::{AllowSet, Nested, Pattern};
use crate::strictness::Switch;
use std::fmt::Write as _;

/// Collects the rules behind each leaf while slices are built.
#[derive(Debug, Default)]
pub struct Trace {
    /// JSON pointer → rules.
    pub leaves: Vec<(String, Vec<RuleId>)>,
}

impl Trace {
    /// Writes down the rules behind one leaf.
    pub fn put(&mut self, pointer: impl Into<String>, rules: Vec<RuleId>) {
        self.leaves.push((pointer.into(), rules));
    }

    /// A leaf that one field decides.
    pub fn field(&mut self, resolved: &Resolved<'_>, pointer: impl Into<String>, field: FieldId) {
        self.put(pointer, resolved.rules(field));
    }

    /// A leaf that the spec or the format fixes.
    pub fn fixed(&mut self, resolved: &Resolved<'_>, pointer: impl Into<String>) {
        self.put(pointer, resolved.ledger.rule_of(resolved.silence.spec).into_iter().collect());
    }

    /// A list whose members each have rules of their own; an empty list is a leaf itself.
    pub fn list<P: Pattern>(
        &mut self,
        resolved: &Resolved<'_>,
        pointer: &str,
        field: FieldId,
        members: &[P],
        rules: impl Fn(&P) -> Vec<RuleId>,
    ) -> Vec<String> {
        let printed = P::print(members);
        if printed.is_empty() {
            self.field(resolved, pointer, field);
        }
        // A printed member may stand for several patterns (a host on two ports): match them up by text.
        for (n, text) in printed.iter().enumerate() {
            let parts = P::parse(text).unwrap_or_default();
            let mut all: Vec<RuleId> = parts.iter().flat_map(&rules).collect();
            all.sort_unstable();
            all.dedup();
            if all.is_empty() {
                all = resolved.rules(field);
            }
            self.put(format!("{pointer}/{n}"), all);
        }
        printed
    }
}

/// The rules of every document's list that covers a member of an allow set.
pub fn covering<'a, P: Nested + 'a>(
    resolved: &'a Resolved<'_>,
    field: FieldId,
    by: &'a [u16],
    get: impl Fn(u16) -> Option<&'a AllowSet<P>> + 'a,
) -> impl Fn(&P) -> Vec<RuleId> + 'a {
    move |member: &P| {
        let mut rules = Vec::new();
        for set in by.iter().filter_map(|c| get(*c)) {
            member.covering(set.members(), &mut |n| {
                let text = set.members().get(n).map(ToString::to_string).unwrap_or_default();
                rules.extend(item_rules(resolved, field, &text));
                false
            });
        }
        rules
    }
}

/// An allow set as a list, or null where nobody states one.
macro_rules! allow_list {
    ($resolved:expr, $trace:expr, $pointer:expr, $name:ident) => {{
        let resolved = $resolved;
        let merged = &resolved.fields.$name;
        match &merged.value {
            None => {
                $trace.field(resolved, $pointer, $crate::fields::id::$name);
                None
            }
            Some(set) => {
                let get =
                    |c: u16| resolved.cascade.contributions().get(c as usize)?.fields.$name.as_ref().map(|s| &s.value);
                let rules = $crate::emit::covering(resolved, $crate::fields::id::$name, &merged.by, get);
                Some($trace.list(resolved, $pointer, $crate::fields::id::$name, set.members(), rules))
            }
        }
    }};
}

/// A deny set as a list.
macro_rules! deny_list {
    ($resolved:expr, $trace:expr, $pointer:expr, $name:ident) => {{
        let resolved = $resolved;
        let members = resolved.fields.$name.value.as_ref().map_or(&[][..], |s| s.members());
        let field = $crate::fields::id::$name;
        $trace
            .list(resolved, $pointer, field, members, |m| $crate::resolve::item_rules(resolved, field, &m.to_string()))
    }};
}

pub(crate) use {allow_list, deny_list};

/// Escapes a key for a JSON pointer.
pub fn escape(key: &str) -> String {
    if key.contains(['~', '/']) { key.replace('~', "~0").replace('/', "~1") } else { key.to_owned() }
}

/// The tools with their effects, and a leaf each that holds for every slice: `/*/*/tools/NAME`.
pub fn tool_effects(resolved: &Resolved<'_>, trace: &mut Trace) -> ToolEffects {
    let verdicts = &resolved.tools;
    let mut out = Vec::with_capacity(verdicts.tools.len() + 1);
    trace.leaves.reserve(verdicts.tools.len() + 64);
    for verdict in std::iter::once(&verdicts.other).chain(&verdicts.tools) {
        let name = verdict.pattern.to_string();
        let mut rules: Vec<RuleId> = Vec::with_capacity(verdict.reasons.len());
        for rule in verdict.reasons.iter().filter_map(|r| resolved.ledger.rule_of(r.statement)) {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        let mut pointer = String::with_capacity(name.len() + 16);
        let _ = write!(pointer, "/*/*/tools/{}", escape(&name));
        trace.put(pointer, rules);
        out.push((name, verdict.effect));
    }
    out.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    ToolEffects(std::sync::Arc::new(out))
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
pub fn network_rules(resolved: &Resolved<'_>) -> Vec<RuleId> {
    network_fields(resolved).into_iter().flat_map(|f| resolved.rules(f)).collect()
}

/// The hosts that may be reached, empty when there is no allowlist in force.
pub fn egress(resolved: &Resolved<'_>, trace: &mut Trace, pointer: &str) -> Vec<String> {
    if resolved.network == crate::scale::NetworkMode::Allowlist {
        return allow_list!(resolved, trace, pointer, network_allowlist).unwrap_or_default();
    }
    trace.put(pointer, network_rules(resolved));
    Vec::new()
}
