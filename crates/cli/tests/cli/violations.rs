//! A project that relaxes its organisation: every violation at once, with both places, and no config.

use crate::support::{INVALID, folder, ringfence};
use serde_json::json;
use tempfile::TempDir;

const ORG: &str = "\
policy: acme
level: org
sandbox:
  network: { mode: none }
  filesystem: { permission: repo-readonly }
tools: { rules: { mail/send: deny } }
capabilities: { forbid: [destructive_action] }
";
const PROJECT: &str = "\
policy: shop
level: project
sandbox:
  network: { mode: allowlist, allowlist: [shop.test] }
  filesystem: { permission: repo-readwrite }
tools: { rules: { mail/send: allow } }
capabilities: { allow: [destructive_action] }
";
const FLAGS: &[&str] = &["--org", "org.yaml", "--project", "shop.yaml"];

fn relaxing() -> TempDir {
    folder(&[("org.yaml", ORG), ("shop.yaml", PROJECT), ("spec.yaml", "name: shop\nlayers: [kernel, gatway, mcp]\n")])
}

#[test]
fn every_violation_is_shown_in_one_run_and_there_is_no_config() {
    let dir = relaxing();
    for command in [&["derive"][..], &["check"], &["test"], &["explain", "net shop.test"]] {
        let args = [command, FLAGS, &["--spec", "spec.yaml", "--format", "json"]].concat();
        let run = ringfence(dir.path(), &args);
        let violation = "policy.cascade_violation";
        assert_eq!(
            run.error_codes(),
            [violation, violation, violation, "policy.forbidden_capability", "policy.unknown_layer"],
            "{command:?}"
        );
    }
}

#[test]
fn a_violation_has_both_places_and_who_set_the_floor() {
    let dir = relaxing();
    let run = ringfence(dir.path(), &[&["derive", "--format", "json"], FLAGS].concat());
    let errors = run.json()["errors"].clone();
    assert_eq!(
        errors[1],
        json!({
            "code": "policy.cascade_violation",
            "message": "the project level relaxes `sandbox.filesystem.permission` set by the org level",
            "places": [
                { "file": "shop.yaml", "line": 5, "column": 29 },
                { "file": "org.yaml", "line": 5, "column": 29 },
            ],
            "floor": "repo-readonly",
            "attempt": "repo-readwrite",
            "set_by": "`acme` (org level)",
            "help": "remove the statement or make it at least as strict as `repo-readonly`; only the organisation can change the floor",
        })
    );
}

#[test]
fn a_violation_for_people_has_a_caret_under_both_statements() {
    let project = "sandbox: { filesystem: { permission: full } }\n";
    let dir = folder(&[
        ("org.yaml", "policy: acme\nsandbox: { filesystem: { permission: none } }\n"),
        ("shop.yaml", project),
    ]);
    let run = ringfence(dir.path(), &[&["derive"], FLAGS].concat());
    assert_eq!((run.code, run.out.as_str()), (INVALID, ""));
    insta::assert_snapshot!(run.err, @r"
    error[policy.cascade_violation]: the project level relaxes `sandbox.filesystem.permission` set by the org level
     --> shop.yaml:1:38
      |
    1 | sandbox: { filesystem: { permission: full } }
      |                                      ^^^^ stated here: full
      |
     ::: org.yaml:2:38
      |
    2 | sandbox: { filesystem: { permission: none } }
      |                                      ---- floor: none, set by `acme` (org level)
      |
      = help: remove the statement or make it at least as strict as `none`; only the organisation can change the floor

    error: 1 error; nothing was derived
    ");
}

#[test]
fn a_pack_sets_a_floor_like_a_document() {
    let dir = folder(&[
        ("org.yaml", "policy: acme\npacks: [gdpr]\n"),
        ("shop.yaml", "steps: { detect_pii: { onDetection: log } }\n"),
    ]);
    let run = ringfence(dir.path(), &[&["check"], FLAGS].concat());
    assert_eq!(run.code, INVALID);
    assert!(run.err.contains("::: ringfence:packs/gdpr:"), "{}", run.err);
    assert!(run.err.contains("set by pack `gdpr@"), "{}", run.err);
}

#[test]
fn the_same_problem_is_shown_once_for_all_sandboxes_that_share_it() {
    let dir = folder(&[
        ("org.yaml", ORG),
        ("projects/shop.yaml", "policy: shop\nsandbox: { filesystem: { permission: repo-readwrite } }\n"),
        ("agents/a.yaml", "project: shop\nsandbox: { network: { mode: none } }\n"),
        ("agents/b.yaml", "project: shop\nsandbox: { network: { mode: none } }\n"),
    ]);
    let run = ringfence(dir.path(), &["check", "--format", "json"]);
    assert_eq!(run.error_codes(), ["policy.cascade_violation"]);
}

#[test]
fn sarif_names_rule_place_and_floor() {
    let dir = relaxing();
    let run = ringfence(dir.path(), &[&["check", "--format", "sarif"], FLAGS].concat());
    assert_eq!(run.code, INVALID);
    let log = run.json();
    assert_eq!(log["version"], "2.1.0");
    let result = &log["runs"][0]["results"][1];
    assert_eq!(result["ruleId"], "policy.cascade_violation");
    assert_eq!(result["level"], "error");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "shop.yaml");
    assert_eq!(place["region"], json!({ "startLine": 5, "startColumn": 29 }));
    let floor = &result["relatedLocations"][0]["physicalLocation"];
    assert_eq!(floor["artifactLocation"]["uri"], "org.yaml");
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
    assert!(rules.iter().any(|r| r["id"] == "policy.cascade_violation"));
}
