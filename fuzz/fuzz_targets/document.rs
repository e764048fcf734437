//! Any bytes through every reader; what reads cleanly is printed, read again, assembled and derived.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ringfence_policy::catalog::Catalog;
use ringfence_policy::decide::Index;
use ringfence_policy::derive::{Context, derive};
use ringfence_policy::document::PolicyDocument;
use ringfence_policy::level::Level;
use ringfence_policy::library::Library;
use ringfence_policy::node::{self, Node};
use ringfence_policy::pack::{CategoryBook, Pack};
use ringfence_policy::policy_set::{Leveled, Parts, PolicySet};
use ringfence_policy::read::{MAX_DIAGNOSTICS, Reader};
use ringfence_policy::span::{SourceId, Sources};
use ringfence_policy::spec::{HostCeiling, SandboxSpec};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = node::decode_text(bytes, SourceId::default()) else { return };
    let mut sources = Sources::default();
    let source = sources.add("x.yaml", text);
    let root = match node::parse(text, source) {
        Ok(root) => root,
        Err(d) => return check(&[*d], text),
    };
    read(&root, text, Pack::read);
    read(&root, text, CategoryBook::read);
    let document = read(&root, text, PolicyDocument::read);
    if let Some(document) = &document {
        reads_as_printed(document);
    }
    let parts = Parts {
        documents: document
            .into_iter()
            .flat_map(|d| [Level::Org, Level::Agent].map(|level| leveled(level, &d)))
            .collect(),
        presets: Vec::new(),
        spec: read(&root, text, SandboxSpec::read),
        catalog: read(&root, text, Catalog::read),
        host: read(&root, text, HostCeiling::read),
    };
    assemble_and_derive(parts, &mut sources, text);
});

/// Reads the node as one kind of document; gives it back if nothing was wrong with it.
fn read<T>(node: &Node, text: &str, read: fn(&Node, &mut Reader) -> T) -> Option<T> {
    let mut reader = Reader::default();
    let value = read(node, &mut reader);
    check(&reader.diagnostics, text);
    reader.diagnostics.is_empty().then_some(value)
}

/// Messages are bounded and visible, and places lie inside the text.
fn check(found: &[ringfence_policy::diagnostic::Diagnostic], text: &str) {
    assert!(found.len() <= MAX_DIAGNOSTICS + 1);
    for d in found {
        let texts = d.labels.iter().map(|l| &l.text).chain([&d.message]).chain(&d.help);
        for shown in texts {
            assert!(shown.len() < 16_384 && !shown.contains(|c: char| c.is_control() || c == '\u{202e}'), "{shown:?}");
        }
        for label in &d.labels {
            let (start, end) = (label.place.start as usize, label.place.end as usize);
            assert!(text.get(start..end).is_some(), "{label:?} is not a part of the text");
        }
    }
}

fn reads_as_printed(document: &PolicyDocument) {
    let printed = document.print();
    let text = printed.to_string();
    let root = node::parse(&text, SourceId::default()).expect("what was printed is JSON");
    let mut reader = Reader::default();
    let again = PolicyDocument::read(&root, &mut reader);
    assert!(reader.diagnostics.is_empty(), "{text}\n{:#?}", reader.diagnostics);
    assert_eq!(printed, again.print());
}

fn leveled(level: Level, document: &PolicyDocument) -> Leveled {
    let document = PolicyDocument { level: None, ..document.clone() };
    Leveled { level, fallback_id: level.as_str().to_owned(), document }
}

fn assemble_and_derive(parts: Parts, sources: &mut Sources, text: &str) {
    if parts.documents.is_empty() && parts.spec.is_none() && parts.catalog.is_none() && parts.host.is_none() {
        return;
    }
    // Many mentions of the same pack or category are many copies of it; that is slow and teaches nothing.
    if parts.documents.iter().any(|d| d.document.packs.len() + d.document.categories.len() > 8) {
        return;
    }
    let mut reader = Reader::default();
    let set = PolicySet::assemble(parts, &mut Library::default(), sources, &mut reader);
    let context = Context { issued_at: 1_800_000_000, sandbox_id: "sbx".into(), ..Context::default() };
    match derive(&set.cascade, &set.spec, set.catalog.as_ref(), &set.org_id, &context) {
        Ok(derived) => {
            let index = Index::new(&derived.resolved, &set.spec);
            for leveled in &set.tests {
                assert!(!index.decide(&leveled.test.question).reasons.is_empty(), "no reason in {text}");
            }
            serde_json::to_vec(&derived.config).expect("a config is JSON");
        }
        Err(errors) => assert!(!errors.errors.is_empty()),
    }
}
