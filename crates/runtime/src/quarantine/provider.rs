//! The three kinds of API: how each is asked and where each puts its answer.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A kind of API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// `/v1/chat/completions`, as many servers have it.
    OpenAi,
    /// `/v1/messages`.
    Anthropic,
    /// `/api/chat`.
    Ollama,
}

/// Tokens that an answer may have, where the API wants to be told.
const ANSWER_TOKENS: u32 = 1024;

impl Provider {
    /// Where the question goes, below the base address.
    pub(super) const fn path(self) -> &'static str {
        match self {
            Self::OpenAi => "/v1/chat/completions",
            Self::Anthropic => "/v1/messages",
            Self::Ollama => "/api/chat",
        }
    }

    /// The headers that carry the key and the version.
    pub(super) fn headers(self, key: Option<&str>) -> Vec<(&'static str, String)> {
        let key = |name: &'static str, prefix: &str| key.map(|key| (name, format!("{prefix}{key}")));
        match self {
            Self::OpenAi | Self::Ollama => key("authorization", "Bearer ").into_iter().collect(),
            Self::Anthropic => {
                key("x-api-key", "").into_iter().chain([("anthropic-version", "2023-06-01".to_owned())]).collect()
            }
        }
    }

    /// The question.
    pub(super) fn request(self, model: &str, system: &str, text: &str) -> Vec<u8> {
        let messages = json!([{"role": "system", "content": system}, {"role": "user", "content": text}]);
        let body = match self {
            Self::OpenAi => {
                json!({"model": model, "messages": messages, "response_format": {"type": "json_object"}})
            }
            Self::Anthropic => json!({
                "model": model, "max_tokens": ANSWER_TOKENS, "system": system,
                "messages": [{"role": "user", "content": text}],
            }),
            Self::Ollama => json!({
                "model": model, "messages": messages, "stream": false, "format": "json",
                "options": {"num_predict": ANSWER_TOKENS},
            }),
        };
        body.to_string().into_bytes()
    }

    /// The text of an answer.
    pub(super) fn answer(self, envelope: &Value) -> Option<String> {
        let text = |pointer: &str| envelope.pointer(pointer)?.as_str().map(str::to_owned);
        match self {
            Self::OpenAi => text("/choices/0/message/content"),
            Self::Ollama => text("/message/content"),
            Self::Anthropic => {
                let parts = envelope.get("content")?.as_array()?.iter().filter(|part| part["type"] == "text");
                let texts: Vec<&str> = parts.filter_map(|part| part.get("text")?.as_str()).collect();
                (!texts.is_empty()).then(|| texts.concat())
            }
        }
    }
}
