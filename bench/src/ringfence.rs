//! Ringfence itself: the workload as policy documents, read, derived and indexed by the product's own code.
//!
//! A timed decision parses the host as the product does, looks up the answer and touches its trail; nothing
//! is prepared per question.

use std::hint::black_box;

use ringfence_policy::decide::Index;
use ringfence_policy::resolve::Resolved;
use ringfence_policy::scale;

use ringfence_workload::{Effect, Question, Workload, decided};

use crate::{Engine, LoadResult};

/// The compiled index.
pub struct Ringfence {
    index: Index,
}

impl Ringfence {
    /// Reads and compiles the workload.
    pub fn new(workload: &Workload) -> LoadResult<Self> {
        let set = workload.policy_set()?;
        let resolved = Resolved::new(&set.cascade, set.catalog.as_ref());
        Ok(Self { index: Index::new(&resolved, &set.spec) })
    }
}

impl Engine for Ringfence {
    fn name(&self) -> &str {
        "ringfence"
    }

    fn answer(&mut self, question: &Question) -> Effect {
        let Some(answer) = decided(&self.index, question) else { return Effect::Deny };
        black_box(answer.reasons.first());
        match answer.effect {
            scale::Effect::Allow => Effect::Allow,
            scale::Effect::Ask => Effect::Ask,
            scale::Effect::Deny => Effect::Deny,
        }
    }
}
