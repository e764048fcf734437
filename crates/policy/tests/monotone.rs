//! Adding any statement at any level never turns a denied question into an allowed one.
//!
//! Silence is not a statement: where nobody says anything about the network, the first list does open it.
//! The law is about what somebody denied, so a question whose only reason is silence is left out; once
//! every field that silence closes is stated, the law holds with no exception at all.

#![expect(clippy::unwrap_used, reason = "test code outside of test functions")]

mod support;

use proptest::prelude::*;
use ringfence_policy::decide::Index;
use ringfence_policy::level::Level;
use ringfence_policy::question::Question;
use ringfence_policy::resolve::Resolved;
use ringfence_policy::scale::Effect;
use serde_json::json;
use support::Triple;

/// Each answer, and whether silence alone gives it.
fn answers(triple: &Triple, questions: &[Question]) -> Vec<(Effect, bool)> {
    let (set, _) = support::assemble(triple);
    let resolved = Resolved::new(&set.cascade, set.catalog.as_ref());
    let index = Index::new(&resolved, &set.spec);
    let silent = |effect, reasons: &[ringfence_policy::ledger::Reason]| {
        reasons.iter().filter(|r| r.effect == effect).all(|r| {
            let statement = index.ledger().statement(r.statement).unwrap();
            statement.origin.file.starts_with("ringfence:defaults")
        })
    };
    questions.iter().map(|q| index.decide(q)).map(|a| (a.effect, silent(a.effect, a.reasons))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_statement_never_opens_what_a_statement_closed(
        triple in support::triple(0.15),
        level in support::level(),
        statement in support::statement(),
        questions in proptest::collection::vec(support::question(), 40),
    ) {
        let mut more = triple.clone();
        more.documents.push((level, statement.clone()));
        let before = answers(&triple, &questions);
        let after = answers(&more, &questions);
        for ((q, (a, silent)), (b, _)) in questions.iter().zip(before).zip(after) {
            if a == Effect::Deny && !silent {
                prop_assert_eq!(b, Effect::Deny, "{} opened by {} at {}", q, statement, level);
            }
        }
    }

    #[test]
    fn the_law_is_literal_where_nothing_is_left_to_silence(
        mut triple in support::triple(0.15),
        level in support::level(),
        statement in support::statement(),
        questions in proptest::collection::vec(support::question(), 40),
    ) {
        triple.documents.push((Level::Org, json!({
            "sandbox": { "network": { "mode": "allowlist", "allowlist": ["*", "*:8080", "*:8443", "10.0.0.1", "[::1]"] },
                         "filesystem": { "permission": "repo-readwrite" },
                         "exec": { "mode": "allowlist", "allowlist": ["git", "sh", "python3", "make", "cargo"] } },
        })));
        let mut more = triple.clone();
        more.documents.push((level, statement.clone()));
        let before = answers(&triple, &questions);
        let after = answers(&more, &questions);
        for ((q, (a, _)), (b, _)) in questions.iter().zip(before).zip(after) {
            prop_assert!(!(a == Effect::Deny && b != Effect::Deny), "{} opened by {} at {}", q, statement, level);
        }
    }
}
