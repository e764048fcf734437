//! Pieces in, one report at the end: blocks that overlap, so that what is split between two pieces is still found.

use super::{Report, Scanner};

/// How much is scanned at once, in bytes.
pub(super) const BLOCK: usize = 64 << 10;
/// How much of a block is scanned again with the next one.
const OVERLAP: usize = 4 << 10;

/// A scan under way. Holds one block, however long the text is.
#[derive(Debug)]
pub struct Stream<'a> {
    scanner: &'a Scanner,
    waiting: String,
    /// Where `waiting` starts in the whole text.
    offset: usize,
    report: Report,
}

impl<'a> Stream<'a> {
    pub(super) fn new(scanner: &'a Scanner) -> Self {
        Self { scanner, waiting: String::new(), offset: 0, report: Report::default() }
    }

    /// Takes the next piece.
    pub fn push(&mut self, piece: &str) {
        let mut rest = piece;
        while self.waiting.len() + rest.len() > BLOCK {
            // Where not even one character fits, the block is full as it is: blocks end alike however a text is cut.
            let take = floor(rest, BLOCK.saturating_sub(self.waiting.len()));
            let (now, later) = rest.split_at(take);
            self.waiting.push_str(now);
            rest = later;
            self.block();
        }
        self.waiting.push_str(rest);
    }

    /// What was found so far. What is held back for the next block is not yet in it.
    #[must_use]
    pub fn so_far(&self) -> &Report {
        &self.report
    }

    /// Scans what is left and answers.
    #[must_use]
    pub fn finish(mut self) -> Report {
        if !self.waiting.is_empty() {
            self.scanner.block(&self.waiting, self.offset, &mut self.report);
        }
        self.report.settle();
        self.report
    }

    /// Scans the waiting block and keeps its tail.
    fn block(&mut self) {
        self.scanner.block(&self.waiting, self.offset, &mut self.report);
        let keep = floor(&self.waiting, self.waiting.len().saturating_sub(OVERLAP));
        self.waiting.drain(..keep);
        self.offset += keep;
        // One block's double findings are settled before the next come, so that the bound counts distinct ones.
        self.report.settle();
    }
}

/// The last character boundary at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while at > 0 && !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
