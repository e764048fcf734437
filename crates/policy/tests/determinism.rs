//! The same inputs give the same bytes: twice in a row, on every thread, in every process.

#![expect(clippy::unwrap_used, reason = "test code outside of test functions")]

mod support;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use ringfence_policy::derive::{Context, derive};
use std::process::Command;
use support::Triple;

const TRIPLES: usize = 1_000;

/// The same thousand triples wherever this runs.
fn triples() -> Vec<Triple> {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let strategy = support::triple(0.15);
    (0..TRIPLES).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

/// The config as bytes, or the errors as text.
fn output(triple: &Triple) -> Vec<u8> {
    let (set, _) = support::assemble(triple);
    let context = Context { issued_at: 1_800_000_000, sandbox_id: "sbx".into(), ..Context::default() };
    match derive(&set.cascade, &set.spec, set.catalog.as_ref(), "acme", &context) {
        Ok(derivation) => serde_json::to_vec(&derivation.config).unwrap(),
        Err(errors) => format!("{errors:?}").into_bytes(),
    }
}

fn digest(outputs: &[Vec<u8>]) -> String {
    ringfence_seal::hash_bytes(&outputs.concat())
}

#[test]
fn a_thousand_triples_derive_the_same_bytes_everywhere() {
    let triples = triples();
    let first: Vec<Vec<u8>> = triples.iter().map(output).collect();
    let derived = first.iter().filter(|o| o.starts_with(b"{")).count();
    assert!(derived > TRIPLES / 5, "only {derived} of {TRIPLES} derive: the test would say little");
    let again: Vec<Vec<u8>> = triples.iter().map(output).collect();
    assert!(first == again, "the second run differs");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert!(first == triples.iter().map(output).collect::<Vec<_>>(), "a thread differs"));
        }
    });
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_process", "--nocapture", "--include-ignored"])
        .env("RINGFENCE_DETERMINISM_CHILD", "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&child.stdout).into_owned();
    let expected = format!("digest {}", digest(&first));
    assert!(text.contains(&expected), "another process differs: {expected}\n{text}");
}

/// Run by the test above in a process of its own; alone it checks that drawing and deriving again gives the same digest.
#[test]
fn child_process() {
    if std::env::var_os("RINGFENCE_DETERMINISM_CHILD").is_some() {
        println!("digest {}", digest(&triples().iter().map(output).collect::<Vec<_>>()));
    } else {
        let few = || digest(&triples().iter().take(3).map(output).collect::<Vec<_>>());
        assert_eq!(few(), few());
    }
}
