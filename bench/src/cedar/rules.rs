//! Cedar's textbook form: each tool rule is one policy.
//!
//! `allow` is a `permit`, `ask` and `deny` are `forbid`s told apart by their ids. An exact name stands in
//! the policy's scope; a prefix is a `like` on the tool's name. The most specific rule of a level wins
//! because each prefix rule has an `unless` for the next narrower rules of its own level. Between
//! levels nothing is needed: a `forbid` beats any `permit`, and `deny` beats `ask` when the ids are read.
//!
//! Each level's host list is one `forbid … unless` it lists the host, so the lists intersect.
//!
//! Long `||` chains are written as balanced trees. Cedar evaluates a chain by recursion, and a thousand
//! nested terms would reach its stack limit.

use std::collections::{BTreeMap, HashMap, HashSet};

use cedar_policy::{Context, Entities, Entity, PolicySet, RestrictedExpression};

use super::{Encoding, policy, uid};
use crate::LoadResult;
use ringfence_workload::RuleMap;
use ringfence_workload::{HostPattern, LevelRules, Tool, ToolPattern, Workload};

pub fn encode(workload: &Workload) -> LoadResult<Encoding> {
    let (mut tools, mut hosts) = (PolicySet::new(), PolicySet::new());
    hosts.add(policy("connect", "permit(principal, action, resource);")?)?;
    for level in &workload.levels {
        add_tool_rules(&mut tools, level)?;
        add_capabilities(&mut tools, level)?;
        add_hosts(&mut hosts, level)?;
    }
    let entities: LoadResult<Vec<Entity>> = workload.tools.iter().map(tool_entity).collect();
    let entities = Entities::from_entities(entities?, None)?;
    Ok(Encoding { tools, hosts, entities })
}

pub fn host_context(host: &str) -> Option<Context> {
    Context::from_pairs([("host".to_owned(), RestrictedExpression::new_string(host.to_owned()))]).ok()
}

fn add_tool_rules(set: &mut PolicySet, level: &LevelRules) -> LoadResult<()> {
    let narrower = next_narrower(level);
    for (number, rule) in level.tools.iter().enumerate() {
        let effect = rule.effect.as_str();
        let keyword = if effect == "allow" { "permit" } else { "forbid" };
        let text = match &rule.pattern {
            ToolPattern::Exact(name) => {
                format!(r#"{keyword}(principal, action, resource == Tool::"{name}");"#)
            }
            ToolPattern::Prefix(_) => format!(
                r#"{keyword}(principal, action, resource) when {{ {} }} unless {{ {} }};"#,
                tool_test(&rule.pattern),
                any(narrower.get(&rule.pattern).map_or(&[], Vec::as_slice)),
            ),
        };
        set.add(policy(&format!("{effect}-{}-{number}", level.level), &text)?)?;
    }
    Ok(())
}

/// For each prefix rule of a level, the tests for the rules directly inside it.
fn next_narrower(level: &LevelRules) -> BTreeMap<ToolPattern, Vec<String>> {
    let map = RuleMap::of_rules(&level.tools);
    let mut narrower: BTreeMap<ToolPattern, Vec<String>> = BTreeMap::new();
    for rule in &level.tools {
        let chain = map.chain(&rule.pattern);
        if let Some((wider, _)) = chain.iter().rev().nth(1) {
            narrower.entry(wider.clone()).or_default().push(tool_test(&rule.pattern));
        }
    }
    narrower
}

fn tool_test(pattern: &ToolPattern) -> String {
    match pattern {
        ToolPattern::Exact(name) => format!(r#"resource == Tool::"{name}""#),
        ToolPattern::Prefix(stem) => format!(r#"resource.name like "{stem}*""#),
    }
}

fn add_capabilities(set: &mut PolicySet, level: &LevelRules) -> LoadResult<()> {
    if level.forbidden.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = level.forbidden.iter().map(|name| format!("{name:?}")).collect();
    let text = format!(
        "forbid(principal, action, resource) when {{ resource.capabilities.containsAny([{}]) }};",
        names.join(", ")
    );
    Ok(set.add(policy(&format!("deny-{}-capabilities", level.level), &text)?)?)
}

fn add_hosts(set: &mut PolicySet, level: &LevelRules) -> LoadResult<()> {
    let Some(hosts) = &level.hosts else {
        return Ok(());
    };
    let tests: Vec<String> = hosts.iter().map(host_test).collect();
    let text = format!("forbid(principal, action, resource) unless {{ {} }};", any(&tests));
    Ok(set.add(policy(&format!("deny-{}-hosts", level.level), &text)?)?)
}

fn host_test(pattern: &HostPattern) -> String {
    match pattern {
        HostPattern::Exact(name) => format!(r#"context.host == "{name}""#),
        HostPattern::Below(domain) => format!(r#"context.host like "*.{domain}""#),
    }
}

/// `a || b || …` as a balanced tree.
fn any(tests: &[String]) -> String {
    match tests {
        [] => "false".to_owned(),
        [test] => test.clone(),
        _ => {
            let (left, right) = tests.split_at(tests.len() / 2);
            format!("({} || {})", any(left), any(right))
        }
    }
}

fn tool_entity(tool: &Tool) -> LoadResult<Entity> {
    let capabilities = tool.capabilities.iter().map(|name| RestrictedExpression::new_string(name.clone()));
    let attributes = HashMap::from([
        ("name".to_owned(), RestrictedExpression::new_string(tool.name.clone())),
        ("capabilities".to_owned(), RestrictedExpression::new_set(capabilities)),
    ]);
    Ok(Entity::new(uid("Tool", &tool.name)?, attributes, HashSet::new())?)
}
