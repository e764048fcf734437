//! The linear model: readings in, stretches with a calibrated score out.
//!
//! Weights come compiled in; the trainer of this crate makes the file, the same bytes from the same texts.

pub(crate) mod feature;
pub(crate) mod file;
pub(crate) mod table;
pub(crate) mod talk;
pub(crate) mod token;
pub(crate) mod window;

pub use file::{Calibration, ModelError};

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use self::feature::Step;
use self::table::Table;
use self::window::Slide;
use crate::reading::Reading;

static EMBEDDED: &[u8] = include_bytes!("../../data/model.bin");

/// Weights, and what their sums mean.
#[derive(Debug, Clone)]
pub struct Model {
    table: Arc<Table>,
    calibration: Calibration,
}

/// A stretch of a reading that scores.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scored {
    /// Before calibration.
    pub(crate) raw: f32,
    /// The bytes of the folded text.
    pub(crate) part: Range<usize>,
}

/// The most stretches reported of one reading.
const STRETCHES: usize = 64;

/// Of how many words it is kept where they start: more than the largest window, and a power of two.
const STARTS: usize = 64;

impl Model {
    /// The model that is compiled in.
    ///
    /// # Errors
    ///
    /// Where the compiled-in file is damaged.
    pub fn embedded() -> Result<Self, ModelError> {
        static READ: OnceLock<Result<Model, ModelError>> = OnceLock::new();
        READ.get_or_init(|| Self::read(EMBEDDED)).clone()
    }

    /// The bytes of the model that is compiled in.
    #[must_use]
    pub fn embedded_bytes() -> &'static [u8] {
        EMBEDDED
    }

    /// A model from the bytes of a file.
    ///
    /// # Errors
    ///
    /// Where the bytes are no model, or one of another format.
    pub fn read(bytes: &'static [u8]) -> Result<Self, ModelError> {
        let (calibration, weights) = file::split(bytes)?;
        let table = Table::new(weights).ok_or(ModelError::Table)?;
        Ok(Self { table: Arc::new(table), calibration })
    }

    /// The weight of a word and of what it is together with the words before it.
    #[inline]
    fn words(&self, step: &Step) -> i32 {
        if step.is_repeated() {
            return 0;
        }
        let together = if self.table.knows(step.pair()) { self.table.sum(&step.together()) } else { 0 };
        self.table.sum(&step.always()) + together
    }

    /// What scores mean.
    #[must_use]
    pub fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    /// The worst score of a reading before calibration, and the stretches that score at least `from`, worst of each
    /// neighbourhood.
    pub(crate) fn score(&self, reading: &Reading<'_>, from: f32) -> (f32, Vec<Scored>) {
        let mut slide = Slide::new(self.calibration.step);
        let mut starts = [0; STARTS];
        let mut worst = f32::MIN;
        let mut found: Vec<Scored> = Vec::new();
        let mut end = 0;
        for (number, (step, signals)) in reading.walk().enumerate() {
            if let Some(slot) = starts.get_mut(number % STARTS) {
                *slot = step.start;
            }
            end = step.end;
            let words = self.words(&step);
            let spoken: i32 = signals.iter().filter(|k| **k != 0).map(|k| self.table.weight(*k)).sum();
            let raw = slide.push(words + spoken * file::SIGNAL_STEP) + self.calibration.bias;
            worst = worst.max(raw);
            if raw >= from {
                let stretch = slide.best();
                let start = starts.get(stretch.words.start % STARTS).copied().unwrap_or(0);
                join(&mut found, Scored { raw, part: start..end });
            }
        }
        if let Some(whole) = slide.whole(self.calibration.step) {
            let raw = whole.score + self.calibration.bias;
            worst = worst.max(raw);
            if raw >= from {
                join(&mut found, Scored { raw, part: starts.first().copied().unwrap_or(0)..end });
            }
        }
        // Only a reading that scores is read again for what it talks about.
        let leniency = if worst >= from { reading.leniency() } else { 0.0 };
        for stretch in &mut found {
            stretch.raw -= leniency;
        }
        found.retain(|s| s.raw >= from);
        (worst - leniency, found)
    }
}

/// Adds a stretch; where it touches the last one, the worse of the two stays.
fn join(found: &mut Vec<Scored>, next: Scored) {
    if let Some(last) = found.last_mut().filter(|last| next.part.start <= last.part.end) {
        if next.raw > last.raw {
            *last = next;
        }
    } else if found.len() < STRETCHES {
        found.push(next);
    }
}
