//! The MCP slice: which tools exist, what their arguments must satisfy, what happens to their output.

use crate::emit::{Shared, Trace, allow_list, deny_list};
use crate::fields::id;
use crate::resolve::{Resolved, STRIKES, count};
use crate::slice::{McpCapabilities, McpSlice};
use crate::spec::SandboxSpec;

/// Emits the slice.
pub fn emit(resolved: &Resolved<'_>, spec: &SandboxSpec, trace: &mut Trace, shared: &Shared) -> McpSlice {
    let capabilities = capabilities(resolved, trace, shared);
    trace.fixed(resolved, "/layer_4_mcp/mcp_proxy_url");
    trace.fixed(resolved, "/layer_4_mcp/mcp_session_token");
    McpSlice {
        capabilities,
        guards: shared.guards.clone(),
        mcp_proxy_url: spec.parameter("mcp_proxy_url").map(str::to_owned),
        mcp_session_token: None,
        pipeline: shared.pipeline.clone(),
    }
}

fn capabilities(resolved: &Resolved<'_>, trace: &mut Trace, shared: &Shared) -> McpCapabilities {
    let f = &resolved.fields;
    let allowed = allow_list!(resolved, trace, "/layer_4_mcp/capabilities/allowed", permitted);
    let forbidden = deny_list!(resolved, trace, "/layer_4_mcp/capabilities/forbidden", forbidden);
    trace.field(resolved, "/layer_4_mcp/capabilities/max_calls", id::max_calls);
    trace.field(resolved, "/layer_4_mcp/capabilities/strikes", id::strikes);
    McpCapabilities {
        allowed,
        constraints: shared.constraints.clone(),
        forbidden,
        max_calls: count(f.max_calls.value),
        strikes: resolved.count(f.strikes.value, STRIKES),
        tools: shared.tools.clone(),
    }
}
