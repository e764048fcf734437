//! Finds any of a thousand byte strings in one pass, at a fraction of a nanosecond a byte.
//!
//! Every second four bytes of the text are hashed into a table of bits; only where the bit is set are the strings
//! themselves compared. So that every second place is enough, each string is entered with two neighbouring fours: the
//! rarest it has, and a second table asks for the two bytes after them, so that ordinary text seldom sets a comparison
//! off and more strings cost no more. A string of only four bytes that ends inside a word counts where the word goes on.

use crate::swar::load;

/// Bits of a hash: a table of 128 Ki bits, which stays in the nearest cache and is nearly empty.
const BITS: u32 = 17;

/// Bits of a hash that choose a list of entries.
const LIST_BITS: u32 = 11;

/// How many bytes are searched before what was found is handed out.
const AHEAD: usize = 2048;

/// Where an anchor is, and which one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Anchor {
    pub(super) start: usize,
    pub(super) which: usize,
    pub(super) end: usize,
}

/// Four bytes, the string they belong to, and how far into it they begin.
#[derive(Debug, Clone, Copy)]
struct Entry {
    bytes: u32,
    offset: u16,
    which: u16,
}

/// A string to search for, its first eight bytes apart.
#[derive(Debug)]
struct Needle {
    head: u64,
    mask: u64,
    bytes: Box<[u8]>,
    /// It stands in the text as it came, not in the folded one.
    as_it_came: bool,
}

/// A searcher for a fixed list of strings of four bytes or more.
#[derive(Debug)]
pub(super) struct Finder {
    /// Fours.
    table: Bits,
    /// Sixes that begin with them, or only they where a string ends with them.
    sixes: Bits,
    entries: Vec<Entry>,
    /// Where the entries of each list begin.
    heads: Vec<u16>,
    needles: Vec<Needle>,
    /// How far into a string its fours begin, at most.
    deepest: usize,
}

impl Finder {
    pub(super) fn new(anchors: &[&str]) -> Self {
        Self::both(&[], anchors)
    }

    /// A searcher for strings of a text as it came and strings of the folded one, both ASCII, in one pass over the
    /// folded one. The former are numbered first.
    pub(super) fn both(as_they_came: &[&str], folded: &[&str]) -> Self {
        let mut finder = Self {
            table: Bits::new(),
            sixes: Bits::new(),
            entries: Vec::new(),
            heads: Vec::new(),
            needles: Vec::new(),
            deepest: 1,
        };
        // In one pass over both, nothing is met but what folding leaves of ASCII.
        let stays = match as_they_came.is_empty() {
            true => |_: u8| true,
            false => |b: u8| b.is_ascii() && !b.is_ascii_uppercase() && (b == b'\n' || !b.is_ascii_control()),
        };
        for (which, anchor) in (0..).zip(as_they_came.iter().chain(folded)) {
            let as_it_came = usize::from(which) < as_they_came.len();
            match as_it_came {
                true => finder.enter(which, fold_ascii(anchor).as_bytes(), stays),
                false => finder.enter(which, anchor.as_bytes(), stays),
            }
            let mask = u64::MAX >> (64 - 8 * anchor.len().clamp(1, 8));
            let head = load(anchor.as_bytes(), 0) & mask;
            finder.needles.push(Needle { head, mask, bytes: anchor.as_bytes().into(), as_it_came });
        }
        finder.entries.sort_unstable_by_key(|e| (list(e.bytes), e.which, e.offset));
        let begins = |number: usize| finder.entries.partition_point(|e| list(e.bytes) < number);
        finder.heads = (0..=1 << LIST_BITS).map(|number| u16::try_from(begins(number)).unwrap_or(u16::MAX)).collect();
        finder
    }

    fn enter(&mut self, which: u16, anchor: &[u8], stays: fn(u8) -> bool) {
        if let [a, b, c, d] = *anchor {
            // Too short for two places: whatever byte may follow.
            self.set(&[a, b, c, d], 0, which);
            (0..=u8::MAX)
                .filter(|next| stays(*next) && may_follow(anchor, *next))
                .for_each(|next| self.set(&[b, c, d, next], 1, which));
            return;
        }
        let fives = anchor.array_windows::<5>().enumerate();
        // At the end of a string there is nothing more to ask for.
        let cost =
            |(offset, five): &(usize, &[u8; 5])| commonness(five) + if offset + 7 > anchor.len() { 60 } else { 0 };
        if let Some((offset, _)) = fives.min_by_key(cost) {
            for offset in [offset, offset + 1] {
                self.set(anchor.get(offset..).unwrap_or_default(), offset, which);
            }
        }
    }

    /// Enters the four bytes that a part of a string begins with.
    fn set(&mut self, part: &[u8], offset: usize, which: u16) {
        let word = load(part, 0);
        self.table.insert(four(word));
        match part.len() >= 6 {
            true => self.sixes.insert(six(word)),
            false => self.sixes.insert(last_four(word)),
        }
        self.deepest = self.deepest.max(offset);
        self.entries.push(Entry { bytes: word as u32, offset: u16::try_from(offset).unwrap_or(0), which });
    }

    /// A search of a text.
    pub(super) fn search<'a>(&'a self, text: &'a str) -> Search<'a> {
        Search { finder: self, text: text.as_bytes(), found: Vec::new(), taken: 0, at: 0 }
    }

    /// Searches of a text as it came and as it is folded, for the first `came` strings and for the others. Both texts
    /// are ASCII, byte for byte the same but for case and controls.
    pub(super) fn search_both<'a>(&'a self, raw: &'a str, folded: &'a str, came: usize) -> (Search<'a>, Search<'a>) {
        let (raw, folded) = (raw.as_bytes(), folded.as_bytes());
        let mut all = Vec::new();
        self.scan(raw, folded, 0, usize::MAX, &mut all);
        all.sort_unstable();
        all.dedup();
        let mut said: Vec<Anchor> = all.extract_if(.., |anchor| anchor.which >= came).collect();
        said.iter_mut().for_each(|anchor| anchor.which -= came);
        let done = |text: &'a [u8], found| Search { finder: self, text, found, taken: 0, at: text.len() };
        (done(raw, all), done(folded, said))
    }

    /// Looks at every second place from `at` to about `limit`, and adds what stands there; gives where to go on. The
    /// last bytes of the text are looked at one by one.
    #[inline]
    fn scan(&self, raw: &[u8], text: &[u8], mut at: usize, limit: usize, found: &mut Vec<Anchor>) -> usize {
        // Eight bytes hold three places that are two bytes apart.
        while let Some(eight) = text.get(at..).and_then(<[u8]>::first_chunk::<8>) {
            let word = u64::from_le_bytes(*eight);
            // Without a branch for each: most words have none.
            let holds = [0, 16, 32].map(|shift| self.table.has(four(word >> shift)));
            if holds != [0; 3] {
                for (place, _) in [at, at + 2, at + 4].into_iter().zip(holds).filter(|(_, holds)| *holds != 0) {
                    if self.goes_on(text, place) {
                        self.compare(raw, text, place, found);
                    }
                }
            }
            at += 6;
            if at >= limit {
                return at;
            }
        }
        // What began one byte before the last place looked at was not seen there.
        for place in at.saturating_sub(1)..text.len() {
            self.compare(raw, text, place, found);
        }
        text.len()
    }

    /// Whether what begins at a place may be part of a string, when its first four bytes are.
    #[inline]
    fn goes_on(&self, text: &[u8], place: usize) -> bool {
        let word = load(text, place);
        self.sixes.has(six(word)) | self.sixes.has(last_four(word)) == 1
    }

    /// Adds the anchors one of whose fours stands at a place.
    #[cold]
    fn compare(&self, raw: &[u8], text: &[u8], place: usize, found: &mut Vec<Anchor>) {
        let bytes = load(text, place) as u32;
        let list = list(bytes);
        let (Some(first), Some(end)) = (self.heads.get(list), self.heads.get(list + 1)) else { return };
        for entry in self.entries.get(usize::from(*first)..usize::from(*end)).unwrap_or_default() {
            if entry.bytes != bytes {
                continue;
            }
            let which = usize::from(entry.which);
            let (Some(start), Some(needle)) = (place.checked_sub(usize::from(entry.offset)), self.needles.get(which))
            else {
                continue;
            };
            let over = if needle.as_it_came { raw } else { text };
            if load(over, start) & needle.mask == needle.head
                && let Some(rest) = over.get(start..)
                && (needle.bytes.len() <= 8 && needle.bytes.len() <= rest.len() || rest.starts_with(&needle.bytes))
                && rest.get(needle.bytes.len()).is_none_or(|next| may_follow(&needle.bytes, *next))
            {
                found.push(Anchor { start, which, end: start + needle.bytes.len() });
            }
        }
    }
}

/// A search under way. Holds what a few kilobytes of text have of anchors.
#[derive(Debug)]
pub(super) struct Search<'a> {
    finder: &'a Finder,
    text: &'a [u8],
    /// In order.
    found: Vec<Anchor>,
    /// How many of them were handed out or passed over.
    taken: usize,
    /// The place to look at next.
    at: usize,
}

impl Search<'_> {
    /// The first anchor that starts at or after a byte; of two that start at the same place, the one listed first. What
    /// was once passed over is not found again.
    pub(super) fn next(&mut self, from: usize) -> Option<Anchor> {
        loop {
            while let Some(anchor) = self.found.get(self.taken).copied() {
                // An anchor that starts before this one may still be found later, if its fours are further in.
                if self.at < self.text.len() && anchor.start + self.finder.deepest >= self.at {
                    break;
                }
                self.taken += 1;
                if anchor.start >= from {
                    return Some(anchor);
                }
            }
            if self.at >= self.text.len() {
                return None;
            }
            self.found.drain(..self.taken);
            self.taken = 0;
            if self.found.is_empty() {
                self.at = self.at.max(from);
            }
            self.look();
        }
    }

    /// Looks at the next stretch of text, and on until something is found.
    fn look(&mut self) {
        loop {
            let limit = self.at.saturating_add(AHEAD);
            self.at = self.finder.scan(self.text, self.text, self.at, limit, &mut self.found);
            if !self.found.is_empty() || self.at >= self.text.len() {
                break;
            }
        }
        self.found.sort_unstable();
        self.found.dedup();
    }
}

/// ASCII as folding leaves it.
fn fold_ascii(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_control() && c != '\n' { ' ' } else { c.to_ascii_lowercase() }).collect()
}

/// Whether a byte may follow a string: after four bytes that end inside a word, only more of the word.
fn may_follow(anchor: &[u8], next: u8) -> bool {
    let [_, _, before, last] = anchor else { return true };
    let inside = last.is_ascii_alphanumeric() || before.is_ascii_alphanumeric() && matches!(last, b'_' | b'-' | b'.');
    !inside || next.is_ascii_alphanumeric()
}

/// A set of hashes.
#[derive(Debug)]
struct Bits(Box<[u64; 1 << (BITS - 6)]>);

impl Bits {
    fn new() -> Self {
        Self(Box::new([0; 1 << (BITS - 6)]))
    }

    fn insert(&mut self, hash: u32) {
        if let Some(word) = self.0.get_mut((hash >> 6) as usize) {
            *word |= 1 << (hash & 63);
        }
    }

    /// One if a hash is in the set, else zero.
    #[inline]
    fn has(&self, hash: u32) -> u64 {
        self.0.get((hash >> 6) as usize).map_or(0, |bits| bits >> (hash & 63) & 1)
    }
}

/// The hash of the first four bytes of a word.
#[inline]
fn four(word: u64) -> u32 {
    (word as u32).wrapping_mul(0x9e37_79b1) >> (32 - BITS)
}

/// The hash of the first four bytes of a word, as the end of a string.
#[inline]
fn last_four(word: u64) -> u32 {
    (word as u32).wrapping_mul(0x85eb_ca77) >> (32 - BITS)
}

/// The hash of the first six bytes of a word.
#[inline]
fn six(word: u64) -> u32 {
    ((word << 16).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS)) as u32
}

/// Which list the entries with four bytes are in.
fn list(bytes: u32) -> usize {
    (bytes.wrapping_mul(0x9e37_79b1) >> (32 - LIST_BITS)) as usize
}

/// What English text and programs are full of, rarest letters first; what is not here is rarer still.
const LETTERS: &[u8] = b"zqjxkvbywgpfmucdlrhsnioate ";

/// Fours that stand in every other line, however rare their letters.
const FULL_OF: &[&[u8; 4]] = &[
    b"the ", b" the", b"tion", b"ment", b"ing ", b"http", b" con", b" you", b"cont", b"port", b" pro", b"ting",
    b"from", b"comp", b"cons", b"s th", b"comm", b"sion", b"rom ", b"you ", b" use", b"list", b"our ", b"mple",
    b"tent", b"ding", b"ctio", b"this", b"his ", b"hat ", b"that", b"with", b"ith ", b"text", b"data", b"test",
    b"name", b"file", b"time", b"link", b"user", b"able", b"ight", b"inte", b"ence", b"ance", b"ould", b"ever",
    b"othe", b"ther", b"here", b"ould", b"and ", b" and", b"for ", b" for", b"are ", b" are", b"all ", b"ally",
    b"ated", b"atio", b"ntio", b"tive", b"stat", b"ress", b"mess", b"form", b"info", b"orma", b"resp", b"requ",
    b"retu", b"self", b"valu", b"type", b"stri", b"ring", b"inst", b"lass", b"erro", b"read", b"code", b"tern",
    b"syst", b"stem", b"page", b"cont", b"cate", b"ccou",
];

/// How common the two fours of five bytes are: higher is worse.
fn commonness(five: &[u8; 5]) -> usize {
    let letter = |byte: &u8| LETTERS.iter().position(|b| b == byte).map_or(2, |place| place + 4);
    let [a, b, c, d, e] = *five;
    let full = [[a, b, c, d], [b, c, d, e]].iter().filter(|four| FULL_OF.contains(four)).count();
    // The middle three stand in both.
    five.iter().chain([&b, &c, &d]).map(letter).sum::<usize>() + full * 60
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

    const ANCHORS: [&str; 12] = [
        "abab",
        "babaa",
        "aaaaaa",
        "bbba",
        "abbabb",
        "aab aa",
        "忽略",
        "abab",
        "bb zqj ab",
        "a bb zqj",
        "zqj abab",
        "ab the kv",
    ];
    const PIECES: [&str; 16] = [
        "a",
        "b",
        "a",
        "b",
        " ",
        "忽",
        "略",
        "忽略",
        "zqj",
        "bb zqj ab",
        "a bb zqj",
        " ",
        "ab the kv",
        "the ",
        "kv",
        "ab ",
    ];

    fn check(finder: &Finder, pieces: usize, state: &mut u64) {
        let mut text = String::new();
        for _ in 0..pieces {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(PIECES[(*state >> 60) as usize]);
        }
        let mut from = 0;
        let mut search = finder.search(&text);
        loop {
            let found = search.next(from);
            assert_eq!(found.map(|a| (a.start, a.which)), slow(&ANCHORS, &text, from), "{text:?} from {from}");
            let Some(anchor) = found else { break };
            // Now from the next byte, now from behind it.
            from = if from % 3 == 0 { anchor.end } else { anchor.start + 1 };
        }
    }

    #[test]
    fn it_finds_what_the_plain_way_finds() {
        let finder = Finder::new(&ANCHORS);
        let mut state = 1;
        for _ in 0..3_000 {
            check(&finder, 40, &mut state);
        }
    }

    #[test]
    fn both_texts_are_searched_in_one_pass() {
        let (came, folded) = (["AbAb", "aKey_", "\tab b"], ["abab", "key_a", " ab b"]);
        let finder = Finder::both(&came, &folded);
        let mut state = 3_u64;
        for _ in 0..2_000 {
            let mut raw = String::new();
            for _ in 0..30 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                raw.push_str(["a", "b", "A", "b", "\t", " ab b", "aKey_", "AbAb"][(state >> 61) as usize]);
            }
            let text = fold_ascii(&raw);
            let (mut there, mut said) = finder.search_both(&raw, &text, came.len());
            for (search, anchors, text) in [(&mut there, came, &raw), (&mut said, folded, &text)] {
                let mut from = 0;
                loop {
                    let found = search.next(from).map(|a| (a.start, a.which));
                    assert_eq!(found, slow(&anchors, text, from), "{text:?} from {from}");
                    let Some((start, _)) = found else { break };
                    from = start + 1;
                }
            }
        }
    }

    #[test]
    fn it_finds_the_same_where_it_stops_to_hand_out() {
        let finder = Finder::new(&ANCHORS);
        assert!(finder.deepest > 2, "{}", finder.deepest);
        let mut state = 2;
        for _ in 0..12 {
            check(&finder, 2 * AHEAD, &mut state);
        }
    }
}
