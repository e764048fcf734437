//! The fast index against the reference evaluator: 100,000 random questions, the same answer to each.

mod support;

use proptest::prelude::*;
use ringfence_policy::decide::Index;
use ringfence_policy::reference::Reference;
use ringfence_policy::resolve::Resolved;

const SETS: u32 = 1_000;
const QUESTIONS: usize = 100;

proptest! {
    #![proptest_config(ProptestConfig { cases: SETS, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_index_answers_as_the_reference_does(
        triple in support::triple(0.12),
        questions in proptest::collection::vec(support::question(), QUESTIONS),
    ) {
        let (set, _) = support::assemble(&triple);
        let resolved = Resolved::new(&set.cascade, set.catalog.as_ref());
        let index = Index::new(&resolved, &set.spec);
        let reference = Reference { cascade: &set.cascade, spec: &set.spec, catalog: set.catalog.as_ref() };
        for question in &questions {
            let answer = index.decide(question);
            prop_assert_eq!(answer.effect, reference.decide(question), "{}", question);
            prop_assert!(answer.reasons.iter().any(|r| r.effect == answer.effect), "no reason for {}", question);
        }
    }
}
