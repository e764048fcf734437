//! Prepared texts in, a score for each from a model that never saw its source out.
//!
//! There is a fold for each source of attacks; it holds out that source whole, and the benign sources that fall to it.
//! Folds are learnt side by side, each by one thread: how many there are changes no figure.

use super::corpus::Item;
use crate::failure::Failure;
use crate::output::Output;
use ringfence_guard::train::{Document, Label, Prepared, Settings, fit};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The most threads: each holds all weights.
const THREADS: usize = 8;

/// Which fold holds out which source.
#[derive(Debug)]
pub(crate) struct Folds {
    /// Each fold by the source of attacks that it holds out.
    pub(crate) names: Vec<String>,
    /// By number of source; made texts are in no fold.
    of_source: Vec<Option<usize>>,
}

impl Folds {
    /// Cuts documents, the first of which are those of the items, by source.
    pub(crate) fn new(prepared: &Prepared, items: &[Item]) -> Result<Self, Failure> {
        let mut attacks: BTreeMap<u8, usize> = BTreeMap::new();
        let mut others: BTreeMap<u8, usize> = BTreeMap::new();
        for document in prepared.documents.iter().take(items.len()) {
            let counts = if document.label() == Label::Inject { &mut attacks } else { &mut others };
            *counts.entry(document.source()).or_default() += 1;
        }
        if attacks.len() < 2 {
            let found = attacks.len();
            return Err(Failure::Usage(format!(
                "the corpus has attacks of {found} sources; to leave one out it takes at least two"
            )));
        }
        let mut of_source = vec![None; 256];
        let mut set = |source: u8, fold: usize| {
            if let Some(slot) = of_source.get_mut(usize::from(source)) {
                *slot = Some(fold);
            }
        };
        // The largest benign sources go to different folds.
        let mut by_size: Vec<(u8, usize)> = others.into_iter().collect();
        by_size.sort_by_key(|(source, count)| (std::cmp::Reverse(*count), *source));
        for (place, (source, _)) in by_size.iter().enumerate() {
            set(*source, place % attacks.len());
        }
        for (place, source) in attacks.keys().enumerate() {
            set(*source, place);
        }
        let name = |source: &u8| prepared.sources.get(usize::from(*source)).cloned().unwrap_or_default();
        Ok(Self { names: attacks.keys().map(name).collect(), of_source })
    }

    fn of(&self, document: &Document) -> Option<usize> {
        self.of_source.get(usize::from(document.source())).copied().flatten()
    }

    /// The score of each item before calibration, by the model of its fold.
    pub(crate) fn scores(&self, prepared: &Prepared, settings: &Settings, items: usize, output: &Output) -> Vec<f32> {
        let all = Mutex::new(vec![f32::MIN; items]);
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let fold = next.fetch_add(1, Ordering::Relaxed);
                let Some(name) = self.names.get(fold) else { break };
                let start = Instant::now();
                let fitted = fit(prepared, settings, &|d| self.of(d) != Some(fold));
                let held_out = prepared.documents.iter().take(items).enumerate();
                let scored: Vec<(usize, f32)> = held_out
                    .filter(|(_, d)| self.of(d) == Some(fold))
                    .map(|(number, d)| (number, fitted.score(d)))
                    .collect();
                let many = scored.len();
                let mut all = all.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                for (number, score) in scored {
                    if let Some(slot) = all.get_mut(number) {
                        *slot = score;
                    }
                }
                let (seconds, of) = (start.elapsed().as_secs_f32(), self.names.len());
                let name = crate::output::shown(name);
                output.note(&format!("fold {} of {of}, without {name}: {many} texts, {seconds:.1} s\n", fold + 1));
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS).min(self.names.len());
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(work);
            }
        });
        all.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
