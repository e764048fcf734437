//! The model's file: eight bytes of name, the calibration, the table.

/// What every model file begins with.
const MAGIC: &[u8; 8] = b"RFGUARD1";
const NUMBERS: usize = 6;

/// The weight of a signal is kept in coarser steps than that of words: it is much larger.
pub(crate) const SIGNAL_STEP: i32 = 64;

/// What raw scores mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// What a weight of one counts.
    pub step: f32,
    /// The raw score of a text that says nothing either way.
    pub bias: f32,
    /// From which raw score a stretch is worth a warning.
    pub warn: f32,
    /// From which raw score it reads as an attempt to steer the model.
    pub error: f32,
    /// From which raw score it has no innocent reading.
    pub critical: f32,
    /// How fast certainty grows with the raw score.
    pub slope: f32,
}

impl Calibration {
    /// A raw score between 0 and 1, where a half is the threshold of [`Severity::Error`](crate::Severity::Error).
    #[must_use]
    pub fn score(&self, raw: f32) -> f64 {
        1.0 / (1.0 + f64::from(-(raw - self.error) * self.slope).exp())
    }
}

/// Why bytes are no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// Another format.
    #[error("these bytes are no guard model of this version")]
    Format,
    /// Damaged.
    #[error("the guard model's table has an impossible size")]
    Table,
}

/// A file's calibration and its table.
pub(crate) fn split(bytes: &[u8]) -> Result<(Calibration, &[u8]), ModelError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(ModelError::Format)?;
    let (numbers, table) = rest.split_at_checked(NUMBERS * 4).ok_or(ModelError::Format)?;
    let mut numbers = numbers.as_chunks::<4>().0.iter().map(|n| f32::from_le_bytes(*n));
    let mut next = || numbers.next().filter(|n| n.is_finite()).ok_or(ModelError::Format);
    let calibration =
        Calibration { step: next()?, bias: next()?, warn: next()?, error: next()?, critical: next()?, slope: next()? };
    Ok((calibration, table))
}

/// The bytes of a file.
pub(crate) fn write(calibration: &Calibration, table: &[u8]) -> Vec<u8> {
    let Calibration { step, bias, warn, error, critical, slope } = *calibration;
    let mut bytes = MAGIC.to_vec();
    for number in [step, bias, warn, error, critical, slope] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.extend_from_slice(table);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let calibration = Calibration { step: 0.1, bias: -2.0, warn: 0.1, error: 0.2, critical: 0.7, slope: 3.0 };
        let bytes = write(&calibration, &[1, 2, 3]);
        assert_eq!(split(&bytes), Ok((calibration, &[1, 2, 3][..])));
        assert_eq!(split(bytes.get(..20).expect("long enough")), Err(ModelError::Format));
        assert_eq!(split(b"something else"), Err(ModelError::Format));
        assert!((calibration.score(0.2) - 0.5).abs() < 1e-9);
    }
}
