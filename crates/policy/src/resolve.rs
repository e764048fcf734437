//! Effective fields → what holds, with silence filled in.
//!
//! This is the only place that says what silence means. Reach outward is closed (no network, no files),
//! tools are asked about, and what only narrows (imports, models, programs) is open until somebody lists.

use crate::cascade::Cascade;
use crate::catalog::Catalog;
use crate::fields::{EffectiveFields, FieldId, Fields, id};
use crate::ledger::{Ledger, RuleId, StatementId};
use crate::pattern::{HostPattern, PathRoot};
use crate::quantity::{Bytes, Count, Millis};
use crate::scale::{ExecMode, FsPermission, NetworkMode};
use crate::sets::AllowSet;
use crate::span::Place;
use crate::spec::SandboxSpec;
use crate::strictness::{Ceiling, Strictness};
use crate::tools::{Synthetic, ToolVerdicts, verdicts};
use std::sync::Arc;

/// Directories every program needs to start; always readable, never writable.
pub const SYSTEM_ROOTS: &[&str] = &["/bin", "/etc", "/lib", "/lib32", "/lib64", "/opt", "/sbin", "/usr"];
/// The private scratch directory of a run.
pub const SCRATCH: &str = "/tmp";

/// Default number of denied calls after which a run is aborted.
pub const STRIKES: u64 = 3;
/// Default time an approval is waited for.
pub const APPROVAL_TIMEOUT_MS: u64 = 30_000;
/// Default number of approvals in a session.
pub const APPROVALS_MAX: u64 = 10;
/// Default validity of a config.
pub const VALIDITY_MS: u64 = 300_000;
/// Default length from which output is quarantined.
pub const THRESHOLD_CHARS: u64 = 8_000;

/// Everything that holds, with the ledger that says why.
#[derive(Debug)]
pub struct Resolved<'a> {
    /// The cascade it comes from.
    pub cascade: &'a Cascade,
    /// The merged statements.
    pub fields: EffectiveFields,
    /// Every statement.
    pub ledger: Arc<Ledger>,
    /// Which network there is.
    pub network: NetworkMode,
    /// Which files there are.
    pub permission: FsPermission,
    /// Roots that can be read: what the permission gives, narrowed by what is stated, and the system's own.
    pub read_roots: AllowSet<PathRoot>,
    /// Roots that can be written.
    pub write_roots: AllowSet<PathRoot>,
    /// Which programs may start.
    pub exec: ExecMode,
    /// What happens to each tool.
    pub tools: ToolVerdicts,
    /// Statements that no document makes.
    pub silence: Silence,
}

/// Synthetic statements for what nobody stated.
#[derive(Debug, Clone, Copy)]
pub struct Silence {
    /// A value that nobody stated.
    pub default: StatementId,
    /// A value the spec or the format fixes.
    pub spec: StatementId,
    /// Tool reasons.
    pub tools: Synthetic,
}

impl<'a> Resolved<'a> {
    /// Folds the cascade and fills in silence.
    pub fn new(cascade: &'a Cascade, spec: &SandboxSpec, catalog: Option<&Catalog>) -> Self {
        let fields = cascade.effective();
        let mut ledger = Ledger::new(cascade);
        let silence = write_silence(&mut ledger, spec);
        let statements: Vec<&Fields> = cascade.contributions().iter().map(|c| &c.fields).collect();
        let tools = verdicts(statements, &fields, &ledger, catalog, silence.tools);
        let network = network(&fields);
        let permission = fields.fs_permission.value.unwrap_or(FsPermission::None);
        let exec = exec(&fields);
        let read_roots = read_roots(permission, fields.fs_readable.value.as_ref());
        let write_roots = write_roots(permission, fields.fs_writable.value.as_ref());
        Self {
            cascade,
            fields,
            ledger: Arc::new(ledger),
            network,
            permission,
            read_roots,
            write_roots,
            exec,
            tools,
            silence,
        }
    }

    /// The rules of a field as a whole; the default's where nobody states it.
    pub fn rules(&self, field: FieldId) -> Vec<RuleId> {
        let mut rules = self.stated_rules(field);
        if rules.is_empty() {
            rules.extend(self.ledger.rule_of(self.silence.default));
        }
        rules
    }

    /// The rules of a field as a whole; none where nobody states it.
    pub fn stated_rules(&self, field: FieldId) -> Vec<RuleId> {
        let by = self.fields.stated_by(field);
        self.ledger.wholes(field, by).filter_map(|s| self.ledger.rule_of(s)).take(1).collect()
    }

    /// The hosts of the allowlist.
    pub fn hosts(&self) -> &[HostPattern] {
        self.fields.network_allowlist.value.as_ref().map_or(&[], |s| s.members())
    }

    /// A duration in milliseconds, or its default.
    pub fn millis(&self, value: Option<Ceiling<Millis>>, default: u64) -> u64 {
        value.map_or(default, |c| c.0.0)
    }

    /// A count, or its default.
    pub fn count(&self, value: Option<Ceiling<Count>>, default: u64) -> u64 {
        value.map_or(default, |c| c.0.0)
    }
}

/// An upper bound as a bare number.
pub fn millis(value: Option<Ceiling<Millis>>) -> Option<u64> {
    value.map(|c| c.0.0)
}

/// An upper bound as a bare number.
pub fn bytes(value: Option<Ceiling<Bytes>>) -> Option<u64> {
    value.map(|c| c.0.0)
}

/// An upper bound as a bare number.
pub fn count(value: Option<Ceiling<Count>>) -> Option<u64> {
    value.map(|c| c.0.0)
}

fn paths(texts: &[&str]) -> AllowSet<PathRoot> {
    AllowSet::new(texts.iter().filter_map(|t| PathRoot::new(t).ok()).collect())
}

fn narrowed(given: &[&str], stated: Option<&AllowSet<PathRoot>>) -> AllowSet<PathRoot> {
    let given = paths(given);
    stated.map_or_else(|| given.clone(), |s| given.join(s))
}

fn read_roots(permission: FsPermission, stated: Option<&AllowSet<PathRoot>>) -> AllowSet<PathRoot> {
    let given: &[&str] = match permission {
        FsPermission::Full => &["/", "~", "."],
        FsPermission::RepoReadwrite | FsPermission::RepoReadonly => &["."],
        FsPermission::None => &[],
    };
    let mut roots = narrowed(given, stated).members().to_vec();
    roots.extend_from_slice(paths(SYSTEM_ROOTS).members());
    AllowSet::new(roots)
}

fn write_roots(permission: FsPermission, stated: Option<&AllowSet<PathRoot>>) -> AllowSet<PathRoot> {
    let given: &[&str] = match permission {
        FsPermission::Full => &["/", "~", "."],
        FsPermission::RepoReadwrite => &[".", SCRATCH],
        FsPermission::RepoReadonly => &[SCRATCH],
        FsPermission::None => &[],
    };
    narrowed(given, stated)
}

/// An empty allowlist is no network.
fn network(fields: &EffectiveFields) -> NetworkMode {
    let listed = fields.network_allowlist.value.as_ref().is_some_and(|s| !s.is_empty());
    match fields.network_mode.value {
        Some(NetworkMode::Allowlist) if !listed => NetworkMode::None,
        Some(mode) => mode,
        None => NetworkMode::None,
    }
}

fn exec(fields: &EffectiveFields) -> ExecMode {
    let listed = fields.exec_allowlist.value.as_ref().is_some_and(|s| !s.is_empty());
    match fields.exec_mode.value {
        Some(ExecMode::Allowlist) if !listed => ExecMode::None,
        Some(mode) => mode,
        None => ExecMode::Any,
    }
}

fn write_silence(ledger: &mut Ledger, spec: &SandboxSpec) -> Silence {
    let defaults = ledger.add_origin("defaults", "nobody states it; this is what silence means");
    let catalog = ledger.add_origin("catalog", "the tool catalog decides which tools exist");
    let from_spec = ledger.add_origin("spec", "the sandbox spec fixes it");
    let here = Place::default();
    Silence {
        default: ledger.synthetic("default".to_owned(), defaults, here),
        spec: ledger.synthetic("spec".to_owned(), from_spec, spec.place),
        tools: Synthetic {
            no_rule: ledger.synthetic("default[tools.rules: ask]".to_owned(), defaults, here),
            unknown_tool: ledger.synthetic("catalog[unknown_tool: deny]".to_owned(), catalog, here),
            not_approved: ledger.synthetic("catalog[status: deny]".to_owned(), catalog, here),
            no_catalog: ledger.synthetic("catalog[none: unclassified]".to_owned(), catalog, here),
        },
    }
}

/// The rules behind a field, for fields whose items are emitted one by one.
pub fn item_rules(resolved: &Resolved<'_>, field: FieldId, item: &str) -> Vec<RuleId> {
    let own = resolved.ledger.find(&crate::ledger::rule_id(field, Some(item)));
    let mut rules: Vec<RuleId> = own.into_iter().collect();
    if rules.is_empty() {
        rules = resolved.rules(field);
    }
    rules
}

/// The field that decides which network there is: an empty list decides by itself.
pub fn network_fields(resolved: &Resolved<'_>) -> Vec<FieldId> {
    let emptied = resolved.network == NetworkMode::None
        && resolved.fields.network_mode.value == Some(NetworkMode::Allowlist)
        && resolved.fields.network_allowlist.value.is_some();
    if emptied { vec![id::network_allowlist, id::network_mode] } else { vec![id::network_mode] }
}
