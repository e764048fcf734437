//! Which summariser, where, and its limits.

use std::path::PathBuf;

use serde::Deserialize;
use thiserror::Error;

use super::provider::Provider;

/// The configuration of a summariser.
///
/// ```
/// use ringfence_runtime::quarantine::Config;
/// let config: Config = serde_json::from_str(
///     r#"{"provider": "anthropic", "baseUrl": "https://api.anthropic.com", "model": "small", "keyEnv": "SUMMARY_KEY"}"#,
/// )?;
/// assert_eq!(config.total_timeout_ms, 20_000);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Config {
    /// The kind of API.
    pub provider: Provider,
    /// Its address, without the path of the call.
    pub base_url: String,
    /// The model to ask.
    pub model: String,
    /// The environment variable that holds the key; the key itself stands nowhere.
    #[serde(default)]
    pub key_env: Option<String>,
    /// A file of certificates (PEM) to trust instead of the system's.
    #[serde(default)]
    pub ca_file: Option<PathBuf>,
    /// For the connection, TLS included, in milliseconds.
    #[serde(default = "defaults::connect")]
    pub connect_timeout_ms: u64,
    /// For everything, retries included, in milliseconds.
    #[serde(default = "defaults::total")]
    pub total_timeout_ms: u64,
    /// Further attempts after a failure that may pass.
    #[serde(default = "defaults::retries")]
    pub retries: u32,
    /// Characters of the text that are sent.
    #[serde(default = "defaults::request")]
    pub request_chars_max: usize,
    /// Bytes of an answer that are read.
    #[serde(default = "defaults::response")]
    pub response_bytes_max: usize,
}

mod defaults {
    pub(super) const fn connect() -> u64 {
        3_000
    }
    pub(super) const fn total() -> u64 {
        20_000
    }
    pub(super) const fn retries() -> u32 {
        2
    }
    pub(super) const fn request() -> usize {
        48_000
    }
    pub(super) const fn response() -> usize {
        256 * 1024
    }
}

impl Config {
    /// A configuration with the default limits and no key.
    #[must_use]
    pub fn new(provider: Provider, base_url: &str, model: &str) -> Self {
        Self {
            provider,
            base_url: base_url.to_owned(),
            model: model.to_owned(),
            key_env: None,
            ca_file: None,
            connect_timeout_ms: defaults::connect(),
            total_timeout_ms: defaults::total(),
            retries: defaults::retries(),
            request_chars_max: defaults::request(),
            response_bytes_max: defaults::response(),
        }
    }
}

/// What is wrong with a configuration.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BadConfig {
    /// The address is none.
    #[error("`{0}` is not an http or https address")]
    Address(String),
    /// The variable is not set.
    #[error("the environment variable `{0}` holds no key")]
    NoKey(String),
    /// The key would travel in the clear.
    #[error("a key is not sent to `{0}` without TLS")]
    InTheClear(String),
    /// The certificates cannot be read.
    #[error("no certificate to trust in `{0}`")]
    Certificates(String),
}

impl BadConfig {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Address(_) => "quarantine.config_address",
            Self::NoKey(_) => "quarantine.config_no_key",
            Self::InTheClear(_) => "quarantine.config_in_the_clear",
            Self::Certificates(_) => "quarantine.config_certificates",
        }
    }
}
