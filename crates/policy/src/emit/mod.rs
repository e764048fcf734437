//! Five emitters, one a layer: what holds → a slice, with the rules behind each leaf.
//!
//! Emitters write leaves down in the order of their pointers as far as that is easy. Leaves are sorted in any
//! case; what is in order already costs next to nothing to sort.

pub mod codemode;
pub mod gateway;
pub mod harness;
pub mod kernel;
pub mod mcp;
mod shared;

pub use shared::Shared;

use crate::fields::{FieldId, Fields};
use crate::leaves::{Behind, LeafList, Pointer};
use crate::ledger::StatementId;
use crate::resolve::{Resolved, network_fields};
use crate::sets::{AllowSet, Nested};
use crate::strictness::Stated;
use std::fmt::{self, Display};

/// Collects the rules behind each leaf while slices are built.
#[derive(Debug, Default)]
pub struct Trace {
    /// JSON pointer → what stands behind it.
    pub leaves: LeafList,
}

impl Trace {
    /// Writes down the rules behind one leaf.
    pub fn put(&mut self, pointer: impl Pointer, rules: impl IntoIterator<Item = StatementId>) {
        let behind = self.leaves.rules(rules);
        self.leaves.push(pointer, behind);
    }

    /// A leaf that one field decides.
    pub fn field(&mut self, resolved: &Resolved<'_>, pointer: impl Pointer, field: FieldId) {
        self.put(pointer, [resolved.rule(field)]);
    }

    /// A leaf that the spec or the format fixes.
    pub fn fixed(&mut self, resolved: &Resolved<'_>, pointer: impl Pointer) {
        self.put(pointer, [resolved.silence.spec]);
    }

    /// A list whose members are items of a deny set; an empty list is a leaf itself.
    pub fn items<T>(&mut self, resolved: &Resolved<'_>, pointer: &str, field: FieldId, list: &[T]) {
        if list.is_empty() {
            self.field(resolved, pointer, field);
        } else {
            self.leaves.push(format_args!("{pointer}/*"), Behind::own_item(field));
        }
    }

    /// A list with what stands behind each member; an empty list is a leaf itself.
    pub fn list(&mut self, resolved: &Resolved<'_>, pointer: &str, field: FieldId, members: &[Behind]) {
        if members.is_empty() {
            self.field(resolved, pointer, field);
        }
        for (n, behind) in text_order(members.len()).filter_map(|n| Some((n, members.get(n)?))) {
            self.leaves.push(format_args!("{pointer}/{n}"), *behind);
        }
    }
}

/// The numbers below a length as their texts sort: 0, 1, 10, 11, 2.
fn text_order(len: usize) -> impl Iterator<Item = usize> {
    std::iter::successors((len > 0).then_some(0), move |n: &usize| {
        let longer = n.checked_mul(10).filter(|longer| (1..len).contains(longer));
        longer.or_else(|| {
            let parents = std::iter::successors(Some(*n), |n| (*n > 9).then_some(n / 10));
            parents.map(|n| n + 1).find(|next| next % 10 != 0 && *next < len)
        })
    })
}

/// An allow set as texts, each with the rules of every document's list that covers it.
pub fn allowed<'a, P: Nested + 'a>(
    resolved: &'a Resolved<'_>,
    trace: &mut Trace,
    field: FieldId,
    set: &AllowSet<P>,
    get: impl Fn(&'a Fields) -> Option<&'a Stated<AllowSet<P>>>,
) -> (Vec<String>, Vec<Behind>) {
    let contributions = resolved.cascade.contributions();
    let by = resolved.fields.stated_by(field).iter();
    let lists: Vec<_> = by.filter_map(|c| Some((*c, get(&contributions.get(*c as usize)?.fields)?))).collect();
    let mut rules: Vec<StatementId> = Vec::new();
    let mut behind = |members: &[usize]| {
        rules.clear();
        for member in members.iter().filter_map(|n| set.members().get(*n)) {
            for (c, stated) in &lists {
                member.covering(stated.value.members(), &mut |n| {
                    let item = stated.item_of_member(n);
                    rules.extend(item.and_then(|n| resolved.ledger.item(*c, field, n)));
                    true
                });
            }
        }
        rules.sort_unstable();
        rules.dedup();
        trace.leaves.rules(rules.iter().copied())
    };
    P::groups(set.members()).into_iter().map(|(text, members)| (text, behind(&members))).unzip()
}

/// An allow set as a list, or null where nobody states one.
macro_rules! allow_list {
    ($resolved:expr, $trace:expr, $pointer:expr, $name:ident) => {{
        let resolved = $resolved;
        let field = $crate::fields::id::$name;
        match &resolved.fields.$name.value {
            None => {
                $trace.field(resolved, $pointer, field);
                None
            }
            Some(set) => {
                let (list, behind) = $crate::emit::allowed(resolved, $trace, field, set, |f| f.$name.as_ref());
                $trace.list(resolved, $pointer, field, &behind);
                Some(list)
            }
        }
    }};
}

/// A deny set as a list.
macro_rules! deny_list {
    ($resolved:expr, $trace:expr, $pointer:expr, $name:ident) => {{
        let resolved = $resolved;
        let members = resolved.fields.$name.value.as_ref().map_or(&[][..], |s| s.members());
        let list: Vec<String> = members.iter().map(ToString::to_string).collect();
        $trace.items(resolved, $pointer, $crate::fields::id::$name, &list);
        list
    }};
}

pub(crate) use {allow_list, deny_list};

/// A key as a segment of a JSON pointer; a key that is nothing but `*` becomes `~2`, since `*` stands for any.
#[derive(Debug)]
pub struct Segment<'a>(pub &'a str);

impl Display for Segment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == "*" {
            return f.write_str("~2");
        }
        let mut rest = self.0;
        while let Some((at, byte)) = rest.bytes().enumerate().find(|(_, b)| matches!(b, b'~' | b'/')) {
            f.write_str(rest.get(..at).unwrap_or_default())?;
            f.write_str(if byte == b'/' { "~1" } else { "~0" })?;
            rest = rest.get(at + 1..).unwrap_or_default();
        }
        f.write_str(rest)
    }
}

/// The rules behind the network mode.
pub fn network_rules<'a>(resolved: &'a Resolved<'_>) -> impl Iterator<Item = StatementId> + Clone + 'a {
    network_fields(resolved).iter().map(|f| resolved.rule(*f))
}
