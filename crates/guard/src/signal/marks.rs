//! What is there: the text as it came in, forged turns, links, keys, paths and hidden parts out.
//!
//! Lists of byte strings are searched for; each place is read by the family it belongs to, which says where to go
//! on. Reading ahead and back is paid from a budget that grows with the text, so that a text made of nothing but
//! beginnings costs a few times its length, never its square.

use std::sync::LazyLock;

use super::finder::{Anchor, Finder, Search};
use super::grammar::Window;
use super::{Hit, Hits, UrlAllowlist, evidence, forging, hidden, secret, slice, traversal, url};
use crate::finding::Severity;
use crate::rule::Rule;

/// How many bytes may be read around anchors, for each byte of the text up to there.
const BUDGET: usize = 6;
/// What may be read at the beginning of a text already.
const FLOOR: usize = 4096;
/// What stands this near to an anchor can always be read: no crowd before it makes anything invisible.
const NEAR: usize = 256;

/// A family's reader: at an anchor, gives where to go on.
type Read = fn(&mut Scan<'_>, Anchor) -> usize;

/// Whether something else may stand inside what a family reads.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// It ends where it ends.
    Shape,
    /// It may hold anything, shapes too.
    Unseen,
}

/// All anchors with their readers.
struct Table {
    finder: Finder,
    readers: Vec<(Kind, Read)>,
}

/// The anchors of a family, what they begin and who reads it.
type Anchors = (&'static [&'static str], Kind, Read);

static FAMILIES: &[Anchors] = &[
    (forging::ANCHORS, Kind::Shape, forging::read),
    (url::ANCHORS, Kind::Shape, url::read),
    (url::SCRIPT_ANCHORS, Kind::Shape, url::script),
    (traversal::ANCHORS, Kind::Shape, traversal::read),
    (secret::TOKENS, Kind::Shape, secret::token),
    (secret::SHORT, Kind::Shape, secret::short),
    (secret::NAMES, Kind::Shape, secret::assignment),
    (hidden::COMMENTS, Kind::Unseen, hidden::comment),
    (hidden::STYLES, Kind::Unseen, hidden::style),
    (hidden::ELEMENTS, Kind::Unseen, hidden::element),
    (hidden::LABELS, Kind::Unseen, hidden::label),
];

/// Every anchor, in order.
pub(super) fn anchors() -> Vec<&'static str> {
    FAMILIES.iter().flat_map(|(anchors, ..)| anchors.iter().copied()).collect()
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let readers = FAMILIES.iter().flat_map(|(anchors, kind, read)| std::iter::repeat_n((*kind, *read), anchors.len()));
    Table { finder: Finder::new(&anchors()), readers: readers.collect() }
});

impl Table {
    fn run(&self, mut search: Search<'_>, scan: &mut Scan<'_>) {
        // Up to where each kind has read.
        let (mut shapes, mut unseen) = (0, 0);
        while let Some(anchor) = search.next(shapes.min(unseen)) {
            let Some((kind, read)) = self.readers.get(anchor.which) else { continue };
            let done = match kind {
                Kind::Shape => &mut shapes,
                Kind::Unseen => &mut unseen,
            };
            if anchor.start >= *done {
                scan.out.steps += 1;
                scan.at = anchor.start;
                *done = read(scan, anchor).max(anchor.end);
            }
        }
    }
}

/// Finds marks in a text as it came and adds them to the hits. Links to domains off a list that is not empty are hits.
pub fn marks(raw: &str, urls: &UrlAllowlist, out: &mut Hits) {
    marks_at(TABLE.finder.search(raw), raw, urls, out);
}

/// Finds marks where a search for their anchors leads.
pub(super) fn marks_at(search: Search<'_>, raw: &str, urls: &UrlAllowlist, out: &mut Hits) {
    let mut scan = Scan { raw, urls, out, at: 0, spent: 0, no_close_before: 0, window: None, judged: 0 };
    TABLE.run(search, &mut scan);
    each(&mut scan, "://", url::read);
    each(&mut scan, "<|", forging::read);
    scan.at = raw.len();
    hidden::blanks(&mut scan);
    hidden::terminal(&mut scan);
}

/// Reads at every place of one short string: two or three bytes are too few for the tables.
fn each(scan: &mut Scan<'_>, anchor: &str, read: Read) {
    let finder = memchr::memmem::Finder::new(anchor);
    let mut at = 0;
    while let Some(found) = scan.raw.as_bytes().get(at..).and_then(|rest| finder.find(rest)) {
        let start = at + found;
        scan.out.steps += 1;
        scan.at = start;
        at = read(scan, Anchor { which: 0, start, end: start + anchor.len() }).max(start + anchor.len());
    }
}

/// One text being read.
pub(super) struct Scan<'a> {
    pub(super) raw: &'a str,
    pub(super) urls: &'a UrlAllowlist,
    pub(super) out: &'a mut Hits,
    /// Where reading is: what may be read grows with it, so that a crowd uses up its own share alone.
    at: usize,
    /// How much was read beyond what is near.
    spent: usize,
    /// How many hidden parts were searched for orders.
    pub(super) judged: usize,
    /// What phrases of hidden parts are read in.
    pub(super) window: Option<Window>,
    /// No comment is closed from here on before this byte.
    pub(super) no_close_before: usize,
}

impl<'a> Scan<'a> {
    /// Up to `length` bytes from a byte on, as far as the budget goes.
    pub(super) fn after(&mut self, at: usize, length: usize) -> &'a str {
        let length = self.pay(length.min(self.raw.len().saturating_sub(at)));
        let start = super::floor(self.raw, at);
        self.raw.get(start..super::floor(self.raw, at + length)).unwrap_or_default()
    }

    /// Up to `length` bytes before a byte, as far as the budget goes.
    pub(super) fn before(&mut self, at: usize, length: usize) -> &'a str {
        let length = self.pay(length.min(at));
        slice(self.raw, at - length..super::floor(self.raw, at))
    }

    /// Takes bytes from the budget; gives how many there were. The nearest are free.
    pub(super) fn pay(&mut self, bytes: usize) -> usize {
        let earned = self.at.saturating_mul(BUDGET).saturating_add(FLOOR);
        let far = bytes.saturating_sub(NEAR).min(earned.saturating_sub(self.spent));
        self.spent += far;
        let paid = bytes.min(NEAR) + far;
        self.out.cut_short |= paid < bytes;
        // Of what is near mostly the beginning is looked at.
        self.out.steps += u64::try_from(bytes.min(NEAR) / 64 + far / 16).unwrap_or(0);
        paid
    }

    /// Adds a hit with the rule's own severity.
    pub(super) fn hit(&mut self, rule: &'static Rule, part: std::ops::Range<usize>) {
        self.hit_as(rule, rule.severity, part);
    }

    /// Adds a hit with a severity.
    pub(super) fn hit_as(&mut self, rule: &'static Rule, severity: Severity, part: std::ops::Range<usize>) {
        let words = evidence(slice(self.raw, part.start..part.end.min(part.start + 200)));
        self.hit_with(rule, severity, part, words, false);
    }

    /// Adds a hit whose words are given.
    pub(super) fn hit_with(
        &mut self,
        rule: &'static Rule,
        severity: Severity,
        part: std::ops::Range<usize>,
        evidence: String,
        mentioned: bool,
    ) {
        let start = super::floor(self.raw, part.start);
        let end = self.raw.ceil_char_boundary(part.end.min(self.raw.len())).max(start);
        self.out.add(Hit { rule, part: start..end, severity, evidence, mentioned });
    }
}
