//! The sentences that a text's own frequent words single out: units in, the few best out, in the order of the text.

use std::collections::BTreeMap;

use super::super::kind::Kind;
use super::super::piece::cut;
use super::units::Units;

/// Words that are counted at most; later new ones are not.
const VOCABULARY: usize = 8192;

/// A sentence of fewer words says little, one of more is not a sentence.
const WORDS: std::ops::RangeInclusive<usize> = 4..=80;

/// The best `most` units that are not `shown` yet.
pub(super) fn pick<'a>(units: &Units<'a>, kind: Kind, most: usize, shown: &[&str]) -> Vec<&'a str> {
    if matches!(kind, Kind::Json | Kind::Code) {
        return Vec::new();
    }
    let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
    for unit in units.quotable() {
        for word in words(unit.text) {
            if counts.len() < VOCABULARY || counts.contains_key(&word) {
                *counts.entry(word).or_default() += 1;
            }
        }
    }
    let mut best: Vec<(u64, usize, &str)> = Vec::new();
    for (place, unit) in units.quotable().enumerate() {
        let score = score(unit.text, kind, &counts);
        let worst = best.last().map_or(0, |(score, ..)| *score);
        let is_new =
            || !best.iter().any(|(.., text)| *text == unit.text) && !shown.contains(&cut(unit.text, 160).as_str());
        if score > 0 && (best.len() < most || score > worst) && is_new() {
            let at = best.partition_point(|(other, ..)| *other >= score);
            best.insert(at, (score, place, unit.text));
            best.truncate(most);
        }
    }
    best.sort_by_key(|(_, place, _)| *place);
    best.into_iter().map(|(.., text)| text).collect()
}

/// How much a sentence holds of what the text is about, in thousandths a word.
fn score(text: &str, kind: Kind, counts: &BTreeMap<u64, u32>) -> u64 {
    let all = text.split_whitespace().count();
    if !WORDS.contains(&all) {
        return 0;
    }
    if kind == Kind::Log {
        let lower = text.to_lowercase();
        let bad = ["fatal", "panic", "error", "fail", "warn"].iter().rposition(|level| lower.contains(level));
        return bad.map_or(0, |rank| 5 - rank as u64);
    }
    let sum: u64 = words(text).map(|word| u64::from(counts.get(&word).copied().unwrap_or(0).min(50))).sum();
    sum * 1000 / all as u64
}

/// The words that carry meaning: four letters and more, by hash, without case.
fn words(text: &str) -> impl Iterator<Item = u64> + '_ {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() >= 4);
    words.map(|word| {
        word.chars()
            .flat_map(char::to_lowercase)
            .fold(0xCBF2_9CE4_8422_2325, |hash: u64, c| (hash ^ u64::from(u32::from(c))).wrapping_mul(0x0100_0000_01B3))
    })
}
