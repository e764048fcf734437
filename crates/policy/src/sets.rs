//! Allow sets (intersection) and deny sets (union) of patterns.
//!
//! INVARIANT: both are kept in a canonical form (sorted, without duplicates; an allow set also without
//! members that another member covers), so equal meaning is equal bytes and the laws hold on `==`.

use crate::node::Node;
use crate::read::Reader;
use crate::span::Place;
use crate::strictness::{Merge, Relaxation, Stated, Strictness};
use serde_json::{Value as Json, json};
use std::cmp::Ordering;
use std::fmt::{Debug, Display};
use std::sync::Arc;

/// A word of a pattern language.
pub trait Pattern: Clone + Ord + Debug + Display {
    /// What a member is, for messages: `a host pattern`.
    const WHAT: &'static str;
    /// An example that parses, for messages.
    const EXAMPLE: &'static str;

    /// Reads one member; a member may stand for several patterns (a host without a port for two).
    fn parse(text: &str) -> Result<Vec<Self>, String>;

    /// The members as a document would state them, each text with the members it stands for.
    fn groups(members: &[Self]) -> Vec<(String, Vec<usize>)> {
        members.iter().enumerate().map(|(n, m)| (m.to_string(), vec![n])).collect()
    }

    /// The members as a document would state them.
    fn print(members: &[Self]) -> Vec<String> {
        Self::groups(members).into_iter().map(|(text, _)| text).collect()
    }
}

/// A pattern language closed under intersection: of two patterns, either one covers the other or they
/// share nothing. That is what keeps a merge exact.
pub trait Nested: Pattern {
    /// Calls `found` with the index of every member of the sorted `set` that covers this pattern and is another
    /// one, until `found` answers true; answers whether it did.
    fn wider(&self, set: &[Self], found: &mut dyn FnMut(usize) -> bool) -> bool;

    /// The same, the pattern itself included and first. A canonical set has one at most.
    fn covering(&self, set: &[Self], found: &mut dyn FnMut(usize) -> bool) -> bool {
        set.binary_search(self).is_ok_and(&mut *found) || self.wider(set, found)
    }

    /// Whether a member of the sorted `set` covers this pattern.
    fn covered_by(&self, set: &[Self]) -> bool {
        self.covering(set, &mut |_| true)
    }
}

/// What is allowed. Several statements intersect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowSet<P>(Arc<[P]>);

/// What is denied. Several statements unite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DenySet<P>(Arc<[P]>);

impl<P: Nested> AllowSet<P> {
    /// The canonical set with these members.
    pub fn new(mut members: Vec<P>) -> Self {
        members.sort_unstable();
        members.dedup();
        let keep: Vec<bool> = members.iter().map(|m| !m.wider(&members, &mut |_| true)).collect();
        let mut keep = keep.into_iter();
        members.retain(|_| keep.next().unwrap_or(true));
        Self(members.into())
    }

    /// The members in canonical order.
    pub fn members(&self) -> &[P] {
        &self.0
    }

    /// Whether the set allows everything the pattern stands for.
    pub fn covers(&self, pattern: &P) -> bool {
        pattern.covered_by(&self.0)
    }

    /// Whether nothing is allowed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<P: Pattern> DenySet<P> {
    /// The canonical set with these members.
    pub fn new(mut members: Vec<P>) -> Self {
        members.sort_unstable();
        members.dedup();
        Self(members.into())
    }

    /// The members in canonical order.
    pub fn members(&self) -> &[P] {
        &self.0
    }

    /// Whether the set holds exactly this member.
    pub fn contains(&self, member: &P) -> bool {
        self.0.binary_search(member).is_ok()
    }
}

/// How both kinds of set are written in a document.
macro_rules! list_of_patterns {
    () => {
        fn read(node: &Node, reader: &mut Reader) -> Option<Stated<Self>> {
            let items = read_items::<P>(node, reader)?;
            let value = Self::new(items.iter().map(|(p, _)| p.clone()).collect());
            Some(Stated { value, place: node.place, items })
        }

        fn print(&self) -> Json {
            json!(P::print(&self.0))
        }

        fn schema() -> Json {
            list_schema::<P>()
        }
    };
}

impl<P: Nested> Strictness for AllowSet<P> {
    type Item = P;
    const MERGE: Merge = Merge::AllowSet;

    fn join(&self, other: &Self) -> Self {
        if self == other {
            return self.clone();
        }
        // Canonical without a look at coverage: if a kept member covered another kept one, the set that the
        // other came from would hold a member that it covers itself.
        let mut both = Vec::with_capacity(self.0.len().max(other.0.len()));
        walk(&self.0, &other.0, |mine, theirs| match (mine, theirs) {
            (Some(p), Some(_)) => both.push(p.clone()),
            (Some(p), None) if p.wider(&other.0, &mut |_| true) => both.push(p.clone()),
            (None, Some(p)) if p.wider(&self.0, &mut |_| true) => both.push(p.clone()),
            _ => {}
        });
        Self(both.into())
    }

    fn relaxations(&self, floor: &Self) -> Vec<Relaxation<P>> {
        let mut outside: Vec<P> = Vec::new();
        walk(&self.0, &floor.0, |mine, theirs| {
            outside.extend(mine.filter(|p| theirs.is_none() && !p.wider(&floor.0, &mut |_| true)).cloned());
        });
        if outside.is_empty() {
            return Vec::new();
        }
        let listed = if floor.is_empty() {
            "allows nothing".to_owned()
        } else {
            format!("allows only {}", few(&P::print(&floor.0)))
        };
        // One finding a written member, however many patterns it stands for.
        P::groups(&outside)
            .into_iter()
            .map(|(text, members)| Relaxation {
                attempt_item: members.first().and_then(|n| outside.get(*n)).cloned(),
                floor_item: None,
                attempt: format!("allows {text}"),
                floor: listed.clone(),
            })
            .collect()
    }

    list_of_patterns!();
}

impl<P: Pattern> Strictness for DenySet<P> {
    type Item = P;
    const MERGE: Merge = Merge::DenySet;

    fn join(&self, other: &Self) -> Self {
        if self == other {
            return self.clone();
        }
        Self::new(self.0.iter().chain(other.0.iter()).cloned().collect())
    }

    /// A shorter deny list below is silence about the rest, and silence never relaxes.
    fn relaxations(&self, _floor: &Self) -> Vec<Relaxation<P>> {
        Vec::new()
    }

    list_of_patterns!();
}

/// Walks two sorted lists side by side: equal members come together.
fn walk<'a, P: Ord>(a: &'a [P], b: &'a [P], mut found: impl FnMut(Option<&'a P>, Option<&'a P>)) {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let order = match (a.peek(), b.peek()) {
            (Some(x), Some(y)) => x.cmp(y),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return,
        };
        match order {
            Ordering::Less => found(a.next(), None),
            Ordering::Equal => found(a.next(), b.next()),
            Ordering::Greater => found(None, b.next()),
        }
    }
}

fn list_schema<P: Pattern>() -> Json {
    json!({ "type": "array", "items": { "type": "string", "minLength": 1, "examples": [P::EXAMPLE] } })
}

fn read_items<P: Pattern>(node: &Node, reader: &mut Reader) -> Option<Vec<(P, Place)>> {
    let nodes = reader.list(node, P::WHAT)?;
    let before = reader.diagnostics.len();
    let mut items: Vec<(P, Place)> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let Some(text) = reader.text(node, P::WHAT) else { continue };
        match P::parse(text) {
            Ok(patterns) => items.extend(patterns.into_iter().map(|p| (p, node.place))),
            Err(why) => reader.invalid(node.place, why, format!("{}, such as `{}`", P::WHAT, P::EXAMPLE)),
        }
    }
    items.sort_by(|a, b| a.0.cmp(&b.0));
    // A set with a bad member is not half a set: for an allow set that would be a different meaning.
    (reader.diagnostics.len() == before).then_some(items)
}

/// The first members of a list, so that a message stays readable.
pub(crate) fn few(words: &[String]) -> String {
    const MOST: usize = 6;
    let head = words.iter().take(MOST).map(String::as_str).collect::<Vec<_>>().join(", ");
    match words.len().checked_sub(MOST) {
        None | Some(0) => head,
        Some(rest) => format!("{head} and {rest} more"),
    }
}
