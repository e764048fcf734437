//! The content hash can be recomputed by anybody from the printed config, with an RFC 8785 implementation
//! that is not ours; it leaves out what a renewal changes, and nothing else.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "test code outside of test functions")]

mod support;

use proptest::prelude::*;
use ringfence_policy::derive::{Context, derive};
use ringfence_policy::schema;
use serde_json::{Map, Value as Json};

fn canonical_hash(value: &Json) -> String {
    ringfence_seal::hash_bytes(&serde_json_canonicalizer::to_vec(value).unwrap())
}

/// What the documentation says is hashed, done by hand.
fn content_of(config: &Json) -> Json {
    let mut content = config.clone();
    for key in ["content_hash", "signature", "policy_version", "issued_at", "expires_at", "provenance"] {
        content.as_object_mut().unwrap().remove(key);
    }
    for document in content["documents"].as_array_mut().unwrap() {
        document.as_object_mut().unwrap().remove("file");
    }
    for (layer, token) in [("layer_4_mcp", "mcp_session_token"), ("layer_5_gateway", "gateway_token")] {
        if let Some(slice) = content[layer].as_object_mut() {
            slice.remove(token);
        }
    }
    content
}

/// The hash of one document's entries, from the printed provenance.
fn statements_hash(config: &Json, from: usize) -> String {
    let entries = config["provenance"].as_object().unwrap().values().flat_map(|e| e.as_array().unwrap());
    let mut own: Vec<Map<String, Json>> =
        entries.filter(|e| e["from"] == from).map(|e| e.as_object().unwrap().clone()).collect();
    for entry in &mut own {
        entry.retain(|key, value| key != "at" && key != "from" && !value.is_null());
    }
    let key = |e: &Map<String, Json>| (e["rule_id"].to_string(), e["line"].as_u64(), e["column"].as_u64());
    own.sort_by_key(key);
    canonical_hash(&Json::from(own))
}

fn context(n: i64) -> Context {
    Context {
        sandbox_id: "sbx".into(),
        issued_at: 1_800_000_000 + n,
        policy_version: u64::try_from(n).ok(),
        mcp_session_token: Some(format!("mcp-{n}")),
        gateway_token: Some(format!("gw-{n}")),
        ..Context::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn anybody_can_recompute_the_hash(triple in support::triple(0.12)) {
        let (set, _) = support::assemble(&triple);
        let print = |n| derive(&set.cascade, &set.spec, set.catalog.as_ref(), "acme", &context(n))
            .map(|d| serde_json::to_value(&d.config).unwrap());
        let Ok(config) = print(1) else { return Ok(()) };
        prop_assert_eq!(config["content_hash"].as_str().unwrap(), canonical_hash(&content_of(&config)));
        for (n, document) in config["documents"].as_array().unwrap().iter().enumerate() {
            prop_assert_eq!(document["statements_hash"].as_str().unwrap(), statements_hash(&config, n));
        }
        let renewed = print(2).unwrap();
        prop_assert_eq!(&config["content_hash"], &renewed["content_hash"]);
        prop_assert_ne!(&config["issued_at"], &renewed["issued_at"]);
    }

    #[test]
    fn every_config_fits_the_published_schema(triple in support::triple(0.12)) {
        let (set, _) = support::assemble(&triple);
        let Ok(derivation) = derive(&set.cascade, &set.spec, set.catalog.as_ref(), "acme", &context(1)) else { return Ok(()) };
        let config = serde_json::to_value(&derivation.config).unwrap();
        let published = schema::all().into_iter().find(|(name, _)| *name == "sandbox-config").unwrap().1;
        let validator = jsonschema::validator_for(&published).unwrap();
        let errors: Vec<String> = validator.iter_errors(&config).map(|e| format!("{} at {}", e, e.instance_path())).collect();
        prop_assert!(errors.is_empty(), "{:#?}", errors);
    }

    #[test]
    fn every_document_fits_the_published_schema(document in support::document(0.5)) {
        let published = schema::all().into_iter().find(|(name, _)| *name == "policy").unwrap().1;
        let validator = jsonschema::validator_for(&published).unwrap();
        let errors: Vec<String> = validator.iter_errors(&document).map(|e| format!("{} at {}", e, e.instance_path())).collect();
        prop_assert!(document.as_object().unwrap().is_empty() || errors.is_empty(), "{:#?}", errors);
    }
}
