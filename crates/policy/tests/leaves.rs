//! Every leaf of every slice has provenance, every rule it names is there, and nothing else is named.

mod support;

use proptest::prelude::*;
use ringfence_policy::derive::{Context, derive};
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// The pointers of all leaves: scalars, nulls, empty lists and empty mappings.
fn leaves(value: &Json, at: &str, out: &mut Vec<(String, String)>) {
    match value {
        Json::Array(items) if !items.is_empty() => {
            items.iter().enumerate().for_each(|(n, v)| leaves(v, &format!("{at}/{n}"), out))
        }
        Json::Object(map) if !map.is_empty() => {
            map.iter().for_each(|(k, v)| leaves(v, &format!("{at}/{}", k.replace('~', "~0").replace('/', "~1")), out));
        }
        Json::String(text) => out.push((at.to_owned(), text.clone())),
        other => out.push((at.to_owned(), other.to_string())),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_leaf_has_a_reason(triple in support::triple(0.15)) {
        let (set, _) = support::assemble(&triple);
        let context = Context { self_hosted_dev: true, ..Context::default() };
        let Ok(derivation) = derive(&set.cascade, &set.spec, set.catalog.as_ref(), "acme", &context) else { return Ok(()) };
        let config = serde_json::to_value(&derivation.config).unwrap();
        let provenance = config["provenance"].as_object().unwrap();
        let mut found = Vec::new();
        for layer in ["layer_1_kernel", "layer_2_harness", "layer_3_codemode", "layer_4_mcp", "layer_5_gateway"] {
            if !config[layer].is_null() {
                leaves(&config[layer], &format!("/{layer}"), &mut found);
            }
        }
        for (leaf, value) in &found {
            let rules = derivation.config.leaves.rules_of(leaf, value);
            prop_assert!(!rules.is_empty(), "no reason for {}", leaf);
            for rule in rules {
                prop_assert!(provenance.get(&rule).is_some_and(|e| !e.as_array().unwrap().is_empty()), "{} names {}", leaf, rule);
            }
        }
        let tokens = ["/layer_4_mcp/mcp_session_token", "/layer_5_gateway/gateway_token"];
        let known: BTreeSet<&str> = found.iter().map(|(p, _)| p.as_str()).chain(tokens).collect();
        for pointer in config["leaves"].as_object().unwrap().keys().filter(|p| !p.contains("/*")) {
            prop_assert!(known.contains(pointer.as_str()), "{} is no leaf", pointer);
        }
    }
}
