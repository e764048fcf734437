//! What folding wants to know of a character, worked out once per page of 256 and kept.

use std::sync::OnceLock;

use super::table::Likeness;
use super::{hidden, normal, script};

const PAGE: usize = 256;
/// Pages kept: the first three planes. Letters beyond are rare and worked out each time.
const PAGES: usize = 0x300;

static KEPT: [OnceLock<Box<[Traits; PAGE]>>; PAGES] = [const { OnceLock::new() }; PAGES];

/// One character's traits.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Traits {
    /// The one character it folds to, if it folds to one whatever stands before it.
    pub(super) folded: Option<char>,
    /// It belongs to the character before it: a mark, or invisible.
    pub(super) joins: bool,
    pub(super) is_mark: bool,
    pub(super) is_hidden: bool,
    pub(super) is_letter: bool,
    pub(super) is_latin: bool,
    /// Of another script and looks like a Latin letter.
    pub(super) look: Option<(char, Likeness)>,
}

/// The traits of a character.
#[inline]
pub(super) fn of(c: char) -> Traits {
    let page = KEPT.get(c as usize / PAGE);
    match page.and_then(|p| p.get_or_init(|| work_out_page(c as u32 & !0xff)).get(c as usize % PAGE)) {
        Some(traits) => *traits,
        None => work_out(c),
    }
}

#[cold]
fn work_out_page(first: u32) -> Box<[Traits; PAGE]> {
    let mut page = Box::new([Traits::default(); PAGE]);
    for (cell, code) in page.iter_mut().zip(first..) {
        *cell = char::from_u32(code).map(work_out).unwrap_or_default();
    }
    page
}

fn work_out(c: char) -> Traits {
    let is_mark = normal::is_mark(c);
    let is_hidden = hidden::kind(c).is_some();
    let joins = is_mark || is_hidden;
    Traits {
        folded: if joins { None } else { normal::fold_one(c) },
        joins,
        is_mark,
        is_hidden,
        is_letter: c.is_alphabetic(),
        is_latin: normal::is_latin(c),
        look: script::look(c),
    }
}
