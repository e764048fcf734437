//! How much of a text another one repeats: both in, the characters repeated out. Letters and digits only are compared,
//! so that neither case, spacing nor signs hide a copy. Linear in both; memory goes with the answer, not with the text.

use std::collections::BTreeMap;

/// A shared run shorter than this many letters is not a quotation: about eight words.
pub const RUN_MIN: usize = 32;
/// A summary may quote this many letters in one run.
pub const RUN_MAX: usize = 80;
/// A summary may quote this many letters in all.
pub const QUOTED_MAX: usize = 400;

/// What one text repeats of another, in letters and digits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Quoted {
    /// In all.
    pub total: usize,
    /// In the longest run.
    pub longest: usize,
}

const BASE: u64 = 0x0100_0000_01B3;

/// What `answer` repeats of `raw`, in runs of [`RUN_MIN`] letters and more.
///
/// ```
/// use ringfence_guard::quarantine::quoted;
/// let raw = "It was a bright cold day in April, and the clocks were striking thirteen.";
/// assert_eq!(quoted("He says: a BRIGHT, cold day in april and the clocks were STRIKING!", raw).longest, 46);
/// assert_eq!(quoted("Clocks and the cold are mentioned.", raw).total, 0);
/// ```
#[must_use]
pub fn quoted(answer: &str, raw: &str) -> Quoted {
    let letters: Vec<u64> = letters(answer).collect();
    let mut windows: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (end, hash) in hashes(letters.iter().copied()) {
        windows.entry(hash).or_default().push(end);
    }
    let mut repeated = vec![false; letters.len()];
    if windows.is_empty() {
        return Quoted::default();
    }
    for (_, hash) in hashes(self::letters(raw)) {
        // Each window of the answer is settled once; finding it again costs a look-up only.
        for end in windows.remove(&hash).unwrap_or_default() {
            repeated.iter_mut().take(end + 1).skip(end + 1 - RUN_MIN).for_each(|letter| *letter = true);
        }
    }
    let mut found = Quoted::default();
    let mut run = 0;
    for letter in repeated {
        run = if letter { run + 1 } else { 0 };
        found.total += usize::from(letter);
        found.longest = found.longest.max(run);
    }
    found
}

fn letters(text: &str) -> impl Iterator<Item = u64> + '_ {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).map(|c| u64::from(u32::from(c)))
}

/// The hash of each full window, with the place of its last letter.
fn hashes(letters: impl Iterator<Item = u64>) -> impl Iterator<Item = (usize, u64)> {
    let oldest = (0..RUN_MIN).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    let mut ring = [0_u64; RUN_MIN];
    let mut hash = 0_u64;
    letters.enumerate().filter_map(move |(at, letter)| {
        let letter = (letter + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 7;
        let place = ring.get_mut(at % RUN_MIN)?;
        let gone = std::mem::replace(place, letter);
        hash = hash.wrapping_mul(BASE).wrapping_add(letter).wrapping_sub(gone.wrapping_mul(oldest));
        (at + 1 >= RUN_MIN).then_some((at, hash))
    })
}
