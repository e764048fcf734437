//! A file → its lines, one at a time, within bounds. A file that still grows can be asked again.

use ringfence_seal::event::LONGEST_LINE;
use std::io::{self, Read};

const CHUNK: usize = 64 * 1024;

/// The lines of a source.
#[derive(Debug)]
pub struct Lines<R> {
    source: R,
    buffer: Vec<u8>,
    /// Where the next line starts in the buffer.
    start: usize,
    /// How far the buffer is known to hold no end of that line.
    scanned: usize,
    whole_bytes: u64,
}

/// What comes next.
#[derive(Debug, PartialEq, Eq)]
pub enum Next<'a> {
    /// A line, without its end.
    Line(&'a [u8]),
    /// Nothing more for now, but so many bytes without an end.
    End {
        /// Bytes after the last end of a line.
        torn_bytes: u64,
    },
    /// A line that is longer than a line may be.
    TooLong,
}

impl<R: Read> Lines<R> {
    /// The lines from where the source stands.
    pub fn new(source: R) -> Self {
        Self { source, buffer: Vec::new(), start: 0, scanned: 0, whole_bytes: 0 }
    }

    /// The next line.
    pub fn advance(&mut self) -> io::Result<Next<'_>> {
        loop {
            let unseen = self.buffer.get(self.scanned..).unwrap_or_default();
            if let Some(n) = unseen.iter().position(|b| *b == b'\n') {
                let (from, to) = (self.start, self.scanned + n);
                self.whole_bytes += (to - from + 1) as u64;
                self.start = to + 1;
                self.scanned = self.start;
                let line = self.buffer.get(from..to).unwrap_or_default();
                return Ok(if line.len() < LONGEST_LINE { Next::Line(line) } else { Next::TooLong });
            }
            self.scanned = self.buffer.len();
            if self.torn().len() >= LONGEST_LINE {
                return Ok(Next::TooLong);
            }
            if self.fill()? == 0 {
                return Ok(Next::End { torn_bytes: self.torn().len() as u64 });
            }
        }
    }

    /// The bytes after the last end of a line, as far as they were read.
    pub fn torn(&self) -> &[u8] {
        self.buffer.get(self.start..).unwrap_or_default()
    }

    /// How many bytes the lines so far took, with their ends.
    pub fn whole_bytes(&self) -> u64 {
        self.whole_bytes
    }

    fn fill(&mut self) -> io::Result<usize> {
        self.buffer.drain(..self.start);
        self.scanned -= self.start;
        self.start = 0;
        let filled = self.buffer.len();
        self.buffer.resize(filled + CHUNK, 0);
        let read = loop {
            match self.source.read(self.buffer.get_mut(filled..).unwrap_or_default()) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        self.buffer.truncate(filled + read.as_ref().copied().unwrap_or(0));
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_ends_and_what_is_torn() {
        let mut lines = Lines::new(&b"ab\n\ncd"[..]);
        assert_eq!(lines.advance().unwrap(), Next::Line(b"ab"));
        assert_eq!(lines.advance().unwrap(), Next::Line(b""));
        assert_eq!(lines.whole_bytes(), 4);
        for _ in 0..2 {
            assert_eq!(lines.advance().unwrap(), Next::End { torn_bytes: 2 });
        }
        assert_eq!(lines.torn(), b"cd");
    }

    #[test]
    fn a_line_has_a_longest_length_with_or_without_its_end() {
        let fits = [vec![b'x'; LONGEST_LINE - 1], vec![b'\n']].concat();
        let mut lines = Lines::new(&fits[..]);
        assert!(matches!(lines.advance().unwrap(), Next::Line(l) if l.len() == LONGEST_LINE - 1));
        let long = [vec![b'x'; LONGEST_LINE], vec![b'\n']].concat();
        assert_eq!(Lines::new(&long[..]).advance().unwrap(), Next::TooLong);
        let mut endless = Lines::new(io::repeat(b'x'));
        assert_eq!(endless.advance().unwrap(), Next::TooLong);
        assert!(endless.buffer.len() <= LONGEST_LINE + CHUNK, "no more is kept than has to be");
    }
}
