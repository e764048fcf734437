//! The chain and its verifier: what is sealed verifies, and no byte, line or signature can change unnoticed.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a set-up that fails is a test that fails"
)]

use proptest::prelude::*;
use ringfence_seal::chain::{Chain, Draft, Place, genesis};
use ringfence_seal::event::{Actor, EventError, LONGEST_LINE};
use ringfence_seal::fault::{Break, Fault};
use ringfence_seal::key::SigningKey;
use ringfence_seal::kind::EventKind;
use ringfence_seal::run_id::RunId;
use ringfence_seal::verify::{Record, Trust, Verdict, Verifier};
use serde_json::{Value, json};
use std::sync::LazyLock;

const AT: u64 = 1_794_700_800_125;

fn run_id() -> RunId {
    RunId::new(AT / 1000, [1, 2, 3, 4])
}

fn key() -> SigningKey {
    SigningKey::from_seed(&[7; 32])
}

fn draft<'a>(actor: &'a Actor, payload: &'a Value, because: &'a [Value]) -> Draft<'a> {
    Draft {
        at_ms: AT,
        kind: EventKind::NetDenied,
        actor,
        layer: Some("kernel"),
        payload,
        because,
        policy_version: Some(3),
    }
}

/// The lines of a whole log with so many events.
fn log_of(run_id: RunId, events: u64) -> Vec<Vec<u8>> {
    let mut chain = Chain::new(run_id);
    let actor = Actor { agent: Some("coder".into()), ..Actor::default() };
    let mut lines = Vec::new();
    for n in 0..events {
        let payload = json!({"host": "evil.test", "n": n});
        let sealed = chain.seal(&draft(&actor, &payload, &[json!({"rule_id": "net"})])).expect("sealed");
        lines.push(sealed.line.clone());
        chain.advance(sealed);
        if chain.checkpoint_due() {
            lines.push(chain.checkpoint(AT, Place::Between, &key()));
            chain.checkpointed();
        }
    }
    lines.push(chain.checkpoint(AT, Place::End, &key()));
    lines
}

static SMALL: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| log_of(run_id(), 6));
static LARGE: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| log_of(run_id(), 2001));

fn trust() -> Trust {
    Trust::Keys(vec![key().public()])
}

/// Verifies bytes as a file would be.
fn verify_with(bytes: &[u8], trust: Trust) -> Verdict {
    let mut verifier = Verifier::new(trust, None);
    let mut rest = bytes;
    while let Some(end) = rest.iter().position(|b| *b == b'\n') {
        if let Err(broken) = verifier.line(&rest[..end]) {
            return Verdict::Broken(*broken);
        }
        rest = &rest[end + 1..];
    }
    verifier.end(rest.len() as u64)
}

fn verify(lines: &[Vec<u8>]) -> Verdict {
    verify_with(&lines.concat(), trust())
}

fn broken(verdict: Verdict) -> Break {
    match verdict {
        Verdict::Broken(broken) => broken,
        other => panic!("not broken: {other:?}"),
    }
}

/// Whether the fault shows at or before a line; a log that is cut short has no later line to show it at.
fn shows_by(verdict: &Verdict, line: usize) -> bool {
    match verdict {
        Verdict::Intact(_) => false,
        Verdict::Unfinished { .. } => true,
        Verdict::Broken(broken) => broken.line <= line as u64,
    }
}

#[test]
fn what_is_sealed_verifies() {
    for (events, checkpoints) in [(0, 1), (1, 1), (999, 1), (1000, 2), (1001, 2), (2001, 3)] {
        let Verdict::Intact(summary) = verify(&log_of(run_id(), events)) else { panic!("{events}") };
        assert_eq!((summary.events, summary.signed_events, summary.checkpoints), (events, events, checkpoints));
        assert_eq!(summary.run_id, Some(run_id()));
    }
}

#[test]
fn lines_are_canonical_and_the_hash_can_be_recomputed_by_anybody() {
    let mut before = genesis();
    for line in SMALL.iter() {
        let mut value: Value = serde_json::from_slice(line).expect("JSON");
        let canonical = serde_json_canonicalizer::to_vec(&value).expect("canonical");
        assert_eq!(line.strip_suffix(b"\n"), Some(canonical.as_slice()));
        if value["kind"] == "checkpoint" {
            assert_eq!(value["hash"], before);
            continue;
        }
        assert_eq!(value["prev_hash"], before);
        let hash = value.as_object_mut().and_then(|o| o.remove("hash")).expect("a hash");
        let without = serde_json_canonicalizer::to_vec(&value).expect("canonical");
        assert_eq!(hash, ringfence_seal::hash_bytes(&without));
        before = hash.as_str().expect("a text").to_owned();
    }
}

#[test]
fn a_log_that_is_cut_anywhere_is_unfinished() {
    for cut in 0..SMALL.len() {
        let verdict = verify(&SMALL[..cut]);
        assert!(
            matches!(&verdict, Verdict::Unfinished { summary, torn_bytes: 0 } if summary.events == cut as u64),
            "{verdict:?}"
        );
    }
    let bytes = SMALL.concat();
    for cut in 0..bytes.len() {
        assert!(matches!(verify_with(&bytes[..cut], trust()), Verdict::Unfinished { .. }), "{cut}");
    }
    let Verdict::Unfinished { summary, .. } = verify(&LARGE[..1700]) else { panic!("finished") };
    assert_eq!((summary.events, summary.signed_events), (1699, 1000));
}

#[test]
fn checkpoints_stand_where_they_have_to_and_nowhere_else() {
    let fault = |lines: Vec<Vec<u8>>| broken(verify(&lines));
    let mut lines = LARGE.clone();
    lines.remove(1000);
    let found = fault(lines);
    assert_eq!((found.fault, found.line, found.seq), (Fault::CheckpointMissing, 1001, Some(1001)));
    let mut lines = LARGE.clone();
    lines.insert(1001, lines[1000].clone());
    assert_eq!(fault(lines).fault, Fault::CheckpointMisplaced);
    let mut lines = LARGE[..1000].to_vec();
    lines.push(log_of(run_id(), 1000)[1001].clone());
    assert_eq!(
        fault(lines).fault,
        Fault::CheckpointMisplaced,
        "the end does not stand in for a checkpoint that is due"
    );
    let mut lines = SMALL.clone();
    lines.push(lines[6].clone());
    assert_eq!(fault(lines).fault, Fault::AfterEnd);
    let mut lines = SMALL.clone();
    lines[6] = log_of(run_id(), 5)[5].clone();
    assert_eq!(fault(lines).fault, Fault::CheckpointMismatch);
    let trailing = [SMALL.concat(), b"x".to_vec()].concat();
    assert_eq!(broken(verify_with(&trailing, trust())).fault, Fault::AfterEnd);
}

#[test]
fn every_fault_has_its_name() {
    let other = log_of(RunId::new(AT / 1000, [9; 4]), 6);
    let with = |n: usize, line: &[u8]| {
        let mut lines = SMALL.clone();
        lines[n] = line.to_vec();
        broken(verify(&lines))
    };
    let edited = |n: usize, from: &str, to: &str| {
        let text = String::from_utf8(SMALL[n].clone()).expect("UTF-8");
        assert!(text.contains(from), "{text}");
        with(n, text.replacen(from, to, 1).as_bytes()).fault
    };
    assert_eq!(edited(2, "evil.test", "good.test"), Fault::Changed);
    assert_eq!(edited(2, "\"n\":2", "\"n\":2.0"), Fault::Malformed);
    assert_eq!(edited(2, "\"n\":2", "\"n\": 2"), Fault::NotCanonical);
    assert_eq!(edited(2, "evil", "\\u0065vil"), Fault::NotCanonical);
    assert_eq!(edited(2, "\"n\":2", "\"n\":2,\"n\":2"), Fault::DuplicateKey);
    assert_eq!(edited(2, "\"seq\":3", "\"seq\":3,\"seq\":3"), Fault::DuplicateKey);
    assert_eq!(edited(2, "\"seq\":3", "\"seq\":3,\"x\":3"), Fault::Malformed);
    assert_eq!(edited(2, "\"n\":2", &format!("\"n\":{}2{}", "[".repeat(40), "]".repeat(40))), Fault::TooDeep);
    assert_eq!(edited(2, "evil", &"e".repeat(LONGEST_LINE)), Fault::TooLong);
    assert_eq!(edited(6, "\"end\":true", "\"end\":false"), Fault::CheckpointMisplaced);
    assert_eq!(edited(6, "00.125Z", "00.126Z"), Fault::Signature);
    assert_eq!(with(2, &other[2]).fault, Fault::OtherRun);
    assert_eq!(with(2, b"\xff\xfe\n").fault, Fault::Malformed);
    assert_eq!(with(2, b"\n").fault, Fault::Malformed);
    assert_eq!(with(2, &SMALL[1]).fault, Fault::Repeated);
    assert_eq!(with(2, &SMALL[3]).fault, Fault::Gap);
    let found = with(2, &SMALL[3]);
    assert_eq!(
        (found.line, found.seq, found.expected.as_str(), found.found.as_str()),
        (3, Some(4), "event 3", "event 4")
    );
}

#[test]
fn an_event_that_is_well_made_but_not_the_one_that_was_chained() {
    let mut chain = Chain::new(run_id());
    let actor = Actor::default();
    let first = chain.seal(&draft(&actor, &json!({"forged": true}), &[])).expect("sealed");
    chain.advance(first.clone());
    let mut lines = SMALL.clone();
    lines[0] = first.line;
    let found = broken(verify(&lines));
    assert_eq!((found.fault, found.line), (Fault::Unlinked, 2));
}

#[test]
fn only_the_right_key_vouches() {
    let bytes = SMALL.concat();
    let stranger = SigningKey::from_seed(&[8; 32]).public();
    assert_eq!(broken(verify_with(&bytes, Trust::Keys(vec![stranger.clone()]))).fault, Fault::UnknownKey);
    assert_eq!(broken(verify_with(&bytes, Trust::Keys(vec![]))).fault, Fault::UnknownKey);
    assert!(matches!(verify_with(&bytes, Trust::Keys(vec![stranger.clone(), key().public()])), Verdict::Intact(_)));
    let forged = String::from_utf8(bytes).expect("UTF-8").replace(&key().public().to_string(), &stranger.to_string());
    assert_eq!(broken(verify_with(forged.as_bytes(), Trust::Keys(vec![stranger]))).fault, Fault::Signature);
    assert!(matches!(verify_with(forged.as_bytes(), Trust::LinksOnly), Verdict::Intact(_)));
}

#[test]
fn a_run_that_is_asked_for_is_the_one_that_has_to_be_there() {
    let mut verifier = Verifier::new(trust(), Some(RunId::new(0, [0; 4])));
    let line = SMALL[0].strip_suffix(b"\n").expect("a line");
    assert_eq!(verifier.line(line).map(|_| ()).map_err(|b| b.fault), Err(Fault::OtherRun));
}

#[test]
fn what_cannot_be_read_back_is_not_sealed() {
    let chain = Chain::new(run_id());
    let actor = Actor::default();
    let seal = |payload: Value| chain.seal(&draft(&actor, &payload, &[])).map(|s| s.line.len());
    assert!(matches!(seal(json!({"x": 0.5})), Err(EventError::NotCanonical(_))));
    assert!(matches!(seal(json!({"x": "y".repeat(LONGEST_LINE)})), Err(EventError::TooLong(_))));
    let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    assert!(matches!(seal(nested(32)), Err(EventError::NotCanonical(_))));
    let sealed = chain.seal(&draft(&actor, &nested(31), &[])).expect("sealed");
    let mut verifier = Verifier::new(trust(), None);
    assert!(
        verifier.line(sealed.line.strip_suffix(b"\n").expect("a line")).is_ok(),
        "the deepest that is sealed is read"
    );
    // Exactly the longest line.
    let room = LONGEST_LINE - seal(json!({"x": ""})).expect("sealed");
    assert_eq!(seal(json!({"x": "y".repeat(room)})), Ok(LONGEST_LINE));
    let sealed = chain.seal(&draft(&actor, &json!({"x": "y".repeat(room)}), &[])).expect("sealed");
    let mut verifier = Verifier::new(trust(), None);
    assert!(
        verifier.line(sealed.line.strip_suffix(b"\n").expect("a line")).is_ok(),
        "the longest that is sealed is read"
    );
}

#[test]
fn a_verifier_hands_over_the_chain_to_go_on_with() {
    let mut verifier = Verifier::new(trust(), None);
    let mut chain = Chain::new(run_id());
    let actor = Actor::default();
    for line in &SMALL[..3] {
        assert!(matches!(verifier.line(line.strip_suffix(b"\n").expect("a line")), Ok(Record::Event(_))));
    }
    for n in 0..3 {
        let actor = Actor { agent: Some("coder".into()), ..Actor::default() };
        let payload = json!({"host": "evil.test", "n": n});
        let sealed = chain.seal(&draft(&actor, &payload, &[json!({"rule_id": "net"})])).expect("sealed");
        chain.advance(sealed);
    }
    let resumed = verifier.chain().expect("a chain");
    let next = |c: &Chain| c.seal(&draft(&actor, &json!({}), &[])).expect("sealed");
    assert_eq!(next(&resumed), next(&chain));
    let mut ended = Verifier::new(trust(), None);
    assert!(SMALL.iter().all(|l| ended.line(l.strip_suffix(b"\n").expect("a line")).is_ok()));
    assert!(ended.ended() && ended.chain().is_none(), "nothing goes on after the end");
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-9_007_199_254_740_991i64..=9_007_199_254_740_991).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..6)
                .prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn any_payload_is_canonical_and_reads_back(payload in any_json(), tool in any::<Option<String>>(), kind in 0..26usize) {
        let chain = Chain::new(run_id());
        let actor = Actor { tool, ..Actor::default() };
        let kind = EventKind::ALL[kind];
        let sealed = chain.seal(&Draft { kind, ..draft(&actor, &payload, std::slice::from_ref(&payload)) }).expect("sealed");
        let line = sealed.line.strip_suffix(b"\n").expect("a line");
        let value: Value = serde_json::from_slice(line).expect("JSON");
        let canonical = serde_json_canonicalizer::to_vec(&value).expect("canonical");
        prop_assert_eq!(line, canonical.as_slice());
        let mut verifier = Verifier::new(trust(), None);
        let Ok(Record::Event(event)) = verifier.line(line) else { panic!("not an event") };
        prop_assert_eq!(&event.payload, &payload);
        prop_assert_eq!((event.kind, &event.actor, event.hash), (kind, &actor, sealed.hash));
    }

    #[test]
    fn no_byte_changes_unnoticed(at in any::<prop::sample::Index>(), to in any::<u8>()) {
        let mut bytes = SMALL.concat();
        let at = at.index(bytes.len());
        prop_assume!(bytes[at] != to);
        bytes[at] = to;
        let line = 1 + SMALL.concat()[..at].iter().filter(|b| **b == b'\n').count();
        let verdict = verify_with(&bytes, trust());
        prop_assert!(shows_by(&verdict, line), "byte {} of line {}: {:?}", at, line, verdict);
    }

    #[test]
    fn no_line_is_dropped_repeated_swapped_or_moved_unnoticed(a in any::<prop::sample::Index>(), b in any::<prop::sample::Index>()) {
        let (a, b) = (a.index(SMALL.len()), b.index(SMALL.len()));
        let mut dropped = SMALL.clone();
        dropped.remove(a);
        prop_assert!(shows_by(&verify(&dropped), a + 1));
        let mut repeated = SMALL.clone();
        repeated.insert(b, SMALL[a].clone());
        // A line that is put before its own place, or right after it, shows at the second of the two.
        prop_assert!(shows_by(&verify(&repeated), if a == b { b + 2 } else { b + 1 }), "{} {}", a, b);
        if a != b {
            let mut swapped = SMALL.clone();
            swapped.swap(a, b);
            prop_assert!(shows_by(&verify(&swapped), a.min(b) + 1));
        }
    }

    #[test]
    fn no_text_makes_the_verifier_stumble(bytes in prop::collection::vec(any::<u8>(), 0..200), head in 0..3usize) {
        let start: &[u8] = [&b"{\"actor\":"[..], b"{\"at\":", b""][head];
        let line = [start, &bytes].concat();
        prop_assert!(Verifier::new(trust(), None).line(&line).is_err());
    }
}
