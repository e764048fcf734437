//! **The one place for every field of the schema and its merge rule.**
//!
//! Each line of the table names a field, its type and its path in a document. The type is the merge rule
//! (see `strictness` and `sets`); `docs/reference/fields.md` and the JSON Schema are printed from this
//! table. To add a field, add a line here and emit it in the slice that enforces it.

use crate::constraint::{Constraints, DomainPattern};
use crate::http::HttpRules;
use crate::node::Node;
use crate::pattern::{Extension, HostPattern, ImportPattern, Label, NamePattern, PathPattern, PathRoot, Program};
use crate::quantity::{Bytes, Count, Millis};
use crate::read::Reader;
use crate::rules::Rules;
use crate::scale::{CapabilityClass, ExecMode, FsPermission, NetworkMode, SeverityBlock, SpotlightMode, Tier};
use crate::sets::{AllowSet, DenySet};
use crate::steps::Steps;
use crate::strictness::{AtLeast, Ceiling, Merge, Permit, Stated, Strictness, Switch};
use serde_json::Value as Json;

/// A field, as an index into [`FIELDS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldId(pub u8);

impl FieldId {
    /// What the table says about it.
    pub fn info(self) -> &'static FieldInfo {
        const NONE: FieldInfo = FieldInfo {
            path: "",
            merge: Merge::Ordered,
            doc: "",
            silence: "",
            aspect: Aspect::Run,
            schema: || Json::Null,
        };
        FIELDS.get(self.0 as usize).unwrap_or(&NONE)
    }

    /// The path in a document.
    pub fn path(self) -> &'static str {
        self.info().path
    }
}

/// What the table says about a field.
#[derive(Debug)]
pub struct FieldInfo {
    /// Its path in a document.
    pub path: &'static str,
    /// How statements of it merge.
    pub merge: Merge,
    /// What it means.
    pub doc: &'static str,
    /// What holds when nobody states it.
    pub silence: &'static str,
    /// Which aspect it belongs to; the aspect says which layers can enforce it.
    pub aspect: Aspect,
    /// The JSON Schema of its value.
    pub schema: fn() -> Json,
}

/// What a rule is about. `gap` says for each aspect which layers can enforce it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aspect {
    /// Hosts.
    Network,
    /// Files.
    Filesystem,
    /// Programs.
    Exec,
    /// Memory, time, processes.
    Limits,
    /// Environment variables.
    Env,
    /// Tool calls.
    Tools,
    /// The session around tool calls: counting them, asking about them.
    Session,
    /// What tools hand back.
    Guards,
    /// Code the agent writes.
    Code,
    /// Models and budgets.
    Gateway,
    /// The run itself: validity, log, layers; no single layer enforces these.
    Run,
}

/// One field as one document states it, whatever its type.
pub trait FieldVisitor {
    /// Called for each stated field, in table order.
    fn field<T: Strictness>(&mut self, id: FieldId, stated: &Stated<T>);
}

/// One field stated below and above.
pub trait PairVisitor {
    /// Called for each field that both state.
    fn pair<T: Strictness>(&mut self, id: FieldId, below: &Stated<T>, above: &Stated<T>);
}

/// What all contributions say about one field.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged<T> {
    /// The strictest; absent when nobody states it.
    pub value: Option<T>,
    /// Which contributions state it, in cascade order.
    pub by: Vec<u16>,
}

macro_rules! fields {
    ($( $(#[doc = $doc:literal])+ $name:ident : $ty:ty = $path:literal, $aspect:ident, $silence:literal; )*) => {
        /// The fields one document states, each with its place.
        #[derive(Debug, Clone, PartialEq, Default)]
        pub struct Fields { $( $(#[doc = $doc])+ pub $name: Option<Stated<$ty>>, )* }

        /// The fields of an effective policy: the fold of all contributions.
        #[derive(Debug, Clone, PartialEq)]
        pub struct EffectiveFields { $( $(#[doc = $doc])+ pub $name: Merged<$ty>, )* }

        /// Every field there is, in document order.
        pub const FIELDS: &[FieldInfo] = &[$( FieldInfo {
            path: $path,
            merge: <$ty as Strictness>::MERGE,
            doc: concat!($($doc),+),
            silence: $silence,
            aspect: Aspect::$aspect,
            schema: <$ty as Strictness>::schema,
        } ),*];

        #[expect(non_camel_case_types, reason = "named after the fields they number")]
        #[repr(u8)]
        enum Number { $($name),* }

        /// The id of each field, by its name in [`Fields`].
        #[expect(non_upper_case_globals, reason = "named after the fields they number")]
        pub mod id {
            use super::{FieldId, Number};
            $( #[doc = $path] pub const $name: FieldId = FieldId(Number::$name as u8); )*
        }

        impl Fields {
            /// Shows every stated field to a visitor.
            pub fn visit(&self, visitor: &mut impl FieldVisitor) {
                $( if let Some(stated) = &self.$name { visitor.field(id::$name, stated); } )*
            }

            /// Shows every field that both state to a visitor.
            pub fn visit_pairs(&self, above: &Self, visitor: &mut impl PairVisitor) {
                $( if let (Some(mine), Some(theirs)) = (&self.$name, &above.$name) { visitor.pair(id::$name, mine, theirs); } )*
            }

            /// Reads the field at a path of the table.
            pub(crate) fn read_field(&mut self, path: &str, node: &Node, reader: &mut Reader) {
                match path { $( $path => self.$name = <$ty as Strictness>::read(node, reader), )* _ => {} }
            }

            /// The stated fields as path and document value.
            pub fn print(&self) -> Vec<(&'static str, Json)> {
                let mut out = Vec::new();
                $( if let Some(stated) = &self.$name { out.push(($path, stated.value.print())); } )*
                out
            }

            /// Whether anything is stated.
            pub fn is_empty(&self) -> bool {
                true $( && self.$name.is_none() )*
            }

            /// Both statements as one: what a single document would have to say. Places are the first's.
            #[must_use]
            pub fn join(&self, other: &Self) -> Self {
                Self { $( $name: match (&self.$name, &other.$name) {
                    (Some(a), Some(b)) => Some(Stated { value: a.value.join(&b.value), ..a.clone() }),
                    (a, b) => a.as_ref().or(b.as_ref()).cloned(),
                }, )* }
            }
        }

        impl EffectiveFields {
            /// Folds contributions, given in cascade order, to the strictest of each field.
            pub fn fold<'a>(contributions: impl Iterator<Item = &'a Fields> + Clone) -> Self {
                Self { $( $name: merge_one(contributions.clone().map(|f| f.$name.as_ref())), )* }
            }

            /// The merged values as path and document value; what a law compares.
            pub fn print(&self) -> Vec<(&'static str, Json)> {
                let mut out = Vec::new();
                $( if let Some(value) = &self.$name.value { out.push(($path, value.print())); } )*
                out
            }

            /// How each setting of `other` compares with this one: fields that answer no question.
            pub fn compare_settings(&self, other: &Self) -> Vec<(FieldId, FieldOrder, String, String)> {
                let mut out = Vec::new();
                $( if is_setting(id::$name) {
                    let (a, b) = (self.$name.value.as_ref(), other.$name.value.as_ref());
                    if a.is_some() || b.is_some() {
                        let words = |v: Option<&$ty>| v.map_or_else(|| "not stated".to_owned(), |v| v.print().to_string());
                        out.push((id::$name, order(a, b), words(a), words(b)));
                    }
                } )*
                out
            }

            /// Which contributions state a field.
            pub fn stated_by(&self, field: FieldId) -> &[u16] {
                $( if field == id::$name { return &self.$name.by; } )*
                &[]
            }
        }
    };
}

/// How one statement compares with another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldOrder {
    /// The same.
    Same,
    /// The second allows more.
    Looser,
    /// The second allows less.
    Stricter,
    /// Each is stricter somewhere.
    Neither,
}

fn order<T: Strictness>(before: Option<&T>, after: Option<&T>) -> FieldOrder {
    match (before, after) {
        (None, None) => FieldOrder::Same,
        (None, Some(_)) => FieldOrder::Stricter,
        (Some(_), None) => FieldOrder::Looser,
        (Some(a), Some(b)) if a == b => FieldOrder::Same,
        (Some(a), Some(b)) => match a.join(b) {
            joined if joined == *b => FieldOrder::Stricter,
            joined if joined == *a => FieldOrder::Looser,
            _ => FieldOrder::Neither,
        },
    }
}

/// Whether a field is a setting: nothing a question about one tool, host, path, program, module or model
/// would show.
fn is_setting(field: FieldId) -> bool {
    let asked = [
        id::network_mode,
        id::network_allowlist,
        id::fs_permission,
        id::fs_hidden,
        id::fs_protected,
        id::fs_readable,
        id::fs_writable,
        id::exec_mode,
        id::exec_allowlist,
        id::exec_denied,
        id::tool_rules,
        id::allowed_imports,
        id::denied_imports,
        id::models,
        id::tags,
    ];
    !asked.contains(&field)
}

impl EffectiveFields {
    /// The same with defaults where silence means a number, so that stating the default is no change.
    #[must_use]
    pub fn with_defaults(mut self) -> Self {
        use crate::resolve::{APPROVAL_TIMEOUT_MS, APPROVALS_MAX, STRIKES, THRESHOLD_CHARS, VALIDITY_MS};
        self.strikes.value.get_or_insert(Ceiling(Count(STRIKES)));
        self.approval_timeout.value.get_or_insert(Ceiling(Millis(APPROVAL_TIMEOUT_MS)));
        self.approval_max.value.get_or_insert(Ceiling(Count(APPROVALS_MAX)));
        self.quarantine_threshold.value.get_or_insert(Ceiling(Count(THRESHOLD_CHARS)));
        self.validity.value.get_or_insert(Ceiling(Millis(VALIDITY_MS)));
        self
    }
}

fn merge_one<'a, T: Strictness + 'a>(stated: impl Iterator<Item = Option<&'a Stated<T>>>) -> Merged<T> {
    let mut value: Option<T> = None;
    let mut by = Vec::new();
    for (i, s) in (0u16..=u16::MAX).zip(stated).filter_map(|(i, s)| Some((i, s?))) {
        value = Some(match value {
            None => s.value.clone(),
            Some(v) => v.join(&s.value),
        });
        by.push(i);
    }
    Merged { value, by }
}

fields! {
    /// Which network there is.
    network_mode: NetworkMode = "sandbox.network.mode", Network, "none; allowlist where an allowlist is stated";
    /// Hosts that may be reached.
    network_allowlist: AllowSet<HostPattern> = "sandbox.network.allowlist", Network, "no host";
    /// Requests that hosts take over plain HTTP, by method and path. Where a rule holds, TLS is refused.
    network_http: HttpRules = "sandbox.network.http", Network, "any request to a host that may be reached";
    /// Which files there are.
    fs_permission: FsPermission = "sandbox.filesystem.permission", Filesystem, "none";
    /// Paths that cannot be seen.
    fs_hidden: DenySet<PathPattern> = "sandbox.filesystem.hidden", Filesystem, "nothing beyond the baseline";
    /// Paths that cannot be written, whether they exist yet or not.
    fs_protected: DenySet<PathPattern> = "sandbox.filesystem.protected", Filesystem, "nothing beyond the baseline";
    /// Roots that may be read, inside what the permission gives.
    fs_readable: AllowSet<PathRoot> = "sandbox.filesystem.readable", Filesystem, "all that the permission gives";
    /// Roots that may be written, inside what the permission gives.
    fs_writable: AllowSet<PathRoot> = "sandbox.filesystem.writable", Filesystem, "all that the permission gives";
    /// Extensions a written file may have.
    fs_writable_extensions: AllowSet<Extension> = "sandbox.filesystem.writableExtensions", Filesystem, "any";
    /// Toolchains whose caches are visible.
    fs_toolchains: AllowSet<Label> = "sandbox.filesystem.toolchains", Filesystem, "any that is found";
    /// Which programs may be started.
    exec_mode: ExecMode = "sandbox.exec.mode", Exec, "any; allowlist where an allowlist is stated";
    /// Programs that may be started.
    exec_allowlist: AllowSet<Program> = "sandbox.exec.allowlist", Exec, "any";
    /// Programs that may not be started.
    exec_denied: DenySet<Program> = "sandbox.exec.denied", Exec, "none";
    /// Memory of the whole run.
    limit_memory: Ceiling<Bytes> = "sandbox.limits.memory", Limits, "no limit of its own";
    /// Processes at a time.
    limit_processes: Ceiling<Count> = "sandbox.limits.processes", Limits, "no limit of its own";
    /// Processor time.
    limit_cpu: Ceiling<Millis> = "sandbox.limits.cpu", Limits, "no limit of its own";
    /// Time on the clock.
    limit_wall: Ceiling<Millis> = "sandbox.limits.wall", Limits, "no limit of its own";
    /// Size of one file.
    limit_file_size: Ceiling<Bytes> = "sandbox.limits.fileSize", Limits, "no limit of its own";
    /// Open files of one process.
    limit_open_files: Ceiling<Count> = "sandbox.limits.openFiles", Limits, "no limit of its own";
    /// Drop environment variables that are not kept by name.
    env_scrub: Switch = "sandbox.env.scrub", Env, "on";
    /// Variables that are kept.
    env_keep: AllowSet<NamePattern> = "sandbox.env.keep", Env, "the harmless ones: PATH, HOME, LANG, TERM and their like";
    /// Variables that are never passed on.
    env_hidden: DenySet<NamePattern> = "sandbox.env.hidden", Env, "nothing beyond the baseline";
    /// The weakest kernel tier that is good enough.
    minimum_tier: Tier = "sandbox.minimumTier", Limits, "any tier that enforces";
    /// What happens to a tool call.
    tool_rules: Rules = "tools.rules", Tools, "ask";
    /// What a tool's arguments must satisfy.
    tool_constraints: Constraints = "tools.constraints", Tools, "none";
    /// Mark untrusted tool output as data.
    spotlighting: Switch = "tools.guards.spotlighting.enabled", Guards, "off";
    /// How it is marked.
    spotlighting_mode: SpotlightMode = "tools.guards.spotlighting.mode", Guards, "delimit";
    /// Scan tool output.
    scanner: Switch = "tools.guards.outputScanner.enabled", Guards, "off";
    /// From which severity the scanner blocks.
    scanner_severity: SeverityBlock = "tools.guards.outputScanner.severityBlock", Guards, "error";
    /// Domains whose links are not suspicious.
    scanner_urls: AllowSet<DomainPattern> = "tools.guards.outputScanner.urlAllowlist", Guards, "none";
    /// Summarise long output before the model sees it.
    quarantine: Switch = "tools.guards.quarantine.enabled", Guards, "off";
    /// Which kind of model may summarise.
    quarantine_class: CapabilityClass = "tools.guards.quarantine.capabilityClass", Guards, "extractive";
    /// From how many characters output is quarantined.
    quarantine_threshold: Ceiling<Count> = "tools.guards.quarantine.thresholdChars", Guards, "8000";
    /// Quarantine what the scanner judges unsafe, whatever its length.
    quarantine_unsafe: Switch = "tools.guards.quarantine.onUnsafe", Guards, "off";
    /// Denied calls after which the run is aborted.
    strikes: Ceiling<Count> = "tools.strikes", Session, "3";
    /// Tool calls in one run.
    max_calls: Ceiling<Count> = "tools.maxCalls", Session, "no limit";
    /// Capabilities no tool may use.
    forbidden: DenySet<Label> = "capabilities.forbid", Tools, "none";
    /// Capabilities a tool may use: all of its own must be among them.
    permitted: AllowSet<Label> = "capabilities.allow", Tools, "any that is not forbidden";
    /// Modules that code may import.
    allowed_imports: AllowSet<ImportPattern> = "code.allowedImports", Code, "any that is not denied";
    /// Modules that code may not import.
    denied_imports: DenySet<ImportPattern> = "code.deniedImports", Code, "none";
    /// The network of code the agent writes.
    code_network: NetworkMode = "code.network", Code, "that of the sandbox";
    /// Time on the clock of one code run.
    code_wall: Ceiling<Millis> = "code.wall", Code, "that of the sandbox";
    /// Memory of one code run.
    code_memory: Ceiling<Bytes> = "code.memory", Code, "that of the sandbox";
    /// Detectors and what they do.
    steps: Steps = "steps", Guards, "none";
    /// Models that may be called.
    models: AllowSet<NamePattern> = "gateway.models", Gateway, "any";
    /// Regions in which a model may run.
    residency: AllowSet<Label> = "gateway.residency", Gateway, "any";
    /// Tokens a day.
    tokens_per_day: Ceiling<Count> = "gateway.budget.tokensPerDay", Gateway, "no limit";
    /// Tokens in one run.
    tokens_per_run: Ceiling<Count> = "gateway.budget.tokensPerRun", Gateway, "no limit";
    /// Model requests a minute.
    requests_per_minute: Ceiling<Count> = "gateway.budget.requestsPerMinute", Gateway, "no limit";
    /// Capabilities or tools for which a person is asked.
    approvals: DenySet<Label> = "approvals.require", Session, "none";
    /// How long an approval is waited for; no answer is a no.
    approval_timeout: Ceiling<Millis> = "approvals.timeout", Session, "30s";
    /// Approvals that may be asked for in one session.
    approval_max: Ceiling<Count> = "approvals.maxPerSession", Session, "10";
    /// Layers that must be enabled.
    required_layers: DenySet<Label> = "layers.require", Run, "none";
    /// How long the log of a run is kept at least.
    log_at_least: AtLeast<Millis> = "log.retainAtLeast", Run, "no minimum";
    /// How long the log of a run is kept at most.
    log_at_most: Ceiling<Millis> = "log.retainAtMost", Run, "no maximum";
    /// How long a config may be used before it must be renewed.
    validity: Ceiling<Millis> = "validity", Run, "5m";
    /// Words that stand in every config, for search and reports.
    tags: DenySet<Label> = "tags", Run, "none";
    /// Derive even where no enabled layer enforces a rule.
    allow_unenforced: Permit = "allowUnenforced", Run, "false";
}
