//! Five emitters, one a layer: what holds → a slice, with the rules behind each leaf.

pub mod codemode;
pub mod gateway;
pub mod harness;
pub mod kernel;
pub mod mcp;
mod shared;

pub use shared::Shared;

use crate::fields::{FieldId, Fields};
use crate::ledger::StatementId;
use crate::provenance::{Behind, Pointer};
use crate::resolve::{Resolved, network_fields};
use crate::sets::{AllowSet, Nested};
use crate::strictness::Stated;

/// Collects the rules behind each leaf while slices are built.
#[derive(Debug, Default)]
pub struct Trace {
    /// JSON pointer → what stands behind it.
    pub leaves: Vec<(Pointer, Behind)>,
}

impl Trace {
    /// Writes down the rules behind one leaf.
    pub fn put(&mut self, pointer: impl Into<Pointer>, rules: Vec<StatementId>) {
        self.leaves.push((pointer.into(), Behind::Rules(rules)));
    }

    /// A leaf that one field decides.
    pub fn field(&mut self, resolved: &Resolved<'_>, pointer: impl Into<Pointer>, field: FieldId) {
        let rule = resolved.stated_rule(field).unwrap_or(resolved.silence.default);
        self.leaves.push((pointer.into(), Behind::Rule(rule)));
    }

    /// A leaf that the spec or the format fixes.
    pub fn fixed(&mut self, resolved: &Resolved<'_>, pointer: impl Into<Pointer>) {
        self.leaves.push((pointer.into(), Behind::Rule(resolved.silence.spec)));
    }

    /// A list whose members are items of a deny set; an empty list is a leaf itself.
    pub fn items<T>(&mut self, resolved: &Resolved<'_>, pointer: &str, field: FieldId, list: &[T]) {
        if list.is_empty() {
            self.field(resolved, pointer.to_owned(), field);
        } else {
            self.leaves.push((format!("{pointer}/*").into(), Behind::OwnItem(field)));
        }
    }

    /// A list with the rules of each member; an empty list is a leaf itself.
    pub fn list(&mut self, resolved: &Resolved<'_>, pointer: &str, field: FieldId, rules: &[Vec<StatementId>]) {
        if rules.is_empty() {
            self.field(resolved, pointer.to_owned(), field);
        }
        for (n, behind) in rules.iter().enumerate() {
            self.put(format!("{pointer}/{n}"), behind.clone());
        }
    }
}

/// An allow set as texts, each with the rules of every document's list that covers it.
pub fn allowed<'a, P: Nested + 'a>(
    resolved: &'a Resolved<'_>,
    field: FieldId,
    set: &AllowSet<P>,
    get: impl Fn(&'a Fields) -> Option<&'a Stated<AllowSet<P>>>,
) -> (Vec<String>, Vec<Vec<StatementId>>) {
    let contributions = resolved.cascade.contributions();
    let by = resolved.fields.stated_by(field).iter();
    let lists: Vec<_> = by.filter_map(|c| Some((*c, get(&contributions.get(*c as usize)?.fields)?))).collect();
    let rules = |members: &[usize]| {
        let mut out: Vec<StatementId> = Vec::with_capacity(lists.len() * members.len());
        for member in members.iter().filter_map(|n| set.members().get(*n)) {
            for (c, stated) in &lists {
                member.covering(stated.value.members(), &mut |n| {
                    let item = stated.value.members().get(n).and_then(|m| stated.position(m));
                    out.extend(item.and_then(|n| resolved.ledger.item(*c, field, n)));
                    true
                });
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    };
    P::groups(set.members()).into_iter().map(|(text, members)| (text, rules(&members))).unzip()
}

/// An allow set as a list, or null where nobody states one.
macro_rules! allow_list {
    ($resolved:expr, $trace:expr, $pointer:expr, $name:ident) => {{
        let resolved = $resolved;
        let field = $crate::fields::id::$name;
        match &resolved.fields.$name.value {
            None => {
                $trace.field(resolved, $pointer.to_owned(), field);
                None
            }
            Some(set) => {
                let (list, rules) = $crate::emit::allowed(resolved, field, set, |f| f.$name.as_ref());
                $trace.list(resolved, $pointer, field, &rules);
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

/// Escapes a key for a JSON pointer; a key that is nothing but `*` becomes `~2`, since `*` stands for any.
pub fn escape(key: &str) -> String {
    let mut out = String::with_capacity(key.len() + 2);
    push_escaped(key, &mut out);
    out
}

fn push_escaped(key: &str, out: &mut String) {
    if key == "*" {
        return out.push_str("~2");
    }
    for c in key.chars() {
        match c {
            '~' => out.push_str("~0"),
            '/' => out.push_str("~1"),
            c => out.push(c),
        }
    }
}

/// The rules behind the network mode.
pub fn network_rules(resolved: &Resolved<'_>) -> Vec<StatementId> {
    network_fields(resolved).iter().flat_map(|f| resolved.rules(*f)).collect()
}
