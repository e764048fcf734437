//! Ringfence beside Cedar and regorus: one workload, several engines, the same answers, different speeds.
//!
//! Read in this order:
//!
//! 1. [`ringfence_workload`]: the questions and the rules, made from a seed.
//! 2. [`reference`](mod@reference): what the rules mean, written as plainly as possible. It is the judge.
//! 3. [`merged`]: the work any engine may do once, at load time.
//! 4. [`cedar`] and [`rego`]: the same rules in the two other languages, each in two encodings.
//! 5. [`mod@ringfence`]: the product itself, from the same documents.
//! 6. [`check`] and [`timing`]: every engine must give the judge's answer to every question before it is timed.
//!
//! Run `cargo bench` in this folder for the tables (`cargo bench -- --quick` for a short look) and
//! `cargo test --release` for the agreement alone. This is a workspace of its own, so that the other
//! engines are never compiled by the project's ordinary tests.
//!
//! To add an engine, write a module that implements [`Engine`] and name it in `ENGINES` of
//! `benches/compare.rs`. [`ringfence_workload::LevelRules::document`] gives each level as policy text.

pub mod cedar;
pub mod check;
pub mod merged;
pub mod reference;
pub mod rego;
pub mod ringfence;
pub mod timing;

use ringfence_workload::{Effect, Question};

/// Something that was loaded with a workload and now answers its questions.
pub trait Engine {
    /// The name in the printed table.
    fn name(&self) -> &str;

    /// One decision. An evaluation error is answered with the strictest effect, `deny`.
    fn answer(&mut self, question: &Question) -> Effect;
}

/// Loading an engine can fail in the engine's own words; nobody here needs to tell the failures apart.
pub type LoadResult<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;
