//! What a policy folder means: which files count, and which sandboxes they make.

use crate::support::{INVALID, folder, ringfence, root};

const AGENT: &str = "sandbox: { network: { mode: none } }\n";

fn sandboxes(files: &[(&str, &str)], args: &[&str]) -> Vec<String> {
    let dir = folder(files);
    let run = ringfence(dir.path(), &[&["check", "--format", "json"], args].concat());
    assert_eq!(run.code, 0, "{run:?}");
    let found = run.json()["sandboxes"].clone();
    found.as_array().expect("a list").iter().filter_map(|s| s["name"].as_str().map(str::to_owned)).collect()
}

fn problem(files: &[(&str, &str)]) -> String {
    let dir = folder(files);
    let run = ringfence(dir.path(), &["check"]);
    assert_eq!((run.code, run.out.as_str()), (INVALID, ""), "{run:?}");
    run.err
}

#[test]
fn the_examples_are_sound() {
    let run = ringfence(root(), &["check", "-C", "examples/acme"]);
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "ok: 6 documents, 3 sandboxes\n", ""));
    let run = ringfence(root().join("examples/solo"), &["check"]);
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "ok: 1 document, 1 sandbox\n", ""));
}

#[test]
fn specs_then_agents_then_projects_then_the_organisation() {
    let org = ("org.yaml", "policy: acme\n");
    let (shop, web) = (("projects/shop.yml", "policy: shop\n"), ("projects/web.json", "{\"policy\": \"web\"}"));
    let (a, b) = (("agents/a.yaml", AGENT), ("agents/b.yaml", AGENT));
    let spec = ("specs/one.yaml", "name: first\nagent: a\nproject: shop\n");
    assert_eq!(sandboxes(&[org], &[]), ["acme"]);
    assert_eq!(sandboxes(&[org, shop, web], &[]), ["shop", "web"]);
    assert_eq!(sandboxes(&[org, a, b], &[]), ["a", "b"]);
    assert_eq!(sandboxes(&[org, shop, a, b, spec], &[]), ["first", "b"]);
    // A project that no sandbox uses yet is checked too.
    assert_eq!(sandboxes(&[org, shop, web, a, spec], &[]), ["first", "web"]);
    assert_eq!(sandboxes(&[org, shop, web, a, spec], &["--spec", "one"]), ["first"]);
    assert_eq!(sandboxes(&[org, shop, web, a, spec], &["--project", "shop"]), ["first"]);
}

#[test]
fn a_lone_file_has_the_level_it_states() {
    assert_eq!(sandboxes(&[("ringfence.json", "{\"policy\": \"solo\"}")], &[]), ["solo"]);
    let dir = folder(&[("ringfence.yaml", "level: agent\nsandbox: { network: { mode: none } }\n")]);
    let run = ringfence(dir.path(), &["explain", "net evil.test", "--format", "json"]);
    assert_eq!(run.json()["because"][0]["via_cascade_level"], "agent");
}

#[test]
fn an_agent_stands_under_the_project_it_names() {
    let dir = folder(&[
        ("projects/shop.yaml", "policy: shop\nsandbox: { filesystem: { permission: none } }\n"),
        ("agents/a.yaml", "project: shop\nsandbox: { filesystem: { permission: repo-readonly } }\n"),
    ]);
    assert_eq!(ringfence(dir.path(), &["check", "--format", "json"]).error_codes(), ["policy.cascade_violation"]);
}

#[test]
fn names_that_lead_nowhere() {
    let spec = "name: s\nagent: codr\nproject: shop\n";
    let err = problem(&[("org.yaml", "policy: o\n"), ("agents/coder.yaml", AGENT), ("specs/s.yaml", spec)]);
    assert!(err.contains("there is no agent `codr`") && err.contains("did you mean `coder`?"), "{err}");
    assert!(err.contains("there is no project `shop`"), "{err}");
    assert!(err.contains("specs/s.yaml:2:8"), "{err}");
}

#[test]
fn a_spec_cannot_move_an_agent_to_another_project() {
    let err = problem(&[
        ("projects/strict.yaml", "policy: strict\n"),
        ("projects/loose.yaml", "policy: loose\n"),
        ("agents/a.yaml", "project: strict\n"),
        ("specs/s.yaml", "name: s\nagent: a\nproject: loose\n"),
    ]);
    assert!(err.contains("the spec puts the agent `a` into `loose`, and its document into `strict`"), "{err}");
}

#[test]
fn two_layouts_two_names_and_none() {
    let err = problem(&[("ringfence.yaml", "policy: a\n"), ("org.yaml", "policy: b\n")]);
    assert!(err.contains("pick one"), "{err}");
    let err = problem(&[("org.yaml", "policy: a\n"), ("org.json", "{\"policy\": \"b\"}")]);
    assert!(err.contains("the same thing twice"), "{err}");
    let err = problem(&[("projects/a.yaml", "policy: x\n"), ("projects/b.yaml", "policy: x\n")]);
    assert!(err.contains("two project documents named `x`"), "{err}");
    let err = problem(&[]);
    assert!(err.contains("`ringfence init` writes a first one"), "{err}");
    let run = ringfence(root(), &["check", "-C", "no-such-folder", "--format", "json"]);
    assert_eq!(run.error_codes(), ["policy.unreadable"]);
}

#[test]
fn packs_and_presets_of_the_folder() {
    let pack = "\
pack: house
version: 1.0.0
title: House rules
source: us
rules:
  - { id: r1, cites: '1', because: why, policy: { sandbox: { network: { mode: none } } } }
";
    let files = [
        ("ringfence.yaml", "packs: [house]\n"),
        ("packs/house.yaml", pack),
        ("presets/quiet.yaml", "policy: quiet\ntools: { rules: { '*': deny } }\n"),
    ];
    let dir = folder(&files);
    let run = ringfence(dir.path(), &["explain", "net", "a.test", "--format", "json"]);
    assert_eq!(run.json()["because"][0]["via_compliance_pack"], "house@1.0.0", "{run:?}");
    let run = ringfence(dir.path(), &["explain", "tool", "x", "--preset", "quiet", "--exit-code"]);
    assert_eq!(run.code, crate::support::FINDINGS, "{run:?}");
    let run = ringfence(dir.path(), &["check", "--preset", "quite", "--format", "json"]);
    assert_eq!(run.error_codes(), ["policy.unknown_preset"]);
    let err = problem(&[("ringfence.yaml", "policy: a\n"), ("packs/gdpr.yaml", &pack.replace("house", "gdpr"))]);
    assert!(err.contains("a pack named `gdpr` already"), "{err}");
}

#[test]
fn a_spec_whose_documents_were_not_given_is_pointed_out() {
    let dir = folder(&[("org.yaml", "policy: o\n"), ("spec.yaml", "name: s\nproject: shop\n")]);
    let run = ringfence(dir.path(), &["check", "--org", "org.yaml", "--spec", "spec.yaml", "--format", "json"]);
    assert_eq!(run.code, 0);
    let warning = run.json()["warnings"][0].clone();
    assert_eq!(warning["message"], "the spec names the project `shop`, and no such document was given");
    assert_eq!(warning["places"][0]["line"], 2);
}

/// The files that are warned of, each with what to do.
fn misplaced(files: &[(&str, &str)]) -> Vec<(String, String)> {
    let dir = folder(files);
    let run = ringfence(dir.path(), &["check", "--format", "json"]);
    let warnings = run.json()["warnings"].as_array().expect("a list").clone();
    let of = |w: &serde_json::Value| {
        assert_eq!(w["code"], "policy.layout");
        let text = |v: &serde_json::Value| v.as_str().expect("text").to_owned();
        (text(&w["places"][0]["file"]), text(&w["help"]))
    };
    warnings.iter().map(of).collect()
}

#[test]
fn a_file_that_misses_its_place_is_pointed_out() {
    let org = ("org.yaml", "policy: o\n");
    for (file, place) in [
        ("project/p.yaml", "projects/p.yaml"),
        ("agnets/a.yml", "agents/a.yml"),
        ("Specs/s.json", "specs/s.json"),
        ("preset/q.yaml", "presets/q.yaml"),
        ("agents/sub/x.yaml", "agents/x.yaml"),
        ("projects/team/x.yaml", "projects/x.yaml"),
        ("tool.yaml", "tools.yaml"),
        ("hosts.yml", "host.yml"),
        ("ringfance.yaml", "ringfence.yaml"),
    ] {
        let found = misplaced(&[org, (file, "policy: x\n")]);
        assert_eq!(found, [(file.to_owned(), format!("move it to `{place}`"))], "{file}");
    }
    let found = misplaced(&[org, ("orgs.yaml", "policy: x\n")]);
    assert_eq!(found[0].0, "orgs.yaml");
    assert!(found[0].1.contains("`org.yaml` is read, and is there already"), "{found:?}");
    // Where nothing else is there, it is said beside the error.
    let err = problem(&[("project/p.yaml", "policy: x\n")]);
    assert!(err.contains("there is no policy here") && err.contains("move it to `projects/p.yaml`"), "{err}");
}

#[test]
fn other_files_are_nobodys_business() {
    let others = [
        ("package.json", "{}"),
        ("package-lock.json", "{}"),
        ("tsconfig.json", "{}"),
        ("docker-compose.yml", ""),
        ("mkdocs.yml", ""),
        ("orgs.txt", ""),
        (".org.yaml", ""),
        ("src/org.yaml", ""),
        ("project/readme.md", ""),
        ("project/deep/p.yaml", ""),
        ("packages/x.json", "{}"),
        ("agents/sub/readme.md", ""),
        ("agents/.cache/x.yaml", ""),
        ("agents/sub/deep/x.yaml", ""),
    ];
    assert_eq!(misplaced(&[&[("org.yaml", "policy: o\n")], &others[..]].concat()), []);
    // A lone policy stands in a repo that may have folders of its own.
    let repo = [("ringfence.yaml", "policy: a\n"), ("spec/fixture.yaml", ""), ("agent/a.yaml", ""), ("hosts.yaml", "")];
    assert_eq!(misplaced(&repo), []);
}

#[test]
fn a_hint_names_a_dozen_and_counts_the_rest() {
    let names: Vec<String> = (10..30).map(|n| format!("agents/a{n}.yaml")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|n| (n.as_str(), AGENT)).collect();
    let dir = folder(&files);
    for args in [&["derive"][..], &["derive", "--agent", "nobody"]] {
        let run = ringfence(dir.path(), args);
        assert_eq!(run.code, INVALID);
        assert!(run.err.contains("a20, a21 and 8 more") && !run.err.contains("a22"), "{}", run.err);
    }
}
