//! How much may be opened: one budget for a text and everything found inside it.

/// Decoded text is at most this many times the input, over all depths.
const TIMES: usize = 2;
/// Room for the small overheads of short inputs, in bytes.
const FLOOR: usize = 1024;

/// What is left to be opened.
#[derive(Debug, Clone)]
pub struct Budget {
    bytes: usize,
    is_spent: bool,
}

impl Budget {
    /// The budget for an input of so many bytes: twice the input and a little.
    #[must_use]
    pub fn for_input(bytes: usize) -> Self {
        Self::of_bytes(bytes.saturating_mul(TIMES).saturating_add(FLOOR))
    }

    /// A budget of exactly so many decoded bytes.
    #[must_use]
    pub fn of_bytes(bytes: usize) -> Self {
        Self { bytes, is_spent: false }
    }

    /// The decoded bytes still allowed.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether something was left unopened for want of budget.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.is_spent
    }

    /// Takes so many bytes, if they are there.
    pub(super) fn take(&mut self, bytes: usize) -> bool {
        match self.bytes.checked_sub(bytes) {
            Some(left) => {
                self.bytes = left;
                true
            }
            None => {
                self.is_spent = true;
                false
            }
        }
    }
}
