//! What happens to each tool: rules, capabilities, approvals and the catalog, joined to one effect with
//! every statement that has a say.
//!
//! With a catalog the world is closed: a tool it does not know is denied. Without one the world is open:
//! rules decide by pattern, and what a tool can do is unknown.

use crate::catalog::{Catalog, Status, Tool};
use crate::constraint::{ConstraintIndex, Predicate};
use crate::fields::{EffectiveFields, Fields, id};
use crate::ledger::{Ledger, Reason, StatementId};
use crate::pattern::{Label, ToolPattern};
use crate::rules::{Cursor, RuleTable};
use crate::scale::Effect;
use crate::span::Place;
use hashbrown::HashMap;
use std::collections::BTreeSet;

/// A predicate on one argument, with the statement it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// The argument.
    pub slot: String,
    /// What must hold.
    pub predicate: Predicate,
    /// Who says so; what a failed check answers with.
    pub reason: Reason,
}

/// One tool, or one pattern of tools in an open world.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolVerdict {
    /// The name or pattern.
    pub pattern: ToolPattern,
    /// What happens to a call.
    pub effect: Effect,
    /// Why: what decides first, then the rest, from the top level down.
    pub reasons: Vec<Reason>,
    /// What its arguments must satisfy.
    pub checks: Vec<Check>,
}

/// Every tool there is, and what holds for the others.
#[derive(Debug, Clone)]
pub struct ToolVerdicts {
    /// Sorted by pattern.
    pub tools: Vec<ToolVerdict>,
    /// What holds for a name that nothing here covers.
    pub other: ToolVerdict,
    /// Exact tool names that documents mention and the catalog does not have.
    pub unknown: Vec<(String, Place)>,
}

/// Why something holds that no document states.
#[derive(Debug, Clone, Copy)]
pub struct Synthetic {
    /// No rule mentions the tool.
    pub no_rule: StatementId,
    /// The catalog does not know the tool.
    pub unknown_tool: StatementId,
    /// The catalog says the tool may not be used.
    pub not_approved: StatementId,
    /// No catalog says what the tool can do.
    pub no_catalog: StatementId,
}

/// Tool pattern and argument → number of the item.
type Places<'a> = HashMap<(&'a ToolPattern, &'a str), usize>;

/// Judges tools one by one.
struct Judge<'a> {
    effective: &'a EffectiveFields,
    contributions: Vec<&'a Fields>,
    ledger: &'a Ledger,
    synthetic: Synthetic,
    by_capability: Vec<Vec<Reason>>,
    /// Each document's constraints, and which item each argument is.
    constraints: Vec<(u16, ConstraintIndex<'a>, Places<'a>)>,
    unclassified: Vec<Reason>,
}

/// Judges every tool of the catalog, or every pattern that documents use.
pub fn verdicts(
    contributions: Vec<&Fields>,
    effective: &EffectiveFields,
    ledger: &Ledger,
    catalog: Option<&Catalog>,
    synthetic: Synthetic,
) -> ToolVerdicts {
    let mut judge = Judge {
        effective,
        contributions,
        ledger,
        synthetic,
        by_capability: Vec::new(),
        constraints: Vec::new(),
        unclassified: Vec::new(),
    };
    judge.constraints = index_constraints(&judge.contributions, effective);
    match catalog {
        Some(catalog) => judge.closed(catalog),
        None => judge.open(),
    }
}

fn index_constraints<'a>(
    contributions: &[&'a Fields],
    effective: &EffectiveFields,
) -> Vec<(u16, ConstraintIndex<'a>, Places<'a>)> {
    let by = effective.tool_constraints.by.iter();
    let stated = by.filter_map(|c| Some((*c, contributions.get(*c as usize)?.tool_constraints.as_ref()?)));
    let numbered = stated.map(|(c, s)| {
        let places = s.items.iter().enumerate().map(|(n, (i, _))| ((&i.tool, i.slot.as_str()), n));
        (c, s.value.index(), places.collect())
    });
    numbered.collect()
}

impl Judge<'_> {
    fn closed(&mut self, catalog: &Catalog) -> ToolVerdicts {
        self.by_capability = catalog.capabilities().iter().map(|c| self.capability_reasons(c)).collect();
        let rules = self.each(&self.effective.tool_rules.by, |f| f.tool_rules.as_ref());
        let mut cursors: Vec<(u16, Cursor<'_>)> =
            rules.filter_map(|(c, s)| Some((c, s.value.tables().first()?.cursor()))).collect();
        let mut tools: Vec<ToolVerdict> = catalog.tools().iter().map(|t| self.known(t, &mut cursors)).collect();
        let unknown = self.unknown_names(catalog);
        tools.extend(unknown.iter().filter_map(|(name, _)| {
            let pattern = ToolPattern::new(name).ok()?;
            let mut reasons = vec![Reason { effect: Effect::Deny, statement: self.synthetic.unknown_tool }];
            reasons.extend(self.rule_reasons(name));
            Some(self.finish(pattern, name, reasons))
        }));
        // Stable: two sorted runs, which it merges.
        tools.sort_by(|a, b| a.pattern.cmp(&b.pattern));
        let reasons = vec![Reason { effect: Effect::Deny, statement: self.synthetic.unknown_tool }];
        ToolVerdicts { tools, other: self.finish(ToolPattern::any(), "", reasons), unknown }
    }

    fn open(&mut self) -> ToolVerdicts {
        self.unclassified = self.capability_reasons_unknown();
        let mut patterns: BTreeSet<ToolPattern> = BTreeSet::new();
        for fields in &self.contributions {
            let rules = fields.tool_rules.iter().flat_map(|s| s.items.iter().map(|(p, _)| p));
            let constraints = fields.tool_constraints.iter().flat_map(|s| s.value.0.keys());
            let approvals = fields.approvals.iter().flat_map(|s| s.value.members());
            patterns.extend(rules.chain(constraints).cloned());
            patterns.extend(approvals.filter_map(|l| ToolPattern::new(l.as_str()).ok()));
        }
        patterns.remove(&ToolPattern::any());
        let tools = patterns.into_iter().map(|p| self.pattern(p)).collect();
        let other = self.pattern(ToolPattern::any());
        ToolVerdicts { tools, other, unknown: Vec::new() }
    }

    fn pattern(&mut self, pattern: ToolPattern) -> ToolVerdict {
        let name = pattern.generic_name();
        let mut reasons = self.rule_reasons(&name);
        if reasons.is_empty() {
            reasons.push(Reason { effect: Effect::Ask, statement: self.synthetic.no_rule });
        }
        reasons.extend(self.unclassified.iter().copied());
        self.approval_by_name(&name, &mut reasons);
        self.finish(pattern, &name, reasons)
    }

    /// Tools come in ascending order, so every table is walked once.
    fn known(&self, tool: &Tool, cursors: &mut [(u16, Cursor<'_>)]) -> ToolVerdict {
        let mut reasons = Vec::with_capacity(8);
        for (c, cursor) in cursors {
            let hit = cursor.lookup(&tool.name);
            reasons.extend(
                hit.and_then(|(n, effect)| {
                    Some(Reason { effect, statement: self.ledger.item(*c, id::tool_rules, n)? })
                }),
            );
        }
        if reasons.is_empty() {
            reasons.push(Reason { effect: Effect::Ask, statement: self.synthetic.no_rule });
        }
        reasons.extend(tool.numbers.iter().filter_map(|n| self.by_capability.get(*n)).flatten());
        self.approval_by_name(&tool.name, &mut reasons);
        if tool.status != Status::Approved {
            reasons.push(Reason { effect: Effect::Deny, statement: self.synthetic.not_approved });
        }
        self.finish(tool.pattern.clone(), &tool.name, reasons)
    }

    fn finish(&self, pattern: ToolPattern, name: &str, mut reasons: Vec<Reason>) -> ToolVerdict {
        let effect = reasons.iter().map(|r| r.effect).max().unwrap_or(Effect::Deny);
        reasons.sort_unstable_by(|a, b| b.effect.cmp(&a.effect).then(a.statement.cmp(&b.statement)));
        reasons.dedup();
        ToolVerdict { pattern, effect, reasons, checks: self.checks(name) }
    }

    /// What each document's most specific rule says.
    fn rule_reasons(&self, name: &str) -> Vec<Reason> {
        let stated = self.each(&self.effective.tool_rules.by, |f| f.tool_rules.as_ref());
        let hits = stated.filter_map(|(c, rules)| {
            let table: &RuleTable = rules.value.tables().first()?;
            let (n, effect) = table.lookup(name)?;
            Some(Reason { effect, statement: self.ledger.item(c, id::tool_rules, n)? })
        });
        let mut out = Vec::with_capacity(6);
        out.extend(hits);
        out
    }

    fn capability_reasons(&self, capability: &Label) -> Vec<Reason> {
        let forbidden = self.each(&self.effective.forbidden.by, |f| f.forbidden.as_ref()).filter_map(|(c, s)| {
            let n = s.items.iter().position(|(l, _)| l == capability)?;
            Some(Reason { effect: Effect::Deny, statement: self.ledger.item(c, id::forbidden, n)? })
        });
        let permitted = self.each(&self.effective.permitted.by, |f| f.permitted.as_ref()).filter_map(|(c, s)| {
            let outside = !s.value.covers(capability);
            outside.then_some(Reason { effect: Effect::Deny, statement: self.ledger.whole(c, id::permitted)? })
        });
        let approvals = self.each(&self.effective.approvals.by, |f| f.approvals.as_ref()).filter_map(|(c, s)| {
            let n = s.items.iter().position(|(l, _)| l == capability)?;
            Some(Reason { effect: Effect::Ask, statement: self.ledger.item(c, id::approvals, n)? })
        });
        forbidden.chain(permitted).chain(approvals).collect()
    }

    /// Nobody knows what the tool can do: outside of every allow set, and possibly what is forbidden.
    fn capability_reasons_unknown(&self) -> Vec<Reason> {
        let permitted = self.ledger.wholes(id::permitted, &self.effective.permitted.by);
        let mut out: Vec<Reason> = permitted.map(|statement| Reason { effect: Effect::Deny, statement }).collect();
        let forbidden = self.ledger.wholes(id::forbidden, &self.effective.forbidden.by);
        out.extend(forbidden.map(|statement| Reason { effect: Effect::Ask, statement }));
        if !out.is_empty() {
            let effect = out.iter().map(|r| r.effect).max().unwrap_or(Effect::Ask);
            out.push(Reason { effect, statement: self.synthetic.no_catalog });
        }
        out
    }

    fn approval_by_name(&self, name: &str, reasons: &mut Vec<Reason>) {
        for (c, stated) in self.each(&self.effective.approvals.by, |f| f.approvals.as_ref()) {
            let n = stated.items.iter().position(|(l, _)| l.as_str() == name);
            let statement = n.and_then(|n| self.ledger.item(c, id::approvals, n));
            reasons.extend(statement.map(|statement| Reason { effect: Effect::Ask, statement }));
        }
    }

    fn checks(&self, name: &str) -> Vec<Check> {
        let mut out = Vec::new();
        for (c, index, places) in &self.constraints {
            for (pattern, slot, predicate) in index.for_tool(name) {
                let n = places.get(&(pattern, slot)).copied();
                let Some(statement) = n.and_then(|n| self.ledger.item(*c, id::tool_constraints, n)) else { continue };
                let reason = Reason { effect: Effect::Deny, statement };
                out.push(Check { slot: slot.to_owned(), predicate: predicate.clone(), reason });
            }
        }
        out
    }

    fn unknown_names(&self, catalog: &Catalog) -> Vec<(String, Place)> {
        let mut out: Vec<(String, Place)> = Vec::new();
        for fields in &self.contributions {
            let mut walk = catalog.walk();
            for (pattern, at) in fields.tool_rules.iter().flat_map(|s| &s.items).filter(|(p, _)| !p.is_prefix()) {
                if walk.get(pattern.stem()).is_none() {
                    out.push((pattern.stem().to_owned(), *at));
                }
            }
            for (item, at) in fields.tool_constraints.iter().flat_map(|s| &s.items) {
                if !item.tool.is_prefix() && catalog.get(item.tool.stem()).is_none() {
                    out.push((item.tool.stem().to_owned(), *at));
                }
            }
        }
        out.sort();
        out.dedup_by(|b, a| a.0 == b.0);
        out
    }

    fn each<'s, T: 's>(
        &'s self,
        by: &'s [u16],
        get: impl Fn(&'s Fields) -> Option<&'s T> + 's,
    ) -> impl Iterator<Item = (u16, &'s T)> + 's {
        by.iter().filter_map(move |c| Some((*c, get(self.contributions.get(*c as usize)?)?)))
    }
}
