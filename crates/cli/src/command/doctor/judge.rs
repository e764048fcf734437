//! What came of the attempts → a state and its reason. Nothing is called enforcing that has not just refused something
//! which works without a box, beside something that works inside it.

use super::attempt::Outcome;
use super::boxes::{Evidence, Tried};
use super::check::{Check, Trial};
use ringfence_policy::scale::Tier;
use serde::Serialize;

/// How well a mechanism does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// It refused everything that it had to, and nothing else.
    Enforcing,
    /// It refused some of it, or too much.
    Partial,
    /// It refused nothing.
    Off,
    /// This machine does not have it.
    Unavailable,
}

impl State {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Enforcing => "enforcing",
            Self::Partial => "partial",
            Self::Off => "off",
            Self::Unavailable => "unavailable",
        }
    }
}

/// A mechanism in a tier.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    pub(super) mechanism: &'static str,
    pub(super) title: &'static str,
    pub(super) tier: Tier,
    pub(super) state: State,
    /// Why it is not enforcing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fix: Option<String>,
    /// What was tried, and what the kernel said.
    pub(super) refused: Vec<Line>,
    /// What is allowed and worked.
    pub(super) allowed: Vec<Line>,
    /// What was left out, because it fails without a box too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) unproven: Vec<Line>,
}

/// One attempt.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Line {
    pub(super) what: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) said: String,
}

fn line(trial: &Trial, outcome: &Outcome) -> Line {
    Line { what: trial.what, said: outcome.said.clone() }
}

const DEFECT: &str = "use tier A where it can be had; in tier A itself, please report it as a defect with the output of \
                      `ringfence doctor --format json`";

/// The findings of one box.
pub(super) fn findings(tried: &Tried) -> Vec<Finding> {
    let unavailable = |check: &Check, reason: &str, fix: &str| Finding {
        mechanism: check.id,
        title: check.title,
        tier: tried.tier,
        state: State::Unavailable,
        reason: Some(reason.to_owned()),
        fix: (!fix.is_empty()).then(|| fix.to_owned()),
        refused: Vec::new(),
        allowed: Vec::new(),
        unproven: Vec::new(),
    };
    let missing = match (&tried.report.failed, tried.report.tier) {
        (Some((why, help)), _) => {
            // The box was asked for by its tier, so that is where the reason begins.
            let own = why.split_once(&format!(": tier {}: ", tried.tier)).map(|(_, own)| own.to_owned());
            Some((own.unwrap_or_else(|| why.clone()), help.clone()))
        }
        (None, Some(_)) => None,
        (None, None) => Some(("the box did not say how it turned out".into(), String::new())),
    };
    let of = |(check, evidence): &(Check, Evidence)| match &missing {
        Some((why, help)) => unavailable(check, why, help),
        None => judge(check, evidence, tried.tier),
    };
    tried.checks.iter().map(of).collect()
}

fn judge(check: &Check, evidence: &Evidence, tier: Tier) -> Finding {
    let (mut refused, mut allowed, mut unproven, mut wrong) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let inside = evidence.forbidden.iter().zip(&evidence.arrived);
    for ((trial, (inside, arrived)), control) in check.forbidden.iter().zip(inside).zip(&evidence.control) {
        match (inside, control) {
            (Some(inside), _) if inside.done && !arrived => {
                refused.push(Line { what: trial.what, said: "it stayed inside the box".into() });
            }
            (Some(inside), _) if inside.done => wrong.push(format!("it did not refuse: {}", trial.what)),
            (Some(_), Some(outside)) if trial.controlled && !outside.done => unproven.push(line(trial, outside)),
            (Some(inside), _) => refused.push(line(trial, inside)),
            (None, _) => wrong.push(format!("nothing is known of: {}", trial.what)),
        }
    }
    let open = !wrong.is_empty();
    for (trial, inside) in check.twins.iter().zip(&evidence.twins) {
        match inside {
            Some(inside) if inside.done => allowed.push(line(trial, inside)),
            Some(inside) => wrong.push(format!("its allowed twin failed: {} ({})", trial.what, inside.said)),
            None => wrong.push(format!("nothing is known of: {}", trial.what)),
        }
    }
    for path in &evidence.left {
        wrong.push(format!("it is there on the host afterwards: `{}`", path.display()));
    }
    let proven = !refused.is_empty() || (!check.absent.is_empty() && evidence.left.is_empty());
    if !proven && !open {
        wrong.push("nothing could be tried that works without a box".to_owned());
    }
    let state = match (wrong.is_empty(), proven) {
        (true, _) => State::Enforcing,
        (false, true) => State::Partial,
        (false, false) => State::Off,
    };
    Finding {
        mechanism: check.id,
        title: check.title,
        tier,
        state,
        reason: (!wrong.is_empty()).then(|| wrong.join("; ")),
        fix: open.then(|| DEFECT.to_owned()),
        refused,
        allowed,
        unproven,
    }
}

/// Tier C has nobody who connects by name.
pub(super) fn no_names() -> Finding {
    Finding {
        mechanism: "names",
        title: "egress by name",
        tier: Tier::C,
        state: State::Unavailable,
        reason: Some(
            "tier C has nobody to connect on the run's behalf; a policy with an allowlist is refused there".into(),
        ),
        fix: Some("see tiers A and B, or use a policy with no network".into()),
        refused: Vec::new(),
        allowed: Vec::new(),
        unproven: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::doctor::attempt::Attempt;

    fn judged(inside: [bool; 2], outside: [bool; 2], twin: bool) -> Finding {
        let trial = |what| Trial { what, attempt: Attempt::Pair, controlled: true, on_host: None };
        let check = Check {
            id: "files",
            title: "files outside",
            forbidden: vec![trial("one"), trial("two")],
            twins: vec![trial("twin")],
            absent: Vec::new(),
        };
        let outcome = |done| Some(Outcome { done, said: String::new() });
        let evidence = Evidence {
            twins: vec![outcome(twin)],
            forbidden: inside.map(outcome).into(),
            control: outside.map(outcome).into(),
            arrived: vec![true, true],
            left: Vec::new(),
        };
        judge(&check, &evidence, Tier::A)
    }

    #[test]
    fn refusing_counts_only_beside_a_twin_and_only_where_it_works_without_a_box() {
        let states = [
            (judged([false, false], [true, true], true), State::Enforcing),
            (judged([false, true], [true, true], true), State::Partial),
            (judged([true, true], [true, true], true), State::Off),
            (judged([false, false], [true, true], false), State::Partial),
            (judged([false, false], [false, true], true), State::Enforcing),
            (judged([false, false], [false, false], true), State::Off),
        ];
        for (finding, expected) in states {
            assert_eq!(finding.state, expected, "{finding:?}");
            assert_eq!(finding.reason.is_none(), expected == State::Enforcing);
        }
    }
}
