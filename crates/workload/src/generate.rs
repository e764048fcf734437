//! Makes a workload whose lower levels only ever tighten.
//!
//! A lower tool rule takes an effect no looser than the strictest the levels above hold anywhere
//! inside its pattern. A lower host list keeps, drops or narrows entries of the list above.
//! Capabilities can only be forbidden, so any level may name any; a level below that names a tool with a
//! forbidden capability denies it.

use std::collections::BTreeSet;

use crate::names;
use crate::random::Random;
use crate::{Effect, HostPattern, LevelRules, Question, RuleMap, Size, Tool, ToolPattern, ToolRule, Workload};

const LEVELS: [&str; 3] = ["org", "project", "agent"];

pub(crate) fn workload(size: Size, seed: u64) -> Workload {
    let mut random = Random::new(seed);
    let tools = catalog(&mut random, size.tools);
    let levels = levels(&mut random, size.rules, &tools);
    let questions = (0..size.questions).map(|_| question(&mut random, &tools, &levels)).collect();
    Workload { levels, tools, questions }
}

fn servers(tools: usize) -> usize {
    (tools / 8).max(4)
}

fn catalog(random: &mut Random, count: usize) -> Vec<Tool> {
    let mut names = BTreeSet::new();
    while names.len() < count {
        names.insert(names::tool(random, servers(count)));
    }
    names.into_iter().map(|name| tool(random, name)).collect()
}

/// Most tools carry a common capability, a few also a rare one.
fn tool(random: &mut Random, name: String) -> Tool {
    let mut capabilities = vec![(*random.pick(names::COMMON)).to_owned()];
    if random.percent(30) {
        capabilities.push((*random.pick(names::FORBIDDABLE)).to_owned());
    }
    Tool { name, capabilities }
}

fn levels(random: &mut Random, rules: usize, tools: &[Tool]) -> Vec<LevelRules> {
    let mut above: Vec<RuleMap> = Vec::new();
    let mut hosts_above: Option<Vec<HostPattern>> = None;
    let mut forbidden_above: Vec<String> = Vec::new();
    let mut levels = Vec::new();
    for (depth, level) in LEVELS.into_iter().enumerate() {
        let share = share(rules, depth);
        let hosts = hosts(random, level, share, hosts_above.as_deref());
        let forbidden = forbidden(random, share);
        let stated = hosts.as_ref().map_or(0, Vec::len) + forbidden.len();
        let mut tools_here = tool_rules(random, share.saturating_sub(stated), tools, &above);
        deny_forbidden(&mut tools_here, tools, &forbidden_above);
        above.push(RuleMap::of_rules(&tools_here));
        forbidden_above.extend(forbidden.iter().cloned());
        hosts_above = hosts.clone().or(hosts_above);
        levels.push(LevelRules { level, tools: tools_here, hosts, forbidden });
    }
    levels
}

/// An equal share for each level; the first levels take the remainder.
fn share(rules: usize, depth: usize) -> usize {
    rules / LEVELS.len() + usize::from(depth < rules % LEVELS.len())
}

// Tool rules.

fn tool_rules(random: &mut Random, count: usize, tools: &[Tool], above: &[RuleMap]) -> Vec<ToolRule> {
    let mut seen = BTreeSet::new();
    let mut rules = Vec::new();
    while rules.len() < count {
        let pattern = tool_pattern(random, tools);
        let floor = floor(&pattern, above);
        // A wide pattern over a denied name could only say deny; too many of those make a dull workload.
        let dull = floor == Effect::Deny && matches!(pattern, ToolPattern::Prefix(_));
        if (dull && random.percent(90)) || !seen.insert(pattern.clone()) {
            continue;
        }
        let effect = tightened(random, floor);
        rules.push(ToolRule { pattern, effect });
    }
    rules
}

/// A lower level that names a tool with a forbidden capability may only deny it.
fn deny_forbidden(rules: &mut [ToolRule], tools: &[Tool], forbidden: &[String]) {
    for rule in rules {
        let ToolPattern::Exact(name) = &rule.pattern else { continue };
        let at = tools.binary_search_by(|tool| tool.name.cmp(name)).ok();
        if at.and_then(|at| tools.get(at)).is_some_and(|tool| tool.capabilities.iter().any(|c| forbidden.contains(c))) {
            rule.effect = Effect::Deny;
        }
    }
}

fn tool_pattern(random: &mut Random, tools: &[Tool]) -> ToolPattern {
    let name = rule_subject(random, tools);
    let slash = name.find('/').map_or(0, |at| at + 1);
    let verb_end = name.find('_').map_or(name.len(), |at| at + 1);
    let end = match random.below(100) {
        0..50 => return ToolPattern::Exact(name),
        50..75 => verb_end,
        75..85 => slash + 2,
        85..98 => slash,
        _ => 0,
    };
    ToolPattern::Prefix(name.get(..end).unwrap_or(&name).to_owned())
}

/// Rules are mostly about tools of the catalog, now and then about one that is not installed.
fn rule_subject(random: &mut Random, tools: &[Tool]) -> String {
    if tools.is_empty() || random.percent(15) {
        return names::tool(random, servers(tools.len()));
    }
    random.pick(tools).name.clone()
}

/// The loosest effect a level below may state for this pattern.
fn floor(pattern: &ToolPattern, above: &[RuleMap]) -> Effect {
    let strictest = above.iter().filter_map(|level| level.strictest_in(pattern)).max();
    strictest.unwrap_or(Effect::Allow)
}

fn tightened(random: &mut Random, floor: Effect) -> Effect {
    let drawn = match random.below(100) {
        0..50 => Effect::Allow,
        50..80 => Effect::Ask,
        _ => Effect::Deny,
    };
    drawn.max(floor)
}

// Hosts and capabilities.

/// The org always has a list, the project always narrows it, the agent mostly does.
fn hosts(random: &mut Random, level: &str, share: usize, above: Option<&[HostPattern]>) -> Option<Vec<HostPattern>> {
    match above {
        None => Some(org_hosts(random, (share / 3).max(2))),
        Some(list) if level != "agent" || random.percent(75) => Some(narrowed(random, list)),
        Some(_) => None,
    }
}

fn org_hosts(random: &mut Random, count: usize) -> Vec<HostPattern> {
    let mut hosts = BTreeSet::new();
    while hosts.len() < count {
        let domain = names::domain(random, count * 2);
        hosts.insert(match random.below(3) {
            0 => HostPattern::Exact(domain),
            1 => HostPattern::Exact(format!("{}.{domain}", names::label(random))),
            _ => HostPattern::Below(domain),
        });
    }
    hosts.into_iter().collect()
}

fn narrowed(random: &mut Random, list: &[HostPattern]) -> Vec<HostPattern> {
    let mut list = list.to_vec();
    random.shuffle(&mut list);
    list.truncate((list.len() * 4 / 5).max(1));
    let kept: BTreeSet<HostPattern> = list.iter().map(|host| narrower(random, host)).collect();
    kept.into_iter().collect()
}

fn narrower(random: &mut Random, host: &HostPattern) -> HostPattern {
    match host {
        HostPattern::Below(domain) if random.percent(30) => {
            let below = format!("{}.{domain}", names::label(random));
            if random.percent(50) { HostPattern::Exact(below) } else { HostPattern::Below(below) }
        }
        other => other.clone(),
    }
}

fn forbidden(random: &mut Random, share: usize) -> Vec<String> {
    let count = random.below(3).min(share / 8);
    let mut capabilities = BTreeSet::new();
    while capabilities.len() < count {
        capabilities.insert((*random.pick(names::FORBIDDABLE)).to_owned());
    }
    capabilities.into_iter().collect()
}

// Questions.

fn question(random: &mut Random, tools: &[Tool], levels: &[LevelRules]) -> Question {
    if !tools.is_empty() && random.percent(60) {
        return Question::Tool(random.pick(tools).name.clone());
    }
    let lists: Vec<&Vec<HostPattern>> = levels.iter().filter_map(|l| l.hosts.as_ref()).collect();
    let list = random.pick(&lists);
    let pattern = random.pick(list);
    Question::Net(asked_host(random, pattern))
}

/// Hosts that a pattern matches, and hosts that only look as if it did: the domain itself,
/// a neighbour that ends in the same letters, a label too many, a stranger.
fn asked_host(random: &mut Random, pattern: &HostPattern) -> String {
    let (HostPattern::Exact(name) | HostPattern::Below(name)) = pattern;
    match (random.below(10), pattern) {
        (0..4, HostPattern::Exact(_)) | (4, _) => name.clone(),
        (0..4, HostPattern::Below(_)) | (5, _) => format!("{}.{name}", names::label(random)),
        (6, _) => format!("{}.v{}.{name}", names::label(random), random.below(9)),
        (7, _) => format!("not{name}"),
        (8, _) => format!("{name}.evil.test"),
        _ => format!("{}.stranger.test", names::label(random)),
    }
}
