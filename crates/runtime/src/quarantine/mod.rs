//! Summaries of untrusted text by a smaller model over HTTP. The text and what was flagged in it in, a checked and
//! scanned summary out; on any trouble the extract that needs no model, never the raw text, and the outcome says why.
//!
//! ```
//! use ringfence_guard::spotlight::Token;
//! use ringfence_runtime::quarantine::{By, Config, Provider, Summariser};
//! let mut config = Config::new(Provider::Ollama, "http://127.0.0.1:9", "small");
//! config.retries = 0;
//! let summariser = Summariser::new(config)?;
//! let outcome = summariser.summarise_blocking("It rains.", &[], &Token::from_bytes([3; 16]), &|_| false);
//! assert_eq!(outcome.by, By::Extractive);
//! assert_eq!(outcome.fallback.unwrap().code(), "quarantine.unreachable");
//! # Ok::<(), ringfence_runtime::quarantine::BadConfig>(())
//! ```

mod config;
mod connection;
mod outcome;
mod provider;
mod reason;
mod request;

use std::time::{Duration, Instant};

use ringfence_guard::Span;
use ringfence_guard::quarantine::{BadSummary, Budget, Summary, extractive, instruction, quoted};
use ringfence_guard::spotlight::{Mode, Session, Token};
use serde_json::Value;

pub use config::{BadConfig, Config};
pub use outcome::{By, Event, Outcome};
pub use provider::Provider;
pub use reason::Reason;

use connection::{Answer, Endpoint};

/// Says whether a text has a finding that blocks.
pub type Blocks<'a> = dyn Fn(&str) -> bool + Sync + 'a;

/// One summariser, by its configuration.
#[derive(Debug)]
pub struct Summariser {
    config: Config,
    endpoint: Endpoint,
}

impl Summariser {
    /// A summariser by this configuration. Opens nothing yet; reads the key from its environment variable.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the configuration.
    pub fn new(config: Config) -> Result<Self, BadConfig> {
        let endpoint = Endpoint::new(&config)?;
        Ok(Self { config, endpoint })
    }

    /// Shows `raw` as a summary. `leave_out` are the spans a scanner flagged: the extract quotes none of them. `token`
    /// is fresh and random: it marks the text for the summariser.
    pub async fn summarise(&self, raw: &str, leave_out: &[Span], token: &Token, blocks: &Blocks<'_>) -> Outcome {
        let started = Instant::now();
        let mut attempts = 0;
        let total = Duration::from_millis(self.config.total_timeout_ms);
        let session = Session::new(token.clone());
        let sent = request::cut(raw, self.config.request_chars_max);
        let result = match tokio::time::timeout(total, self.ask(&session, &sent, raw, &mut attempts)).await {
            Ok(result) => result,
            Err(_) => Err(Reason::Timeout),
        };
        let result = result.and_then(|summary| {
            let shown = summary.render();
            if repeats_flagged(&shown, raw, leave_out) {
                return Err(Reason::Answer(BadSummary::Echo));
            }
            match blocks(&shown) || session.seen_in_model_output(&shown) {
                true => Err(Reason::Flagged),
                false => Ok(shown),
            }
        });
        let mut outcome = match result {
            Ok(text) => Outcome::by_provider(text, raw),
            Err(reason) => fall_back(raw, leave_out, blocks, Some(reason)),
        };
        outcome.event.provider = Some(self.config.provider);
        outcome.event.model = Some(self.config.model.clone());
        outcome.event.attempts = attempts;
        outcome.event.sent_chars = sent.chars().count();
        outcome.event.elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        outcome
    }

    /// As [`Self::summarise`], for a caller without a runtime.
    pub fn summarise_blocking(&self, raw: &str, leave_out: &[Span], token: &Token, blocks: &Blocks<'_>) -> Outcome {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
            return fall_back(raw, leave_out, blocks, Some(Reason::Unreachable));
        };
        let outcome = runtime.block_on(self.summarise(raw, leave_out, token, blocks));
        // A name that is still being looked up must not hold the caller.
        runtime.shutdown_background();
        outcome
    }

    /// Asks until there is an answer, no retry can help or none is left.
    async fn ask(&self, session: &Session, sent: &str, raw: &str, attempts: &mut u32) -> Result<Summary, Reason> {
        let started = Instant::now();
        let system = format!("{}\n\n{}", session.preamble(Mode::Delimit), instruction());
        let text = session.mark(Mode::Delimit, "quarantine", sent);
        let body = self.config.provider.request(&self.config.model, &system, &text);
        loop {
            *attempts += 1;
            let answer = self.endpoint.post(&body).await;
            let (reason, wait) = match answer {
                Ok(Answer::Body(bytes)) => return self.read(&bytes, raw),
                Ok(Answer::Refused { status, retry_after }) => (Reason::Status(status), retry_after),
                Err(reason) => (reason, None),
            };
            if *attempts > self.config.retries || !reason.is_passing() {
                return Err(reason);
            }
            let backoff = Duration::from_millis(200).saturating_mul(1 << (*attempts - 1).min(5));
            let wait = wait.map_or(backoff, |wait| wait.max(backoff));
            // Who is told to come back after the end need not wait for it.
            if started.elapsed() + wait >= Duration::from_millis(self.config.total_timeout_ms) {
                return Err(reason);
            }
            tokio::time::sleep(wait).await;
        }
    }

    fn read(&self, bytes: &[u8], raw: &str) -> Result<Summary, Reason> {
        let envelope: Value = serde_json::from_slice(bytes).map_err(|_| Reason::NotAnAnswer)?;
        let answer = self.config.provider.answer(&envelope).ok_or(Reason::NotAnAnswer)?;
        Summary::check(&answer, raw).map_err(Reason::Answer)
    }
}

/// Whether a summary quotes what was flagged: a summary may quote a little, but none of that.
fn repeats_flagged(shown: &str, raw: &str, flagged: &[Span]) -> bool {
    let flagged: String = flagged.iter().filter_map(|span| raw.get(span.start..span.end)).collect();
    quoted(shown, &flagged).total > 0
}

/// The extract, as the built-in default.
///
/// ```
/// use ringfence_runtime::quarantine::{By, by_extract};
/// let outcome = by_extract("It rains.", &[], &|_| false);
/// assert!(outcome.by == By::Extractive && outcome.fallback.is_none());
/// ```
#[must_use]
pub fn by_extract(raw: &str, leave_out: &[Span], blocks: &Blocks<'_>) -> Outcome {
    fall_back(raw, leave_out, blocks, None)
}

/// The extract; without a single quotation where what it quotes would be blocked.
fn fall_back(raw: &str, leave_out: &[Span], blocks: &Blocks<'_>, reason: Option<Reason>) -> Outcome {
    let extract = extractive(raw, Budget::default(), leave_out);
    let shown = extract.render();
    match blocks(&shown) {
        true => Outcome::extractive(extract.bare().render(), raw, reason, true),
        false => Outcome::extractive(shown, raw, reason, false),
    }
}
