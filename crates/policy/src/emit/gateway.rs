//! The gateway slice: which models, how much, and which tools a response may call.

use crate::emit::{Shared, Trace, allow_list};
use crate::fields::id;
use crate::resolve::{Resolved, count};
use crate::slice::{Budget, GatewayCapabilities, GatewaySlice};
use crate::spec::SandboxSpec;

/// Emits the slice.
pub fn emit(resolved: &Resolved<'_>, spec: &SandboxSpec, trace: &mut Trace, shared: &Shared) -> GatewaySlice {
    let f = &resolved.fields;
    for (pointer, field) in [
        ("/layer_5_gateway/budget/requests_per_minute", id::requests_per_minute),
        ("/layer_5_gateway/budget/tokens_per_day", id::tokens_per_day),
        ("/layer_5_gateway/budget/tokens_per_run", id::tokens_per_run),
    ] {
        trace.field(resolved, pointer, field);
    }
    trace.fixed(resolved, "/layer_5_gateway/gateway_token");
    trace.fixed(resolved, "/layer_5_gateway/gateway_url");
    GatewaySlice {
        budget: Budget {
            requests_per_minute: count(f.requests_per_minute.value),
            tokens_per_day: count(f.tokens_per_day.value),
            tokens_per_run: count(f.tokens_per_run.value),
        },
        capabilities: GatewayCapabilities { constraints: shared.constraints.clone(), tools: shared.tools.clone() },
        gateway_token: None,
        gateway_url: spec.parameter("gateway_url").map(str::to_owned),
        guards: shared.guards.clone(),
        models: allow_list!(resolved, trace, "/layer_5_gateway/models", models),
        pipeline: shared.pipeline.clone(),
        residency: allow_list!(resolved, trace, "/layer_5_gateway/residency", residency),
    }
}
