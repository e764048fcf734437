//! Random documents, specs, catalogs and questions, and the way from text to a policy set.
//!
//! Values come from small vocabularies, so that levels meet, overlap and contradict each other often.

#![allow(dead_code, clippy::allow_attributes, reason = "each test file uses its own part")]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "test code outside of test functions")]

use proptest::collection::{btree_map, btree_set, vec};
use proptest::option::weighted;
use proptest::prelude::*;
use ringfence_policy::catalog::Catalog;
use ringfence_policy::document::PolicyDocument;
use ringfence_policy::level::Level;
use ringfence_policy::library::{Library, parse};
use ringfence_policy::policy_set::{Leveled, Parts, PolicySet};
use ringfence_policy::question::Question;
use ringfence_policy::read::Reader;
use ringfence_policy::span::Sources;
use ringfence_policy::spec::{HostCeiling, SandboxSpec};
use serde_json::{Map, Value as Json, json};

pub(crate) const HOSTS: &[&str] = &[
    "a.example",
    "b.example",
    "x.a.example",
    "*.a.example",
    "*.example",
    "*",
    "a.example:8080",
    "*.example:8443",
    "10.0.0.1",
    "[::1]:443",
    "evil.test",
    "*.b.example:80",
];
pub(crate) const TOOLS: &[&str] = &[
    "fs/read_file",
    "fs/read_dir",
    "fs/write_file",
    "fs/read_*",
    "fs/*",
    "mail/send",
    "mail/*",
    "git/push",
    "*",
    "git/push_force",
    "git/p*",
    "web/fetch",
    "fs/read",
];
const CAPABILITIES: &[&str] =
    &["file_read", "file_write", "external_messaging", "destructive_action", "web_fetch", "unclassified"];
const PATHS: &[&str] = &[
    "src",
    ".git/hooks",
    "~/.ssh",
    "**/.env",
    "/etc/shadow",
    "**/*.pem",
    "src/**/secret",
    "~",
    "sandbox-output",
    "/tmp/x*",
];
const ROOTS: &[&str] = &["src", ".", "sandbox-output", "/tmp", "~/work", "src/deep", "/"];
const MODULES: &[&str] = &["json", "os", "os.path", "socket", "ctypes.util", "ctypes"];
const PROGRAMS: &[&str] = &["git", "cargo", "/usr/bin/git", "/usr/bin/python3", "sh"];
const MODELS: &[&str] = &["claude-*", "claude-small", "gpt-*", "*", "local"];

fn subset(words: &'static [&'static str]) -> BoxedStrategy<Json> {
    let most = words.len().min(5);
    btree_set(proptest::sample::select(words), 0..=most).prop_map(|s| json!(s)).boxed()
}

fn word(words: &'static [&'static str]) -> BoxedStrategy<Json> {
    proptest::sample::select(words).prop_map(|w| json!(w)).boxed()
}

fn number(most: u64) -> BoxedStrategy<Json> {
    (0..=most).prop_map(|n| json!(n)).boxed()
}

fn span() -> BoxedStrategy<Json> {
    (1u64..500, word(&["ms", "s", "m", "h", "d"]))
        .prop_map(|(n, u)| json!(format!("{n}{}", u.as_str().unwrap())))
        .boxed()
}

fn rules() -> BoxedStrategy<Json> {
    btree_map(proptest::sample::select(TOOLS), word(&["allow", "ask", "deny"]), 0..5).prop_map(|m| json!(m)).boxed()
}

fn constraints() -> BoxedStrategy<Json> {
    let predicate = prop_oneof![
        subset(&["*.a.example", "a.example", "b.example", "*"]).prop_map(|d| json!({ "domains": d })),
        (0u64..10).prop_map(|n| json!({ "max": n })),
        (0u64..10, 0u64..10).prop_map(|(a, b)| json!({ "min": a.min(b), "max": b.max(a) })),
        subset(&["draft", "sent", "7"]).prop_map(|d| json!({ "oneOf": d })),
        subset(&["src", "/tmp", "sandbox-output"]).prop_map(|d| json!({ "paths": d })),
        (0u64..30).prop_map(|n| json!({ "maxLength": n })),
    ];
    let slots = btree_map(proptest::sample::select(&["to", "count"][..]), predicate, 1..3);
    btree_map(proptest::sample::select(&["mail/send", "mail/*", "fs/*"][..]), slots, 0..3)
        .prop_map(|m| json!(m))
        .boxed()
}

pub(crate) fn http() -> BoxedStrategy<Json> {
    let methods = weighted(0.6, subset(&["GET", "HEAD", "POST"]));
    let paths = weighted(0.7, subset(&["/", "/v1", "/v1/*", "/v1/a/*", "/v1/a/b", "/v2/*", "/*"]));
    let rule = (proptest::sample::select(HOSTS), methods, paths).prop_map(|(host, methods, paths)| {
        let mut m = Map::new();
        m.insert("host".into(), json!(host));
        methods.map(|v| m.insert("methods".into(), v));
        paths.map(|v| m.insert("paths".into(), v));
        Json::Object(m)
    });
    vec(rule, 0..4).prop_map(|rules| json!(rules)).boxed()
}

fn steps() -> BoxedStrategy<Json> {
    let step = (weighted(0.8, word(&["log", "notify", "redact", "block"])), weighted(0.3, 0u64..=1000), any::<bool>());
    let step = step.prop_map(|(on, threshold, labelled)| {
        let mut m = Map::new();
        on.map(|v| m.insert("onDetection".into(), v));
        threshold.map(|t| m.insert("threshold".into(), json!(t as f64 / 1000.0)));
        if labelled {
            m.insert("concern".into(), json!("data_leak"));
            m.insert("category".into(), json!("customer_pii"));
        }
        Json::Object(m)
    });
    btree_map(proptest::sample::select(&["detect_pii", "detect_secrets", "own_step"][..]), step, 0..3)
        .prop_map(|m| json!(m))
        .boxed()
}

/// Each field with a strategy for its value; what a *statement* is in the tests.
pub(crate) fn statements() -> Vec<(&'static str, BoxedStrategy<Json>)> {
    vec![
        ("sandbox.network.mode", word(&["allowlist", "none"])),
        ("sandbox.network.allowlist", subset(HOSTS)),
        ("sandbox.network.http", http()),
        ("sandbox.filesystem.permission", word(&["repo-readwrite", "repo-readonly", "none"])),
        ("sandbox.filesystem.hidden", subset(PATHS)),
        ("sandbox.filesystem.protected", subset(PATHS)),
        ("sandbox.filesystem.readable", subset(ROOTS)),
        ("sandbox.filesystem.writable", subset(ROOTS)),
        ("sandbox.filesystem.writableExtensions", subset(&["md", "txt", "rs"])),
        ("sandbox.filesystem.toolchains", subset(&["cargo", "git", "npm"])),
        ("sandbox.exec.mode", word(&["allowlist", "none"])),
        ("sandbox.exec.allowlist", subset(PROGRAMS)),
        ("sandbox.exec.denied", subset(PROGRAMS)),
        ("sandbox.limits.memory", (1u64..64).prop_map(|n| json!(format!("{n}MiB"))).boxed()),
        ("sandbox.limits.processes", number(500)),
        ("sandbox.limits.cpu", span()),
        ("sandbox.limits.wall", span()),
        ("sandbox.limits.fileSize", number(1 << 40)),
        ("sandbox.limits.openFiles", number(4096)),
        ("sandbox.env.scrub", any::<bool>().prop_map(|b| json!(b)).boxed()),
        ("sandbox.env.keep", subset(&["PATH", "LC_*", "LC_ALL", "*"])),
        ("sandbox.env.hidden", subset(&["AWS_*", "TOKEN"])),
        ("sandbox.minimumTier", word(&["A", "B", "C"])),
        ("tools.rules", rules()),
        ("tools.constraints", constraints()),
        ("tools.guards.spotlighting.enabled", any::<bool>().prop_map(|b| json!(b)).boxed()),
        ("tools.guards.spotlighting.mode", word(&["delimit", "datamark", "encode"])),
        ("tools.guards.outputScanner.enabled", any::<bool>().prop_map(|b| json!(b)).boxed()),
        ("tools.guards.outputScanner.severityBlock", word(&["info", "warn", "error", "critical"])),
        ("tools.guards.outputScanner.urlAllowlist", subset(&["example.com", "*.example.com", "b.example"])),
        ("tools.guards.quarantine.enabled", any::<bool>().prop_map(|b| json!(b)).boxed()),
        ("tools.guards.quarantine.capabilityClass", word(&["reasoning-large", "reasoning-small", "extractive"])),
        ("tools.guards.quarantine.thresholdChars", number(10_000)),
        ("tools.guards.quarantine.onUnsafe", any::<bool>().prop_map(|b| json!(b)).boxed()),
        ("tools.strikes", number(9)),
        ("tools.maxCalls", number(900)),
        ("capabilities.forbid", subset(CAPABILITIES)),
        ("capabilities.allow", subset(CAPABILITIES)),
        ("code.allowedImports", subset(MODULES)),
        ("code.deniedImports", subset(MODULES)),
        ("code.network", word(&["allowlist", "none"])),
        ("code.wall", span()),
        ("code.memory", number(1 << 30)),
        ("steps", steps()),
        ("gateway.models", subset(MODELS)),
        ("gateway.residency", Just(json!(["eu", "us"])).boxed()),
        ("gateway.budget.tokensPerDay", number(1 << 50)),
        ("gateway.budget.tokensPerRun", number(1 << 50)),
        ("gateway.budget.requestsPerMinute", number(600)),
        ("approvals.require", subset(&["external_messaging", "file_write", "git/push"])),
        ("approvals.timeout", span()),
        ("approvals.maxPerSession", number(20)),
        ("layers.require", subset(&["kernel", "mcp"])),
        ("log.retainAtLeast", Just(json!("30d")).boxed()),
        ("log.retainAtMost", Just(json!("400d")).boxed()),
        ("validity", span()),
        ("tags", subset(&["blue", "green"])),
        ("allowUnenforced", any::<bool>().prop_map(|b| json!(b)).boxed()),
    ]
}

/// Puts a value at a dotted path.
pub(crate) fn put(root: &mut Map<String, Json>, path: &str, value: Json) {
    match path.split_once('.') {
        None => _ = root.insert(path.to_owned(), value),
        Some((head, rest)) => {
            let child = root.entry(head.to_owned()).or_insert_with(|| json!({}));
            put(child.as_object_mut().unwrap(), rest, value);
        }
    }
}

/// A random document; each field is stated with this probability.
pub(crate) fn document(each: f64) -> BoxedStrategy<Json> {
    let fields: Vec<BoxedStrategy<Option<(&'static str, Json)>>> = statements()
        .into_iter()
        .map(|(path, value)| weighted(each, value.prop_map(move |v| (path, v))).boxed())
        .collect();
    fields
        .prop_map(|fields| {
            let mut root = Map::new();
            for (path, value) in fields.into_iter().flatten() {
                put(&mut root, path, value);
            }
            Json::Object(root)
        })
        .boxed()
}

/// One random statement: a document with a single field.
pub(crate) fn statement() -> BoxedStrategy<Json> {
    let all: Vec<BoxedStrategy<Json>> = statements()
        .into_iter()
        .map(|(path, value)| {
            value
                .prop_map(move |v| {
                    let mut root = Map::new();
                    put(&mut root, path, v);
                    Json::Object(root)
                })
                .boxed()
        })
        .collect();
    proptest::strategy::Union::new(all).boxed()
}

pub(crate) fn level() -> BoxedStrategy<Level> {
    proptest::sample::select(&[Level::Org, Level::Project, Level::Agent, Level::Session][..]).boxed()
}

/// A few documents at random levels.
pub(crate) fn levels(each: f64) -> BoxedStrategy<Vec<(Level, Json)>> {
    vec((level(), document(each)), 0..5).boxed()
}

pub(crate) fn catalog() -> BoxedStrategy<Option<Json>> {
    let names = &["fs/read_file", "fs/read_dir", "fs/write_file", "mail/send", "git/push", "web/fetch", "odd"][..];
    let tool = (subset(CAPABILITIES), word(&["approved", "approved", "approved", "review", "retired"]));
    weighted(0.7, btree_map(proptest::sample::select(names), tool, 0..7))
        .prop_map(|tools| {
            let tools = tools?.into_iter().map(|(n, (c, s))| json!({ "name": n, "capabilities": c, "status": s }));
            Some(json!({ "tools": tools.collect::<Vec<_>>() }))
        })
        .boxed()
}

pub(crate) fn spec() -> BoxedStrategy<Json> {
    let layers = proptest::sample::subsequence(&["kernel", "harness", "codemode", "mcp", "gateway"][..], 1..=5);
    (layers, any::<bool>(), subset(CAPABILITIES), any::<bool>())
        .prop_map(|(layers, roots, forbidden, all)| {
            let all_layers = ["kernel", "harness", "codemode", "mcp", "gateway"];
            let mut spec = json!({ "name": "box", "layers": if all { all_layers.to_vec() } else { layers } });
            if roots {
                spec["parameters"] =
                    json!({ "home": "/home/agent", "repo": "/home/agent/work", "sync_url": "https://r.example" });
            } else {
                spec["forbidden_capabilities"] = forbidden;
            }
            spec
        })
        .boxed()
}

pub(crate) fn host() -> BoxedStrategy<Option<Json>> {
    weighted(0.3, document(0.1)).boxed()
}

pub(crate) fn question() -> BoxedStrategy<Question> {
    const HOST_NAMES: &[&str] = &[
        "a.example",
        "x.a.example",
        "y.x.a.example",
        "b.example",
        "example",
        "evil.test",
        "a.example:8080",
        "z.example:8443",
        "10.0.0.1",
        "[::1]",
        "A.EXAMPLE.",
        "q.b.example:80",
        "notexample",
    ];
    const FILES: &[&str] = &[
        "src/main.rs",
        "src/deep/secret/x",
        "src/a/.env",
        ".git/hooks/pre-commit",
        "~/.ssh/id",
        "~/work/src/a.md",
        "/etc/shadow",
        "/etc/passwd",
        "/usr/bin/x",
        "/tmp/x.txt",
        "/tmp/xy/k.pem",
        "sandbox-output/a.md",
        "sandbox-output/a",
        "/var/log/x",
        "~",
        "/home/agent/.ssh/id",
        "/home/agent/work/src/x.rs",
        "/home/agent/work/.git/hooks/x",
        ".",
        "README.md",
        "/",
    ];
    let names = &[
        "fs/read_file",
        "fs/read_dir",
        "fs/read",
        "fs/write_file",
        "fs/zzz",
        "mail/send",
        "mail/list",
        "git/push",
        "git/pull",
        "git/push_force",
        "web/fetch",
        "odd",
        "unheard/of",
    ][..];
    let to = prop_oneof![
        word(&[
            "me@a.example",
            "https://b.example/x",
            "x.a.example",
            "draft",
            "src/a",
            "/tmp/../etc",
            "a@b@a.example",
            "A.example "
        ]),
        subset(&["me@a.example", "draft"]),
        number(12),
        Just(Json::Null),
    ];
    let arguments = weighted(0.4, (weighted(0.8, to.clone()), weighted(0.5, to))).prop_map(|a| {
        a.map(|(to, count)| {
            let mut m = Map::new();
            to.map(|v| m.insert("to".into(), v));
            count.map(|v| m.insert("count".into(), v));
            Json::Object(m)
        })
    });
    let ask = |verb: &'static str, rest: &'static str| Question::from_parts(verb, rest).unwrap();
    prop_oneof![
        proptest::sample::select(HOST_NAMES).prop_map(move |h| ask("net", h)),
        proptest::sample::select(FILES).prop_map(move |p| ask("read", p)),
        proptest::sample::select(FILES).prop_map(move |p| ask("write", p)),
        proptest::sample::select(&["git", "/usr/bin/git", "/opt/git", "sh", "/usr/bin/python3", "make"][..])
            .prop_map(move |p| ask("exec", p)),
        (proptest::sample::select(names), arguments)
            .prop_map(|(n, a)| Question::Tool { name: n.to_owned(), arguments: a }),
        proptest::sample::select(
            &["json", "os", "os.path", "os.path.x", "ossaudiodev", "socket", "ctypes", "ctypes.util", "re"][..]
        )
        .prop_map(move |m| ask("import", m)),
        proptest::sample::select(&["claude-small", "claude-", "gpt-5", "local", "other"][..])
            .prop_map(move |m| ask("model", m)),
    ]
    .boxed()
}

/// Everything one derivation needs.
#[derive(Debug, Clone)]
pub(crate) struct Triple {
    pub(crate) documents: Vec<(Level, Json)>,
    pub(crate) catalog: Option<Json>,
    pub(crate) spec: Json,
    pub(crate) host: Option<Json>,
}

pub(crate) fn triple(each: f64) -> BoxedStrategy<Triple> {
    (levels(each), catalog(), spec(), host())
        .prop_map(|(documents, catalog, spec, host)| Triple { documents, catalog, spec, host })
        .boxed()
}

/// Reads a JSON text as a document of some kind; it must be free of problems.
pub(crate) fn read<T>(
    name: &str,
    text: &Json,
    sources: &mut Sources,
    f: fn(&ringfence_policy::node::Node, &mut Reader) -> T,
) -> T {
    let source = sources.add(name, serde_json::to_string_pretty(text).unwrap());
    let mut reader = Reader::default();
    let out = parse(source, sources, &mut reader, f);
    assert!(reader.diagnostics.is_empty(), "{:#?}\n{text:#}", reader.diagnostics);
    out.unwrap()
}

/// The policy set of a triple.
pub(crate) fn assemble(triple: &Triple) -> (PolicySet, Sources) {
    let mut sources = Sources::default();
    let mut parts = Parts::default();
    for (n, (level, text)) in triple.documents.iter().enumerate() {
        let document = read(&format!("{n}.json"), text, &mut sources, PolicyDocument::read);
        parts.documents.push(Leveled { level: *level, fallback_id: format!("doc-{n}"), document });
    }
    parts.catalog = triple.catalog.as_ref().map(|c| read("tools.json", c, &mut sources, Catalog::read));
    parts.spec = Some(read("spec.json", &triple.spec, &mut sources, SandboxSpec::read));
    parts.host = triple.host.as_ref().map(|h| read("host.json", h, &mut sources, HostCeiling::read));
    let mut reader = Reader::default();
    let set = PolicySet::assemble(parts, &mut Library::default(), &mut sources, &mut reader);
    assert!(reader.diagnostics.is_empty(), "{:#?}", reader.diagnostics);
    (set, sources)
}
