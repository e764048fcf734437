//! Finds any of a hundred byte strings in one pass, at a fraction of a nanosecond a byte.
//!
//! Every second four bytes of the text are hashed into a table of bits; only where the bit is set are the strings
//! themselves compared. So that every second place is enough, each string is entered with its first four bytes and
//! with the four after its first. A string of only four bytes that ends inside a word counts where the word goes on.

/// Bits of a hash: a table of 64 Ki bits, which stays in the nearest cache.
const BITS: u32 = 16;

/// Where an anchor is, and which one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Anchor {
    pub(super) which: usize,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Four bytes, the string they belong to, and how far into it they begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    hash: u32,
    bytes: u32,
    offset: usize,
    which: usize,
}

/// A searcher for a fixed list of strings of four bytes or more. Earlier strings win where two start at the same
/// place.
pub(super) struct Finder {
    table: Box<[u64; 1 << (BITS - 6)]>,
    /// By hash, then by where the string would start, the earliest first.
    entries: Vec<Entry>,
    /// Where the entries of each hash begin.
    heads: Vec<u32>,
    anchors: Vec<Box<[u8]>>,
}

impl Finder {
    pub(super) fn new(anchors: &[&str]) -> Self {
        let table = Box::new([0; 1 << (BITS - 6)]);
        let mut finder = Self { table, entries: Vec::new(), heads: Vec::new(), anchors: Vec::new() };
        for (which, anchor) in anchors.iter().enumerate() {
            finder.enter(which, anchor.as_bytes());
            finder.anchors.push(anchor.as_bytes().into());
        }
        // The higher offset means the earlier start.
        finder.entries.sort_unstable_by_key(|e| (e.hash, std::cmp::Reverse(e.offset), e.which));
        finder.entries.dedup();
        let begins = |hash: u32| finder.entries.partition_point(|e| e.hash < hash);
        finder.heads = (0..=1 << BITS).map(|hash| u32::try_from(begins(hash)).unwrap_or(u32::MAX)).collect();
        finder
    }

    fn enter(&mut self, which: usize, anchor: &[u8]) {
        match *anchor {
            [a, b, c, d, e, ..] => {
                self.set([a, b, c, d], 0, which);
                self.set([b, c, d, e], 1, which);
            }
            // Too short for two places: whatever byte may follow.
            [a, b, c, d] => {
                self.set([a, b, c, d], 0, which);
                (0..=u8::MAX)
                    .filter(|next| may_follow(anchor, *next))
                    .for_each(|next| self.set([b, c, d, next], 1, which));
            }
            _ => {}
        }
    }

    fn set(&mut self, bytes: [u8; 4], offset: usize, which: usize) {
        let bytes = u32::from_le_bytes(bytes);
        let hash = hash(bytes);
        if let Some(word) = self.table.get_mut((hash >> 6) as usize) {
            *word |= 1 << (hash & 63);
        }
        self.entries.push(Entry { hash, bytes, offset, which });
    }

    /// One if the table has the low four bytes of a word, else zero.
    fn holds(&self, word: u64) -> u64 {
        let hash = hash((word & 0xffff_ffff) as u32);
        self.table.get((hash >> 6) as usize).map_or(0, |bits| bits >> (hash & 63) & 1)
    }

    /// The first anchor at or after a byte.
    pub(super) fn next(&self, text: &str, from: usize) -> Option<Anchor> {
        let text = text.as_bytes();
        let mut at = from;
        // Eight bytes hold three places that are two bytes apart.
        while let Some(Ok(eight)) = text.get(at..at + 8).map(<[u8; 8]>::try_from) {
            let word = u64::from_le_bytes(eight);
            // Without a branch for each: most words have none.
            if self.holds(word) | self.holds(word >> 16) | self.holds(word >> 32) == 1 {
                let places = [at, at + 2, at + 4];
                if let Some(anchor) = places.into_iter().find_map(|place| self.compare(text, place, from)) {
                    return Some(anchor);
                }
            }
            at += 6;
        }
        // What began one byte before the last place looked at was not seen there.
        (at.saturating_sub(1).max(from)..text.len()).find_map(|place| self.compare(text, place, from))
    }

    /// The anchor whose four bytes stand at a place, if the rest of it is there as well.
    fn compare(&self, text: &[u8], place: usize, from: usize) -> Option<Anchor> {
        let rest = text.get(place..)?;
        let four = *rest.first_chunk::<4>()?;
        let bytes = u32::from_le_bytes(four);
        let hash = hash(bytes);
        let first = *self.heads.get(hash as usize)? as usize;
        let end = *self.heads.get(hash as usize + 1)? as usize;
        let same = self.entries.get(first..end)?.iter().filter(|e| e.bytes == bytes);
        same.filter_map(|e| {
            let start = place.checked_sub(e.offset).filter(|start| *start >= from)?;
            let anchor = self.anchors.get(e.which)?;
            let rest = text.get(start..)?;
            let goes_on = || rest.get(anchor.len()).is_none_or(|next| may_follow(anchor, *next));
            let here = rest.first() == anchor.first() && rest.starts_with(anchor) && goes_on();
            here.then_some(Anchor { which: e.which, start, end: start + anchor.len() })
        })
        .next()
    }
}

/// Whether a byte may follow a string: after four bytes that end inside a word, only more of the word.
fn may_follow(anchor: &[u8], next: u8) -> bool {
    let [_, _, before, last] = anchor else { return true };
    let inside = last.is_ascii_alphanumeric() || before.is_ascii_alphanumeric() && matches!(last, b'_' | b'-' | b'.');
    !inside || next.is_ascii_alphanumeric()
}

fn hash(bytes: u32) -> u32 {
    bytes.wrapping_mul(0x9e37_79b1) >> (32 - BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The plain way.
    fn slow(anchors: &[&str], text: &str, from: usize) -> Option<(usize, usize)> {
        (from..text.len()).find_map(|at| {
            let rest = text.as_bytes().get(at..)?;
            let holds = |a: &&str| {
                let next = rest.get(a.len());
                rest.starts_with(a.as_bytes()) && (a.len() > 4 || next.is_none_or(u8::is_ascii_alphanumeric))
            };
            anchors.iter().position(holds).map(|which| (at, which))
        })
    }

    #[test]
    fn it_finds_what_the_plain_way_finds() {
        let anchors = ["abab", "babaa", "aaaaaa", "bbba", "abbabb", "aab aa", "忽略", "abab"];
        let finder = Finder::new(&anchors);
        let mut state = 1_u64;
        for _ in 0..3_000 {
            let mut text = String::new();
            for _ in 0..40 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(["a", "b", "a", "b", " ", "忽", "略", "忽略"][(state >> 61) as usize]);
            }
            let mut from = 0;
            loop {
                let found = finder.next(&text, from);
                assert_eq!(found.map(|a| (a.start, a.which)), slow(&anchors, &text, from), "{text:?} from {from}");
                let Some(anchor) = found else { break };
                from = anchor.start + 1;
            }
        }
    }
}
