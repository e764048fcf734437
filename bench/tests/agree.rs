//! Every engine gives the judge's answers, and the generator keeps its promises.

use ringfence_bench::Engine;
use ringfence_bench::cedar::Cedar;
use ringfence_bench::check::{expected, first_difference};
use ringfence_bench::rego::{Interpreted, Rego};
use ringfence_bench::ringfence::Ringfence;
use ringfence_workload::{Effect, LevelRules, Question, Size, Workload};

const SMALL: Size = Size { rules: 60, tools: 30, questions: 200 };

fn workloads() -> impl Iterator<Item = Workload> {
    (0..12).map(|seed| Workload::new(SMALL, seed))
}

#[test]
fn every_engine_agrees_with_the_reference() {
    for workload in workloads() {
        let expected = expected(&workload);
        let engines: [Box<dyn Engine>; 6] = [
            Box::new(Ringfence::new(&workload).unwrap()),
            Box::new(Cedar::groups(&workload).unwrap()),
            Box::new(Cedar::rules(&workload).unwrap()),
            Box::new(Rego::index(&workload).unwrap()),
            Box::new(Rego::rules(&workload).unwrap()),
            Box::new(Interpreted::index(&workload).unwrap()),
        ];
        for mut engine in engines {
            let difference = first_difference(engine.as_mut(), &workload.questions, &expected);
            assert!(difference.is_none(), "{difference:?}");
        }
    }
}

#[test]
fn every_answer_occurs() {
    for workload in workloads() {
        let mut seen: Vec<(bool, Effect)> = Vec::new();
        for (question, effect) in workload.questions.iter().zip(expected(&workload)) {
            let answer = (matches!(question, Question::Tool(_)), effect);
            if !seen.contains(&answer) {
                seen.push(answer);
            }
        }
        assert_eq!(seen.len(), 5, "allow, ask and deny for tools, allow and deny for hosts: {seen:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_workload() {
    let text = |seed| format!("{:?}", Workload::new(SMALL, seed));
    assert_eq!(text(7), text(7));
    assert_ne!(text(7), text(8));
}

#[test]
fn the_rule_count_is_exact() {
    for workload in workloads() {
        assert_eq!(workload.rule_count(), SMALL.rules);
    }
}

#[test]
fn no_lower_level_is_looser_than_the_levels_above() {
    for workload in workloads() {
        for depth in 1..workload.levels.len() {
            let (above, below) = workload.levels.split_at(depth);
            assert_only_tightens(&workload, above, &below[0]);
        }
    }
}

/// Checked name by name with the judge's eyes: at every catalog tool, rule stem and asked host.
fn assert_only_tightens(workload: &Workload, above: &[LevelRules], below: &LevelRules) {
    let catalog = workload.tools.iter().map(|tool| tool.name.as_str());
    let stems = workload.levels.iter().flat_map(|l| l.tools.iter().map(|rule| rule.pattern.stem()));
    for name in catalog.chain(stems) {
        let floor = above.iter().filter_map(|level| stated(level, name)).max();
        let attempt = stated(below, name);
        assert!(attempt.is_none() || attempt >= floor, "{name}: {attempt:?} under {floor:?}");
    }
    for host in below.hosts.iter().flatten() {
        for list in above.iter().filter_map(|level| level.hosts.as_ref()) {
            assert!(list.iter().any(|wide| wide.covers(host)), "{host} is not on a list above");
        }
    }
}

fn stated(level: &LevelRules, name: &str) -> Option<Effect> {
    let matching = level.tools.iter().filter(|rule| rule.pattern.matches(name));
    matching.max_by_key(|rule| rule.pattern.specificity()).map(|rule| rule.effect)
}

#[test]
fn a_level_prints_as_a_document() {
    for level in workloads().flat_map(|workload| workload.levels) {
        let document = regorus::Value::from_json_str(&level.document()).unwrap();
        let rules = document["tools"]["rules"].as_object().unwrap();
        assert_eq!(rules.len(), level.tools.len());
        assert_eq!(document["level"].as_string().unwrap().as_ref(), level.level);
    }
}
