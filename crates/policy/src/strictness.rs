//! The lattice: how two statements of one field become one, and when one relaxes the other.
//!
//! Every field has a type from this module (or `rules`, `constraint`, `steps` for the three maps), and
//! **the type is the merge rule**. `join` is associative, commutative and idempotent for each of them;
//! that is what makes the whole cascade so. Nothing here knows about levels, documents or places.

use crate::node::Node;
use crate::read::Reader;
use crate::sets::{AllowSet, Nested};
use crate::span::Place;
use serde_json::{Value as Json, json};
use std::fmt::{Debug, Display};

/// A value of one field, ordered by strictness.
pub trait Strictness: Clone + PartialEq + Debug + Sized {
    /// What a statement consists of: the patterns of a set, the rules of a table; `Whole` for a value.
    type Item: Clone + PartialEq + Debug + Display;

    /// The row of the lattice table that this type implements.
    const MERGE: Merge;

    /// The stricter of two statements; for sets, what both together say.
    #[must_use]
    fn join(&self, other: &Self) -> Self;

    /// Where `self`, stated below, is looser than `floor`, stated above.
    fn relaxations(&self, floor: &Self) -> Vec<Relaxation<Self::Item>>;

    /// Reads the value with the place of each item.
    fn read(node: &Node, reader: &mut Reader) -> Option<Stated<Self>>;

    /// The value as a document would state it.
    fn print(&self) -> Json;

    /// The JSON Schema of the value in a document.
    fn schema() -> Json;
}

/// The rows of the lattice table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Merge {
    /// Ordered words: the stricter one.
    Ordered,
    /// An upper bound: the lower one.
    Ceiling,
    /// A lower bound: the higher one.
    Floor,
    /// A point at which something is blocked: the lower one, which blocks more.
    Threshold,
    /// A protection that is on or off: on if anybody says so.
    Switch,
    /// What is allowed: what everybody allows.
    AllowSet,
    /// What is denied: what anybody denies.
    DenySet,
    /// Tool effects: the most specific pattern inside a document, the strictest effect between them.
    Effects,
    /// Predicates on arguments: all must hold.
    Predicates,
    /// Named steps: each one part by part.
    Steps,
}

impl Merge {
    /// The rule in words, for the reference page and the schema.
    pub fn words(self) -> &'static str {
        match self {
            Merge::Ordered => "the stricter word",
            Merge::Ceiling => "the lower bound",
            Merge::Floor => "the higher bound",
            Merge::Threshold => "the lower threshold, which blocks more",
            Merge::Switch => "on if any level says so",
            Merge::AllowSet => "intersection",
            Merge::DenySet => "union",
            Merge::Effects => "most specific pattern inside a document, strictest effect between documents",
            Merge::Predicates => "conjunction",
            Merge::Steps => "union of steps, each part by its own rule",
        }
    }
}

/// One way in which a statement is looser than what stands above it.
#[derive(Debug, Clone, PartialEq)]
pub struct Relaxation<I> {
    /// The item below that relaxes; none when the whole value does.
    pub attempt_item: Option<I>,
    /// The item above that is relaxed.
    pub floor_item: Option<I>,
    /// What was stated below, in words.
    pub attempt: String,
    /// What stands above, in words.
    pub floor: String,
}

impl<I> Relaxation<I> {
    fn whole(attempt: impl Display, floor: impl Display) -> Vec<Self> {
        vec![Self { attempt_item: None, floor_item: None, attempt: attempt.to_string(), floor: floor.to_string() }]
    }
}

/// A value as one document states it, with the place of the whole and of each item.
#[derive(Debug, Clone, PartialEq)]
pub struct Stated<T: Strictness> {
    /// The value.
    pub value: T,
    /// Where the value stands.
    pub place: Place,
    /// Where each item of it stands.
    pub items: Vec<(T::Item, Place)>,
}

impl<T: Strictness> Stated<T> {
    /// The place of an item, or of the whole value.
    pub fn place_of(&self, item: Option<&T::Item>) -> Place {
        item.and_then(|i| self.items.iter().find(|(x, _)| x == i)).map_or(self.place, |(_, p)| *p)
    }
}

impl<T: Strictness<Item: Ord>> Stated<T> {
    /// Which item this is. Items of sets are kept in order.
    pub fn position(&self, item: &T::Item) -> Option<usize> {
        self.items.binary_search_by(|(i, _)| i.cmp(item)).ok()
    }
}

impl<P: Nested> Stated<AllowSet<P>> {
    /// Which item the `n`th member of the set is. The members are the items without those that another one
    /// covers, so there are at most that many items more before it.
    pub fn item_of_member(&self, n: usize) -> Option<usize> {
        let members = self.value.members();
        let member = members.get(n)?;
        let more = self.items.len().checked_sub(members.len())?;
        let near = self.items.get(n..=n.checked_add(more)?)?;
        near.binary_search_by(|(item, _)| item.cmp(member)).ok().map(|at| n + at)
    }
}

/// The only item of a value that is not a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Whole;

impl Display for Whole {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("*")
    }
}

fn whole<T: Strictness>(value: T, node: &Node) -> Option<Stated<T>> {
    Some(Stated { value, place: node.place, items: Vec::new() })
}

/// A scale of words, loosest first.
pub trait Scale: Copy + Ord + Debug + Display + 'static {
    /// `Ordered` or `Threshold`.
    const MERGE: Merge;
    /// Words with their values, loosest first.
    const WORDS: &'static [(&'static str, Self)];
    /// What the words are, for messages: `a network mode`.
    const WHAT: &'static str;
}

impl<S: Scale> Strictness for S {
    type Item = Whole;
    const MERGE: Merge = S::MERGE;

    fn join(&self, other: &Self) -> Self {
        *self.max(other)
    }

    fn relaxations(&self, floor: &Self) -> Vec<Relaxation<Whole>> {
        if self < floor { Relaxation::whole(self, floor) } else { Vec::new() }
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Stated<Self>> {
        whole(reader.word(node, S::WORDS, S::WHAT)?, node)
    }

    fn print(&self) -> Json {
        Json::String(self.to_string())
    }

    fn schema() -> Json {
        let words: Vec<&str> = S::WORDS.iter().map(|(w, _)| *w).collect();
        json!({ "type": "string", "enum": words })
    }
}

/// A measured amount: bytes, milliseconds, a count.
pub trait Quantity: Copy + Ord + Debug + Display + 'static {
    /// Reads the amount.
    fn read(node: &Node, reader: &mut Reader) -> Option<Self>;
    /// As a document would state it.
    fn print(&self) -> Json;
    /// JSON Schema.
    fn schema() -> Json;
    /// The bare number.
    fn number(&self) -> u64;
}

/// An upper bound: the lower one wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ceiling<Q>(pub Q);

/// A lower bound: the higher one wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtLeast<Q>(pub Q);

/// A point at which something is blocked: the lower one wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threshold<Q>(pub Q);

macro_rules! bound {
    ($name:ident, $merge:expr, $pick:ident, $looser:tt, $prefix:literal) => {
        impl<Q: Quantity> Strictness for $name<Q> {
            type Item = Whole;
            const MERGE: Merge = $merge;
            fn join(&self, other: &Self) -> Self {
                Self(self.0.$pick(other.0))
            }
            fn relaxations(&self, floor: &Self) -> Vec<Relaxation<Whole>> {
                let words = |q: Q| format!(concat!($prefix, "{}"), q);
                if self.0 $looser floor.0 { Relaxation::whole(words(self.0), words(floor.0)) } else { Vec::new() }
            }
            fn read(node: &Node, reader: &mut Reader) -> Option<Stated<Self>> {
                whole(Self(Q::read(node, reader)?), node)
            }
            fn print(&self) -> Json {
                self.0.print()
            }
            fn schema() -> Json {
                Q::schema()
            }
        }
    };
}

bound!(Ceiling, Merge::Ceiling, min, >, "at most ");
bound!(AtLeast, Merge::Floor, max, <, "at least ");
bound!(Threshold, Merge::Threshold, min, >, "from ");

/// A yes or no: which of the two is stricter, and how it merges.
macro_rules! yes_or_no {
    ($(#[$doc:meta])* $name:ident, $merge:expr, strict = $strict:literal, $loose_word:literal, $strict_word:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name(pub bool);

        impl Strictness for $name {
            type Item = Whole;
            const MERGE: Merge = $merge;

            fn join(&self, other: &Self) -> Self {
                if self.0 == $strict { *self } else { *other }
            }

            fn relaxations(&self, floor: &Self) -> Vec<Relaxation<Whole>> {
                let looser = floor.0 == $strict && self.0 != $strict;
                if looser { Relaxation::whole($loose_word, $strict_word) } else { Vec::new() }
            }

            fn read(node: &Node, reader: &mut Reader) -> Option<Stated<Self>> {
                whole(Self(reader.flag(node)?), node)
            }

            fn print(&self) -> Json {
                Json::Bool(self.0)
            }

            fn schema() -> Json {
                json!({ "type": "boolean" })
            }
        }
    };
}

yes_or_no! {
    /// A protection that is on or off: on if any level says so.
    Switch, Merge::Switch, strict = true, "off", "on"
}
yes_or_no! {
    /// A permission that is given or withheld: withheld if any level says so.
    Permit, Merge::Ordered, strict = false, "true", "false"
}
