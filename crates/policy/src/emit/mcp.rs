//! The MCP slice: which tools exist, what their arguments must satisfy, what happens to their output.

use crate::config::{McpCapabilities, McpSlice, PipelineStep};
use crate::emit::{Shared, Trace, allow_list, deny_list, escape, guards};
use crate::fields::id;
use crate::ledger::StatementId;
use crate::resolve::{Resolved, STRIKES, count, item_rules};
use crate::scale::OnDetection;
use crate::spec::SandboxSpec;
use crate::steps::Step;
use serde_json::Value as Json;
use std::collections::BTreeMap;

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

/// Emits the slice.
pub fn emit(resolved: &Resolved<'_>, spec: &SandboxSpec, trace: &mut Trace, shared: &Shared) -> McpSlice {
    trace.fixed(resolved, "/layer_4_mcp/mcp_proxy_url");
    trace.fixed(resolved, "/layer_4_mcp/mcp_session_token");
    McpSlice {
        capabilities: capabilities(resolved, trace, shared),
        guards: guards(resolved, trace, "/layer_4_mcp/guards"),
        mcp_proxy_url: spec.parameter("mcp_proxy_url").map(str::to_owned),
        mcp_session_token: None,
        pipeline: pipeline(resolved, trace),
    }
}

fn capabilities(resolved: &Resolved<'_>, trace: &mut Trace, shared: &Shared) -> McpCapabilities {
    let f = &resolved.fields;
    trace.field(resolved, "/layer_4_mcp/capabilities/max_calls", id::max_calls);
    trace.field(resolved, "/layer_4_mcp/capabilities/strikes", id::strikes);
    McpCapabilities {
        allowed: allow_list!(resolved, trace, "/layer_4_mcp/capabilities/allowed", permitted),
        constraints: constraints(resolved, trace),
        forbidden: deny_list!(resolved, trace, "/layer_4_mcp/capabilities/forbidden", forbidden),
        max_calls: count(f.max_calls.value),
        strikes: resolved.count(f.strikes.value, STRIKES),
        tools: shared.tools.clone(),
    }
}

fn constraints(resolved: &Resolved<'_>, trace: &mut Trace) -> BTreeMap<String, BTreeMap<String, Json>> {
    let pointer = "/layer_4_mcp/capabilities/constraints";
    let mut out: BTreeMap<String, BTreeMap<String, Json>> = BTreeMap::new();
    for (tool, slots) in resolved.fields.tool_constraints.value.iter().flat_map(|c| &c.0) {
        for (slot, predicate) in slots {
            let rules = item_rules(resolved, id::tool_constraints, &format!("{tool}.{slot}"));
            let at = format!("{pointer}/{}/{}", escape(&tool.to_string()), escape(slot));
            let printed = predicate.print();
            leaf_pointers(&printed, &at, &mut |leaf| trace.put(leaf, rules.clone()));
            out.entry(tool.to_string()).or_default().insert(slot.clone(), printed);
        }
    }
    if out.is_empty() {
        trace.field(resolved, pointer, id::tool_constraints);
    }
    out
}

/// Calls `found` with the pointer of each leaf: a scalar, or an empty list or mapping.
pub(crate) fn leaf_pointers(value: &Json, at: &str, found: &mut impl FnMut(String)) {
    match value {
        Json::Array(items) if !items.is_empty() => {
            for (n, item) in items.iter().enumerate() {
                leaf_pointers(item, &format!("{at}/{n}"), found);
            }
        }
        Json::Object(map) if !map.is_empty() => {
            for (key, item) in map {
                leaf_pointers(item, &format!("{at}/{}", escape(key)), found);
            }
        }
        _ => found(at.to_owned()),
    }
}

fn pipeline(resolved: &Resolved<'_>, trace: &mut Trace) -> Vec<PipelineStep> {
    let steps = resolved.fields.steps.value.iter().flat_map(|s| &s.0);
    let mut steps: Vec<(&str, &Step)> = steps.map(|(name, step)| (name.as_str(), step)).collect();
    let rank = |name: &str| ORDER.iter().position(|o| *o == name).unwrap_or(ORDER.len());
    steps.sort_by(|a, b| (rank(a.0), a.0).cmp(&(rank(b.0), b.0)));
    if steps.is_empty() {
        trace.field(resolved, "/layer_4_mcp/pipeline", id::steps);
    }
    let emitted = steps.iter().enumerate().map(|(n, (name, step))| {
        let part = |part: &str| -> Vec<StatementId> {
            let own = resolved.ledger.find(&format!("steps[{name}.{part}]"));
            own.map_or_else(|| item_rules(resolved, id::steps, name), |rule| vec![rule])
        };
        trace.put(format!("/layer_4_mcp/pipeline/{n}/on_detection"), part("onDetection"));
        trace.put(format!("/layer_4_mcp/pipeline/{n}/step"), item_rules(resolved, id::steps, name));
        trace.put(format!("/layer_4_mcp/pipeline/{n}/threshold_permille"), part("threshold"));
        PipelineStep {
            on_detection: step.on_detection.unwrap_or(OnDetection::Log),
            step: (*name).to_owned(),
            threshold_permille: step.threshold.map(|t| t.0.0),
        }
    });
    emitted.collect()
}
