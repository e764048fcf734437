//! What a slice holds is what its layer is said to enforce, and a trail blames only those who decide.

#![expect(clippy::unwrap_used, reason = "test code outside of test functions")]

mod support;

use ringfence_policy::decide::Index;
use ringfence_policy::derive::{Context, derive};
use ringfence_policy::explain::explain;
use ringfence_policy::level::Level;
use ringfence_policy::provenance::Provenance;
use ringfence_policy::question::Question;
use ringfence_policy::resolve::Resolved;
use ringfence_policy::scale::Effect;
use serde_json::{Value as Json, json};
use support::Triple;

fn triple(documents: Vec<(Level, Json)>, layers: &[&str]) -> Triple {
    Triple { documents, catalog: None, spec: json!({ "name": "box", "layers": layers }), host: None }
}

fn config(triple: &Triple) -> Result<Json, Vec<String>> {
    let (set, _) = support::assemble(triple);
    match derive(&set.cascade, &set.spec, set.catalog.as_ref(), "acme", &Context::default()) {
        Ok(d) => Ok(serde_json::to_value(&d.config).unwrap()),
        Err(e) => Err(e.errors.iter().map(|d| format!("{}: {}", d.code, d.message)).collect()),
    }
}

fn guarded() -> Json {
    json!({
        "tools": {
            "rules": { "mail/send": "allow" },
            "constraints": { "mail/send": { "to": { "domains": ["a.example"] } } },
            "guards": { "spotlighting": true },
        },
        "steps": { "detect_pii": { "onDetection": "block" } },
    })
}

#[test]
fn each_tool_layer_holds_constraints_guards_and_steps() {
    for (layer, slice, group) in [
        ("harness", "layer_2_harness", "permissions"),
        ("mcp", "layer_4_mcp", "capabilities"),
        ("gateway", "layer_5_gateway", "capabilities"),
    ] {
        let config = config(&triple(vec![(Level::Agent, guarded())], &[layer])).unwrap();
        let slice = &config[slice];
        assert_eq!(slice[group]["constraints"]["mail/send"]["to"], json!({ "domains": ["a.example"] }), "{layer}");
        assert_eq!(slice["guards"]["spotlighting"]["enabled"], true, "{layer}");
        assert_eq!(slice["pipeline"][0]["step"], "detect_pii", "{layer}");
    }
}

#[test]
fn a_rule_that_no_enabled_layer_enforces_is_an_error() {
    let strikes = vec![(Level::Org, json!({ "tools": { "strikes": 2 } }))];
    let errors = config(&triple(strikes.clone(), &["gateway"])).unwrap_err();
    assert_eq!(errors, ["policy.unenforced: no enabled layer of `box` enforces `tools.strikes`"]);
    assert!(config(&triple(strikes, &["gateway", "mcp"])).is_ok());
    let allowed = vec![(Level::Org, json!({ "tools": { "strikes": 2 }, "allowUnenforced": true }))];
    assert!(config(&triple(allowed, &["gateway"])).is_ok());
}

/// Who decides, by document, and who does not.
fn trail(triple: &Triple, question: &str) -> (Effect, Vec<String>, Vec<String>) {
    let (set, _) = support::assemble(triple);
    let resolved = Resolved::new(&set.cascade, set.catalog.as_ref());
    let index = Index::new(&resolved, &set.spec);
    let provenance = Provenance::new(resolved.ledger.clone());
    let explained = explain(&index, &provenance, &set.spec, &Question::parse(question).unwrap());
    let by = |decisive| {
        explained.because.iter().filter(|b| b.decisive == decisive).map(|b| b.entry.document.clone()).collect()
    };
    (explained.effect, by(true), by(false))
}

#[test]
fn only_who_closes_is_blamed() {
    let lists = |hosts: &[&str]| json!({ "sandbox": { "network": { "mode": "allowlist", "allowlist": hosts } } });
    let all = &["kernel", "harness", "codemode", "mcp", "gateway"][..];
    let two =
        triple(vec![(Level::Org, lists(&["a.example", "b.example"])), (Level::Project, lists(&["a.example"]))], all);
    assert_eq!(trail(&two, "net b.example"), (Effect::Deny, vec!["doc-1".into()], vec!["doc-0".into()]));
    let mut ceiling = triple(vec![(Level::Project, lists(&["a.example"]))], all);
    ceiling.host = Some(json!({ "host": "build-7", "sandbox": { "network": { "mode": "none" } } }));
    assert_eq!(trail(&ceiling, "net a.example"), (Effect::Deny, vec!["build-7".into()], vec!["doc-0".into()]));
    let permission = |p: &str| json!({ "sandbox": { "filesystem": { "permission": p } } });
    let files =
        triple(vec![(Level::Org, permission("repo-readwrite")), (Level::Agent, permission("repo-readonly"))], all);
    assert_eq!(trail(&files, "write src/x"), (Effect::Deny, vec!["doc-1".into()], vec!["doc-0".into()]));
    let narrowed = json!({ "sandbox": { "filesystem": { "permission": "repo-readwrite", "writable": ["out"] } } });
    let roots = triple(vec![(Level::Org, permission("repo-readwrite")), (Level::Agent, narrowed)], all);
    assert_eq!(trail(&roots, "write src/x"), (Effect::Deny, vec!["doc-1".into()], vec![]));
}

#[test]
fn who_narrows_the_requests_of_a_host_is_named() {
    let open = json!({ "sandbox": { "network": { "allowlist": ["*.a.example"] } } });
    let narrow = json!({ "sandbox": { "network": { "http": [{ "host": "x.a.example", "methods": ["GET"] }] } } });
    let two = triple(vec![(Level::Org, open), (Level::Agent, narrow)], &["kernel"]);
    let both = vec!["doc-0".to_owned(), "doc-1".to_owned()];
    assert_eq!(trail(&two, "net x.a.example"), (Effect::Allow, both, vec![]));
    assert_eq!(trail(&two, "net y.a.example"), (Effect::Allow, vec!["doc-0".into()], vec![]));
    assert_eq!(trail(&two, "net x.a.example:22").0, Effect::Deny);
}

/// On the host's own network nobody looks at requests.
#[test]
fn rules_for_requests_need_a_list_of_hosts() {
    let host = json!({ "sandbox": { "network": { "mode": "host" } } });
    let narrow = json!({ "sandbox": { "network": { "http": [{ "host": "a.example", "methods": ["GET"] }] } } });
    let two = triple(vec![(Level::Org, host), (Level::Agent, narrow.clone())], &["kernel"]);
    let slice = config(&two).unwrap()["layer_1_kernel"].clone();
    assert_eq!((&slice["network_mode"], &slice["network_http"]), (&json!("none"), &json!([])));
    assert_eq!(trail(&two, "net a.example").0, Effect::Deny);
    // A restriction below a ban is no relaxation.
    let none = json!({ "sandbox": { "network": { "mode": "none" } } });
    assert!(config(&triple(vec![(Level::Org, none), (Level::Agent, narrow)], &["kernel"])).is_ok());
}

#[test]
fn the_slices_of_a_small_cascade() {
    let org = json!({
        "sandbox": {
            "network": {
                "allowlist": ["*.a.example", "b.example:8443"],
                "http": [{ "host": "b.example:8443", "paths": ["/v1/*"] }],
            },
            "filesystem": { "permission": "repo-readwrite", "writable": ["src", "/tmp"] },
            "limits": { "memory": "1GiB", "wall": "10m" },
        },
        "tools": { "rules": { "*": "ask", "fs/read_*": "allow" }, "strikes": 2 },
        "gateway": { "models": ["claude-*"] },
        "code": { "deniedImports": ["socket"] },
    });
    let agent = json!({
        "sandbox": { "network": { "http": [
            { "host": "b.example:8443", "methods": ["GET", "HEAD"], "paths": ["/v1/a", "/v1/b/*"] },
            { "host": "x.a.example", "methods": ["GET"], "paths": ["/v1/a"] },
        ] } },
        "steps": guarded()["steps"],
    });
    let config = config(&triple(
        vec![(Level::Org, org), (Level::Agent, agent)],
        &["kernel", "harness", "codemode", "mcp", "gateway"],
    ))
    .unwrap();
    let mut slices = config.as_object().unwrap().clone();
    slices.retain(|key, _| key.starts_with("layer_"));
    for path in ["/layer_1_kernel/fs", "/layer_2_harness/sandbox"] {
        // The baseline is data of its own with tests of its own.
        let part = config.pointer(path).unwrap();
        assert!(part.get("hidden").or(part.get("deny_read")).unwrap().as_array().unwrap().len() > 10);
    }
    for (layer, keys) in [("layer_1_kernel", ["hidden", "protected"]), ("layer_2_harness", ["deny_read", "deny_write"])]
    {
        let group = if layer == "layer_1_kernel" { "fs" } else { "sandbox" };
        for key in keys {
            slices[layer][group][key] = json!("…");
        }
    }
    slices["layer_1_kernel"]["hidden_env"] = json!("…");
    insta::assert_snapshot!(serde_json::to_string_pretty(&slices).unwrap());
}
