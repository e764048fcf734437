//! A bit-parallel search for a few short patterns, taking every reading of each character at once. Patterns and text
//! in, the place of a match out; one pass, constant memory, no backing up except over a match.

use std::ops::Range;

use super::likeness::{Reading, Symbols};

/// All patterns together may be this long.
pub(crate) const ROOM: usize = 128;

/// One place of a pattern: the symbols it takes.
pub(crate) type Pattern = Vec<Symbols>;

/// How the characters of a text are read.
pub(crate) type Reader = fn(char) -> Reading;

/// The patterns, laid end to end, one bit for each place.
#[derive(Clone)]
pub(crate) struct Lanes {
    forward: Track,
    backward: Vec<Track>,
    /// The last bit of each pattern, in order.
    ends: Vec<u128>,
}

/// The places of some patterns in one direction.
#[derive(Clone)]
struct Track {
    /// For each symbol, the places that take it.
    takes: [u128; 64],
    /// The places an ASCII character goes to, and whether it may be passed over.
    ascii: Box<[(u128, bool); 128]>,
    first: u128,
    last: u128,
    reader: Reader,
}

impl Lanes {
    /// Lanes for `patterns`; those beyond the room are left out.
    pub(crate) fn new(patterns: &[Pattern], reader: Reader) -> Self {
        let mut room = ROOM;
        let fitting = patterns.iter().filter(|p| !p.is_empty()).take_while(|p| {
            let fits = p.len() <= room;
            room = room.saturating_sub(p.len());
            fits
        });
        let fitting: Vec<&Pattern> = fitting.collect();
        let mut ends = Vec::new();
        let mut at = 0;
        for pattern in &fitting {
            at += pattern.len();
            ends.push(1 << (at - 1));
        }
        let forward = Track::new(fitting.iter().map(|p| p.to_vec()), reader);
        let backward = fitting.iter().map(|p| Track::new(std::iter::once(p.iter().rev().copied().collect()), reader));
        Self { forward, backward: backward.collect(), ends }
    }

    /// The first match that ends after byte `from`: which pattern, and where.
    pub(crate) fn find(&self, text: &str, from: usize) -> Option<(usize, Range<usize>)> {
        let rest = text.get(from..)?;
        let (hits, end) =
            self.forward.run(rest.char_indices().map(|(at, c)| (at + c.len_utf8(), c)), Order::Forward)?;
        let pattern = self.ends.iter().position(|bit| hits & bit != 0)?;
        let matched = rest.get(..end)?;
        let back = matched.char_indices().rev();
        let (_, start) = self.backward.get(pattern)?.run(back, Order::Backward)?;
        Some((pattern, from + start..from + end))
    }

    /// Every match, in order, none overlapping.
    pub(crate) fn find_all<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        let mut from = 0;
        std::iter::from_fn(move || {
            let (_, found) = self.find(text, from)?;
            from = found.end;
            Some(found)
        })
    }
}

/// Which way a ligature is spelled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Forward,
    Backward,
}

impl Track {
    fn new(patterns: impl Iterator<Item = Pattern>, reader: Reader) -> Self {
        let mut takes = [0_u128; 64];
        let (mut first, mut last, mut bit) = (0, 0, 1_u128);
        for pattern in patterns {
            first |= bit;
            let mut end = 0;
            for symbols in pattern {
                for (n, places) in takes.iter_mut().enumerate() {
                    if symbols & (1 << n) != 0 {
                        *places |= bit;
                    }
                }
                end = bit;
                bit <<= 1;
            }
            last |= end;
        }
        let mut track = Self { takes, ascii: Box::new([(0, false); 128]), first, last, reader };
        for code in 0..128_u8 {
            let reading = reader(char::from(code));
            let places = (track.places(reading.one), reading.skip);
            if let Some(entry) = track.ascii.get_mut(usize::from(code)) {
                *entry = places;
            }
        }
        track
    }

    /// The places that take any of `symbols`.
    fn places(&self, symbols: Symbols) -> u128 {
        let mut places = 0;
        let mut left = symbols;
        while left != 0 {
            places |= self.takes.get(left.trailing_zeros() as usize).copied().unwrap_or(0);
            left &= left - 1;
        }
        places
    }

    /// Reads until a pattern is complete: which ends were met, and the position given with that character.
    fn run(&self, text: impl Iterator<Item = (usize, char)>, order: Order) -> Option<(u128, usize)> {
        let mut state = 0_u128;
        for (at, c) in text {
            let mut next;
            let mut hits;
            if let Some((places, skip)) = self.ascii.get(c as usize) {
                next = ((state << 1) | self.first) & places;
                hits = next & self.last;
                if *skip {
                    next |= state;
                }
            } else {
                let reading = (self.reader)(c);
                next = ((state << 1) | self.first) & self.places(reading.one);
                hits = next & self.last;
                for run in &reading.many {
                    let (reached, met) = self.spell(state, run, order);
                    next |= reached;
                    hits |= met;
                }
                if reading.skip {
                    next |= state;
                }
            }
            if hits != 0 {
                return Some((hits, at));
            }
            state = next;
        }
        None
    }

    /// Goes through the letters of one character: the places reached, and the ends met on the way.
    fn spell(&self, state: u128, run: &[Symbols], order: Order) -> (u128, u128) {
        let mut state = state;
        let mut met = 0;
        let mut one = |symbols: &Symbols| {
            state = ((state << 1) | self.first) & self.places(*symbols);
            met |= state & self.last;
        };
        match order {
            Order::Forward => run.iter().for_each(&mut one),
            Order::Backward => run.iter().rev().for_each(&mut one),
        }
        (state, met)
    }
}
