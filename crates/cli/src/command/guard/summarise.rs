//! A model that summarises, by a file that says which.

use super::token;
use crate::failure::Failure;
use ringfence_guard::inspect::{Quarantine, Quarantined, Request};
use ringfence_runtime::quarantine::{By, Config, Summariser};
use std::path::Path;
use std::sync::Arc;

/// The summariser of a file. It is asked once at most: a call filters one output.
pub(super) fn summariser(path: &Path) -> Result<Arc<dyn Quarantine>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|e| Failure::io("read", path, e))?;
    let bad = |e: String| Failure::Usage(format!("`{}` is no summariser: {e}", path.display()));
    let config: Config = serde_json::from_str(&text).map_err(|e| bad(e.to_string()))?;
    let summariser = Summariser::new(config).map_err(|e| bad(e.to_string()))?;
    let token = token::fresh()?;
    let ask = move |request: &Request<'_>| {
        let outcome = summariser.summarise_blocking(request.output, request.leave_out, &token, request.blocks);
        let by = match outcome.by {
            By::Provider => "provider",
            By::Extractive => "extractive",
        };
        Quarantined { text: outcome.text, by, fallback: outcome.fallback.map(|reason| reason.code()) }
    };
    Ok(Arc::new(ask))
}
