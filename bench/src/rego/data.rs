//! The data documents of the two Rego encodings.

use std::collections::BTreeMap;

use regorus::Value;

use crate::merged::{Merged, spelling};
use ringfence_workload::{LevelRules, Tool, ToolPattern, Workload};

/// For `index.rego`.
pub fn index(workload: &Workload, merged: &Merged) -> Value {
    let tools = workload.tools.iter().map(|tool| (tool.name.clone(), indexed_tool(tool, merged)));
    let effects = merged.tools.iter().map(|(pattern, effect)| (pattern.to_string(), Value::from(effect.as_str())));
    object([
        ("tools", object(tools)),
        ("effects", object(effects)),
        ("forbidden", set(merged.forbidden.iter().cloned())),
        ("hosts", set(merged.hosts.iter().map(spelling))),
    ])
}

/// A tool no rule speaks of has no `pattern`, and the policy falls back to its default.
fn indexed_tool(tool: &Tool, merged: &Merged) -> Value {
    let capabilities = ("capabilities", strings(&tool.capabilities));
    let pattern = merged.narrowest(&tool.name);
    let pattern = pattern.map(|pattern| ("pattern", Value::from(pattern.to_string())));
    object(std::iter::once(capabilities).chain(pattern))
}

/// For `rules.rego`.
pub fn rules(workload: &Workload) -> Value {
    let levels: Vec<Value> = workload.levels.iter().map(level).collect();
    let lists: Vec<Value> = workload.levels.iter().filter_map(|level| level.hosts.as_ref()).map(strings).collect();
    let capabilities = workload.tools.iter().map(|tool| (tool.name.clone(), strings(&tool.capabilities)));
    object([("levels", Value::from(levels)), ("lists", Value::from(lists)), ("capabilities", object(capabilities))])
}

fn level(level: &LevelRules) -> Value {
    let (mut exact, mut prefix) = (Vec::new(), Vec::new());
    for rule in &level.tools {
        let kind = match rule.pattern {
            ToolPattern::Exact(_) => &mut exact,
            ToolPattern::Prefix(_) => &mut prefix,
        };
        kind.push((rule.pattern.stem(), Value::from(rule.effect.as_str())));
    }
    object([("exact", object(exact)), ("prefix", object(prefix)), ("forbidden", strings(&level.forbidden))])
}

fn object<K: Into<String>>(pairs: impl IntoIterator<Item = (K, Value)>) -> Value {
    let pairs = pairs.into_iter().map(|(key, value)| (Value::from(key.into()), value));
    Value::from(pairs.collect::<BTreeMap<_, _>>())
}

fn set(names: impl IntoIterator<Item = String>) -> Value {
    object(names.into_iter().map(|name| (name, Value::from(true))))
}

fn strings<T: ToString>(items: impl IntoIterator<Item = T>) -> Value {
    Value::from(items.into_iter().map(|item| Value::from(item.to_string())).collect::<Vec<_>>())
}
