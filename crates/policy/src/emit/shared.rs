//! What more than one slice holds, worked out and written down once.
//!
//! Tools, constraints, guards and steps stand at the same place in every slice that has them, so one leaf
//! entry with `*` for the slice covers them all.

use crate::emit::{Segment, Trace, allow_list, allowed, network_rules};
use crate::fields::id;
use crate::leaves::Behind;
use crate::pattern::PathPattern;
use crate::resolve::{ItemRules, Resolved, THRESHOLD_CHARS};
use crate::scale::{CapabilityClass, NetworkMode, OnDetection, SeverityBlock, SpotlightMode};
use crate::sets::DenySet;
use crate::slice::{ConstraintMap, Guards, PipelineStep, QuarantineGuard, ScannerGuard, SpotlightGuard, ToolEffects};
use crate::steps::Step;
use crate::strictness::Switch;
use crate::tools::ToolVerdict;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Steps run in this order, what stops an attack first; others follow by name.
const ORDER: &[&str] = &[
    "detect_injection",
    "detect_system_prompt_leak",
    "detect_secrets",
    "detect_cardholder_data",
    "detect_phi",
    "detect_special_category_data",
    "detect_pii",
    "detect_exfiltration",
    "detect_prohibited_practice",
    "detect_toxicity",
    "minimise_data",
    "verify_output",
    "label_ai_output",
    "log_decision",
];

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
    /// Tool or pattern → argument → predicate.
    pub constraints: ConstraintMap,
    /// The guards on what tools hand back.
    pub guards: Guards,
    /// Steps in the order they run.
    pub pipeline: Arc<Vec<PipelineStep>>,
    behind_hosts: Vec<Behind>,
}

impl Shared {
    /// Works it out.
    pub fn new(resolved: &Resolved<'_>, trace: &mut Trace) -> serde_json::Result<Self> {
        let f = &resolved.fields;
        let texts = |set: &Option<DenySet<PathPattern>>| -> Arc<Vec<Arc<str>>> {
            Arc::new(set.iter().flat_map(|s| s.members()).map(PathPattern::text).collect())
        };
        let list = f.network_allowlist.value.as_ref().filter(|_| resolved.network == NetworkMode::Allowlist);
        let (hosts, behind_hosts) = list.map_or_else(Default::default, |set| {
            allowed(resolved, trace, id::network_allowlist, set, |f| f.network_allowlist.as_ref())
        });
        Ok(Self {
            constraints: constraints(resolved, trace),
            tools: tool_effects(resolved, trace)?,
            hidden: texts(&f.fs_hidden.value),
            protected: texts(&f.fs_protected.value),
            hosts: Arc::new(hosts),
            guards: guards(resolved, trace),
            pipeline: pipeline(resolved, trace),
            behind_hosts,
        })
    }

    /// The hosts as a list of a slice.
    pub fn hosts_at(&self, resolved: &Resolved<'_>, trace: &mut Trace, pointer: &str) -> Arc<Vec<String>> {
        if self.hosts.is_empty() {
            trace.put(pointer, network_rules(resolved));
        } else {
            trace.list(resolved, pointer, id::network_allowlist, &self.behind_hosts);
        }
        self.hosts.clone()
    }
}

/// The tools with their effects, and a leaf each that holds for every slice: `/*/*/tools/NAME`.
fn tool_effects(resolved: &Resolved<'_>, trace: &mut Trace) -> serde_json::Result<ToolEffects> {
    let verdicts = &resolved.tools;
    trace.leaves.reserve(verdicts.tools.len() + 128);
    for verdict in in_pointer_order(&verdicts.tools).chain([&verdicts.other]) {
        let rules = verdict.reasons.iter().map(|r| r.statement);
        trace.put(format_args!("/*/*/tools/{}", Segment(&verdict.pattern.text())), rules);
    }
    let all = std::iter::once(&verdicts.other).chain(&verdicts.tools);
    let mut effects: Vec<_> = all.map(|verdict| (verdict.pattern.text(), verdict.effect)).collect();
    effects.sort_by(|a, b| a.0.cmp(&b.0));
    ToolEffects::new(effects)
}

/// Tools as their pointers sort. A `/` is written `~1` there, which moves a whole server behind those whose names
/// go on (`fs2/read` before `fs/read`), and leaves the tools of a server in order.
fn in_pointer_order(tools: &[ToolVerdict]) -> impl Iterator<Item = &ToolVerdict> {
    fn server(tool: &ToolVerdict) -> &str {
        let name = tool.pattern.stem();
        name.split_once('/').map_or(name, |(server, _)| server)
    }
    let written = |tools: &[ToolVerdict]| tools.first().map(|tool| format!("{}~", server(tool)));
    let mut servers: Vec<&[ToolVerdict]> = tools.chunk_by(|a, b| server(a) == server(b)).collect();
    servers.sort_by_cached_key(|tools| written(tools));
    servers.into_iter().flatten()
}

/// The guards, the same in every slice that runs them.
fn guards(resolved: &Resolved<'_>, trace: &mut Trace) -> Guards {
    let f = &resolved.fields;
    let on = |switch: Option<Switch>| switch.is_some_and(|s| s.0);
    trace.field(resolved, "/*/guards/output_scanner/enabled", id::scanner);
    trace.field(resolved, "/*/guards/output_scanner/severity_block", id::scanner_severity);
    let urls = allow_list!(resolved, trace, "/*/guards/output_scanner/url_allowlist", scanner_urls);
    for (pointer, field) in [
        ("/*/guards/quarantine/capability_class", id::quarantine_class),
        ("/*/guards/quarantine/enabled", id::quarantine),
        ("/*/guards/quarantine/on_unsafe", id::quarantine_unsafe),
        ("/*/guards/quarantine/threshold_chars", id::quarantine_threshold),
        ("/*/guards/spotlighting/enabled", id::spotlighting),
        ("/*/guards/spotlighting/mode", id::spotlighting_mode),
    ] {
        trace.field(resolved, pointer, field);
    }
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

fn constraints(resolved: &Resolved<'_>, trace: &mut Trace) -> ConstraintMap {
    let pointer = "/*/*/constraints";
    let mut out: BTreeMap<String, BTreeMap<String, Json>> = BTreeMap::new();
    let items = ItemRules::new(resolved, id::tool_constraints);
    for (tool, slots) in resolved.fields.tool_constraints.value.iter().flat_map(|c| &c.0) {
        for (slot, predicate) in slots {
            let rule = items.rule(&format!("{tool}.{slot}"));
            let at = format!("{pointer}/{}/{}", Segment(&tool.text()), Segment(slot));
            let printed = predicate.print();
            leaf_pointers(&printed, &at, &mut |leaf| trace.put(leaf, [rule]));
            out.entry(tool.to_string()).or_default().insert(slot.clone(), printed);
        }
    }
    if out.is_empty() {
        trace.field(resolved, pointer, id::tool_constraints);
    }
    Arc::new(out)
}

/// Calls `found` with the pointer of each leaf: a scalar, or an empty list or mapping.
fn leaf_pointers(value: &Json, at: &str, found: &mut impl FnMut(&str)) {
    match value {
        Json::Array(items) if !items.is_empty() => {
            for (n, item) in items.iter().enumerate() {
                leaf_pointers(item, &format!("{at}/{n}"), found);
            }
        }
        Json::Object(map) if !map.is_empty() => {
            for (key, item) in map {
                leaf_pointers(item, &format!("{at}/{}", Segment(key)), found);
            }
        }
        _ => found(at),
    }
}

fn pipeline(resolved: &Resolved<'_>, trace: &mut Trace) -> Arc<Vec<PipelineStep>> {
    let rank = |name: &str| ORDER.iter().position(|o| *o == name).unwrap_or(ORDER.len());
    let steps = resolved.fields.steps.value.iter().flat_map(|s| &s.0);
    let mut steps: Vec<(usize, &str, &Step)> =
        steps.map(|(name, step)| (rank(name.as_str()), name.as_str(), step)).collect();
    steps.sort_by_key(|(rank, name, _)| (*rank, *name));
    if steps.is_empty() {
        trace.field(resolved, "/*/pipeline", id::steps);
    }
    let items = ItemRules::new(resolved, id::steps);
    let emitted = steps.iter().enumerate().map(|(n, (_, name, step))| {
        let whole = items.rule(name);
        let part = |part: &str| items.find(&format!("{name}.{part}")).unwrap_or(whole);
        trace.put(format_args!("/*/pipeline/{n}/on_detection"), [part("onDetection")]);
        trace.put(format_args!("/*/pipeline/{n}/step"), [whole]);
        trace.put(format_args!("/*/pipeline/{n}/threshold_permille"), [part("threshold")]);
        PipelineStep {
            on_detection: step.on_detection.unwrap_or(OnDetection::Log),
            step: (*name).to_owned(),
            threshold_permille: step.threshold.map(|t| t.0.0),
        }
    });
    Arc::new(emitted.collect())
}
