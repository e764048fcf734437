//! Speed is only worth comparing between engines that say the same thing.

use crate::Engine;
use crate::reference::Reference;
use ringfence_workload::{Effect, Question, Workload};

/// The first question on which an engine and the judge differ.
#[derive(Debug)]
pub struct Difference {
    pub engine: String,
    pub question: Question,
    pub expected: Effect,
    pub answered: Effect,
}

/// The judge's answer to every question, in order.
pub fn expected(workload: &Workload) -> Vec<Effect> {
    let mut judge = Reference::new(workload);
    workload.questions.iter().map(|question| judge.answer(question)).collect()
}

pub fn first_difference(engine: &mut dyn Engine, questions: &[Question], expected: &[Effect]) -> Option<Difference> {
    questions.iter().zip(expected).find_map(|(question, &expected)| {
        let answered = engine.answer(question);
        (answered != expected).then(|| Difference {
            engine: engine.name().to_owned(),
            question: question.clone(),
            expected,
            answered,
        })
    })
}
