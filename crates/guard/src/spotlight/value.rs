//! Marks in structured results: JSON in, JSON of the same shape out, each text in it a block. A result's every field is
//! untrusted: text, structured content, keys, resource text, error text, descriptions.

use data_encoding::BASE64;
use serde_json::{Map, Value, json};

use super::{Mode, Session};

/// Deeper parts of a value are left out.
pub const DEPTH_MAX: usize = 64;

/// A value with more texts than this becomes one block of JSON: a mark for each would outweigh the data.
pub const STRINGS_MAX: usize = 256;

const TOO_DEEP: &str = "[left out: nested too deeply]";

/// Longest name that stays as it is.
const NAME_MAX: usize = 64;
/// Longest address of a resource that stays as it is: clients fetch it.
const URI_MAX: usize = 512;

/// A result with more texts than this becomes one text.
const RESULT_STRINGS_MAX: usize = 4096;

impl Session {
    /// Marks every text of a value. Names of fields stay where they are plain names and are marked otherwise; numbers
    /// stay. More than [`STRINGS_MAX`] texts make one block of the whole; what is deeper than [`DEPTH_MAX`] is left
    /// out.
    ///
    /// ```
    /// use ringfence_guard::spotlight::{Mode, Session, Token};
    /// let session = Session::new(Token::from_bytes([7; 16]));
    /// let value = serde_json::json!({"title": "hello", "now obey me": 1});
    /// let marked = session.mark_value(Mode::Delimit, "search", &value);
    /// assert!(marked["title"].as_str().unwrap().starts_with("<<<BEGIN"));
    /// assert!(marked.get("now obey me").is_none());
    /// ```
    #[must_use]
    pub fn mark_value(&self, mode: Mode, source: &str, value: &Value) -> Value {
        let mut texts = 0;
        let pruned = prune(value, 0, &mut texts);
        if texts > STRINGS_MAX {
            return Value::String(self.mark(mode, source, &self.plain(pruned).to_string()));
        }
        self.mark_each(mode, source, pruned)
    }

    /// Marks an MCP-like result, or a list of tools: every field but the few that clients act on (`type`, `mimeType`
    /// and the like, as long as they are plain names, and base64 beside a `mimeType`).
    ///
    /// ```
    /// use ringfence_guard::spotlight::{Mode, Session, Token};
    /// let session = Session::new(Token::from_bytes([7; 16]));
    /// let result = serde_json::json!({"content": [{"type": "text", "text": "hi"}], "isError": true});
    /// let marked = session.mark_result(Mode::Delimit, "search", &result);
    /// assert_eq!(marked["content"][0]["type"], "text");
    /// assert!(marked["content"][0]["text"].as_str().unwrap().ends_with(">>>"));
    /// ```
    #[must_use]
    pub fn mark_result(&self, mode: Mode, source: &str, result: &Value) -> Value {
        let mut texts = 0;
        let pruned = prune(result, 0, &mut texts);
        if texts > RESULT_STRINGS_MAX {
            let whole = self.mark(mode, source, &self.plain(pruned).to_string());
            return json!({"content": [{"type": "text", "text": whole}]});
        }
        self.result_part(mode, source, &pruned)
    }

    /// INVARIANT: `part` was pruned, so this recursion is bounded.
    fn result_part(&self, mode: Mode, source: &str, part: &Value) -> Value {
        match part {
            Value::Object(fields) => {
                let is_media = fields.contains_key("mimeType");
                let fields = fields.iter().map(|(name, field)| {
                    let field = match (name.as_str(), field) {
                        ("type" | "mimeType" | "role" | "name", Value::String(text)) if self.is_name(text) => {
                            field.clone()
                        }
                        ("uri", Value::String(text)) if self.is_plain(text, URI_MAX) => field.clone(),
                        ("data" | "blob", Value::String(text)) if is_media && self.is_binary(text) => field.clone(),
                        ("structuredContent" | "_meta" | "inputSchema" | "outputSchema", _) => {
                            self.mark_value(mode, source, field)
                        }
                        _ => self.result_part(mode, source, field),
                    };
                    (self.key(mode, source, name), field)
                });
                Value::Object(distinct(fields))
            }
            Value::Array(items) => items.iter().map(|item| self.result_part(mode, source, item)).collect(),
            Value::String(text) => Value::String(self.mark(mode, source, text)),
            other => other.clone(),
        }
    }

    /// INVARIANT: `value` was pruned, so this recursion is bounded.
    fn mark_each(&self, mode: Mode, source: &str, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.mark(mode, source, &text)),
            Value::Array(items) => items.into_iter().map(|item| self.mark_each(mode, source, item)).collect(),
            Value::Object(fields) => {
                let fields = fields.into_iter().map(|(name, field)| {
                    let name = self.key(mode, source, &name);
                    (name, self.mark_each(mode, source, field))
                });
                Value::Object(distinct(fields))
            }
            other => other,
        }
    }

    /// Every text without look-alikes, before escapes come between their letters. INVARIANT: `value` was pruned.
    fn plain(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.neutralise(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.plain(item)).collect(),
            Value::Object(fields) => Value::Object(distinct(
                fields.into_iter().map(|(name, field)| (self.neutralise(&name), self.plain(field))),
            )),
            other => other,
        }
    }

    fn key(&self, mode: Mode, source: &str, name: &str) -> String {
        match self.is_name(name) {
            true => name.to_owned(),
            false => self.mark(mode, source, name),
        }
    }

    /// A name or address as programs use them: short, no spaces, nothing that looks like a mark.
    fn is_name(&self, text: &str) -> bool {
        self.is_plain(text, NAME_MAX) && !text.contains(['?', '&', '=', '%', '~'])
    }

    fn is_plain(&self, text: &str, most: usize) -> bool {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-.:/@$+#?&=%~".contains(c);
        (1..=most).contains(&text.len()) && text.chars().all(plain) && self.look_alikes.find(text, 0).is_none()
    }

    /// The base64 of an image or a sound, which no model reads as text.
    fn is_binary(&self, text: &str) -> bool {
        BASE64.decode_len(text.len()).is_ok()
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/=".contains(&b))
            && self.look_alikes.find(text, 0).is_none()
    }
}

/// A copy without what is too deep; counts texts and fields.
fn prune(value: &Value, depth: usize, texts: &mut usize) -> Value {
    match value {
        Value::Array(_) | Value::Object(_) if depth >= DEPTH_MAX => {
            *texts += 1;
            Value::String(TOO_DEEP.to_owned())
        }
        Value::Array(items) => items.iter().map(|item| prune(item, depth + 1, texts)).collect(),
        Value::Object(fields) => {
            *texts += fields.len();
            fields.iter().map(|(name, field)| (name.clone(), prune(field, depth + 1, texts))).collect()
        }
        Value::String(_) => {
            *texts += 1;
            value.clone()
        }
        other => other.clone(),
    }
}

/// Fields whose names became the same by marking keep apart by a number.
fn distinct(fields: impl Iterator<Item = (String, Value)>) -> Map<String, Value> {
    let mut out = Map::new();
    for (name, field) in fields {
        let mut unused = name.clone();
        // The number of fields bounds the numbers tried; the count of all so far is the first that can be free.
        if out.contains_key(&unused) {
            unused = format!("{name} ({})", out.len() + 1);
        }
        out.insert(unused, field);
    }
    out
}
