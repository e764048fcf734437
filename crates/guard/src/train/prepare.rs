//! Samples in, documents of small numbers out: every key that occurs gets the next number.

use hashbrown::HashMap;

use crate::model::feature::{KEYS, SIGNALS, Step};
use crate::reading::{Reading, read};
use crate::signal::UrlAllowlist;

/// The numbers of a word's keys and of the signals that begin there; zero where there is none.
pub(crate) type Numbers = [u32; KEYS + SIGNALS];

/// What a sample is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// Carries an instruction to the model.
    Inject,
    /// Ordinary text.
    Benign,
    /// Talks about attacks, and may quote them.
    Mention,
}

/// One labelled text.
#[derive(Debug, Clone)]
pub struct Sample {
    /// What it is.
    pub label: Label,
    /// Where it comes from; what is left out together.
    pub source: String,
    /// How much it counts beside others of its source.
    pub weight: f32,
    /// Whether to learn from it, or only to measure with it (an attack inside a carrier is mostly carrier).
    pub learn: bool,
    /// The text.
    pub text: String,
}

/// A sample as the trainer sees it.
#[derive(Debug)]
pub struct Document {
    pub(crate) label: Label,
    pub(crate) source: u8,
    pub(crate) weight: f32,
    pub(crate) learn: bool,
    /// The plain reading first, then what decoding opened; each with the model's leniency.
    pub(crate) readings: Vec<(Vec<Numbers>, f32)>,
}

/// All samples, ready to learn from.
#[derive(Debug)]
pub struct Prepared {
    /// One for each sample, in order.
    pub documents: Vec<Document>,
    /// The names of the sources, by number.
    pub sources: Vec<String>,
    pub(crate) keys: Vec<u64>,
}

impl Document {
    /// The number of its source.
    #[must_use]
    pub fn source(&self) -> u8 {
        self.source
    }

    /// What it is.
    #[must_use]
    pub fn label(&self) -> Label {
        self.label
    }
}

/// The most sources that are told apart; more share the last number.
const SOURCES: usize = 64;

/// Numbers the keys of all samples.
#[must_use]
pub fn prepare(samples: &[Sample]) -> Prepared {
    let mut sources: Vec<String> = samples.iter().map(|s| s.source.clone()).collect();
    sources.sort();
    sources.dedup();
    let mut numbers: HashMap<u64, u32> = HashMap::with_capacity(4 << 20);
    // Number zero is no key.
    let mut keys = vec![0];
    let urls = UrlAllowlist::default();
    let mut number = |key: u64| {
        if key == 0 {
            return 0;
        }
        *numbers.entry(key).or_insert_with(|| {
            keys.push(key);
            u32::try_from(keys.len() - 1).unwrap_or(u32::MAX)
        })
    };
    let documents = samples.iter().map(|sample| {
        let source = sources.binary_search(&sample.source).unwrap_or(0).min(SOURCES - 1);
        Document {
            label: sample.label,
            source: u8::try_from(source).unwrap_or(0),
            weight: sample.weight,
            learn: sample.learn,
            readings: numbered(sample, &urls, &mut number),
        }
    });
    let documents = documents.collect();
    Prepared { documents, sources, keys }
}

fn numbered(sample: &Sample, urls: &UrlAllowlist, number: &mut dyn FnMut(u64) -> u32) -> Vec<(Vec<Numbers>, f32)> {
    let readings = read(&sample.text, 0, urls);
    let words = |(step, signals): (Step, [u64; SIGNALS])| {
        let mut numbers = [0; KEYS + SIGNALS];
        for (slot, key) in numbers.iter_mut().zip(step.keys().into_iter().chain(signals)) {
            *slot = number(key);
        }
        numbers
    };
    let mut words = words;
    let reading = |r: &Reading<'_>| {
        let list = r.walk().map(&mut words).collect();
        (list, r.leniency())
    };
    readings.list.iter().map(reading).collect()
}
