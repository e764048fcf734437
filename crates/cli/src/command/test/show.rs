//! Judged tests as text, JSON and JUnit.

use super::Judged;
use crate::failure::Problems;
use crate::report::json::{Entry, entries};
use crate::report::junit::{Case, Outcome};
use ringfence_policy::scale::Effect;
use ringfence_policy::span::Sources;
use serde::Serialize;

/// The result as JSON.
#[derive(Debug, Serialize)]
pub(crate) struct Tested {
    errors: Vec<Entry>,
    warnings: Vec<Entry>,
    passed: usize,
    failed: usize,
    tests: Vec<TestEntry>,
}

#[derive(Debug, Serialize)]
struct TestEntry {
    document: String,
    level: &'static str,
    file: String,
    line: u32,
    column: u32,
    expect: Effect,
    question: String,
    passed: bool,
    sandboxes: Vec<SandboxAnswer>,
}

#[derive(Debug, Serialize)]
struct SandboxAnswer {
    name: String,
    effect: Effect,
}

/// `12 passed, 1 failed`
pub(crate) fn summary(judged: &[Judged]) -> String {
    if judged.is_empty() {
        return "no tests; a document carries its own under `tests:`\n".to_owned();
    }
    let failed = judged.iter().filter(|j| !j.passed()).count();
    format!("{} passed, {failed} failed\n", judged.len() - failed)
}

/// `net evil.test`: expected deny, got allow in coder
pub(crate) fn failure_words(judged: &Judged) -> String {
    let test = &judged.test.test;
    let mut answers: Vec<(Effect, Vec<&str>)> = Vec::new();
    for answer in judged.failures() {
        match answers.iter_mut().find(|(e, _)| *e == answer.effect) {
            Some((_, names)) => names.push(&answer.sandbox),
            None => answers.push((answer.effect, vec![&answer.sandbox])),
        }
    }
    let got: Vec<String> = answers.iter().map(|(e, names)| format!("{e} in {}", names.join(", "))).collect();
    format!("`{}`: expected {}, got {}", test.text, test.expect, got.join("; "))
}

/// The result as JSON.
pub(crate) fn json(judged: &[Judged], problems: &Problems) -> Tested {
    let failed = judged.iter().filter(|j| !j.passed()).count();
    Tested {
        errors: Vec::new(),
        warnings: entries(&problems.warnings, &problems.sources),
        passed: judged.len() - failed,
        failed,
        tests: judged.iter().map(|j| entry(j, &problems.sources)).collect(),
    }
}

fn entry(judged: &Judged, sources: &Sources) -> TestEntry {
    let test = &judged.test.test;
    let place = sources.named(test.place);
    let answers = judged.answers.iter().map(|a| SandboxAnswer { name: a.sandbox.clone(), effect: a.effect });
    TestEntry {
        document: judged.test.document.to_string(),
        level: judged.test.level.as_str(),
        file: place.file.to_string(),
        line: place.line,
        column: place.column,
        expect: test.expect,
        question: test.text.clone(),
        passed: judged.passed(),
        sandboxes: answers.collect(),
    }
}

/// The result as JUnit cases, one suite a document.
pub(crate) fn junit(judged: &[Judged], sources: &Sources) -> Vec<Case> {
    let case = |j: &Judged| {
        let place = sources.named(j.test.test.place);
        Case {
            suite: j.test.document.to_string(),
            name: format!("{} {}", j.test.test.expect, j.test.test.text),
            file: place.file.to_string(),
            line: place.line,
            outcome: if j.passed() { Outcome::Passed } else { Outcome::Failed(failure_words(j)) },
        }
    };
    judged.iter().map(case).collect()
}
