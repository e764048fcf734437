//! Documents in, weights out: logistic regression on the worst window of each text, by adaptive steps.
//!
//! Deterministic: one thread, a fixed order from a fixed seed. A harmless text teaches by the window that looks worst,
//! so what is hard is learnt most; an attack by the window that looks most like one. Keys that only one source of
//! attacks knows are left out: they tell the source, not the attack.

use std::collections::BTreeMap;

use super::prepare::{Document, Label, Numbers, Prepared};
use super::prior;
use crate::model::feature::{KEYS, SIGNALS};
use crate::model::file::{self, SIGNAL_STEP};
use crate::model::window::{SIZES, norm};
use crate::model::{Calibration, table};

/// How to learn.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Passes over all texts.
    pub epochs: u32,
    /// The size of a step.
    pub rate: f32,
    /// How fast weights shrink that nothing holds up.
    pub shrink: f32,
    /// How much a harmless text counts beside an attack.
    pub harmless: f32,
    /// In how many sources of attacks a key must occur.
    pub sources: u32,
    /// In how many attacks a key must occur, or
    pub attacks: u32,
    /// in how many harmless texts.
    pub texts: u32,
    /// The score of a text that says nothing either way.
    pub bias: f32,
    /// How many keys may have a weight: the strongest stay.
    pub keys: usize,
    /// Buckets of the packed table, as a power of two.
    pub bucket_bits: u32,
    /// How much the exact signals weigh: a factor on what is set for each severity.
    pub signals: f32,
    /// How often, of a hundred times, a harmless text is learnt as if no signal had been found in it. Attacks always
    /// are: their words must carry a verdict alone, or what no signal knows is never found.
    pub alone: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            epochs: 12,
            rate: 0.2,
            shrink: 0.002,
            harmless: 1.0,
            sources: 2,
            attacks: 3,
            texts: 30,
            bias: 3.0,
            keys: 48_000,
            bucket_bits: 15,
            signals: 3.0,
            alone: 50,
        }
    }
}

/// What was learnt.
#[derive(Debug)]
pub struct Fitted {
    weights: Vec<f32>,
    bias: f32,
    bucket_bits: u32,
    signals: BTreeMap<u32, f32>,
}

/// From which raw score a stretch is worth a severity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// Worth a warning.
    pub warn: f32,
    /// Reads as an attempt to steer the model.
    pub error: f32,
    /// Has no innocent reading.
    pub critical: f32,
    /// How fast certainty grows with the raw score.
    pub slope: f32,
}

const LEFT_OUT: f32 = f32::NAN;

/// Learns from the documents whose source `uses` says yes to.
#[must_use]
pub fn fit(prepared: &Prepared, settings: &Settings, uses: &dyn Fn(&Document) -> bool) -> Fitted {
    let documents: Vec<&Document> = prepared.documents.iter().filter(|d| d.learn && uses(d)).collect();
    let mut weights = select(prepared, settings, &documents);
    let signals = prior::weights(prepared, settings.signals);
    for (number, weight) in &signals {
        if let Some(slot) = weights.get_mut(*number as usize) {
            *slot = *weight;
        }
    }
    let mut history = vec![0.01_f32; weights.len()];
    let mut order: Vec<usize> = (0..documents.len()).collect();
    let shares = shares(&documents);
    let mut chance = Chance(0x2545_F491_4F6C_DD1D);
    let mut scores = Vec::new();
    let mut bias = -settings.bias;
    let mut bias_history = 1.0_f32;
    let mut total = vec![0.0_f32; weights.len()];
    let mut taken = 0.0_f32;
    for epoch in 0..settings.epochs {
        chance.shuffle(&mut order);
        let rate = settings.rate * (1.0 - 0.8 * epoch as f32 / settings.epochs as f32);
        for document in order.iter().filter_map(|i| documents.get(*i)) {
            let Some((words, leniency)) = document.readings.first().filter(|(w, _)| !w.is_empty()) else { continue };
            let attack = document.label == Label::Inject;
            let alone = attack || chance.below(100) < settings.alone;
            let heard = if alone { KEYS } else { KEYS + SIGNALS };
            score_words(words, heard, &weights, &mut scores);
            let mut windows: Vec<(f32, usize, usize)> = vec![worst(&scores)];
            if epoch == 0 {
                windows.extend(samples(&scores, attack, &mut chance));
            }
            let share = shares.get(usize::from(document.source)).map_or(1.0, |s| match document.label {
                Label::Inject => s.0,
                Label::Benign => s.1 * settings.harmless,
                Label::Mention => 2.0 * settings.harmless,
            }) * document.weight
                / (windows.len() as f32).sqrt();
            for (score, start, end) in windows {
                let likely = 1.0 / (1.0 + (-(score + bias - leniency)).exp());
                let slope = (likely - f32::from(u8::from(attack))) * share;
                if slope.abs() < 1e-4 {
                    continue;
                }
                bias_history += slope * slope;
                bias = (bias - 0.1 * rate * slope / bias_history.sqrt()).min(-settings.bias / 2.0);
                let input = norm(end - start);
                for key in words.get(start..end).unwrap_or_default().iter().flatten() {
                    let at = *key as usize;
                    let (Some(weight), Some(past)) = (weights.get_mut(at), history.get_mut(at)) else { continue };
                    if weight.is_nan() || signals.contains_key(key) {
                        continue;
                    }
                    let gradient = slope * input + settings.shrink * *weight;
                    *past += gradient * gradient;
                    *weight -= rate * gradient / past.sqrt();
                }
            }
        }
        if epoch * 2 >= settings.epochs {
            taken += 1.0;
            for (sum, weight) in total.iter_mut().zip(&weights) {
                *sum += *weight;
            }
        }
    }
    for (weight, sum) in weights.iter_mut().zip(&total) {
        *weight = sum / taken.max(1.0);
    }
    strongest(&mut weights, settings.keys, &signals);
    Fitted { weights, bias, bucket_bits: settings.bucket_bits, signals }
}

/// Zero for each key that is worth a weight, [`LEFT_OUT`] for the others.
fn select(prepared: &Prepared, settings: &Settings, documents: &[&Document]) -> Vec<f32> {
    #[derive(Clone, Copy, Default)]
    struct Seen {
        attacks: u32,
        texts: u32,
        attack_sources: u64,
        text_sources: u64,
        last: u32,
    }
    let mut seen = vec![Seen::default(); prepared.keys.len()];
    for (number, document) in documents.iter().enumerate() {
        let stamp = u32::try_from(number + 1).unwrap_or(u32::MAX);
        for key in document.readings.first().into_iter().flat_map(|(words, _)| words).flatten() {
            let Some(entry) = seen.get_mut(*key as usize).filter(|e| e.last != stamp) else { continue };
            entry.last = stamp;
            if document.label == Label::Inject {
                entry.attacks += 1;
                entry.attack_sources |= 1 << document.source;
            } else {
                entry.texts += 1;
                entry.text_sources |= 1 << document.source;
            }
        }
    }
    let worth = |s: &Seen| {
        s.attacks >= settings.attacks && s.attack_sources.count_ones() >= settings.sources
            || s.texts >= settings.texts && s.text_sources.count_ones() >= 2
    };
    let mut weights: Vec<f32> = seen.iter().map(|s| if worth(s) { 0.0 } else { LEFT_OUT }).collect();
    if let Some(none) = weights.first_mut() {
        *none = LEFT_OUT;
    }
    weights
}

/// Leaves out all but the `keys` strongest weights: a small table stays near the processor. Signals always stay.
fn strongest(weights: &mut [f32], keys: usize, signals: &BTreeMap<u32, f32>) {
    let mut sizes: Vec<f32> = weights.iter().filter(|w| !w.is_nan()).map(|w| w.abs()).collect();
    sizes.sort_unstable_by(|a, b| b.total_cmp(a));
    let Some(least) = sizes.get(keys).copied() else { return };
    for (weight, number) in weights.iter_mut().zip(0..) {
        if weight.abs() <= least && !signals.contains_key(&number) {
            *weight = LEFT_OUT;
        }
    }
}

/// How much a text of each source counts as an attack and as a harmless one, so that no source drowns the others.
fn shares(documents: &[&Document]) -> Vec<(f32, f32)> {
    let mut counts = vec![(0_u32, 0_u32); 64];
    for document in documents {
        if let Some(count) = counts.get_mut(usize::from(document.source)) {
            match document.label {
                Label::Inject => count.0 += 1,
                Label::Benign | Label::Mention => count.1 += 1,
            }
        }
    }
    let share = |n: u32, power: f32, most: f32| (300.0 / n.max(1) as f32).powf(power).min(most);
    counts.into_iter().map(|(a, t)| (share(a, 0.5, 3.0), share(t, 0.3, 2.0))).collect()
}

/// The weight of each word with the first `heard` of its keys.
fn score_words(words: &[Numbers], heard: usize, weights: &[f32], scores: &mut Vec<f32>) {
    scores.clear();
    scores.extend(words.iter().map(|keys| {
        let known = keys.iter().take(heard).filter_map(|k| weights.get(*k as usize)).filter(|w| !w.is_nan());
        known.sum::<f32>()
    }));
}

/// The worst window of each size, the worst of them.
fn worst(scores: &[f32]) -> (f32, usize, usize) {
    let mut worst = (f32::MIN, 0, 0);
    for size in SIZES {
        let size = size.min(scores.len());
        let norm = norm(size);
        let mut sum: f32 = scores.iter().take(size).sum();
        let mut best = (sum, size);
        for (leaving, (at, entering)) in scores.iter().zip(scores.iter().enumerate().skip(size)) {
            sum += entering - leaving;
            if sum > best.0 {
                best = (sum, at + 1);
            }
        }
        if best.0 * norm > worst.0 {
            worst = (best.0 * norm, best.1 - size, best.1);
        }
    }
    worst
}

/// Further windows for the first pass, when no window is known to be worse than another.
fn samples(scores: &[f32], attack: bool, chance: &mut Chance) -> Vec<(f32, usize, usize)> {
    let window = |start: usize, size: usize| {
        let end = (start + size).min(scores.len());
        let part = scores.get(start..end).unwrap_or_default();
        (part.iter().sum::<f32>() * norm(part.len()), start, end)
    };
    let middle = 24;
    match attack {
        true => (0..scores.len()).step_by(middle).map(|s| window(s, middle)).collect(),
        false => {
            vec![window(chance.below(scores.len()), SIZES.get(chance.below(SIZES.len())).copied().unwrap_or(middle))]
        }
    }
}

impl Fitted {
    /// The score of the worst window over all readings of a document, before calibration.
    #[must_use]
    pub fn score(&self, document: &Document) -> f32 {
        let mut scores = Vec::new();
        let mut score = self.bias - 10.0;
        for (words, leniency) in document.readings.iter().filter(|(w, _)| !w.is_empty()) {
            score_words(words, KEYS + SIGNALS, &self.weights, &mut scores);
            score = score.max(worst(&scores).0 + self.bias - leniency);
        }
        score
    }

    /// How many keys have a weight.
    #[must_use]
    pub fn len(&self) -> usize {
        self.weights.iter().filter(|w| !w.is_nan()).count()
    }

    /// Whether nothing was learnt.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of the model's file, with the raw scores from which a stretch is worth each severity, and how many
    /// weights found no room.
    #[must_use]
    pub fn pack(&self, prepared: &Prepared, thresholds: &Thresholds) -> (Vec<u8>, usize) {
        let words = || self.weights.iter().zip(&prepared.keys).zip(0_u32..).filter(|((w, _), _)| !w.is_nan());
        let mut sizes: Vec<f32> =
            words().filter(|(_, n)| !self.signals.contains_key(n)).map(|((w, _), _)| w.abs()).collect();
        sizes.sort_unstable_by(f32::total_cmp);
        // The few largest are cut off, so that the many small ones keep their detail.
        let largest = sizes.get(sizes.len() * 9995 / 10000).copied().unwrap_or(1.0).max(1e-6);
        let step = largest / 127.0;
        let rounded = |((weight, key), number): ((&f32, &u64), u32)| {
            let unit = if self.signals.contains_key(&number) { step * SIGNAL_STEP as f32 } else { step };
            (*key, (weight / unit).round().clamp(-127.0, 127.0) as i8)
        };
        let weights: Vec<(u64, i8)> = words().map(rounded).filter(|(_, weight)| *weight != 0).collect();
        let (table, dropped) = table::pack(&weights, self.bucket_bits);
        let Thresholds { warn, error, critical, slope } = *thresholds;
        let calibration = Calibration { step, bias: self.bias, warn, error, critical, slope };
        (file::write(&calibration, &table), dropped)
    }

    /// The score of a text that says nothing either way.
    #[must_use]
    pub fn bias(&self) -> f32 {
        self.bias
    }
}

/// Numbers that look random and are always the same.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound.max(1) as u64).unwrap_or(0)
    }

    fn shuffle(&mut self, order: &mut [usize]) {
        for i in (1..order.len()).rev() {
            let j = self.below(i + 1);
            order.swap(i, j);
        }
    }
}
