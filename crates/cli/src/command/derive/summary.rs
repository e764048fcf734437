//! A config in a few lines: what each slice holds, what a layer leaves to another, and how long it is valid.

use crate::output::{count, shown};
use ringfence_policy::config::SandboxConfig;
use ringfence_policy::gap::Gap;
use ringfence_policy::level::Layer;
use ringfence_policy::quantity::{Bytes, Millis};
use ringfence_policy::scale::{Effect, ExecMode, NetworkMode};
use ringfence_policy::slice::{CodemodeSlice, GatewaySlice, Guards, HarnessSlice, KernelSlice, McpSlice, ToolEffects};
use std::collections::{BTreeMap, BTreeSet};

/// The config in a few lines.
pub(crate) fn summary(config: &SandboxConfig) -> String {
    let off = || "off".to_owned();
    let mut lines = vec![
        ("sandbox", format!("{} ({}), organisation {}", config.sandbox_name, config.sandbox_id, config.org_id)),
        ("gateway", config.layer_5_gateway.as_ref().map_or_else(off, gateway)),
        ("mcp", config.layer_4_mcp.as_ref().map_or_else(off, mcp)),
        ("codemode", config.layer_3_codemode.as_ref().map_or_else(off, codemode)),
        ("harness", config.layer_2_harness.as_ref().map_or_else(off, harness)),
        ("kernel", config.layer_1_kernel.as_ref().map_or_else(off, kernel)),
    ];
    lines.extend(gaps(&config.gaps).into_iter().map(|gap| ("gap", gap)));
    let dash = |t: &Option<String>| t.clone().unwrap_or_else(|| "-".to_owned());
    if let Some(version) = config.policy_version {
        lines.push(("version", version.to_string()));
    }
    lines.push(("hash", dash(&config.content_hash)));
    lines.push(("issued", format!("{}, expires {}", dash(&config.issued_at), dash(&config.expires_at))));
    lines.iter().map(|(name, text)| format!("{name:<9} {}\n", shown(text))).collect()
}

fn gateway(slice: &GatewaySlice) -> String {
    let mut parts = vec![format!("models {}", listed(slice.models.as_deref(), "any"))];
    parts.extend(slice.residency.as_ref().map(|r| format!("in {}", r.join(", "))));
    parts.extend(slice.budget.tokens_per_day.map(|n| format!("{n} tokens a day")));
    parts.extend(slice.budget.tokens_per_run.map(|n| format!("{n} tokens a run")));
    parts.extend(slice.budget.requests_per_minute.map(|n| format!("{n} requests a minute")));
    parts.join("; ")
}

fn mcp(slice: &McpSlice) -> String {
    let mut parts = vec![format!("tools {}", effects(&slice.capabilities.tools))];
    let constrained = slice.capabilities.constraints.len();
    parts.extend((constrained > 0).then(|| format!("{} constrained", count(constrained, "pattern"))));
    parts.push(guards(&slice.guards));
    parts.extend((!slice.pipeline.is_empty()).then(|| count(slice.pipeline.len(), "step")));
    parts.extend(slice.capabilities.max_calls.map(|n| format!("at most {n} calls")));
    parts.join("; ")
}

fn guards(guards: &Guards) -> String {
    let mut on = Vec::new();
    if guards.spotlighting.enabled {
        on.push(format!("spotlighting ({})", guards.spotlighting.mode));
    }
    if guards.output_scanner.enabled {
        on.push(format!("scanner (from {})", guards.output_scanner.severity_block));
    }
    if guards.quarantine.enabled {
        on.push(format!("quarantine (from {} characters)", guards.quarantine.threshold_chars));
    }
    if on.is_empty() { "no guards".to_owned() } else { format!("guards {}", on.join(", ")) }
}

fn codemode(slice: &CodemodeSlice) -> String {
    let mut parts = vec![format!("imports {}", listed(slice.allowed_imports.as_deref(), "any"))];
    let denied = slice.denied_imports.len();
    parts.extend((denied > 0).then(|| format!("{denied} denied")));
    parts.push(format!("network {}", slice.executor_network));
    parts.extend(slice.limits.wall_ms.map(|n| Millis(n).to_string()));
    parts.extend(slice.limits.memory_bytes.map(|n| Bytes(n).to_string()));
    parts.join("; ")
}

fn harness(slice: &HarnessSlice) -> String {
    let p = &slice.permissions;
    format!(
        "tools {}; {}; approvals wait {}, at most {}",
        effects(&p.tools),
        count(usize::try_from(p.strikes).unwrap_or(usize::MAX), "strike"),
        Millis(p.approval_timeout_ms),
        p.approvals_max
    )
}

fn kernel(slice: &KernelSlice) -> String {
    let network = match slice.network_mode {
        NetworkMode::Allowlist => format!("network {}", slice.network_egress_allowlist.join(", ")),
        mode => format!("network {mode}"),
    };
    let exec = match slice.exec.mode {
        ExecMode::Allowlist => format!("programs {}", listed(slice.exec.allowlist.as_deref(), "any")),
        ExecMode::Any if !slice.exec.denied.is_empty() => format!("programs any but {}", slice.exec.denied.join(", ")),
        mode => format!("programs {mode}"),
    };
    let fs = &slice.fs;
    let files = format!("files {}, {} hidden, {} protected", fs.permission, fs.hidden.len(), fs.protected.len());
    let limits = [
        slice.limits.memory_bytes.map(|n| Bytes(n).to_string()),
        slice.limits.processes.map(|n| format!("{n} processes")),
        slice.limits.wall_ms.map(|n| Millis(n).to_string()),
    ];
    let limits: Vec<String> = limits.into_iter().flatten().collect();
    let mut parts = vec![network, files, exec];
    parts.extend((!limits.is_empty()).then(|| limits.join(", ")));
    parts.join("; ")
}

fn effects(tools: &ToolEffects) -> String {
    let n = |effect: Effect| tools.list().iter().filter(|(_, e)| *e == effect).count();
    format!("{} allow, {} ask, {} deny", n(Effect::Allow), n(Effect::Ask), n(Effect::Deny))
}

fn listed(items: Option<&[String]>, all: &str) -> String {
    match items {
        None => all.to_owned(),
        Some([]) => "none".to_owned(),
        Some(items) => items.join(", "),
    }
}

/// One line for each reason of each layer, with the parts of a policy it holds for.
fn gaps(gaps: &[Gap]) -> Vec<String> {
    let mut by: BTreeMap<(Layer, &str, &[Layer]), BTreeSet<&str>> = BTreeMap::new();
    for gap in gaps {
        by.entry((gap.layer, &gap.why, &gap.covered_by)).or_default().insert(part(&gap.rule));
    }
    let line = |((layer, why, covered), parts): ((Layer, &str, &[Layer]), BTreeSet<&str>)| {
        let covered: Vec<&str> = covered.iter().map(|l| l.as_str()).collect();
        let by = if covered.is_empty() { "nothing".to_owned() } else { covered.join(", ") };
        let parts: Vec<&str> = parts.into_iter().collect();
        format!("{layer} leaves {} to {by}: {why}", parts.join(", "))
    };
    by.into_iter().map(line).collect()
}

/// The part of a policy that a field belongs to: `sandbox.network.mode` → `sandbox.network`, `gateway.models` → `gateway`.
fn part(path: &str) -> &str {
    let depth = if path.starts_with("sandbox.") || path.starts_with("tools.guards.") { 2 } else { 1 };
    let end = path.match_indices('.').nth(depth - 1).map_or(path.len(), |(at, _)| at);
    path.get(..end).unwrap_or(path)
}
