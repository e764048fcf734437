//! Configs of the examples: valid, reproducible, and only ever one.

use crate::support::{AT, INVALID, USAGE, folder, ringfence, root};
use serde_json::Value as Json;

fn derived(args: &[&str]) -> Json {
    let run = ringfence(root(), &[&["derive", "--format", "json", "--at", AT], args].concat());
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{args:?}");
    run.json()
}

#[test]
fn every_example_derives_to_a_config_that_its_schema_accepts() {
    let schema = ringfence(root(), &["schema", "sandbox-config"]).json();
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let acme =
        ["coder", "researcher", "customer-support-emailer"].map(|spec| vec!["-C", "examples/acme", "--spec", spec]);
    for args in acme.into_iter().chain([vec!["-C", "examples/solo"]]) {
        let config = derived(&args);
        let errors: Vec<String> = validator.iter_errors(&config).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{args:?}: {errors:?}");
    }
}

#[test]
fn the_flags_are_in_the_config() {
    let flags = ["--org-id", "acme-2", "--sandbox-id", "sbx_1", "--policy-version", "7"];
    let config = derived(&[&["-C", "examples/acme", "--agent", "coder"], &flags[..]].concat());
    assert_eq!(config["org_id"], "acme-2");
    assert_eq!(config["sandbox_id"], "sbx_1");
    assert_eq!(config["policy_version"], 7);
    assert_eq!(config["issued_at"], AT);
    assert_eq!(config["expires_at"], "2026-01-31T09:05:00Z");
}

#[test]
fn the_id_is_stable_and_differs_between_organisations() {
    let id = |args: &[&str]| derived(&[&["-C", "examples/solo"], args].concat())["sandbox_id"].clone();
    let own = id(&[]);
    assert!(own.as_str().is_some_and(|t| t.starts_with("sbx_") && t.len() == 20), "{own}");
    assert_eq!(own, id(&[]));
    assert_ne!(own, id(&["--org-id", "other"]));
}

#[test]
fn two_processes_print_the_same_bytes() {
    let args = ["derive", "-C", "examples/acme", "--spec", "coder", "--format", "json", "--at", AT];
    let (first, second) = (ringfence(root(), &args), ringfence(root(), &args));
    assert_eq!(first.code, 0);
    assert_eq!(first.out, second.out);
    let compact = ringfence(root(), &[&args[..], &["--compact"]].concat());
    assert_eq!(compact.out.lines().count(), 1);
    assert_eq!(compact.json(), first.json());
}

#[test]
fn files_named_by_flags_give_what_the_folder_gives() {
    let at = |path: &str| format!("examples/acme/{path}.yaml");
    let (org, project, agent) = (at("org"), at("projects/platform"), at("agents/coder"));
    let (spec, tools, host) = (at("specs/coder"), at("tools"), at("host"));
    let flags = ["--org", &org, "--project", &project, "--agent", &agent];
    let rest = ["--spec", &spec, "--tools", &tools, "--host", &host];
    assert_eq!(derived(&[flags, rest].concat()), derived(&["-C", "examples/acme", "--spec", "coder"]));
}

#[test]
fn the_summary_names_every_layer() {
    let run = ringfence(root(), &["derive", "-C", "examples/acme", "--spec", "coder", "--at", AT]);
    assert_eq!(run.code, 0);
    for word in ["sandbox   coder", "gateway ", "mcp ", "codemode ", "harness ", "kernel ", "gap ", "hash ", "issued "]
    {
        assert!(run.out.lines().any(|l| l.starts_with(word)), "{word}: {}", run.out);
    }
}

#[test]
fn a_preset_narrows() {
    let config = derived(&["-C", "examples/solo", "--preset", "full-isolate"]);
    assert_eq!(config["layer_1_kernel"]["network_mode"], "none");
}

#[test]
fn warnings_leave_stdout_to_the_config() {
    let tools = "tools:\n  - { name: fs/read, capabilities: [file_read], status: approved }\n";
    let dir = folder(&[("ringfence.yaml", "tools: { rules: { fs/raed: allow } }\n"), ("tools.yaml", tools)]);
    let run = ringfence(dir.path(), &["derive", "--format", "json", "--at", AT]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(run.json()["sandbox_name"], "ringfence");
    assert!(run.err.starts_with("warning[policy.unknown_tool]"), "{}", run.err);
    let denied = ringfence(dir.path(), &["check", "--deny-warnings"]);
    assert_eq!(denied.code, crate::support::FINDINGS);
}

#[test]
fn more_than_one_sandbox_needs_a_name() {
    let run = ringfence(root(), &["derive", "-C", "examples/acme", "--format", "json"]);
    assert_eq!(run.error_codes(), ["policy.layout"]);
    let help = run.json()["errors"][0]["help"].clone();
    assert_eq!(help, "choose with `--spec`: coder, customer-support-emailer, researcher");
    let run = ringfence(root(), &["derive", "-C", "examples/acme", "--agent", "codr"]);
    assert_eq!(run.code, INVALID);
    assert!(run.err.contains("did you mean `coder`?"), "{}", run.err);
}

#[test]
fn bad_usage_is_no_policy_error() {
    for args in [
        &["derive", "--at", "yesterday"][..],
        &["derive", "--format", "sarif"],
        &["derive", "-C", "examples/solo", "--org", "examples/acme/org.yaml"],
        &["drive"],
        &[],
    ] {
        let run = ringfence(root(), args);
        assert_eq!((run.code, run.out.as_str()), (USAGE, ""), "{args:?}");
    }
    let run = ringfence(root(), &["drive", "--format", "json"]);
    assert_eq!(run.code, USAGE);
    assert_eq!(run.json()["errors"][0]["code"], "usage");
    assert_eq!(ringfence(root(), &["--help"]).code, 0);
    assert_eq!(ringfence(root(), &["--version"]).code, 0);
}
