//! The judge: the meaning of the rules, with no index and nothing prepared.
//!
//! - Inside one level the most specific matching pattern wins.
//! - Between levels the strictest effect wins. A level without a matching rule has no opinion.
//! - A tool no level has a rule for is `ask`; a tool with a forbidden capability is `deny`.
//! - A host is allowed when every level that has a list lists it, and at least one level has a list.

use crate::Engine;
use ringfence_workload::{Effect, LevelRules, Question, Workload};

pub struct Reference<'w> {
    workload: &'w Workload,
}

impl<'w> Reference<'w> {
    pub fn new(workload: &'w Workload) -> Self {
        Self { workload }
    }

    fn tool(&self, name: &str) -> Effect {
        if self.has_forbidden_capability(name) {
            return Effect::Deny;
        }
        let levels = self.workload.levels.iter();
        let strictest = levels.filter_map(|level| level_effect(level, name)).max();
        strictest.unwrap_or(Effect::Ask)
    }

    fn has_forbidden_capability(&self, name: &str) -> bool {
        let forbidden = |capability: &String| {
            let mut levels = self.workload.levels.iter();
            levels.any(|level| level.forbidden.contains(capability))
        };
        let mut tools = self.workload.tools.iter();
        tools.any(|tool| tool.name == name && tool.capabilities.iter().any(forbidden))
    }

    fn net(&self, host: &str) -> Effect {
        let mut lists = self.workload.levels.iter().filter_map(|level| level.hosts.as_ref()).peekable();
        let listed = lists.peek().is_some() && lists.all(|list| list.iter().any(|p| p.matches(host)));
        if listed { Effect::Allow } else { Effect::Deny }
    }
}

fn level_effect(level: &LevelRules, name: &str) -> Option<Effect> {
    let matching = level.tools.iter().filter(|rule| rule.pattern.matches(name));
    matching.max_by_key(|rule| rule.pattern.specificity()).map(|rule| rule.effect)
}

impl Engine for Reference<'_> {
    fn name(&self) -> &str {
        "reference (naive scan)"
    }

    fn answer(&mut self, question: &Question) -> Effect {
        match question {
            Question::Tool(name) => self.tool(name),
            Question::Net(host) => self.net(host),
        }
    }
}
