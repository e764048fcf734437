//! Tool rules: patterns with effects.
//!
//! Inside one document the most specific pattern wins, so a document is a [`RuleTable`] that answers one
//! effect for a name. Between documents the strictest effect wins, so a merge is a *set* of tables: it
//! keeps each document's own notion of "most specific", and is associative by construction.

use crate::node::Node;
use crate::pattern::ToolPattern;
use crate::read::Reader;
use crate::scale::Effect;
use crate::sets::Pattern;
use crate::strictness::{Merge, Relaxation, Scale, Stated, Strictness};
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

/// The rules of one document, sorted, with a link from each pattern to the next broader one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RuleTable {
    entries: Vec<(ToolPattern, Effect)>,
    broader: Vec<Option<u32>>,
}

impl RuleTable {
    /// Builds the table; of two rules for one pattern the stricter stays.
    pub fn new(mut entries: Vec<(ToolPattern, Effect)>) -> Self {
        entries.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
        entries.dedup_by(|b, a| a.0 == b.0);
        let mut broader = Vec::with_capacity(entries.len());
        let mut open: Vec<(u32, &ToolPattern)> = Vec::new();
        for (i, (pattern, _)) in (0u32..).zip(&entries) {
            while open.last().is_some_and(|(_, p)| !pattern.stem().starts_with(p.stem())) {
                open.pop();
            }
            broader.push(open.last().map(|(j, _)| *j));
            if pattern.is_prefix() {
                open.push((i, pattern));
            }
        }
        Self { entries, broader }
    }

    /// The patterns with their effects, in order.
    pub fn entries(&self) -> &[(ToolPattern, Effect)] {
        &self.entries
    }

    /// The most specific rule for a name: one binary search and a walk to broader patterns.
    pub fn lookup(&self, name: &str) -> Option<(usize, Effect)> {
        self.lookup_from(name, self.entries.partition_point(|(p, _)| p.stem() <= name))
    }

    /// The same, given how many patterns sort up to the name.
    fn lookup_from(&self, name: &str, after: usize) -> Option<(usize, Effect)> {
        let mut at = after.checked_sub(1)?;
        // `fs` sorts before `fs*`: an exact rule for the very name is one step back.
        if let Some((p, effect)) = at.checked_sub(1).and_then(|i| self.entries.get(i))
            && !p.is_prefix()
            && p.stem() == name
        {
            return Some((at - 1, *effect));
        }
        loop {
            let (pattern, effect) = self.entries.get(at)?;
            if pattern.matches(name) {
                return Some((at, *effect));
            }
            at = (*self.broader.get(at)?)? as usize;
        }
    }

    /// Every rule that matches a name, the most specific first.
    pub fn chain(&self, name: &str) -> Vec<usize> {
        let mut out = Vec::new();
        let Some((first, _)) = self.lookup(name) else { return out };
        // Beside an exact rule there may be a prefix of the same text, which sorts just after it.
        let twin = self.entries.get(first + 1).filter(|(p, _)| p.is_prefix() && p.stem() == name).map(|_| first + 1);
        out.push(first);
        out.extend(twin.filter(|_| self.entries.get(first).is_some_and(|(p, _)| !p.is_prefix())));
        let mut at = first;
        while let Some(Some(next)) = self.broader.get(at) {
            at = *next as usize;
            out.push(at);
        }
        out
    }

    /// The most specific rule that covers all of a prefix, given how many patterns sort up to it.
    fn covering_from(&self, pattern: &ToolPattern, after: usize) -> Option<(usize, Effect)> {
        let mut at = after.checked_sub(1)?;
        loop {
            let (broad, effect) = self.entries.get(at)?;
            if broad.is_prefix() && pattern.stem().starts_with(broad.stem()) {
                return Some((at, *effect));
            }
            at = (*self.broader.get(at)?)? as usize;
        }
    }

    /// Looks up names in ascending order: each search starts where the last one ended.
    pub fn cursor(&self) -> Cursor<'_> {
        Cursor { table: self, after: 0 }
    }

    /// The pattern at an index that `lookup` answered.
    pub fn pattern(&self, index: usize) -> Option<&ToolPattern> {
        self.entries.get(index).map(|(p, _)| p)
    }
}

/// A place in a table that only moves forward.
#[derive(Debug)]
pub struct Cursor<'a> {
    table: &'a RuleTable,
    after: usize,
}

impl Cursor<'_> {
    /// The most specific rule for a name that is not smaller than the last one asked for.
    pub fn lookup(&mut self, name: &str) -> Option<(usize, Effect)> {
        let rest = self.table.entries.get(self.after..).unwrap_or_default();
        self.after += rest.iter().take_while(|(p, _)| p.stem() <= name).count();
        self.table.lookup_from(name, self.after)
    }

    /// The most specific rule that covers all of a pattern that is not smaller than the last one asked for.
    fn covering(&mut self, pattern: &ToolPattern) -> Option<(&ToolPattern, Effect)> {
        let rest = self.table.entries.get(self.after..).unwrap_or_default();
        self.after += rest.iter().take_while(|(p, _)| p <= pattern).count();
        let (n, effect) = if pattern.is_prefix() {
            self.table.covering_from(pattern, self.after)?
        } else {
            // An exact name may be followed by the prefix of the same text, which covers it too.
            let twin = self.table.pattern(self.after).is_some_and(|p| p.stem() == pattern.stem());
            self.table.lookup_from(pattern.stem(), self.after + usize::from(twin))?
        };
        Some((self.table.pattern(n)?, effect))
    }
}

/// What one or more documents say about tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules(Vec<Arc<RuleTable>>);

impl Rules {
    /// The rules of one document.
    pub fn one(table: RuleTable) -> Self {
        Self(vec![Arc::new(table)])
    }

    /// One table a document.
    pub fn tables(&self) -> &[Arc<RuleTable>] {
        &self.0
    }
}

impl Strictness for Rules {
    type Item = ToolPattern;
    const MERGE: Merge = Merge::Effects;

    fn join(&self, other: &Self) -> Self {
        let mut all: Vec<_> = self.0.iter().chain(&other.0).cloned().collect();
        all.sort_unstable();
        all.dedup();
        Self(all)
    }

    /// A rule is judged by what it says in general, at the generic name of its pattern: `"*": ask` below
    /// `"github/delete_*": deny` is no relaxation, the narrower rule above simply goes on to win there.
    fn relaxations(&self, floor: &Self) -> Vec<Relaxation<ToolPattern>> {
        let mut out = Vec::new();
        for table in &self.0 {
            // Patterns come in order, so the tables above are walked once.
            let mut above: Vec<Cursor<'_>> = floor.0.iter().map(|t| t.cursor()).collect();
            for (pattern, effect) in table.entries() {
                let strictest = above.iter_mut().filter_map(|c| c.covering(pattern)).max_by_key(|(_, e)| *e);
                if let Some((broad, stricter)) = strictest.filter(|(_, stricter)| stricter > effect) {
                    out.push(Relaxation {
                        attempt_item: Some(pattern.clone()),
                        floor_item: Some(broad.clone()),
                        attempt: format!("{pattern}: {effect}"),
                        floor: format!("{broad}: {stricter}"),
                    });
                }
            }
        }
        out
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Stated<Self>> {
        let entries = reader.map(node, "tool patterns with effects")?;
        let before = reader.diagnostics.len();
        let mut rules = Vec::with_capacity(entries.len());
        let mut items = Vec::with_capacity(entries.len());
        for entry in entries {
            let effect = reader.word(&entry.value, Effect::WORDS, Effect::WHAT);
            match (ToolPattern::new(&entry.key), effect) {
                (Ok(pattern), Some(effect)) => {
                    items.push((pattern.clone(), entry.key_place));
                    rules.push((pattern, effect));
                }
                (Err(why), _) => reader.invalid(entry.key_place, why, "a tool is exact or ends with one `*`"),
                (Ok(_), None) => {}
            }
        }
        items.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        (reader.diagnostics.len() == before).then(|| Stated {
            value: Self::one(RuleTable::new(rules)),
            place: node.place,
            items,
        })
    }

    fn print(&self) -> Json {
        let pairs = self.0.iter().flat_map(|t| t.entries()).map(|(p, e)| (p.to_string(), e.print()));
        Json::Object(pairs.collect::<Map<_, _>>())
    }

    fn schema() -> Json {
        json!({ "type": "object", "additionalProperties": Effect::schema(), "examples": [{ ToolPattern::EXAMPLE: "allow" }] })
    }
}
