//! The harness slice: what the agent's own permission system and hooks are set to.

use crate::emit::{Shared, Trace, network_rules};
use crate::fields::id;
use crate::resolve::{APPROVAL_TIMEOUT_MS, APPROVALS_MAX, Resolved, STRIKES, count};
use crate::slice::{HarnessSandbox, HarnessSlice, Hooks, Permissions};

/// Emits the slice.
pub fn emit(resolved: &Resolved<'_>, trace: &mut Trace, shared: &Shared) -> HarnessSlice {
    HarnessSlice {
        guards: shared.guards.clone(),
        hooks: hooks(resolved, trace),
        permissions: permissions(resolved, trace, shared),
        pipeline: shared.pipeline.clone(),
        sandbox: sandbox(resolved, trace, shared),
    }
}

fn hooks(resolved: &Resolved<'_>, trace: &mut Trace) -> Hooks {
    let f = &resolved.fields;
    let guarded = [f.spotlighting.value, f.scanner.value, f.quarantine.value].into_iter().flatten().any(|s| s.0);
    let rules = [id::spotlighting, id::scanner, id::quarantine, id::steps].map(|field| resolved.rule(field));
    trace.put("/layer_2_harness/hooks/after_tool", rules);
    trace.fixed(resolved, "/layer_2_harness/hooks/before_tool");
    Hooks { after_tool: guarded || f.steps.value.is_some(), before_tool: true }
}

fn permissions(resolved: &Resolved<'_>, trace: &mut Trace, shared: &Shared) -> Permissions {
    let f = &resolved.fields;
    for (pointer, field) in [
        ("/layer_2_harness/permissions/approval_timeout_ms", id::approval_timeout),
        ("/layer_2_harness/permissions/approvals_max", id::approval_max),
        ("/layer_2_harness/permissions/max_calls", id::max_calls),
        ("/layer_2_harness/permissions/strikes", id::strikes),
    ] {
        trace.field(resolved, pointer, field);
    }
    Permissions {
        approval_timeout_ms: resolved.millis(f.approval_timeout.value, APPROVAL_TIMEOUT_MS),
        approvals_max: resolved.count(f.approval_max.value, APPROVALS_MAX),
        constraints: shared.constraints.clone(),
        max_calls: count(f.max_calls.value),
        strikes: resolved.count(f.strikes.value, STRIKES),
        tools: shared.tools.clone(),
    }
}

fn sandbox(resolved: &Resolved<'_>, trace: &mut Trace, shared: &Shared) -> HarnessSandbox {
    trace.items(resolved, "/layer_2_harness/sandbox/deny_read", id::fs_hidden, &shared.hidden);
    trace.items(resolved, "/layer_2_harness/sandbox/deny_write", id::fs_protected, &shared.protected);
    trace.field(resolved, "/layer_2_harness/sandbox/filesystem", id::fs_permission);
    trace.put("/layer_2_harness/sandbox/network", network_rules(resolved));
    HarnessSandbox {
        deny_read: shared.hidden.clone(),
        deny_write: shared.protected.clone(),
        filesystem: resolved.permission,
        network: resolved.network,
        network_allowlist: shared.hosts_at(resolved, trace, "/layer_2_harness/sandbox/network_allowlist"),
    }
}
