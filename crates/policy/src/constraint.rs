//! Constraints: predicates on the arguments of a tool. All that apply must hold.
//!
//! A constrained argument that is missing, or whose value cannot be read as what the predicate speaks of,
//! fails: an argument nobody could check was not checked.

use crate::node::{Entry, Node, Value};
use crate::pattern::{Host, HostPattern, NamePattern, PathRoot, ToolPattern};
use crate::quantity::Count;
use crate::read::{Reader, clip};
use crate::rules::RuleTable;
use crate::scale::Effect;
use crate::sets::{AllowSet, Nested, Pattern};
use crate::span::Place;
use crate::strictness::{AtLeast, Ceiling, Merge, Relaxation, Stated, Strictness};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;
use std::fmt;

/// A domain: a host pattern that says nothing about ports.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DomainPattern(HostPattern);

/// The port that stands for "no port" inside a [`DomainPattern`].
const ANY_PORT: u16 = 443;

impl DomainPattern {
    /// Whether it covers a host.
    pub fn matches(&self, host: &Host<'_>) -> bool {
        self.0.matches(host, ANY_PORT)
    }
}

impl fmt::Display for DomainPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string();
        f.write_str(text.strip_suffix(":443").unwrap_or(&text))
    }
}

impl Pattern for DomainPattern {
    const WHAT: &'static str = "a domain";
    const EXAMPLE: &'static str = "*.example.com";

    fn parse(text: &str) -> Result<Vec<Self>, String> {
        let mut both = HostPattern::parse(text)?;
        if both.len() < 2 {
            return Err(format!("`{}` has a port; a domain has none", clip(text)));
        }
        both.retain(|p| p.parts().2 == ANY_PORT);
        Ok(both.into_iter().map(Self).collect())
    }
}

impl Nested for DomainPattern {
    fn wider(&self, set: &[Self], found: &mut dyn FnMut(usize) -> bool) -> bool {
        let (name, below, _) = self.0.parts();
        let mut at = |n: &str, b: bool| {
            let same = n.len() == name.len() && b == below;
            !same && set.binary_search_by(|p| p.0.parts().cmp(&(n, b, ANY_PORT))).is_ok_and(&mut *found)
        };
        match Host::parse(name) {
            Ok(host) if !below => host.suffixes(at),
            Ok(host) => host.suffixes(|n, _| at(n, true)),
            Err(_) => false,
        }
    }
}

/// A literal argument value, compared as text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal(Box<str>);

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Pattern for Literal {
    const WHAT: &'static str = "a value";
    const EXAMPLE: &'static str = "draft";
    fn parse(text: &str) -> Result<Vec<Self>, String> {
        Ok(vec![Self(text.into())])
    }
}

impl Nested for Literal {
    /// One value never covers another.
    fn wider(&self, _: &[Self], _: &mut dyn FnMut(usize) -> bool) -> bool {
        false
    }
}

macro_rules! predicate {
    ($( $(#[$doc:meta])* $name:ident : $ty:ty = $key:literal, )*) => {
        /// What must hold for one argument. Parts that nobody stated are absent.
        #[derive(Debug, Clone, PartialEq, Default)]
        pub struct Predicate { $( $(#[$doc])* pub $name: Option<$ty>, )* }

        const KEYS: &[&str] = &[$($key),*];

        impl Predicate {
            /// Both must hold.
            #[must_use]
            pub fn join(&self, other: &Self) -> Self {
                Self { $( $name: match (&self.$name, &other.$name) {
                    (Some(a), Some(b)) => Some(a.join(b)),
                    (a, b) => a.as_ref().or(b.as_ref()).cloned(),
                }, )* }
            }

            fn relaxations(&self, floor: &Self, mut found: impl FnMut(&'static str, String, String)) {
                $( if let (Some(mine), Some(above)) = (&self.$name, &floor.$name) {
                    for r in mine.relaxations(above) { found($key, r.attempt, r.floor); }
                } )*
            }

            fn read(node: &Node, reader: &mut Reader) -> Self {
                let mut out = Self::default();
                for (key, entry) in reader.keys(node, KEYS, "a constraint") {
                    match key { $( $key => out.$name = <$ty>::read(&entry.value, reader).map(|s| s.value), )* _ => {} }
                }
                out
            }

            /// As a document would state it.
            pub fn print(&self) -> Json {
                let mut map = Map::new();
                $( if let Some(v) = &self.$name { map.insert($key.to_owned(), v.print()); } )*
                Json::Object(map)
            }

            fn schema() -> Json {
                let mut map = Map::new();
                $( map.insert($key.to_owned(), <$ty>::schema()); )*
                json!({ "type": "object", "additionalProperties": false, "properties": map })
            }
        }
    };
}

predicate! {
    /// Hosts an address, URL or host name may have.
    domains: AllowSet<DomainPattern> = "domains",
    /// Values it may have.
    one_of: AllowSet<Literal> = "oneOf",
    /// Roots a path must lie under.
    paths: AllowSet<PathRoot> = "paths",
    /// The largest number.
    max: Ceiling<Count> = "max",
    /// The smallest number.
    min: AtLeast<Count> = "min",
    /// The most characters or items.
    max_length: Ceiling<Count> = "maxLength",
}

impl Predicate {
    /// Whether no value at all can satisfy it.
    pub fn is_contradictory(&self) -> bool {
        matches!((&self.min, &self.max), (Some(min), Some(max)) if min.0 > max.0)
    }

    /// Whether a value satisfies it; the name of the first part it fails otherwise.
    pub fn check(&self, value: &Json) -> Result<(), &'static str> {
        if let Some(most) = &self.max_length
            && length(value).is_none_or(|n| n > most.0.0)
        {
            return Err("maxLength");
        }
        match value {
            Json::Array(items) if !items.is_empty() => items.iter().try_for_each(|v| self.check_one(v)),
            other => self.check_one(other),
        }
    }

    fn check_one(&self, value: &Json) -> Result<(), &'static str> {
        let text = value.as_str();
        let holds = |stated: bool, ok: bool, name| if stated && !ok { Err(name) } else { Ok(()) };
        let domain = self.domains.as_ref().is_none_or(|set| text.is_some_and(|t| domain_allowed(set, t)));
        holds(self.domains.is_some(), domain, "domains")?;
        let literal = self.one_of.as_ref().is_none_or(|set| literal(value).is_some_and(|l| set.covers(&l)));
        holds(self.one_of.is_some(), literal, "oneOf")?;
        let path = |set: &AllowSet<PathRoot>| text.and_then(|t| PathRoot::new(t).ok()).is_some_and(|p| set.covers(&p));
        holds(self.paths.is_some(), self.paths.as_ref().is_none_or(path), "paths")?;
        let number = value.as_f64();
        let below = |c: &Ceiling<Count>| number.is_some_and(|n| n <= as_float(c.0.0));
        holds(self.max.is_some(), self.max.as_ref().is_none_or(below), "max")?;
        let above = |c: &AtLeast<Count>| number.is_some_and(|n| n >= as_float(c.0.0));
        holds(self.min.is_some(), self.min.as_ref().is_none_or(above), "min")
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are read with an upper bound of 2^53")]
fn as_float(n: u64) -> f64 {
    n as f64
}

fn length(value: &Json) -> Option<u64> {
    let n = match value {
        Json::String(s) => s.chars().count(),
        Json::Array(items) => items.len(),
        _ => return None,
    };
    u64::try_from(n).ok()
}

fn literal(value: &Json) -> Option<Literal> {
    match value {
        Json::String(s) => Some(Literal(s.as_str().into())),
        Json::Number(_) | Json::Bool(_) => Some(Literal(value.to_string().into())),
        _ => None,
    }
}

fn domain_allowed(set: &AllowSet<DomainPattern>, text: &str) -> bool {
    let Some((host, _)) = host_part(text).and_then(|h| Host::parse_with_port(h).ok()) else { return false };
    set.members().iter().any(|p| p.matches(&host))
}

/// The host of a URL, the domain of a mail address, or the text itself. White space, control characters
/// and backslashes are refused: readers disagree about them, and a disagreement is a way out.
fn host_part(text: &str) -> Option<&str> {
    if text.chars().any(|c| c.is_whitespace() || c.is_control() || matches!(c, '\\' | '<' | '>' | ',' | ';')) {
        return None;
    }
    let after_scheme = text.split_once("://").map_or(text, |(_, rest)| rest);
    let authority = after_scheme.split(['/', '?', '#']).next()?;
    match authority.split_once('@') {
        Some((_, host)) if !host.contains('@') => Some(host),
        Some(_) => None,
        None => Some(authority),
    }
}

/// Predicates by tool pattern and argument.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Constraints(pub BTreeMap<ToolPattern, BTreeMap<String, Predicate>>);

/// `mail/send.to`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConstraintItem {
    /// The tool pattern.
    pub tool: ToolPattern,
    /// The argument.
    pub slot: String,
}

impl fmt::Display for ConstraintItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.tool, self.slot)
    }
}

/// The patterns of some constraints, ready to be asked for many names.
#[derive(Debug)]
pub struct ConstraintIndex<'a> {
    patterns: RuleTable,
    slots: Vec<(&'a ToolPattern, &'a BTreeMap<String, Predicate>)>,
}

impl<'a> ConstraintIndex<'a> {
    /// Every predicate that applies to a name.
    pub fn for_tool(&self, name: &str) -> impl Iterator<Item = (&'a ToolPattern, &'a str, &'a Predicate)> {
        let mut hits: Vec<_> =
            self.patterns.chain(name).into_iter().filter_map(|n| self.slots.get(n).copied()).collect();
        hits.sort_by(|a, b| a.0.cmp(b.0));
        hits.into_iter().flat_map(|(p, slots)| slots.iter().map(move |(slot, pred)| (p, slot.as_str(), pred)))
    }
}

impl Constraints {
    /// The same constraints, ready to be asked for many names.
    pub fn index(&self) -> ConstraintIndex<'_> {
        let patterns = RuleTable::new(self.0.keys().map(|p| (p.clone(), Effect::Allow)).collect());
        // A table keeps the order of the map: both sort by pattern.
        ConstraintIndex { patterns, slots: self.0.iter().collect() }
    }

    /// Every predicate that applies to a tool.
    pub fn for_tool<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a ToolPattern, &'a str, &'a Predicate)> {
        let hits = self.0.iter().filter(move |(p, _)| p.matches(name));
        hits.flat_map(|(p, slots)| slots.iter().map(move |(slot, pred)| (p, slot.as_str(), pred)))
    }
}

impl Strictness for Constraints {
    type Item = ConstraintItem;
    const MERGE: Merge = Merge::Predicates;

    fn join(&self, other: &Self) -> Self {
        let mut all = self.0.clone();
        for (tool, slots) in &other.0 {
            let mine = all.entry(tool.clone()).or_default();
            for (slot, predicate) in slots {
                let joined = mine.get(slot).map_or_else(|| predicate.clone(), |p| p.join(predicate));
                mine.insert(slot.clone(), joined);
            }
        }
        Self(all)
    }

    /// A predicate is judged together with what the same document says of the tool by other patterns: a
    /// document that repeats the one above, broad and narrow pattern alike, relaxes nothing.
    fn relaxations(&self, floor: &Self) -> Vec<Relaxation<ConstraintItem>> {
        let mut out = Vec::new();
        let (own_index, floor_index) = (self.index(), floor.index());
        for (tool, slot) in self.0.iter().flat_map(|(tool, slots)| slots.keys().map(move |slot| (tool, slot))) {
            let name = tool.generic_name();
            let item = |tool: &ToolPattern| ConstraintItem { tool: tool.clone(), slot: slot.clone() };
            let own = own_index.for_tool(&name).filter(|(_, s, _)| s == slot);
            let mine = own.fold(Predicate::default(), |all, (_, _, p)| all.join(p));
            for (above, _, predicate) in floor_index.for_tool(&name).filter(|(_, s, _)| s == slot) {
                mine.relaxations(predicate, |key, attempt, floor| {
                    out.push(Relaxation {
                        attempt_item: Some(item(tool)),
                        floor_item: Some(item(above)),
                        attempt: format!("{}.{key}: {attempt}", item(tool)),
                        floor: format!("{}.{key}: {floor}", item(above)),
                    });
                });
            }
        }
        out
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Stated<Self>> {
        let entries = reader.map(node, "tool patterns with constraints")?;
        let before = reader.diagnostics.len();
        let mut all = Self::default();
        let mut items = Vec::new();
        for entry in entries {
            match ToolPattern::new(&entry.key) {
                Err(why) => reader.invalid(entry.key_place, why, "a tool is exact or ends with one `*`"),
                Ok(tool) => {
                    let slots = read_slots(&tool, entry, reader, &mut items);
                    all.0.insert(tool, slots);
                }
            }
        }
        (reader.diagnostics.len() == before).then_some(Stated { value: all, place: node.place, items })
    }

    fn print(&self) -> Json {
        let slots = |slots: &BTreeMap<String, Predicate>| -> Json {
            Json::Object(slots.iter().map(|(slot, p)| (slot.clone(), p.print())).collect())
        };
        Json::Object(self.0.iter().map(|(tool, s)| (tool.to_string(), slots(s))).collect())
    }

    fn schema() -> Json {
        let slots = json!({ "type": "object", "additionalProperties": Predicate::schema() });
        json!({ "type": "object", "additionalProperties": slots })
    }
}

fn read_slots(
    tool: &ToolPattern,
    entry: &Entry,
    reader: &mut Reader,
    items: &mut Vec<(ConstraintItem, Place)>,
) -> BTreeMap<String, Predicate> {
    let mut slots = BTreeMap::new();
    for slot in reader.map(&entry.value, "arguments with constraints").unwrap_or_default() {
        if matches!(&slot.value.value, Value::Map(parts) if parts.is_empty()) {
            reader.invalid(
                slot.value.place,
                format!("`{}` has no constraint", clip(&slot.key)),
                "state at least one, such as `oneOf: [draft]`",
            );
            continue;
        }
        if let Some(why) = NamePattern::new(&slot.key)
            .map_or_else(Some, |p| p.is_prefix().then(|| format!("`{}` ends with `*`", clip(&slot.key))))
        {
            reader.invalid(
                slot.key_place,
                why,
                "an argument name: printable ASCII without spaces, quotes and backslashes",
            );
            continue;
        }
        let predicate = Predicate::read(&slot.value, reader);
        items.push((ConstraintItem { tool: tool.clone(), slot: slot.key.clone() }, slot.key_place));
        slots.insert(slot.key.clone(), predicate);
    }
    slots
}
