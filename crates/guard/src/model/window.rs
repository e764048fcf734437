//! Weights of words in, the best windows out: every stretch of a few sizes is judged, at the cost of one subtraction.
//!
//! A window's score is the sum of its words' weights by its length, so that a short clear sentence and a
//! long suspicious paragraph are measured alike.

use std::ops::Range;

/// The sizes of windows, in words, smallest first.
pub(crate) const SIZES: [usize; 4] = [10, 18, 28, 44];
pub(crate) const LARGEST: usize = 44;
/// Keeps one strong word from being a verdict.
const SOFTENING: f32 = 16.0;

/// What a sum is multiplied with to be a score, for a window of `words`.
pub(crate) fn norm(words: usize) -> f32 {
    1.0 / (words as f32 + SOFTENING)
}

/// A stretch of words and its score.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stretch {
    /// Before calibration; higher is worse.
    pub(crate) score: f32,
    /// The words.
    pub(crate) words: Range<usize>,
}

/// How many sums are kept: more than the largest window, and a power of two.
const KEPT: usize = 64;

/// Slides windows of all sizes over weights as they come.
#[derive(Debug)]
pub(crate) struct Slide {
    /// Sums up to each of the last words. They may wrap: what counts is their difference.
    sums: [i32; KEPT],
    norms: [f32; SIZES.len()],
    count: usize,
    sum: i32,
}

impl Slide {
    /// A slide, where a weight of one counts `scale`.
    pub(crate) fn new(scale: f32) -> Self {
        Self { sums: [0; KEPT], norms: SIZES.map(|s| norm(s) * scale), count: 0, sum: 0 }
    }

    /// Takes the next word and answers the score of the best window that ends with it.
    #[inline]
    pub(crate) fn push(&mut self, weight: i32) -> f32 {
        self.sum = self.sum.wrapping_add(weight);
        self.count += 1;
        if let Some(slot) = self.sums.get_mut(self.count % KEPT) {
            *slot = self.sum;
        }
        let scores = self.scores();
        scores.into_iter().fold(f32::MIN, |best, score| if score > best { score } else { best })
    }

    /// The best window that ends with the last word.
    pub(crate) fn best(&self) -> Stretch {
        let mut best = Stretch { score: f32::MIN, words: 0..0 };
        for (size, score) in SIZES.into_iter().zip(self.scores()) {
            if score > best.score {
                best = Stretch { score, words: self.count.saturating_sub(size)..self.count };
            }
        }
        best
    }

    /// The scores of the windows of each size that end with the last word.
    #[inline]
    fn scores(&self) -> [f32; SIZES.len()] {
        let mut sums = [0; SIZES.len()];
        for (sum, size) in sums.iter_mut().zip(SIZES) {
            let before = self.sums.get(self.count.wrapping_sub(size) % KEPT).copied().unwrap_or(0);
            *sum = self.sum.wrapping_sub(before);
        }
        let mut scores = [0.0; SIZES.len()];
        for ((score, sum), norm) in scores.iter_mut().zip(sums).zip(self.norms) {
            *score = sum as f32 * norm;
        }
        if self.count < LARGEST {
            // A text shorter than the window is judged as if the window were its own length, at the end.
            for (score, _) in scores.iter_mut().zip(SIZES).filter(|(_, size)| *size > self.count) {
                *score = f32::MIN;
            }
        }
        scores
    }

    /// The whole text, where it is shorter than the largest window.
    pub(crate) fn whole(&self, scale: f32) -> Option<Stretch> {
        (self.count > 0 && self.count < LARGEST)
            .then(|| Stretch { score: self.sum as f32 * scale * norm(self.count), words: 0..self.count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The best window over all of `weights`.
    fn best(weights: &[i32], scale: f32) -> Option<Stretch> {
        let mut slide = Slide::new(scale);
        let mut best: Option<Stretch> = None;
        for weight in weights {
            slide.push(*weight);
            let found = slide.best();
            if best.as_ref().is_none_or(|b| found.score > b.score) {
                best = Some(found);
            }
        }
        match (best, slide.whole(scale)) {
            (Some(b), Some(w)) if w.score > b.score => Some(w),
            (None, whole) => whole,
            (best, _) => best,
        }
    }

    #[test]
    fn the_best_window_is_the_dense_one() {
        let mut weights = vec![-1; 200];
        weights.get_mut(90..108).expect("inside").fill(20);
        let found = best(&weights, 1.0).expect("a window");
        assert_eq!(found.words, 90..108);
    }

    #[test]
    fn a_short_text_is_judged_whole() {
        assert_eq!(best(&[3, 4, 5], 1.0).expect("a window").words, 0..3);
        assert!(best(&[], 1.0).is_none());
    }
}
