//! `test`: asks the questions that policy documents carry, and compares the answers with what is expected.
//!
//! A test is judged by what stands at its own level and above: that is all its author can know. A document
//! that several sandboxes share is tested in each of them, and shown once.

mod show;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::{InputArgs, Scope, Workspace, evaluation};
use crate::output::{Format, Output};
use crate::quote;
use crate::report;
use ringfence_policy::decide::Index;
use ringfence_policy::diagnostic::{Code, Diagnostic, Role};
use ringfence_policy::level::Level;
use ringfence_policy::policy_set::{LeveledTest, PolicySet};
use ringfence_policy::resolve::Resolved;
use ringfence_policy::scale::Effect;
use ringfence_policy::span::Place;
use std::collections::BTreeMap;

const EXAMPLES: &str = "\
Examples:
  ringfence test -C examples/acme
  ringfence test -C examples/solo --format junit";

/// What to test.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    input: InputArgs,
}

/// One test with the answer in each sandbox.
#[derive(Debug)]
struct Judged {
    test: LeveledTest,
    answers: Vec<Answer>,
}

/// The answer in one sandbox.
#[derive(Debug)]
struct Answer {
    sandbox: String,
    effect: Effect,
    /// What decides, where it is written, and who wrote it.
    decided: Option<(Place, String)>,
}

impl Judged {
    fn passed(&self) -> bool {
        self.failures().next().is_none()
    }

    fn failures(&self) -> impl Iterator<Item = &Answer> {
        self.answers.iter().filter(|a| a.effect != self.test.test.expect)
    }
}

/// Runs every test.
pub(crate) fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    output.only(&[Format::Human, Format::Json, Format::Junit])?;
    let mut workspace = Workspace::load(&args.input)?;
    let sets = workspace.sandboxes(&args.input.select, Scope::All);
    let _ = workspace.derive(&sets, evaluation);
    let problems = workspace.settle()?;
    let judged = judge(&sets);
    match output.format {
        Format::Json => output.json(&show::json(&judged, &problems))?,
        Format::Junit => output.raw(&report::junit::report(&show::junit(&judged, &problems.sources)))?,
        _ => {
            report::warnings(output, &problems);
            output.note(&report::human::diagnostics(&failures(&judged), &problems.sources));
            output.result(&show::summary(&judged))?;
        }
    }
    Ok(if judged.iter().all(Judged::passed) { Exit::Done } else { Exit::Findings })
}

/// Every test of every sandbox, by the place where it stands.
fn judge(sets: &[PolicySet]) -> Vec<Judged> {
    let mut out: BTreeMap<Place, Judged> = BTreeMap::new();
    for set in sets {
        let levels: Vec<Level> = Level::WORDS.iter().map(|(_, l)| *l).collect();
        for level in levels {
            let tests: Vec<&LeveledTest> = set.tests.iter().filter(|t| t.level == level).collect();
            if tests.is_empty() {
                continue;
            }
            let cascade = set.down_to(level);
            let resolved = Resolved::new(&cascade, set.catalog.as_ref());
            let index = Index::new(&resolved, &set.spec);
            for test in tests {
                let entry = out.entry(test.test.place);
                let judged = entry.or_insert_with(|| Judged { test: test.clone(), answers: Vec::new() });
                judged.answers.push(answer(&index, set, test));
            }
        }
    }
    out.into_values().collect()
}

fn answer(index: &Index, set: &PolicySet, test: &LeveledTest) -> Answer {
    let answer = index.decide(&test.test.question);
    let ledger = index.ledger();
    let decisive = answer.reasons.iter().find(|r| r.effect == answer.effect);
    let statement = decisive.and_then(|r| ledger.statement(r.statement));
    let decided = statement.map(|s| (s.place, s.origin.who()));
    Answer { sandbox: set.spec.name.name.to_string(), effect: answer.effect, decided }
}

/// The tests that fail, each with the statement that decides against it.
fn failures(judged: &[Judged]) -> Vec<Diagnostic> {
    judged.iter().filter(|j| !j.passed()).map(failure).collect()
}

fn failure(judged: &Judged) -> Diagnostic {
    let test = &judged.test.test;
    let mut d = Diagnostic::error(Code::TestFailed, show::failure_words(judged))
        .at(test.place, format!("expected {}", test.expect));
    if let Some((place, who)) = judged.failures().find_map(|a| a.decided.as_ref()) {
        d = d.label(*place, Role::Context, format!("decided here by {who}"));
    }
    // Quoted for a shell: arguments of a tool are JSON.
    d.help(format!("`ringfence explain {}` shows the whole trail", quote::word(&test.text)))
}
