//! Scores of benign texts in, thresholds that let through as many of them as is bearable out.

use serde::Serialize;

/// The shares of tool-like benign text that may be flagged, in thousandths: what figures are given at.
pub(crate) const PERMILLE: [usize; 3] = [1, 5, 10];
/// The share from which a warning is given, in thousandths.
const WARN: usize = 20;
/// How certain a score at the threshold of `critical` is.
const CERTAIN: f32 = 0.9;

/// From which raw score what is said.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Thresholds {
    /// 2 % of tool-like benign text of unseen sources is at or above.
    pub(crate) warn: f32,
    /// 0.5 %.
    pub(crate) error: f32,
    /// 0.1 %.
    pub(crate) critical: f32,
    /// How fast certainty grows with the score.
    pub(crate) slope: f32,
}

impl Thresholds {
    /// The thresholds that scores of benign texts ask for; nothing where there are none.
    pub(crate) fn of(benign: Vec<f32>) -> Option<Self> {
        let ranked = Ranked::new(benign)?;
        let [critical, error, _] = PERMILLE.map(|p| ranked.threshold(p));
        let slope = (CERTAIN / (1.0 - CERTAIN)).ln() / (critical - error).max(0.05);
        Some(Self { warn: ranked.threshold(WARN), error, critical, slope })
    }
}

/// Scores, worst first.
#[derive(Debug)]
pub(crate) struct Ranked(Vec<f32>);

impl Ranked {
    /// Ranks scores; nothing where there are none.
    pub(crate) fn new(mut scores: Vec<f32>) -> Option<Self> {
        scores.sort_unstable_by(|a, b| b.total_cmp(a));
        (!scores.is_empty()).then_some(Self(scores))
    }

    /// The least score that at most so many thousandths reach.
    pub(crate) fn threshold(&self, permille: usize) -> f32 {
        let at = (self.0.len() * permille / 1000).min(self.0.len().saturating_sub(1));
        self.0.get(at).copied().unwrap_or(0.0).next_up()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_the_share_is_at_or_above() {
        let scores: Vec<f32> = (0..2000).map(|n| (n / 3) as f32).collect();
        let ranked = Ranked::new(scores.clone()).expect("some");
        for permille in [1, 5, 10, 20, 500] {
            let at = ranked.threshold(permille);
            let above = scores.iter().filter(|s| **s >= at).count();
            assert!(above <= 2 * permille && above + 3 >= 2 * permille, "{permille}: {above}");
        }
    }

    #[test]
    fn the_worse_the_higher() {
        let made = Thresholds::of((0..5000).map(|n| n as f32 / 100.0).collect()).expect("some");
        assert!(made.warn < made.error && made.error < made.critical && made.slope > 0.0, "{made:?}");
        assert_eq!(Thresholds::of(Vec::new()), None);
    }
}
