//! The algebra of the cascade: merging is associative, commutative and idempotent, for values, for
//! provenance and for violations.

#![expect(clippy::unwrap_used, reason = "test code outside of test functions")]

mod support;

use proptest::prelude::*;
use ringfence_policy::cascade::{Cascade, Contribution};
use ringfence_policy::document::PolicyDocument;
use ringfence_policy::fields::Fields;
use ringfence_policy::http::HttpRules;
use ringfence_policy::ledger::Ledger;
use ringfence_policy::level::{Level, Origin};
use ringfence_policy::pattern::Host;
use ringfence_policy::provenance::Provenance;
use ringfence_policy::span::Sources;
use ringfence_policy::strictness::Strictness;
use serde_json::Value as Json;
use std::sync::Arc;

/// A cascade that holds one document at one level.
fn single(n: usize, level: Level, text: &Json, sources: &mut Sources) -> Cascade {
    let name = format!("{n}.json");
    let document = support::read(&name, text, sources, PolicyDocument::read);
    Cascade::new([Contribution::new(Origin::document(level, &format!("doc-{n}"), Arc::from(name)), document.fields)])
}

/// Everything a law speaks about.
fn observe(cascade: &Cascade) -> (Vec<(&'static str, Json)>, Json, String) {
    let provenance = Provenance::new(Arc::new(Ledger::new(cascade, &[]).0));
    (cascade.effective().print(), serde_json::to_value(provenance).unwrap(), format!("{:?}", cascade.violations()))
}

fn fields(text: &Json) -> Fields {
    support::read("x.json", text, &mut Sources::default(), PolicyDocument::read).fields
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cascades_form_a_semilattice(o in support::document(0.3), p in support::document(0.3), a in support::document(0.3), levels in [support::level(), support::level(), support::level()]) {
        let mut sources = Sources::default();
        let o = single(0, levels[0], &o, &mut sources);
        let p = single(1, levels[1], &p, &mut sources);
        let a = single(2, levels[2], &a, &mut sources);
        let left = o.merge(&p).merge(&a);
        let right = o.merge(&p.merge(&a));
        prop_assert_eq!(observe(&left), observe(&right));
        prop_assert_eq!(observe(&o.merge(&p)), observe(&p.merge(&o)));
        prop_assert_eq!(observe(&left.merge(&left)), observe(&left));
        prop_assert_eq!(observe(&left.merge(&p)), observe(&left));
    }

    #[test]
    fn every_field_joins_associatively_commutatively_and_idempotently(a in support::document(0.9), b in support::document(0.9), c in support::document(0.9)) {
        let (a, b, c) = (fields(&a), fields(&b), fields(&c));
        prop_assert_eq!(a.join(&b).join(&c).print(), a.join(&b.join(&c)).print());
        prop_assert_eq!(a.join(&b).print(), b.join(&a).print());
        prop_assert_eq!(a.join(&a).print(), a.print());
    }

    /// Together two documents take the requests that each of them takes.
    #[test]
    fn requests_are_taken_by_all_or_not_at_all(
        a in support::http(), b in support::http(), host in proptest::sample::select(support::HOSTS),
        method in "GET|HEAD|POST|PUT", path in "/|/v1|/v1/|/v1/a|/v1/a/b|/v1/a/b/c|/v2/x|/v1/../v2|/v10",
    ) {
        let read = |http: &Json| fields(&serde_json::json!({ "sandbox": { "network": { "http": http } } })).network_http.unwrap().value;
        let (a, b) = (read(&a), read(&b));
        let Ok((host, port)) = Host::parse_with_port(host.trim_start_matches("*.").trim_start_matches('*')) else { return Ok(()) };
        for port in [port.unwrap_or(80), 443] {
            let takes = |rules: &HttpRules| rules.allows(&host, port, &method, &path);
            prop_assert_eq!(takes(&a.join(&b)), takes(&a) && takes(&b));
            prop_assert!(b.relaxations(&a).is_empty() || a.join(&b) != b);
        }
    }

    /// What violates is looser than the floor, and only that: joining the floor into it makes it stop.
    #[test]
    fn a_statement_joined_with_its_floor_never_violates(o in support::document(0.5), p in support::document(0.5)) {
        let (above, below) = (fields(&o), fields(&p));
        let cascade = |below: Fields| Cascade::new([
            Contribution::new(Origin::document(Level::Org, "o", Arc::from("o")), above.clone()),
            Contribution::new(Origin::document(Level::Project, "p", Arc::from("p")), below),
        ]);
        let joined = cascade(below.join(&above));
        let rules_aside = |v: &ringfence_policy::cascade::Violation| v.field.path() != "tools.rules";
        prop_assert!(!joined.violations().iter().any(rules_aside), "{:#?}", joined.violations());
    }
}

/// The example of the design: a pre-merged project and agent would hide the project's relaxation.
#[test]
fn a_relaxation_between_two_equal_levels_is_found() {
    let mut sources = Sources::default();
    let step = |word: &str| serde_json::json!({ "steps": { "detect_pii": { "onDetection": word } } });
    let org = single(0, Level::Org, &step("block"), &mut sources);
    let project = single(1, Level::Project, &step("log"), &mut sources);
    let agent = single(2, Level::Agent, &step("block"), &mut sources);
    let violations = org.merge(&project.merge(&agent)).violations();
    assert_eq!(violations.len(), 1);
    assert_eq!(violations[0].attempt.contribution, 1);
    assert_eq!(violations[0].attempt.words, "detect_pii.onDetection: log");
    assert_eq!(violations[0].floors[0].words, "detect_pii.onDetection: block");
}
