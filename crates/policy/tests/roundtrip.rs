//! Print → parse is the identity, and both spellings of a key mean the same.

mod support;

use proptest::prelude::*;
use ringfence_policy::document::PolicyDocument;
use ringfence_policy::span::Sources;
use serde_json::{Map, Value as Json, json};

fn read(text: &Json) -> PolicyDocument {
    support::read("x.json", text, &mut Sources::default(), PolicyDocument::read)
}

/// Schema keys in snake_case; names of tools, steps and arguments stay.
fn snake(value: &Json, names: bool) -> Json {
    let Json::Object(map) = value else { return value.clone() };
    let convert = |key: &str| {
        key.chars().flat_map(|c| if c.is_uppercase() { vec!['_', c.to_ascii_lowercase()] } else { vec![c] }).collect()
    };
    let entries = map.iter().map(|(key, value)| {
        let below_are_names = matches!(key.as_str(), "rules" | "constraints" | "steps");
        let is_name_level = names && map.contains_key("fs/*");
        let key: String = if names || is_name_level { key.clone() } else { convert(key) };
        (key, if below_are_names { value.clone() } else { snake(value, false) })
    });
    Json::Object(entries.collect::<Map<_, _>>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printing_and_reading_is_the_identity(text in support::document(0.6)) {
        let first = read(&text);
        let printed = first.print();
        let second = read(&printed);
        prop_assert_eq!(&printed, &second.print());
        prop_assert_eq!(first.fields.print(), second.fields.print());
    }

    #[test]
    fn snake_case_reads_the_same(text in support::document(0.6)) {
        prop_assert_eq!(read(&text).print(), read(&snake(&text, false)).print());
    }
}

#[test]
fn metadata_and_tests_survive() {
    let text = json!({
        "policy": "acme-base", "level": "org", "packs": ["gdpr@1.0.0"], "categories": ["customer_pii"], "because": "floor",
        "operator": "platform", "at": "2026-01-31T09:00:00Z",
        "tests": [{ "deny": "net evil.test" }, { "ask": "tool mail/send {\"to\":\"x\"}" }],
    });
    assert_eq!(read(&text).print(), text);
}
