//! Cedar's fastest form: rules as groups, three policies over them.
//!
//! The rules become the entity hierarchy. A tool is in the narrowest merged pattern that matches it
//! (see [`crate::merged`]) and in each of its capabilities; a pattern is in `Effect::"allow"`, `"ask"` or
//! `"deny"`; a forbidden capability is in `Effect::"deny"`. Cedar closes the hierarchy when it loads the
//! entities, so a question is two hash lookups: is the tool in the one group, is it in the other?
//!
//! Hosts are not known in advance, so the request carries the host's spellings and the merged list is a
//! set in an entity attribute; `containsAny` on two sets of strings hashes the smaller.
//!
//! Fair, and generous to Cedar: folding the levels and matching patterns happen at load time, which works
//! because every tool asked about is in the catalog. A tool that appears later needs new entities. We
//! also tried to keep "which pattern wins" in the policy, as a chain of `if … in` over pattern depths: that
//! took about twice the time per tool question. So this is close to the least Cedar can do; compare the floor.

use std::collections::{HashMap, HashSet};

use cedar_policy::{Context, Entities, Entity, EntityUid, PolicySet, RestrictedExpression};

use super::{Encoding, policy, uid};
use crate::LoadResult;
use crate::merged::{Merged, spelling, spellings};
use ringfence_workload::{Effect, Tool, ToolPattern, Workload};

pub fn encode(workload: &Workload) -> LoadResult<Encoding> {
    let merged = Merged::new(workload);
    let mut entities = pattern_entities(&merged)?;
    entities.extend(capability_entities(&merged)?);
    entities.push(host_list(&merged)?);
    for tool in &workload.tools {
        entities.push(tool_entity(tool, &merged)?);
    }
    Ok(Encoding {
        tools: tool_policies()?,
        hosts: host_policies()?,
        entities: Entities::from_entities(entities, None)?,
    })
}

pub fn host_context(host: &str) -> Option<Context> {
    let names = spellings(host).into_iter().map(|name| RestrictedExpression::new_string(name.to_owned()));
    Context::from_pairs([("names".to_owned(), RestrictedExpression::new_set(names))]).ok()
}

fn tool_policies() -> LoadResult<PolicySet> {
    let deny = policy("deny", r#"forbid(principal, action, resource in Effect::"deny");"#)?;
    let allow = policy("allow", r#"permit(principal, action, resource in Effect::"allow");"#)?;
    Ok(PolicySet::from_policies([deny, allow])?)
}

fn host_policies() -> LoadResult<PolicySet> {
    let listed = r#"permit(principal, action, resource)
        when { HostList::"merged".entries.containsAny(context.names) };"#;
    Ok(PolicySet::from_policies([policy("listed", listed)?])?)
}

fn pattern_entities(merged: &Merged) -> LoadResult<Vec<Entity>> {
    let rules = merged.tools.iter();
    rules.map(|(pattern, effect)| member(pattern_uid(&pattern)?, effect)).collect()
}

fn capability_entities(merged: &Merged) -> LoadResult<Vec<Entity>> {
    let forbidden = merged.forbidden.iter();
    forbidden.map(|name| member(uid("Capability", name)?, Effect::Deny)).collect()
}

fn member(entity: EntityUid, effect: Effect) -> LoadResult<Entity> {
    let group = uid("Effect", effect.as_str())?;
    Ok(Entity::new_no_attrs(entity, HashSet::from([group])))
}

fn pattern_uid(pattern: &ToolPattern) -> LoadResult<EntityUid> {
    uid("Pattern", &pattern.to_string())
}

fn tool_entity(tool: &Tool, merged: &Merged) -> LoadResult<Entity> {
    let mut parents = HashSet::new();
    if let Some(narrowest) = merged.narrowest(&tool.name) {
        parents.insert(pattern_uid(&narrowest)?);
    }
    for capability in &tool.capabilities {
        parents.insert(uid("Capability", capability)?);
    }
    Ok(Entity::new_no_attrs(uid("Tool", &tool.name)?, parents))
}

fn host_list(merged: &Merged) -> LoadResult<Entity> {
    let entries = merged.hosts.iter().map(|host| RestrictedExpression::new_string(spelling(host)));
    let attributes = HashMap::from([("entries".to_owned(), RestrictedExpression::new_set(entries))]);
    Ok(Entity::new(uid("HostList", "merged")?, attributes, HashSet::new())?)
}
