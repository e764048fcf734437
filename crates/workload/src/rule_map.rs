//! The rules of one level, to ask what holds at a name or inside a pattern.

use crate::{Effect, ToolPattern, ToolRule};
use std::collections::BTreeMap;

/// Patterns with their effects, searchable by stem.
#[derive(Clone, Debug, Default)]
pub struct RuleMap {
    exact: BTreeMap<String, Effect>,
    prefix: BTreeMap<String, Effect>,
}

impl RuleMap {
    /// The map of a level's rules.
    pub fn of_rules(rules: &[ToolRule]) -> Self {
        let mut map = Self::default();
        for rule in rules {
            map.insert(rule.pattern.clone(), rule.effect);
        }
        map
    }

    /// Adds one rule.
    pub fn insert(&mut self, pattern: ToolPattern, effect: Effect) {
        match pattern {
            ToolPattern::Exact(name) => self.exact.insert(name, effect),
            ToolPattern::Prefix(stem) => self.prefix.insert(stem, effect),
        };
    }

    /// The effect of the most specific pattern that covers all of `pattern`.
    pub fn at(&self, pattern: &ToolPattern) -> Option<Effect> {
        self.chain(pattern).last().map(|(_, effect)| *effect)
    }

    /// The strictest effect that holds at any name inside `pattern`.
    pub fn strictest_in(&self, pattern: &ToolPattern) -> Option<Effect> {
        let inside = match pattern {
            ToolPattern::Exact(_) => None,
            ToolPattern::Prefix(stem) => within(&self.exact, stem).chain(within(&self.prefix, stem)).max(),
        };
        inside.max(self.at(pattern))
    }

    /// Every pattern that covers all of `pattern`, the widest first.
    pub fn chain(&self, pattern: &ToolPattern) -> Vec<(ToolPattern, Effect)> {
        let stem = pattern.stem();
        let ends = (0..=stem.len()).filter_map(|end| stem.get(..end));
        let prefixes = ends.filter_map(|end| self.prefix.get_key_value(end));
        let mut chain: Vec<_> = prefixes.map(|(s, e)| (ToolPattern::Prefix(s.clone()), *e)).collect();
        if let (ToolPattern::Exact(name), Some(effect)) = (pattern, self.exact.get(stem)) {
            chain.push((ToolPattern::Exact(name.clone()), *effect));
        }
        chain
    }

    /// Every rule, prefixes first.
    pub fn iter(&self) -> impl Iterator<Item = (ToolPattern, Effect)> + '_ {
        let prefixes = self.prefix.iter().map(|(s, e)| (ToolPattern::Prefix(s.clone()), *e));
        prefixes.chain(self.exact.iter().map(|(s, e)| (ToolPattern::Exact(s.clone()), *e)))
    }
}

fn within<'m>(map: &'m BTreeMap<String, Effect>, stem: &'m str) -> impl Iterator<Item = Effect> + 'm {
    let from_stem = map.range(stem.to_owned()..);
    from_stem.take_while(move |(name, _)| name.starts_with(stem)).map(|(_, effect)| *effect)
}
