//! JSON values that somebody else made: the one spelling they have, and a reader that takes no other.
//!
//! Flows in: payloads and because-trails of events, lines of a log. Flows out: canonical bytes (RFC 8785 without
//! fractions), or a value without duplicate keys. Depth and size are bounded; nothing is rounded or dropped.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// The deepest nesting of a line.
pub const DEEPEST: usize = 32;
/// The largest whole number that every JSON reader keeps exactly: 2^53 − 1.
pub const LARGEST_NUMBER: u64 = (1 << 53) - 1;

/// Why a value has no canonical form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotCanonical {
    /// A fraction, or a number that some readers would round.
    #[error("the number `{0}` is not a whole number of at most 53 bits")]
    Number(String),
    /// Too many levels.
    #[error("nested deeper than {DEEPEST} levels")]
    Deep,
}

/// Writes a value in canonical form, `depth` levels below the top of its line.
pub fn write(value: &Value, depth: usize, out: &mut Vec<u8>) -> Result<(), NotCanonical> {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Number(n) => {
            let whole = n.as_i64().map(i64::unsigned_abs).or_else(|| n.as_u64());
            if whole.is_none_or(|n| n > LARGEST_NUMBER) {
                return Err(NotCanonical::Number(n.to_string()));
            }
            out.extend_from_slice(n.to_string().as_bytes());
        }
        Value::String(text) => write_text(text, out),
        Value::Array(items) => write_list(items, depth, out)?,
        Value::Object(members) => write_object(members, depth, out)?,
    }
    Ok(())
}

/// Writes a list in canonical form.
pub fn write_list(items: &[Value], depth: usize, out: &mut Vec<u8>) -> Result<(), NotCanonical> {
    if depth >= DEEPEST {
        return Err(NotCanonical::Deep);
    }
    out.push(b'[');
    for (n, item) in items.iter().enumerate() {
        if n > 0 {
            out.push(b',');
        }
        write(item, depth + 1, out)?;
    }
    out.push(b']');
    Ok(())
}

fn write_object(members: &Map<String, Value>, depth: usize, out: &mut Vec<u8>) -> Result<(), NotCanonical> {
    if depth >= DEEPEST {
        return Err(NotCanonical::Deep);
    }
    // RFC 8785 orders by UTF-16 units, a map of strings by UTF-8 bytes: they differ above U+D7FF.
    let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
    sorted.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    out.push(b'{');
    for (n, (key, value)) in sorted.into_iter().enumerate() {
        if n > 0 {
            out.push(b',');
        }
        write_text(key, out);
        out.push(b':');
        write(value, depth + 1, out)?;
    }
    out.push(b'}');
    Ok(())
}

/// Writes a text with its quotes. The escapes of serde_json are those of RFC 8785.
pub fn write_text(text: &str, out: &mut Vec<u8>) {
    // Writing a text to a Vec cannot fail.
    let _ = serde_json::to_writer(out, text);
}

/// Writes a text, or null.
pub(crate) fn write_option(text: Option<&str>, out: &mut Vec<u8>) {
    match text {
        Some(text) => write_text(text, out),
        None => out.extend_from_slice(b"null"),
    }
}

/// How deep the brackets of a line nest, without building anything. A text that is no JSON gives some number.
pub fn depth(line: &[u8]) -> usize {
    let (mut depth, mut deepest, mut quoted, mut escaped) = (0usize, 0, false, false);
    for byte in line {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// The word in the message of an error that is about a key that stands twice.
pub(crate) const DUPLICATE: &str = "duplicate field";

/// Reads a value without duplicate keys and fractions. The caller bounds the depth.
pub(crate) fn strict<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    Strict.deserialize(deserializer)
}

/// Reads a list of such values.
pub(crate) fn strict_list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Value>, D::Error> {
    match strict(deserializer)? {
        Value::Array(items) => Ok(items),
        _ => Err(D::Error::custom("not a list")),
    }
}

struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E: Error>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Bool(flag))
    }
    fn visit_u64<E: Error>(self, n: u64) -> Result<Value, E> {
        if n > LARGEST_NUMBER { Err(E::custom(NotCanonical::Number(n.to_string()))) } else { Ok(n.into()) }
    }
    fn visit_i64<E: Error>(self, n: i64) -> Result<Value, E> {
        let small = n.unsigned_abs() <= LARGEST_NUMBER;
        if small { Ok(n.into()) } else { Err(E::custom(NotCanonical::Number(n.to_string()))) }
    }
    fn visit_f64<E: Error>(self, n: f64) -> Result<Value, E> {
        Err(E::custom(NotCanonical::Number(n.to_string())))
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }
    fn visit_string<E: Error>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut out = Vec::new();
        while let Some(item) = items.next_element_seed(Strict)? {
            out.push(item);
        }
        Ok(Value::Array(out))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut out = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            if out.contains_key(&key) {
                return Err(A::Error::custom(format_args!("{DUPLICATE} `{key}`")));
            }
            let value = members.next_value_seed(Strict)?;
            out.insert(key, value);
        }
        Ok(Value::Object(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn canonical(value: &Value) -> Result<String, NotCanonical> {
        let mut out = Vec::new();
        write(value, 0, &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn keys_are_ordered_as_the_standard_says() {
        let value = json!({"\u{10000}": 1, "\u{e000}": 2, "b": [true, null, -3], "a": "\u{1b}\n\"ä"});
        let ours = canonical(&value).unwrap();
        assert_eq!(ours.as_bytes(), serde_json_canonicalizer::to_vec(&value).unwrap());
        assert!(ours.find('\u{10000}') < ours.find('\u{e000}'), "{ours}");
    }

    #[test]
    fn fractions_large_numbers_and_depth_have_no_form() {
        for number in [json!(0.5), json!(1e3), json!(1u64 << 53), json!(-(1i64 << 53))] {
            assert!(matches!(canonical(&number), Err(NotCanonical::Number(_))), "{number}");
        }
        assert_eq!(canonical(&json!(LARGEST_NUMBER)).unwrap(), "9007199254740991");
        let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
        assert_eq!(canonical(&nested(DEEPEST + 1)), Err(NotCanonical::Deep));
        assert!(canonical(&nested(DEEPEST)).is_ok());
    }

    #[test]
    fn brackets_inside_texts_are_no_levels() {
        assert_eq!(depth(br#"{"a":"[[[\"[[","b":[{}]}"#), 3);
        assert_eq!(depth(b"]]]]["), 1);
    }

    #[test]
    fn the_reader_takes_one_spelling_only() {
        let read = |text: &str| strict(&mut serde_json::Deserializer::from_str(text)).map_err(|e| e.to_string());
        assert_eq!(read(r#"{"a":[1,"x",null,true,-1]}"#), Ok(json!({"a": [1, "x", null, true, -1]})));
        assert!(read(r#"{"a":{"b":1,"b":1}}"#).is_err_and(|e| e.contains(DUPLICATE)));
        for bad in ["1.0", "1e2", "-0", "9007199254740992", "-9007199254740992"] {
            assert!(read(bad).is_err_and(|e| e.contains("whole number")), "{bad}");
        }
    }
}
