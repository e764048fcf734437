//! The derivation: cascade, spec and catalog → one sandbox config, or every reason why there is none.
//!
//! A pure function. The clock, the ids, the version and the tokens come in through [`Context`]. It never
//! gives a partial config: one error anywhere and there is none.

use crate::cascade::Cascade;
use crate::catalog::{Catalog, UNKNOWN_TOOL};
use crate::config::{DocumentEntry, FORMAT, LogSettings, SandboxConfig};
use crate::contradiction;
use crate::diagnostic::{Code, Diagnostic, display_order};
use crate::emit::{self, Shared, Trace};
use crate::gap;
use crate::leaves::Leaves;
use crate::ledger::Statements;
use crate::level::Layer;
use crate::provenance::Provenance;
use crate::resolve::{Resolved, VALIDITY_MS, millis};
use crate::spec::SandboxSpec;
use crate::time::format_utc;
use std::borrow::Cow;
use std::sync::Arc;

/// What varies from one derivation to the next without the policy changing.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// The sandbox's id.
    pub sandbox_id: String,
    /// Seconds since 1970.
    pub issued_at: i64,
    /// The version to give it; absent in evaluation.
    pub policy_version: Option<u64>,
    /// Whether the host allows `host` and `full`.
    pub self_hosted_dev: bool,
    /// Token for the MCP proxy; absent in evaluation.
    pub mcp_session_token: Option<String>,
    /// Token for the gateway; absent in evaluation.
    pub gateway_token: Option<String>,
}

/// A config with what was noticed on the way.
#[derive(Debug)]
pub struct Derivation<'a> {
    /// The config.
    pub config: SandboxConfig,
    /// What holds, for questions.
    pub resolved: Resolved<'a>,
}

impl Derivation<'_> {
    /// What a person should look at. Made on demand: a nearest name costs more than the derivation.
    pub fn warnings(&self, catalog: Option<&Catalog>) -> Vec<Diagnostic> {
        warnings(&self.resolved, catalog)
    }
}

/// Why there is no config, with the warnings that were met too.
#[derive(Debug, Clone, PartialEq)]
pub struct Errors {
    /// Everything that is wrong, in display order; never empty.
    pub errors: Vec<Diagnostic>,
    /// What a person should look at.
    pub warnings: Vec<Diagnostic>,
}

/// Derives the config of one sandbox.
pub fn derive<'a>(
    cascade: &'a Cascade,
    spec: &SandboxSpec,
    catalog: Option<&Catalog>,
    org_id: &str,
    context: &Context,
) -> Result<Derivation<'a>, Errors> {
    let resolved = Resolved::new(cascade, catalog);
    let mut errors = cascade.violation_errors();
    errors.extend(contradiction::forbidden_capabilities(cascade, catalog));
    errors.extend(contradiction::contradictions(&resolved, spec, context.self_hosted_dev));
    let (gaps, unenforced) = gap::gaps(&resolved.fields, spec, &resolved.ledger);
    errors.extend(unenforced);
    if !errors.is_empty() {
        errors.sort_by_cached_key(display_order);
        return Err(Errors { errors, warnings: warnings(&resolved, catalog) });
    }
    match sealed(&resolved, spec, gaps, org_id, context) {
        Ok(config) => Ok(Derivation { config, resolved }),
        Err(e) => Err(Errors { errors: vec![unwritable(&e)], warnings: Vec::new() }),
    }
}

/// The config with its hash, its times and its tokens.
fn sealed(
    resolved: &Resolved<'_>,
    spec: &SandboxSpec,
    gaps: Vec<gap::Gap>,
    org_id: &str,
    context: &Context,
) -> serde_json::Result<SandboxConfig> {
    let mut config = content(resolved, spec, gaps, org_id, context)?;
    config.content_hash = Some(config.hash_content()?);
    stamp(&mut config, resolved, context);
    Ok(config)
}

/// A config without a hash would be one nobody can check: there is none then.
fn unwritable(error: &serde_json::Error) -> Diagnostic {
    Diagnostic::error(Code::InvalidValue, format!("the config cannot be written as JSON: {error}"))
        .help("this is a defect of the tool; please report the policy that caused it")
}

/// Everything that is hashed.
fn content(
    resolved: &Resolved<'_>,
    spec: &SandboxSpec,
    gaps: Vec<gap::Gap>,
    org_id: &str,
    context: &Context,
) -> serde_json::Result<SandboxConfig> {
    let mut trace = Trace::default();
    let shared = Shared::new(resolved, &mut trace)?;
    let f = &resolved.fields;
    let on = |layer| spec.has(layer);
    let kernel = on(Layer::Kernel).then(|| emit::kernel::emit(resolved, &mut trace, &shared));
    let harness = on(Layer::Harness).then(|| emit::harness::emit(resolved, &mut trace, &shared));
    let codemode = on(Layer::Codemode).then(|| emit::codemode::emit(resolved, &mut trace));
    let mcp = on(Layer::Mcp).then(|| emit::mcp::emit(resolved, spec, &mut trace, &shared));
    let gateway = on(Layer::Gateway).then(|| emit::gateway::emit(resolved, spec, &mut trace, &shared));
    Ok(SandboxConfig {
        content_hash: None,
        documents: documents(resolved),
        expires_at: None,
        format: Cow::Borrowed(FORMAT),
        gaps,
        issued_at: None,
        layer_1_kernel: kernel,
        layer_2_harness: harness,
        layer_3_codemode: codemode,
        layer_4_mcp: mcp,
        layer_5_gateway: gateway,
        leaves: Leaves::new(resolved.ledger.clone(), trace.leaves),
        log: LogSettings {
            retain_at_least_ms: f.log_at_least.value.map(|v| v.0.0),
            retain_at_most_ms: millis(f.log_at_most.value),
        },
        org_id: org_id.to_owned(),
        policy_version: None,
        provenance: Provenance::new(resolved.ledger.clone()),
        sandbox_id: context.sandbox_id.clone(),
        sandbox_name: spec.name.name.to_string(),
        signature: None,
        sync_url: spec.parameter("sync_url").map(str::to_owned),
        tags: f.tags.value.iter().flat_map(|t| t.members()).map(ToString::to_string).collect(),
    })
}

fn documents(resolved: &Resolved<'_>) -> Vec<DocumentEntry> {
    let entry = |document: &Arc<Statements>| {
        let origin = document.origin();
        DocumentEntry {
            because: origin.because.clone(),
            cites: origin.cites.clone(),
            document: origin.document.clone(),
            file: Some(origin.file.clone()),
            level: origin.level,
            statements_hash: document.hash().clone(),
        }
    };
    resolved.ledger.documents().iter().map(entry).collect()
}

/// Version, times and tokens: what a renewal changes and the hash leaves out.
fn stamp(config: &mut SandboxConfig, resolved: &Resolved<'_>, context: &Context) {
    let validity = resolved.millis(resolved.fields.validity.value, VALIDITY_MS) / 1000;
    let issued = format_utc(context.issued_at);
    let expires = context.issued_at.saturating_add(i64::try_from(validity).unwrap_or(i64::MAX));
    config.provenance.at = Some(Arc::from(issued.as_str()));
    config.expires_at = Some(format_utc(expires.min(MAX_TIME)));
    config.issued_at = Some(issued);
    config.policy_version = context.policy_version;
    if let Some(mcp) = &mut config.layer_4_mcp {
        mcp.mcp_session_token.clone_from(&context.mcp_session_token);
    }
    if let Some(gateway) = &mut config.layer_5_gateway {
        gateway.gateway_token.clone_from(&context.gateway_token);
    }
}

/// The last second of the year 9999, beyond which RFC 3339 cannot write a time.
const MAX_TIME: i64 = 253_402_300_799;

fn warnings(resolved: &Resolved<'_>, catalog: Option<&Catalog>) -> Vec<Diagnostic> {
    let mut out = unknown_tools(resolved, catalog);
    out.extend(contradiction::warnings(resolved));
    out.sort_by_cached_key(display_order);
    out
}

/// Beyond this many unknown tools the hint is left out: the catalog is then the wrong one, not the names.
const HINTS: usize = 20;

fn unknown_tools(resolved: &Resolved<'_>, catalog: Option<&Catalog>) -> Vec<Diagnostic> {
    let names: Vec<&str> = catalog.iter().flat_map(|c| c.tools()).map(|t| t.name.as_str()).collect();
    let hinted = resolved.tools.unknown.len() <= HINTS;
    let warn = |(name, place): &(String, crate::span::Place)| {
        let d = Diagnostic::warning(
            Code::UnknownTool,
            format!(
                "the catalog does not know the tool `{name}`; it has the capability `{UNKNOWN_TOOL}` and is denied"
            ),
        );
        match crate::read::nearest(name, if hinted { &names } else { &[] }) {
            Some(near) => d.at(*place, format!("did you mean `{near}`?")),
            None => d.at(*place, "not in the catalog"),
        }
        .help("add it to the tool catalog for review, or correct the name")
    };
    resolved.tools.unknown.iter().map(warn).collect()
}
