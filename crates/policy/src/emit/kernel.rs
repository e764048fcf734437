//! The kernel slice: what the operating system refuses, whatever the prompt says.

use crate::emit::{Shared, Trace, allow_list, deny_list, network_rules};
use crate::fields::{FieldId, id};
use crate::ledger::StatementId;
use crate::pattern::PathRoot;
use crate::resolve::{Resolved, SYSTEM_ROOTS, bytes, count, exec_fields, http_statements, millis};
use crate::scale::{ExecMode, NetworkMode};
use crate::sets::AllowSet;
use crate::slice::{EnvRules, ExecRules, FsRules, HttpRule, KernelSlice, LandlockRule, Limits, Seccomp};
use std::borrow::Cow;

/// Emits the slice.
pub fn emit(resolved: &Resolved<'_>, trace: &mut Trace, shared: &Shared) -> KernelSlice {
    KernelSlice {
        env: env(resolved, trace),
        exec: exec(resolved, trace),
        fs: files(resolved, trace, shared),
        hidden_env: deny_list!(resolved, trace, "/layer_1_kernel/hidden_env", env_hidden),
        landlock_rules: landlock(resolved, trace),
        limits: limits(resolved, trace),
        minimum_tier: {
            trace.field(resolved, "/layer_1_kernel/minimum_tier", id::minimum_tier);
            resolved.fields.minimum_tier.value
        },
        network_egress_allowlist: shared.hosts_at(resolved, trace, "/layer_1_kernel/network_egress_allowlist"),
        network_http: http(resolved, trace),
        network_mode: {
            trace.put("/layer_1_kernel/network_mode", network_rules(resolved));
            resolved.network
        },
        seccomp: seccomp(resolved, trace),
    }
}

/// The rules for requests, each leaf with every document's statement about its host. Without a list of hosts there
/// is nobody to ask for anything.
fn http(resolved: &Resolved<'_>, trace: &mut Trace) -> Vec<HttpRule> {
    let pointer = "/layer_1_kernel/network_http";
    let stated = resolved.fields.network_http.value.as_ref();
    let Some(rules) = stated.filter(|_| resolved.network == NetworkMode::Allowlist) else {
        let fields = network_rules(resolved).chain(resolved.stated_rule(id::network_http));
        trace.put(pointer, fields.collect::<Vec<_>>());
        return Vec::new();
    };
    let list = rules.list();
    if list.is_empty() {
        trace.field(resolved, pointer, id::network_http);
    }
    let mut out = Vec::with_capacity(list.len());
    for (n, (rule, hosts)) in list.into_iter().enumerate() {
        let behind = trace.leaves.rules(http_statements(resolved, |host| hosts.contains(&host)));
        let mut leaves = |key: &str, members: Option<usize>| match members {
            None | Some(0) => trace.leaves.push(format_args!("{pointer}/{n}/{key}"), behind),
            Some(count) => {
                (0..count).for_each(|i| trace.leaves.push(format_args!("{pointer}/{n}/{key}/{i}"), behind));
            }
        };
        leaves("host", None);
        leaves("methods", rule.methods.as_ref().map(Vec::len));
        leaves("paths", Some(rule.paths.len()));
        out.push(rule);
    }
    out
}

fn env(resolved: &Resolved<'_>, trace: &mut Trace) -> EnvRules {
    let keep = allow_list!(resolved, trace, "/layer_1_kernel/env/keep", env_keep);
    trace.field(resolved, "/layer_1_kernel/env/scrub", id::env_scrub);
    EnvRules { keep, scrub: resolved.fields.env_scrub.value.is_none_or(|s| s.0) }
}

fn exec(resolved: &Resolved<'_>, trace: &mut Trace) -> ExecRules {
    let behind = trace.leaves.rules(exec_fields(resolved).iter().map(|f| resolved.rule(*f)));
    let allowlist = if resolved.exec == ExecMode::Allowlist {
        allow_list!(resolved, trace, "/layer_1_kernel/exec/allowlist", exec_allowlist)
    } else {
        trace.leaves.push("/layer_1_kernel/exec/allowlist", behind);
        None
    };
    let denied = deny_list!(resolved, trace, "/layer_1_kernel/exec/denied", exec_denied);
    trace.leaves.push("/layer_1_kernel/exec/mode", behind);
    ExecRules { allowlist, denied, mode: resolved.exec }
}

fn files(resolved: &Resolved<'_>, trace: &mut Trace, shared: &Shared) -> FsRules {
    trace.items(resolved, "/layer_1_kernel/fs/hidden", id::fs_hidden, &shared.hidden);
    trace.field(resolved, "/layer_1_kernel/fs/permission", id::fs_permission);
    trace.items(resolved, "/layer_1_kernel/fs/protected", id::fs_protected, &shared.protected);
    FsRules {
        hidden: shared.hidden.clone(),
        permission: resolved.permission,
        protected: shared.protected.clone(),
        read_roots: roots(resolved, trace, "/layer_1_kernel/fs/read_roots", &resolved.read_roots, id::fs_readable),
        toolchains: allow_list!(resolved, trace, "/layer_1_kernel/fs/toolchains", fs_toolchains),
        write_extensions: allow_list!(resolved, trace, "/layer_1_kernel/fs/write_extensions", fs_writable_extensions),
        write_roots: roots(resolved, trace, "/layer_1_kernel/fs/write_roots", &resolved.write_roots, id::fs_writable),
    }
}

/// The same roots in Landlock's terms. Hidden and protected paths are cut out by the applier, which knows
/// what exists; Landlock itself only ever adds.
fn landlock(resolved: &Resolved<'_>, trace: &mut Trace) -> Vec<LandlockRule> {
    let rule =
        |access: &'static str, path: &PathRoot| LandlockRule { access: Cow::Borrowed(access), path: path.to_string() };
    let written = resolved.write_roots.members().iter().map(|r| (rule("write", r), id::fs_writable));
    let read = resolved.read_roots.members().iter().map(|r| {
        let mut rule = rule("read", r);
        if SYSTEM_ROOTS.contains(&rule.path.as_str()) {
            rule.access = Cow::Borrowed("execute");
        }
        (rule, id::fs_readable)
    });
    let mut out = Vec::new();
    for (n, (rule, field)) in written.chain(read).enumerate() {
        let behind = trace.leaves.rules(root_rules(resolved, field));
        trace.leaves.push(format_args!("/layer_1_kernel/landlock_rules/{n}/access"), behind);
        trace.leaves.push(format_args!("/layer_1_kernel/landlock_rules/{n}/path"), behind);
        out.push(rule);
    }
    out
}

/// Roots with the permission and the narrowing statements behind each.
fn roots(
    resolved: &Resolved<'_>,
    trace: &mut Trace,
    pointer: &'static str,
    set: &AllowSet<PathRoot>,
    field: FieldId,
) -> Vec<String> {
    let behind = trace.leaves.rules(root_rules(resolved, field));
    if set.is_empty() {
        trace.leaves.push(pointer, behind);
    }
    for n in 0..set.members().len() {
        trace.leaves.push(format_args!("{pointer}/{n}"), behind);
    }
    set.members().iter().map(ToString::to_string).collect()
}

/// The permission, and what narrows it.
fn root_rules(resolved: &Resolved<'_>, field: FieldId) -> impl Iterator<Item = StatementId> {
    [resolved.rule(id::fs_permission)].into_iter().chain(resolved.stated_rule(field))
}

fn limits(resolved: &Resolved<'_>, trace: &mut Trace) -> Limits {
    let f = &resolved.fields;
    for (pointer, field) in [
        ("/layer_1_kernel/limits/cpu_ms", id::limit_cpu),
        ("/layer_1_kernel/limits/file_size_bytes", id::limit_file_size),
        ("/layer_1_kernel/limits/memory_bytes", id::limit_memory),
        ("/layer_1_kernel/limits/open_files", id::limit_open_files),
        ("/layer_1_kernel/limits/processes", id::limit_processes),
        ("/layer_1_kernel/limits/wall_ms", id::limit_wall),
    ] {
        trace.field(resolved, pointer, field);
    }
    Limits {
        cpu_ms: millis(f.limit_cpu.value),
        file_size_bytes: bytes(f.limit_file_size.value),
        memory_bytes: bytes(f.limit_memory.value),
        open_files: count(f.limit_open_files.value),
        processes: count(f.limit_processes.value),
        wall_ms: millis(f.limit_wall.value),
    }
}

fn seccomp(resolved: &Resolved<'_>, trace: &mut Trace) -> Seccomp {
    let families: &[&str] = match resolved.network {
        NetworkMode::None => &["unix"],
        NetworkMode::Allowlist | NetworkMode::Host => &["unix", "inet", "inet6"],
    };
    trace.fixed(resolved, "/layer_1_kernel/seccomp/profile");
    for n in 0..families.len() {
        trace.put(format_args!("/layer_1_kernel/seccomp/socket_families/{n}"), network_rules(resolved));
    }
    Seccomp { profile: Cow::Borrowed("agent"), socket_families: families.iter().map(|f| Cow::Borrowed(*f)).collect() }
}
