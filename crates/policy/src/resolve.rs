//! Effective fields → what holds, with silence filled in.
//!
//! This is the only place that says what silence means. Reach outward is closed (no network, no files),
//! tools are asked about, and what only narrows (imports, models, programs) is open until somebody lists.

use crate::cascade::Cascade;
use crate::catalog::Catalog;
use crate::fields::{EffectiveFields, FieldId, Fields, id};
use crate::ledger::{Ledger, StatementId, Statements};
use crate::pattern::{HostPattern, PathRoot};
use crate::quantity::{Bytes, Count, Millis};
use crate::scale::{ExecMode, FsPermission, NetworkMode};
use crate::sets::AllowSet;
use crate::strictness::{Ceiling, Strictness};
use crate::tools::{Synthetic, ToolVerdicts, verdicts};
use hashbrown::HashMap;
use std::sync::{Arc, LazyLock};

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
    pub fn new(cascade: &'a Cascade, catalog: Option<&Catalog>) -> Self {
        let fields = cascade.effective();
        let (ledger, ids) = Ledger::new(cascade, &*SYNTHETIC);
        let silence = Silence::new(&ids);
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

    /// The rule of a field as a whole, by its first statement; the default's where nobody states it.
    pub fn rule(&self, field: FieldId) -> StatementId {
        self.stated_rule(field).unwrap_or(self.silence.default)
    }

    /// The rule of a field as a whole, by its first statement; none where nobody states it.
    pub fn stated_rule(&self, field: FieldId) -> Option<StatementId> {
        self.ledger.wholes(field, self.fields.stated_by(field)).next()
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

/// What a permission gives by itself: to read, and to write.
pub(crate) fn given_roots(permission: FsPermission) -> [AllowSet<PathRoot>; 2] {
    [read_roots(permission, None), write_roots(permission, None)]
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

/// An empty allowlist is no network. On the host's own network nobody looks at requests, so rules for them ask for
/// an allowlist.
fn network(fields: &EffectiveFields) -> NetworkMode {
    let listed = fields.network_allowlist.value.as_ref().is_some_and(|s| !s.is_empty());
    match fields.network_mode.value {
        Some(NetworkMode::Host) if fields.network_http.value.is_some() && !listed => NetworkMode::None,
        Some(NetworkMode::Host) if fields.network_http.value.is_some() => NetworkMode::Allowlist,
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

/// What holds without being stated, in the order of [`Silence::new`]. The same for every sandbox.
static SYNTHETIC: LazyLock<[Arc<Statements>; 6]> = LazyLock::new(|| {
    let silence = "nobody states it; this is what silence means";
    let catalog = "the tool catalog decides which tools exist";
    [
        ("default", "defaults", silence),
        ("spec", "spec", "the sandbox spec fixes it"),
        ("default[tools.rules: ask]", "defaults", silence),
        ("catalog[unknown_tool: deny]", "catalog", catalog),
        ("catalog[status: deny]", "catalog", catalog),
        ("catalog[none: unclassified]", "catalog", "no tool catalog says what the tool can do"),
    ]
    .map(|(id, by, because)| Arc::new(Statements::synthetic(id, by, because)))
});

impl Silence {
    fn new(ids: &[StatementId]) -> Self {
        let id = |n: usize| ids.get(n).copied().unwrap_or(StatementId(u32::MAX));
        let tools = Synthetic { no_rule: id(2), unknown_tool: id(3), not_approved: id(4), no_catalog: id(5) };
        Self { default: id(0), spec: id(1), tools }
    }
}

/// The rules of a field's items by their text, for fields that are emitted item by item.
#[derive(Debug)]
pub struct ItemRules<'a> {
    by_text: HashMap<&'a str, StatementId>,
    whole: StatementId,
}

impl<'a> ItemRules<'a> {
    /// Gathers them from every document that states the field.
    pub fn new(resolved: &'a Resolved<'_>, field: FieldId) -> Self {
        let mut by_text = HashMap::new();
        for c in resolved.fields.stated_by(field) {
            for (statement, rule) in resolved.ledger.items_of(*c, field) {
                let text = rule.get(field.path().len() + 1..rule.len().saturating_sub(1)).unwrap_or_default();
                by_text.entry(text).or_insert(statement);
            }
        }
        Self { by_text, whole: resolved.rule(field) }
    }

    /// The rule of one item.
    pub fn find(&self, item: &str) -> Option<StatementId> {
        self.by_text.get(item).copied()
    }

    /// The rule of one item; the field's own where there is none.
    pub fn rule(&self, item: &str) -> StatementId {
        self.find(item).unwrap_or(self.whole)
    }
}

/// The fields that decide which network there is. A list that nobody wrote is silence, whoever asked for
/// one; a list that came out empty decides together with the mode.
pub fn network_fields(resolved: &Resolved<'_>) -> &'static [FieldId] {
    let f = &resolved.fields;
    match (resolved.network, f.network_mode.value, &f.network_allowlist.value) {
        (NetworkMode::None, Some(NetworkMode::Allowlist | NetworkMode::Host), None) => &[id::network_allowlist],
        (NetworkMode::None, Some(NetworkMode::Allowlist), Some(_)) => &[id::network_allowlist, id::network_mode],
        _ => &[id::network_mode],
    }
}

/// The statements about requests to some hosts, from the top level down.
pub fn http_statements<'a>(
    resolved: &'a Resolved<'_>,
    about: impl Fn(&HostPattern) -> bool + 'a,
) -> impl Iterator<Item = StatementId> + 'a {
    let contributions = resolved.cascade.contributions();
    let by = resolved.fields.network_http.by.iter();
    let stated = by.filter_map(|c| Some((*c, contributions.get(*c as usize)?.fields.network_http.as_ref()?)));
    stated.flat_map(move |(c, stated)| {
        let hits: Vec<usize> = (0..).zip(&stated.items).filter(|(_, (h, _))| about(h)).map(|(n, _)| n).collect();
        hits.into_iter().filter_map(move |n| resolved.ledger.item(c, id::network_http, n))
    })
}

/// The same for programs.
pub fn exec_fields(resolved: &Resolved<'_>) -> &'static [FieldId] {
    let f = &resolved.fields;
    match (resolved.exec, f.exec_mode.value, &f.exec_allowlist.value) {
        (ExecMode::None, Some(ExecMode::Allowlist), None) => &[id::exec_allowlist],
        (ExecMode::None, Some(ExecMode::None), _) | (ExecMode::Any, _, _) => &[id::exec_mode],
        _ => &[id::exec_mode, id::exec_allowlist],
    }
}
