//! The five slices: what each layer's applier is given, and nothing else.
//!
//! Fields are declared in alphabetical order, so that serialising a slice gives canonical JSON.

use crate::scale::{
    CapabilityClass, Effect, ExecMode, FsPermission, NetworkMode, OnDetection, SeverityBlock, SpotlightMode, Tier,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the kernel enforces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KernelSlice {
    /// Environment variables.
    pub env: EnvRules,
    /// Programs.
    pub exec: ExecRules,
    /// Files.
    pub fs: FsRules,
    /// Variables that are never passed on.
    pub hidden_env: Vec<String>,
    /// File rules in Landlock's terms.
    pub landlock_rules: Vec<LandlockRule>,
    /// Limits.
    pub limits: Limits,
    /// The weakest tier that is good enough.
    pub minimum_tier: Option<Tier>,
    /// Hosts that may be reached.
    pub network_egress_allowlist: Arc<Vec<String>>,
    /// Requests that hosts take over plain HTTP; a host that is not named takes any. TLS is refused where a rule
    /// holds, since it cannot be looked into.
    #[serde(default)]
    pub network_http: Vec<HttpRule>,
    /// Which network there is.
    pub network_mode: NetworkMode,
    /// System call rules.
    pub seccomp: Seccomp,
}

/// Requests that a host takes. Rules of one host add up; those of different hosts that cover a request must all
/// take it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HttpRule {
    /// The host pattern; without a port it stands for 80 and 443.
    pub host: String,
    /// Methods; null for any.
    pub methods: Option<Vec<String>>,
    /// Paths: exact, or all below one with `/*` at the end.
    pub paths: Vec<String>,
}

/// Environment variables of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EnvRules {
    /// Names and prefixes that are kept; null for the harmless default.
    pub keep: Option<Vec<String>>,
    /// Whether the others are dropped.
    pub scrub: bool,
}

/// Programs a run may start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExecRules {
    /// Programs that may be started; null for any.
    pub allowlist: Option<Vec<String>>,
    /// Programs that may not.
    pub denied: Vec<String>,
    /// Which of them counts.
    pub mode: ExecMode,
}

/// Files of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FsRules {
    /// Paths that cannot be seen.
    pub hidden: Arc<Vec<Arc<str>>>,
    /// What the repo's permission is.
    pub permission: FsPermission,
    /// Paths that cannot be written.
    pub protected: Arc<Vec<Arc<str>>>,
    /// Roots that can be read.
    pub read_roots: Vec<String>,
    /// Toolchains whose caches are visible; null for any.
    pub toolchains: Option<Vec<String>>,
    /// Extensions a written file may have; null for any.
    pub write_extensions: Option<Vec<String>>,
    /// Roots that can be written.
    pub write_roots: Vec<String>,
}

/// One Landlock rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LandlockRule {
    /// What may be done below the path.
    pub access: Cow<'static, str>,
    /// The path.
    pub path: String,
}

/// Limits in plain numbers; null for none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// Processor time.
    pub cpu_ms: Option<u64>,
    /// Size of one file.
    pub file_size_bytes: Option<u64>,
    /// Memory.
    pub memory_bytes: Option<u64>,
    /// Open files of one process.
    pub open_files: Option<u64>,
    /// Processes at a time.
    pub processes: Option<u64>,
    /// Time on the clock.
    pub wall_ms: Option<u64>,
}

/// System call rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Seccomp {
    /// The profile by name.
    pub profile: Cow<'static, str>,
    /// Socket families a process may make.
    pub socket_families: Vec<Cow<'static, str>>,
}

/// What the agent's own harness enforces.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HarnessSlice {
    /// The guards on what tools hand back.
    pub guards: Guards,
    /// When Ringfence is called.
    pub hooks: Hooks,
    /// Tool permissions in a neutral grammar.
    pub permissions: Permissions,
    /// Steps in the order they run.
    pub pipeline: Arc<Vec<PipelineStep>>,
    /// What the harness should set its own sandbox to.
    pub sandbox: HarnessSandbox,
}

/// Which hooks are needed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Hooks {
    /// After a tool returns: the guards.
    pub after_tool: bool,
    /// Before a tool runs: the decision.
    pub before_tool: bool,
}

/// Tool permissions.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Permissions {
    /// How long an approval is waited for.
    pub approval_timeout_ms: u64,
    /// Approvals in one session.
    pub approvals_max: u64,
    /// Tool or pattern → argument → predicate.
    pub constraints: ConstraintMap,
    /// Tool calls in one run; null for no limit.
    pub max_calls: Option<u64>,
    /// Denied calls after which the run is aborted.
    pub strikes: u64,
    /// Tool or pattern → effect; the most specific one counts.
    pub tools: ToolEffects,
}

/// A harness's own sandbox settings.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HarnessSandbox {
    /// Paths that cannot be seen.
    pub deny_read: Arc<Vec<Arc<str>>>,
    /// Paths that cannot be written.
    pub deny_write: Arc<Vec<Arc<str>>>,
    /// The repo's permission.
    pub filesystem: FsPermission,
    /// Which network there is.
    pub network: NetworkMode,
    /// Hosts that may be reached.
    pub network_allowlist: Arc<Vec<String>>,
}

/// What is enforced on code the agent writes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CodemodeSlice {
    /// Modules that may be imported; null for any that is not denied.
    pub allowed_imports: Option<Vec<String>>,
    /// Modules that may not.
    pub denied_imports: Vec<String>,
    /// The network of the code.
    pub executor_network: NetworkMode,
    /// Limits of one run.
    pub limits: CodeLimits,
}

/// Limits of one code run; null for those of the sandbox.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CodeLimits {
    /// Memory.
    pub memory_bytes: Option<u64>,
    /// Time on the clock.
    pub wall_ms: Option<u64>,
}

/// What the MCP proxy enforces.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct McpSlice {
    /// Tools and what they may do.
    pub capabilities: McpCapabilities,
    /// The guards on what tools hand back.
    pub guards: Guards,
    /// The proxy's address.
    pub mcp_proxy_url: Option<String>,
    /// The session's token; absent in evaluation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp_session_token: Option<String>,
    /// Steps in the order they run.
    pub pipeline: Arc<Vec<PipelineStep>>,
}

impl McpSlice {
    /// The slice as it is hashed.
    pub(crate) fn without_token(&self) -> Cow<'_, Self> {
        match self.mcp_session_token {
            None => Cow::Borrowed(self),
            Some(_) => Cow::Owned(Self { mcp_session_token: None, ..self.clone() }),
        }
    }
}

/// Tools and what they may do.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct McpCapabilities {
    /// Capabilities a tool may use; null for any that is not forbidden.
    pub allowed: Option<Vec<String>>,
    /// Tool or pattern → argument → predicate.
    pub constraints: ConstraintMap,
    /// Capabilities no tool may use.
    pub forbidden: Vec<String>,
    /// Tool calls in one run; null for no limit.
    pub max_calls: Option<u64>,
    /// Denied calls after which the run is aborted.
    pub strikes: u64,
    /// Tool or pattern → effect; the most specific one counts.
    pub tools: ToolEffects,
}

/// Tool or pattern → argument → predicate, shared by the slices that hold it.
pub type ConstraintMap = Arc<BTreeMap<String, BTreeMap<String, Json>>>;

/// One step of the pipeline.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PipelineStep {
    /// What happens on a finding.
    pub on_detection: OnDetection,
    /// Its name.
    pub step: String,
    /// From which score a finding counts, in thousandths; null for the detector's own.
    pub threshold_permille: Option<u64>,
}

/// The guards on tool output.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Guards {
    /// The scanner.
    pub output_scanner: ScannerGuard,
    /// The quarantine.
    pub quarantine: QuarantineGuard,
    /// Spotlighting.
    pub spotlighting: SpotlightGuard,
}

/// The scanner's settings.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ScannerGuard {
    /// On or off.
    pub enabled: bool,
    /// From which severity it blocks.
    pub severity_block: SeverityBlock,
    /// Domains whose links are not suspicious.
    pub url_allowlist: Vec<String>,
}

/// The quarantine's settings.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct QuarantineGuard {
    /// Which kind of model may summarise.
    pub capability_class: CapabilityClass,
    /// On or off.
    pub enabled: bool,
    /// Also for what the scanner judges unsafe.
    pub on_unsafe: bool,
    /// From how many characters.
    pub threshold_chars: u64,
}

/// Spotlighting's settings.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SpotlightGuard {
    /// On or off.
    pub enabled: bool,
    /// How text is marked.
    pub mode: SpotlightMode,
}

/// What the gateway enforces.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct GatewaySlice {
    /// Budgets.
    pub budget: Budget,
    /// Tools a response may call.
    pub capabilities: GatewayCapabilities,
    /// The gateway's token; absent in evaluation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gateway_token: Option<String>,
    /// The gateway's address.
    pub gateway_url: Option<String>,
    /// The guards on tool results inside requests.
    pub guards: Guards,
    /// Models that may be called; null for any.
    pub models: Option<Vec<String>>,
    /// Steps in the order they run.
    pub pipeline: Arc<Vec<PipelineStep>>,
    /// Regions in which a model may run; null for any.
    pub residency: Option<Vec<String>>,
}

impl GatewaySlice {
    /// The slice as it is hashed.
    pub(crate) fn without_token(&self) -> Cow<'_, Self> {
        match self.gateway_token {
            None => Cow::Borrowed(self),
            Some(_) => Cow::Owned(Self { gateway_token: None, ..self.clone() }),
        }
    }
}

/// Budgets; null for no limit.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Budget {
    /// Model requests a minute.
    pub requests_per_minute: Option<u64>,
    /// Tokens a day.
    pub tokens_per_day: Option<u64>,
    /// Tokens in one run.
    pub tokens_per_run: Option<u64>,
}

/// Tools a response may call.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct GatewayCapabilities {
    /// Tool or pattern → argument → predicate.
    pub constraints: ConstraintMap,
    /// Tool or pattern → effect; the most specific one counts.
    pub tools: ToolEffects,
}

/// Tool or pattern → effect, sorted, shared by the slices that hold it and written out once.
#[derive(Debug, Clone)]
pub struct ToolEffects {
    list: Arc<Vec<(Arc<str>, Effect)>>,
    json: Arc<RawValue>,
}

impl ToolEffects {
    /// The effects of these tools; the list is sorted by name.
    pub fn new(list: Vec<(Arc<str>, Effect)>) -> serde_json::Result<Self> {
        let json = serde_json::value::to_raw_value(&Map(&list))?;
        Ok(Self { list: Arc::new(list), json: json.into() })
    }

    /// The tools with their effects.
    pub fn list(&self) -> &[(Arc<str>, Effect)] {
        &self.list
    }
}

/// Pairs as a JSON object.
struct Map<'a>(&'a [(Arc<str>, Effect)]);

impl Serialize for Map<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, effect)| (name, effect)))
    }
}

impl PartialEq for ToolEffects {
    fn eq(&self, other: &Self) -> bool {
        self.list == other.list
    }
}

impl Serialize for ToolEffects {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json.serialize(serializer)
    }
}

/// Writes a JSON string; almost always there is nothing to escape.
pub(crate) fn write_text(text: &str, out: &mut Vec<u8>) {
    // No early exit: that way the whole text is checked a vector at a time.
    let plain = !text.bytes().fold(false, |found, b| found | (b < 0x20) | (b == b'"') | (b == b'\\'));
    if plain {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    } else {
        // Writing a string to memory cannot fail.
        let _ = serde_json::to_writer(out, text);
    }
}

impl JsonSchema for ToolEffects {
    fn schema_name() -> Cow<'static, str> {
        "ToolEffects".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BTreeMap::<String, Effect>::json_schema(generator)
    }
}
