//! What comes with the binary: packs, categories, presets and the baseline say what they promise.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]

mod policy_folder;

use policy_folder::{Folder, folder};
use ringfence_policy::diagnostic::Code;
use ringfence_policy::library::Library;
use ringfence_policy::pack::{CategoryBook, Pack};
use ringfence_policy::read::Reader;
use ringfence_policy::scale::Effect::{self, Allow, Deny};
use ringfence_policy::span::Sources;
use serde_json::Value as Json;
use std::collections::BTreeSet;

fn built_in<T>(get: impl FnOnce(&mut Library, &mut Sources, &mut Reader) -> Option<T>) -> T {
    let mut reader = Reader::default();
    let value = get(&mut Library::default(), &mut Sources::default(), &mut reader);
    assert!(reader.diagnostics.is_empty(), "{:#?}", reader.diagnostics);
    value.expect("it is built in")
}

fn pack(name: &str) -> Pack {
    built_in(|library, sources, reader| library.pack(name, sources, reader))
}

fn book() -> CategoryBook {
    built_in(Library::categories)
}

/// Every entry in the provenance of a config.
fn provenance(folder: &Folder) -> Vec<Json> {
    let config = folder.config();
    let rules = config["provenance"].as_object().unwrap();
    rules.values().flat_map(|entries| entries.as_array().unwrap()).cloned().collect()
}

fn text<'a>(entry: &'a Json, key: &str) -> &'a str {
    entry[key].as_str().unwrap_or_default()
}

#[test]
fn everything_built_in_reads_without_a_problem() {
    assert_eq!(Library::builtin_packs().count(), 7);
    assert_eq!(Library::builtin_presets().count(), 4);
    for name in Library::builtin_packs() {
        assert_eq!(&*pack(name).id, name);
        let versioned = pack(&pack(name).reference());
        assert_eq!(versioned.rules.len(), pack(name).rules.len());
    }
    for name in Library::builtin_presets() {
        let preset = built_in(|library, sources, reader| library.preset(name, sources, reader));
        assert_eq!(preset.id_or(""), name);
        assert!(preset.because.is_some() && !preset.tests.is_empty(), "{name}");
    }
    let baseline = built_in(|_, sources, reader| Library::baseline(sources, reader));
    assert!(baseline.because.is_some());
    assert!(!book().categories.is_empty() && !book().concerns.is_empty() && !book().mitigations.is_empty());
}

#[test]
fn every_rule_of_a_pack_cites_says_why_and_states_something() {
    let book = book();
    for name in Library::builtin_packs() {
        let pack = pack(name);
        assert!(!pack.title.is_empty() && !pack.source.is_empty() && !pack.rules.is_empty(), "{name}");
        let ids: BTreeSet<&str> = pack.rules.iter().map(|r| &*r.id).collect();
        assert_eq!(ids.len(), pack.rules.len(), "{name} has a rule id twice");
        for rule in &pack.rules {
            assert!(!rule.cites.is_empty(), "{name}#{}", rule.id);
            assert!(rule.because.len() > 40, "{name}#{}: {}", rule.id, rule.because);
            assert!(!rule.fields.print().is_empty(), "{name}#{} states nothing", rule.id);
            let known = |n: &Option<_>, of: BTreeSet<_>| n.as_ref().is_none_or(|n| of.contains(n));
            assert!(known(&rule.concern, book.concerns.keys().collect()), "{name}#{}: {:?}", rule.id, rule.concern);
            assert!(known(&rule.category, book.categories.keys().collect()), "{name}#{}: {:?}", rule.id, rule.category);
        }
    }
}

#[test]
fn every_category_leads_to_a_mitigation_that_states_something() {
    let book = book();
    for (name, category) in &book.categories {
        assert!(!category.because.is_empty() && !category.leads_to.is_empty(), "{name}");
        for concern in &category.leads_to {
            assert!(!book.concerns[concern].leads_to.is_empty(), "{concern}");
        }
    }
    for (name, mitigation) in &book.mitigations {
        assert!(!mitigation.because.is_empty() && !mitigation.fields.print().is_empty(), "{name}");
    }
}

#[test]
fn all_packs_together_derive() {
    let names: Vec<&str> = Library::builtin_packs().collect();
    let org = format!("policy: acme\npacks: [{}]\n", names.join(", "));
    let all = folder(&[("org", &org), ("project", "policy: p\n"), ("agent", "policy: a\n")], &[]);
    let entries = provenance(&all);
    for name in names {
        let reference = pack(name).reference();
        assert!(entries.iter().any(|e| text(e, "via_compliance_pack") == &*reference), "{name}");
    }
}

#[test]
fn every_category_together_with_every_pack_derives() {
    let categories: Vec<String> = book().categories.keys().map(ToString::to_string).collect();
    let packs: Vec<&str> = Library::builtin_packs().collect();
    let org = format!("packs: [{}]\ncategories: [{}]\n", packs.join(", "), categories.join(", "));
    folder(&[("org", &org)], &[]).sound();
}

#[test]
fn each_floor_of_a_pack_reaches_an_agent_two_levels_below() {
    for name in Library::builtin_packs() {
        let org = format!("policy: acme\npacks: [{name}]\n");
        let project = "policy: shop\nsandbox: { network: { mode: none } }\n";
        let agent = "policy: clerk\nproject: shop\ntools: { rules: { \"*\": ask } }\n";
        let derived = folder(&[("org", &org), ("project", project), ("agent", agent)], &[]);
        let entries = provenance(&derived);
        let pack = pack(name);
        for rule in &pack.rules {
            let document = format!("{}#{}", pack.reference(), rule.id);
            let mine: Vec<&Json> = entries.iter().filter(|e| text(e, "document") == document).collect();
            assert!(!mine.is_empty(), "{document} has no entry");
            for entry in mine {
                assert_eq!(text(entry, "via_compliance_pack"), &*pack.reference(), "{document}");
                assert_eq!(text(entry, "introduced_by"), "compliance_pack", "{document}");
                assert_eq!(text(entry, "via_cascade_level"), "org", "{document}");
                assert_eq!(entry["via_concern"].as_str(), rule.concern.as_deref(), "{document}");
                assert_eq!(entry["via_category"].as_str(), rule.category.as_deref(), "{document}");
            }
        }
    }
}

#[test]
fn the_eu_ai_act_is_a_floor_that_no_agent_can_lower() {
    let org = "policy: acme\npacks: [eu-ai-act]\n";
    let agent = "policy: clerk\nsteps:\n  detect_prohibited_practice: { onDetection: log }\n";
    let relaxed = folder(&[("org", org), ("agent", agent)], &[]);
    let errors = relaxed.derive().unwrap_err().errors;
    let codes: Vec<Code> = errors.iter().map(|d| d.code).collect();
    assert_eq!(codes, [Code::CascadeViolation]);
    assert!(errors[0].set_by.as_ref().unwrap().starts_with("pack `eu-ai-act@"), "{:?}", errors[0].set_by);
}

#[test]
fn a_category_brings_steps_with_its_trail() {
    let derived = folder(&[("org", "policy: acme\ncategories: [customer_pii]\n"), ("agent", "policy: a\n")], &[]);
    let entries = provenance(&derived);
    let steps: Vec<&Json> = entries
        .iter()
        .filter(|e| text(e, "rule_id").starts_with("steps[") && text(e, "via_category") == "customer_pii")
        .collect();
    assert!(!steps.is_empty());
    for step in steps {
        assert!(book().concerns.contains_key(text(step, "via_concern")), "{step}");
        assert_eq!(text(step, "introduced_by"), "org", "{step}");
    }
}

#[test]
fn an_unknown_name_has_its_code_and_the_nearest_known_one() {
    type Case = (&'static str, &'static str, &'static [&'static str], Code, &'static str, &'static str);
    let cases: &[Case] = &[
        ("org", "packs: [eu-ai-atc]\n", &[], Code::UnknownPack, "`eu-ai-atc`", "did you mean `eu-ai-act`?"),
        ("org", "packs: [gdpr@0.0.1]\n", &[], Code::UnknownPack, "no version `gdpr@0.0.1`", "unknown"),
        ("org", "packs: [zzz]\n", &[], Code::UnknownPack, "`zzz`", "unknown"),
        (
            "org",
            "categories: [customer_pi]\n",
            &[],
            Code::UnknownCategory,
            "`customer_pi`",
            "did you mean `customer_pii`?",
        ),
        (
            "spec",
            "name: box\npreset: read-onyl\n",
            &[],
            Code::UnknownPreset,
            "`read-onyl`",
            "did you mean `read-only`?",
        ),
        ("org", "policy: a\n", &["adit"], Code::UnknownPreset, "`adit`", ""),
    ];
    for (kind, document, presets, code, message, label) in cases {
        let problems = folder(&[(kind, document)], presets).problems;
        assert_eq!(problems.len(), 1, "{document}");
        let d = &problems[0];
        assert_eq!(d.code, *code, "{document}");
        assert!(d.message.contains(message), "{}", d.message);
        assert!(d.help.as_ref().unwrap().starts_with("one of: "), "{:?}", d.help);
        assert_eq!(d.labels.first().map_or("", |l| &l.text), *label, "{document}");
    }
}

/// The tools that the rows of the table speak of.
const TOOLS: &str = "
tools:
  - { name: fs/read_file, capabilities: [file_read] }
  - { name: fs/write_file, capabilities: [file_write] }
  - { name: shell/run, capabilities: [exec] }
  - { name: mail/send, capabilities: [external_messaging] }
  - { name: web/search, capabilities: [web_search] }
  - { name: web/fetch, capabilities: [web_fetch] }
  - { name: odd/reader, capabilities: [file_read, exec] }
";

fn row(preset: &str, expected: &[(&str, Effect)]) {
    folder(&[("tools", TOOLS)], &[preset]).answers(expected);
    let spec = format!("name: box\npreset: {preset}\n");
    folder(&[("tools", TOOLS), ("spec", &spec)], &[]).answers(expected);
}

#[test]
fn read_only_reads_the_repo() {
    row(
        "read-only",
        &[
            ("read src/main.rs", Allow),
            ("read .", Allow),
            ("read ~/.ssh/id_ed25519", Deny),
            ("read ~/notes.md", Deny),
            ("write src/main.rs", Deny),
            ("write sandbox-output/report.md", Deny),
            ("exec ls", Deny),
            ("exec /bin/sh", Deny),
            ("net example.com", Deny),
            ("net 10.0.0.1", Deny),
            ("tool fs/read_file", Allow),
            ("tool fs/write_file", Deny),
            ("tool shell/run", Deny),
            ("tool mail/send", Deny),
            ("tool web/fetch", Deny),
            ("tool odd/reader", Deny),
            ("tool no/such_tool", Deny),
        ],
    );
}

#[test]
fn audit_writes_reports_and_nothing_else() {
    row(
        "audit",
        &[
            ("read src/main.rs", Allow),
            ("write sandbox-output/report.md", Allow),
            ("write sandbox-output/deep/notes.txt", Allow),
            ("write sandbox-output/data.json", Allow),
            ("write sandbox-output/run.log", Allow),
            ("write sandbox-output/run.sh", Deny),
            ("write sandbox-output/report", Deny),
            ("write sandbox-output/report.md.sh", Deny),
            ("write sandbox-output/../src/main.md", Deny),
            ("write sandbox-output-2/report.md", Deny),
            ("write report.md", Deny),
            ("exec ls", Deny),
            ("net example.com", Deny),
            ("tool fs/read_file", Allow),
            ("tool fs/write_file", Allow),
            ("tool shell/run", Deny),
            ("tool mail/send", Deny),
            ("tool odd/reader", Deny),
        ],
    );
}

#[test]
fn web_only_reaches_names_and_no_file() {
    row(
        "web-only",
        &[
            ("net example.com", Allow),
            ("net deep.sub.example.org:80", Allow),
            ("net example.com:22", Deny),
            ("net 169.254.169.254", Deny),
            ("net 93.184.216.34", Deny),
            ("net [::1]", Deny),
            ("net [2606:2800:220:1::1]:443", Deny),
            ("read README.md", Deny),
            ("read ~/notes.md", Deny),
            ("read /srv/data/customers.csv", Deny),
            ("write notes.md", Deny),
            ("exec curl", Deny),
            ("tool web/search", Allow),
            ("tool web/fetch", Allow),
            ("tool fs/read_file", Deny),
            ("tool mail/send", Deny),
        ],
    );
}

#[test]
fn full_isolate_allows_nothing() {
    row(
        "full-isolate",
        &[
            ("net example.com", Deny),
            ("read README.md", Deny),
            ("read .", Deny),
            ("write sandbox-output/a.md", Deny),
            ("exec ls", Deny),
            ("import json", Deny),
            ("tool fs/read_file", Deny),
            ("tool web/search", Deny),
            ("tool mail/send", Deny),
            ("tool no/such_tool", Deny),
        ],
    );
}

/// A preset allows by capability, and without a catalog nobody knows what a tool can do.
#[test]
fn without_a_catalog_a_preset_lets_no_tool_through() {
    for preset in Library::builtin_presets() {
        folder(&[], &[preset]).answers(&[("tool fs/read_file", Deny), ("tool web/fetch", Deny), ("exec sh", Deny)]);
    }
}

#[test]
fn a_preset_never_violates_a_strict_floor() {
    let org = r#"
policy: strict
packs: [eu-ai-act, gdpr, hipaa, owasp-agentic, owasp-llm, pci-dss, soc2]
categories: [customer_pii]
sandbox:
  network: { mode: none }
  filesystem: { permission: none, readable: [], writable: [], writableExtensions: [] }
  exec: { mode: none }
  limits: { memory: 64MiB, processes: 4, cpu: 1s, wall: 2s, fileSize: 1KiB, openFiles: 16 }
  env: { scrub: true, keep: [] }
capabilities: { allow: [], forbid: [file_read, file_write, web_fetch, web_search, exec, external_messaging] }
tools:
  rules: { "*": deny, "fs/read_*": deny }
  strikes: 1
  maxCalls: 1
  guards:
    spotlighting: { enabled: true, mode: encode }
    outputScanner: { enabled: true, severityBlock: info }
    quarantine: { enabled: true, capabilityClass: extractive, thresholdChars: 1, onUnsafe: true }
code: { allowedImports: [], network: none }
approvals: { timeout: 1s, maxPerSession: 1 }
"#;
    for preset in Library::builtin_presets() {
        let strict = folder(&[("org", org), ("tools", TOOLS), ("agent", "policy: a\n")], &[preset]);
        strict.answers(&[("net example.com", Deny), ("read README.md", Deny), ("tool fs/read_file", Deny)]);
    }
    let presets: Vec<&str> = Library::builtin_presets().collect();
    folder(&[("org", org), ("tools", TOOLS)], &presets).sound();
}
