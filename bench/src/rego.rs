//! The workload in Rego, run by regorus.
//!
//! The policy is compiled once to a program for regorus' own virtual machine, and each question is
//! `set_input` and one entry point: on this workload several times faster than `Engine::eval_rule`, which
//! walks the syntax tree. There are two entry points, `tool` and `net`, and the input is the bare name,
//! so that no question pays for building an object or for choosing a rule.
//!
//! # Two encodings
//!
//! - [`Rego::index`]: the fastest we found. The rules are data, folded and matched at load time (see
//!   [`crate::merged`]), and a question is a few object lookups: tool to pattern to effect, tool to
//!   capabilities to forbidden. It is given what the Cedar groups are given.
//! - [`Rego::rules`]: the one a person would write: walk the levels, try each prefix, keep the longest.
//!
//! Neither uses `else`: in regorus 0.14.1 the virtual machine does not try the next branch when a branch
//! fails inside a `some … in` loop or on an undefined value, where the interpreter does. A `default` and
//! bodies that exclude each other mean the same and run right on both.
//!
//! # What is measured
//!
//! Building the input value from the question's string is inside the measured time; parsing,
//! compiling and loading the data are not. [`Rego::floor`] runs an entry point that returns a constant.

pub mod data;

use std::sync::Arc;

use regorus::languages::rego::compiler::Compiler;
use regorus::rvm::RegoVM;
use regorus::{Engine as Regorus, PolicyModule, Value, compile_policy_with_entrypoint};

use crate::merged::{Merged, spellings};
use ringfence_workload::{Effect, Question, Workload};
use crate::{Engine, LoadResult};

const TOOL: usize = 0;
const NET: usize = 1;
const ENTRY_POINTS: [&str; 2] = ["data.bench.tool", "data.bench.net"];

/// The default budget of 25,000 instructions is meant for small policies; the rule scan needs more.
const INSTRUCTIONS: usize = 100_000_000;

pub struct Rego {
    name: &'static str,
    machine: RegoVM,
    host_input: fn(&str) -> Value,
}

impl Rego {
    /// The fastest encoding: everything is a lookup.
    pub fn index(workload: &Workload) -> LoadResult<Self> {
        let data = data::index(workload, &Merged::new(workload));
        Self::new("regorus (index)", include_str!("rego/index.rego"), data, host_spellings)
    }

    /// The textbook encoding: walk the rules.
    pub fn rules(workload: &Workload) -> LoadResult<Self> {
        let data = data::rules(workload);
        Self::new("regorus (rule scan)", include_str!("rego/rules.rego"), data, |host| Value::from(host))
    }

    /// Two constants: what a call costs before any policy work. Its answers mean nothing.
    pub fn floor() -> LoadResult<Self> {
        let text = "package bench\nimport rego.v1\ntool := \"allow\"\nnet := \"allow\"\n";
        Self::new("regorus (floor: no rules)", text, Value::new_object(), |host| Value::from(host))
    }

    fn new(name: &'static str, text: &str, data: Value, host_input: fn(&str) -> Value) -> LoadResult<Self> {
        let module = PolicyModule { id: "bench.rego".into(), content: text.into() };
        let policy = compile_policy_with_entrypoint(data.clone(), &[module], ENTRY_POINTS[TOOL].into())?;
        let program = Compiler::compile_from_policy(&policy, &ENTRY_POINTS).map_err(|error| error.to_string())?;
        let mut machine = RegoVM::new_with_policy(policy);
        machine.set_max_instructions(INSTRUCTIONS);
        machine.load_program(Arc::clone(&program));
        machine.set_data(data)?;
        Ok(Self { name, machine, host_input })
    }

    fn ask(&mut self, entry_point: usize, input: Value) -> Option<Effect> {
        self.machine.set_input(input);
        let answer = self.machine.execute_entry_point_by_index(entry_point).ok()?;
        effect(answer.as_string().ok()?)
    }
}

fn host_spellings(host: &str) -> Value {
    let names: Vec<Value> = spellings(host).into_iter().map(Value::from).collect();
    Value::from(names)
}

fn effect(name: &str) -> Option<Effect> {
    Effect::ALL.into_iter().find(|effect| effect.as_str() == name)
}

impl Engine for Rego {
    fn name(&self) -> &str {
        self.name
    }

    fn answer(&mut self, question: &Question) -> Effect {
        let answer = match question {
            Question::Tool(name) => self.ask(TOOL, Value::from(name.as_str())),
            Question::Net(host) => self.ask(NET, (self.host_input)(host)),
        };
        answer.unwrap_or(Effect::Deny)
    }
}

/// The same index encoding through `Engine::eval_rule`, kept to show what the virtual machine saves.
pub struct Interpreted {
    engine: Regorus,
}

impl Interpreted {
    pub fn index(workload: &Workload) -> LoadResult<Self> {
        let mut engine = Regorus::new();
        engine.add_policy("bench.rego".to_owned(), include_str!("rego/index.rego").to_owned())?;
        engine.add_data(data::index(workload, &Merged::new(workload)))?;
        Ok(Self { engine })
    }

    fn ask(&mut self, entry_point: usize, input: Value) -> Option<Effect> {
        self.engine.set_input(input);
        let answer = self.engine.eval_rule(ENTRY_POINTS[entry_point].to_owned()).ok()?;
        effect(answer.as_string().ok()?)
    }
}

impl Engine for Interpreted {
    fn name(&self) -> &str {
        "regorus (index, eval_rule)"
    }

    fn answer(&mut self, question: &Question) -> Effect {
        let answer = match question {
            Question::Tool(name) => self.ask(TOOL, Value::from(name.as_str())),
            Question::Net(host) => self.ask(NET, host_spellings(host)),
        };
        answer.unwrap_or(Effect::Deny)
    }
}
