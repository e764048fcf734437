//! The codemode slice: what holds for code that the agent writes.

use crate::emit::{Trace, allow_list, deny_list, network_rules};
use crate::fields::id;
use crate::resolve::{Resolved, bytes, millis};
use crate::slice::{CodeLimits, CodemodeSlice};

/// Emits the slice. Code never has more network than the sandbox it runs in.
pub fn emit(resolved: &Resolved<'_>, trace: &mut Trace) -> CodemodeSlice {
    let f = &resolved.fields;
    let allowed_imports = allow_list!(resolved, trace, "/layer_3_codemode/allowed_imports", allowed_imports);
    let denied_imports = deny_list!(resolved, trace, "/layer_3_codemode/denied_imports", denied_imports);
    let inherited = f.code_network.value.is_none_or(|mode| mode < resolved.network);
    let network = network_rules(resolved).filter(|_| inherited);
    trace.put("/layer_3_codemode/executor_network", [resolved.rule(id::code_network)].into_iter().chain(network));
    trace.field(resolved, "/layer_3_codemode/limits/memory_bytes", id::code_memory);
    trace.field(resolved, "/layer_3_codemode/limits/wall_ms", id::code_wall);
    CodemodeSlice {
        allowed_imports,
        denied_imports,
        executor_network: f.code_network.value.map_or(resolved.network, |mode| mode.max(resolved.network)),
        limits: CodeLimits { memory_bytes: bytes(f.code_memory.value), wall_ms: millis(f.code_wall.value) },
    }
}
