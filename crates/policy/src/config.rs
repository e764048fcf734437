//! The sandbox config: what comes out, layer by layer, with the reason for every leaf.
//!
//! Fields are declared in alphabetical order, so serialising gives canonical JSON by construction (a test
//! compares with an RFC 8785 implementation). What varies without the policy changing (version, times,
//! tokens) is optional and absent while the content is hashed.

use crate::gap::Gap;
use crate::leaves::Leaves;
use crate::level::{IntroducedBy, Level};
use crate::provenance::Provenance;
use crate::slice::{CodemodeSlice, GatewaySlice, HarnessSlice, KernelSlice, McpSlice};
use ringfence_seal::Hasher;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// The version of this format.
pub const FORMAT: &str = "ringfence.sandbox-config/1";

/// One signed description of a sandbox, also called the keyring.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SandboxConfig {
    /// SHA-256 over the canonical JSON of everything but version, times, tokens, hash and signature; the
    /// provenance counts through the hashes in `documents`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    /// What stands behind the names in `provenance`: file, reason, cited item.
    pub documents: Vec<DocumentEntry>,
    /// Until when it may be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// The version of this format.
    pub format: Cow<'static, str>,
    /// What an enabled layer cannot enforce, and which layer covers it instead.
    pub gaps: Vec<Gap>,
    /// When it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issued_at: Option<String>,
    /// The kernel slice; null when the layer is not enabled.
    pub layer_1_kernel: Option<KernelSlice>,
    /// The harness slice; null when the layer is not enabled.
    pub layer_2_harness: Option<HarnessSlice>,
    /// The codemode slice; null when the layer is not enabled.
    pub layer_3_codemode: Option<CodemodeSlice>,
    /// The MCP slice; null when the layer is not enabled.
    pub layer_4_mcp: Option<McpSlice>,
    /// The gateway slice; null when the layer is not enabled.
    pub layer_5_gateway: Option<GatewaySlice>,
    /// JSON pointer of each leaf of each slice → ids of the rules behind it. In a pointer `*` stands for one
    /// segment; in a rule id `[=]` stands for the leaf's own value in brackets.
    pub leaves: Leaves,
    /// What the record of a run must keep to.
    pub log: LogSettings,
    /// The organisation.
    pub org_id: String,
    /// Rises when the content changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_version: Option<u64>,
    /// Rule id → who stated it, where and why.
    pub provenance: Provenance,
    /// The sandbox.
    pub sandbox_id: String,
    /// Its name.
    pub sandbox_name: String,
    /// Detached signature; absent until the config is sealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// Where to ask for the next config.
    pub sync_url: Option<String>,
    /// Words for search and reports.
    pub tags: Vec<String>,
}

/// Writes one member of an object.
fn member(key: &str, value: &impl Serialize, out: &mut Vec<u8>) -> serde_json::Result<()> {
    out.extend_from_slice(key.as_bytes());
    serde_json::to_writer(out, value)
}

impl SandboxConfig {
    /// Hashes canonical JSON without `content_hash`, `signature`, `policy_version`, `issued_at`, `expires_at`,
    /// tokens and the files of `documents`, and without `provenance`, which `documents` stands for: each
    /// document there carries the hash of its entries.
    ///
    /// INVARIANT: members are listed in order; a test compares with RFC 8785 and recomputes both hashes from
    /// the printed config.
    pub fn hash_content(&self) -> serde_json::Result<String> {
        let mut hasher = Hasher::default();
        let mut out = Vec::with_capacity(16 * 1024);
        let documents = self.documents.iter().map(|d| DocumentEntry { file: None, ..d.clone() });
        member("{\"documents\":", &documents.collect::<Vec<_>>(), &mut out)?;
        member(",\"format\":", &self.format, &mut out)?;
        member(",\"gaps\":", &self.gaps, &mut out)?;
        member(",\"layer_1_kernel\":", &self.layer_1_kernel, &mut out)?;
        hasher.drain(&mut out);
        member(",\"layer_2_harness\":", &self.layer_2_harness, &mut out)?;
        member(",\"layer_3_codemode\":", &self.layer_3_codemode, &mut out)?;
        member(",\"layer_4_mcp\":", &self.layer_4_mcp.as_ref().map(McpSlice::without_token), &mut out)?;
        member(",\"layer_5_gateway\":", &self.layer_5_gateway.as_ref().map(GatewaySlice::without_token), &mut out)?;
        hasher.drain(&mut out);
        out.extend_from_slice(b",\"leaves\":");
        self.leaves.write_content(&mut out);
        member(",\"log\":", &self.log, &mut out)?;
        member(",\"org_id\":", &self.org_id, &mut out)?;
        member(",\"sandbox_id\":", &self.sandbox_id, &mut out)?;
        member(",\"sandbox_name\":", &self.sandbox_name, &mut out)?;
        member(",\"sync_url\":", &self.sync_url, &mut out)?;
        member(",\"tags\":", &self.tags, &mut out)?;
        out.push(b'}');
        hasher.drain(&mut out);
        Ok(hasher.finish())
    }
}

/// How long the log of a run is kept.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LogSettings {
    /// At least this long.
    pub retain_at_least_ms: Option<u64>,
    /// At most this long.
    pub retain_at_most_ms: Option<u64>,
}

/// A document, pack rule or mitigation that went in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct DocumentEntry {
    /// Why, in the author's words.
    pub because: Option<Arc<str>>,
    /// The article or item a pack's rule answers.
    pub cites: Option<Arc<str>>,
    /// Its id.
    pub document: Arc<str>,
    /// The file it was read from, as it was named then; not hashed, since it says nothing about the policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Arc<str>>,
    /// The level it stands at.
    pub level: Level,
    /// The hash of its provenance entries, each without `at`, `from` and nulls, sorted by rule, line, column.
    pub statements_hash: Arc<str>,
}

/// One entry of a config's provenance.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RuleEntry {
    /// When it was stated: the document's own time, or that of the derivation.
    pub at: Option<String>,
    /// The column of the statement.
    pub column: u32,
    /// The document's id.
    pub document: String,
    /// The document, as an index into `documents`.
    pub from: usize,
    /// What brought it in.
    pub introduced_by: IntroducedBy,
    /// The line of the statement.
    pub line: u32,
    /// Who wrote it.
    pub operator: Option<String>,
    /// The rule it belongs to.
    pub rule_id: String,
    /// The level it stands at.
    pub via_cascade_level: Level,
    /// The category that raised the concern.
    pub via_category: Option<String>,
    /// The pack with its version.
    pub via_compliance_pack: Option<String>,
    /// The concern it answers.
    pub via_concern: Option<String>,
}

/// An entry of the provenance together with its document: what `explain` and `diff` show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProvenanceEntry {
    /// When it was stated: the document's own time, or that of the derivation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Why, in the author's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// The article or item a pack's rule answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cites: Option<String>,
    /// The column of the statement.
    pub column: u32,
    /// The document's id.
    pub document: String,
    /// The file it stands in.
    pub file: String,
    /// What brought it in.
    pub introduced_by: IntroducedBy,
    /// The line of the statement.
    pub line: u32,
    /// Who wrote it.
    pub operator: Option<String>,
    /// The rule it belongs to.
    pub rule_id: String,
    /// The level it stands at.
    pub via_cascade_level: String,
    /// The category that raised the concern.
    pub via_category: Option<String>,
    /// The pack with its version.
    pub via_compliance_pack: Option<String>,
    /// The concern it answers.
    pub via_concern: Option<String>,
}
