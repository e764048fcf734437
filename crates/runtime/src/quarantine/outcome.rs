//! What is shown, by whom, and what the log learns of it.

use serde::Serialize;

use super::provider::Provider;
use super::reason::Reason;

/// Who made the text that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// The configured summariser.
    Provider,
    /// The extract.
    Extractive,
}

/// What is shown instead of a text. It still has to be spotlighted: it came from untrusted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The text.
    pub text: String,
    /// Who made it.
    pub by: By,
    /// Why it is the extract although a summariser is configured.
    pub fallback: Option<Reason>,
    /// The same for the log.
    pub event: Event,
}

/// The payload of the event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Event {
    /// Who made the text.
    pub by: By,
    /// The code of the reason for the fallback.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<&'static str>,
    /// The HTTP status, where that is the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The kind of summariser asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<Provider>,
    /// The model asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Requests made.
    pub attempts: u32,
    /// Characters of the raw text.
    pub input_chars: usize,
    /// Characters of it that were sent, with the note of what was left out.
    pub sent_chars: usize,
    /// Characters shown.
    pub shown_chars: usize,
    /// Even the extract's quotations were withheld, because they would be blocked.
    pub withheld: bool,
    /// Milliseconds from question to outcome.
    pub elapsed_ms: u64,
}

impl Outcome {
    pub(super) fn by_provider(text: String, raw: &str) -> Self {
        let event = Event::new(By::Provider, &text, raw);
        Self { text, by: By::Provider, fallback: None, event }
    }

    pub(super) fn extractive(text: String, raw: &str, fallback: Option<Reason>, withheld: bool) -> Self {
        let mut event = Event::new(By::Extractive, &text, raw);
        event.fallback = fallback.map(Reason::code);
        event.withheld = withheld;
        if let Some(Reason::Status(status)) = fallback {
            event.status = Some(status);
        }
        Self { text, by: By::Extractive, fallback, event }
    }
}

impl Event {
    fn new(by: By, shown: &str, raw: &str) -> Self {
        Self {
            by,
            fallback: None,
            status: None,
            provider: None,
            model: None,
            attempts: 0,
            input_chars: raw.chars().count(),
            sent_chars: 0,
            shown_chars: shown.chars().count(),
            withheld: false,
            elapsed_ms: 0,
        }
    }
}
