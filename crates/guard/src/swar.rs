//! Eight bytes at a time: which are letters, which are digits.

const HIGH: u64 = 0x8080_8080_8080_8080;
const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
const ONES: u64 = 0x0101_0101_0101_0101;

/// Eight bytes of a text, the first the lowest; zero past the end.
#[inline]
pub(crate) fn load(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.first_chunk::<8>() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => load_end(rest),
    }
}

/// Less than eight bytes, the first the lowest.
#[inline]
fn load_end(rest: &[u8]) -> u64 {
    match (rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
        // Two fours that overlap say the same where they do.
        (Some(first), Some(last)) => {
            let last = u64::from(u32::from_le_bytes(*last)) << (8 * (rest.len() - 4));
            u64::from(u32::from_le_bytes(*first)) | last
        }
        _ => rest.iter().rev().fold(0, |word, b| word << 8 | u64::from(*b)),
    }
}

/// The high bit of each byte that is between `low` and `high`, both ASCII.
#[inline]
fn between(x: u64, low: u8, high: u8) -> u64 {
    let at_least = x.wrapping_add(ONES.wrapping_mul(u64::from(0x80 - low)));
    let above = x.wrapping_add(ONES.wrapping_mul(u64::from(0x7f - high)));
    at_least & !above & HIGH
}

/// The high bit of each byte that is an ASCII letter.
#[inline]
pub(crate) fn letters(x: u64) -> u64 {
    between((x | ONES << 5) & LOW, b'a', b'z') & !x
}

/// The high bit of each byte that is an ASCII digit.
#[inline]
pub(crate) fn digits(x: u64) -> u64 {
    between(x & LOW, b'0', b'9') & !x
}

/// The high bit of each byte that is an underscore.
#[inline]
pub(crate) fn underscores(x: u64) -> u64 {
    between(x & LOW, b'_', b'_') & !x
}

/// Gathers the high bits of eight bytes into eight bits, the first the lowest.
#[inline]
fn gather(mask: u64) -> u64 {
    (mask >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// What the next 64 bytes are, a bit for each.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Marks {
    /// Letters and digits.
    pub(crate) words: u64,
    pub(crate) digits: u64,
    /// Spaces, line feeds and other controls; and what is past the end of the text, so that nobody stops there.
    pub(crate) spaces: u64,
}

impl Marks {
    /// The marks of the block at `at`.
    #[inline]
    pub(crate) fn of(bytes: &[u8], at: usize) -> Self {
        let rest = bytes.get(at..).unwrap_or_default();
        let mut tail = [b' '; 64];
        let block = rest.first_chunk::<64>().unwrap_or_else(|| {
            for (to, from) in tail.iter_mut().zip(rest) {
                *to = *from;
            }
            &tail
        });
        let mut marks = Self::default();
        for (i, eight) in block.chunks_exact(8).enumerate() {
            let x = load(eight, 0);
            let digits = gather(digits(x));
            marks.words |= (gather(letters(x)) | digits) << (i * 8);
            marks.digits |= digits << (i * 8);
            marks.spaces |= gather(between(x & LOW, 0, b' ') & !x) << (i * 8);
        }
        marks
    }
}

/// How many bytes from the first have their high bit set in a mask.
#[inline]
pub(crate) fn leading(mask: u64) -> usize {
    (!mask & HIGH).trailing_zeros() as usize / 8
}

/// All bits of the first `bytes` bytes.
#[inline]
pub(crate) fn first(bytes: usize) -> u64 {
    u64::MAX.checked_shr(64_u32.saturating_sub(bytes as u32 * 8)).unwrap_or(0)
}

/// The first `len` bytes of a word of letters, in lower case.
#[inline]
pub(crate) fn lower(x: u64, len: usize) -> u64 {
    (x | ONES << 5) & first(len)
}

/// The high bit of each byte that is a hexadecimal digit.
#[inline]
pub(crate) fn hex_digits(x: u64) -> u64 {
    between((x | ONES << 5) & LOW, b'a', b'f') & !x | digits(x)
}

/// The letters of a word in lower case as distances from its first letter, modulo 26, with its length (at most 8) in
/// the first byte: the same for every shift of the alphabet.
#[inline]
pub(crate) fn shape(x: u64, len: usize) -> u64 {
    let letters = lower(x, len).wrapping_sub(ONES.wrapping_mul(u64::from(b'a')) & first(len));
    let start = letters & 0xff;
    let moved = letters.wrapping_add((ONES & first(len)).wrapping_mul(26_u64.wrapping_sub(start)));
    let over = (moved.wrapping_add(ONES.wrapping_mul(0x80 - 26)) & HIGH) >> 7;
    let distances = moved.wrapping_sub(over.wrapping_mul(26));
    (distances & first(len) & !0xff) | len.min(8) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_mark_exactly_letters_and_digits() {
        for b in 0..=255_u8 {
            for at in 0..8 {
                let x = u64::from(b) << (at * 8);
                let mark = 0x80_u64 << (at * 8);
                assert_eq!(letters(x), if b.is_ascii_alphabetic() { mark } else { 0 }, "{b}");
                assert_eq!(digits(x), if b.is_ascii_digit() { mark } else { 0 }, "{b}");
            }
        }
        assert_eq!(leading(letters(load(b"ab1c", 0))), 2);
        assert_eq!(leading(letters(load(b"abcdefghi", 0))), 8);
        let marks = Marks::of("ab 1\n\u{e9}z".as_bytes(), 0);
        assert_eq!((marks.words & 0xff, marks.digits, marks.spaces & 0xff), (0b1000_1011, 0b1000, 0b0001_0100));
        assert_eq!(load(b"abc", 1), u64::from(b'b') | u64::from(b'c') << 8);
        for length in 0..=8 {
            let bytes: Vec<u8> = (1..=length).collect();
            let slow = bytes.iter().rev().fold(0, |word, b| word << 8 | u64::from(*b));
            assert_eq!(load(&bytes, 0), slow);
        }
    }

    #[test]
    fn every_shift_of_a_word_has_one_shape() {
        let plain = shape(load(b"ignore", 0), 6);
        for shift in 0..26_u8 {
            let moved: Vec<u8> =
                b"iGnoRe".iter().map(|b| (b.to_ascii_lowercase() - b'a' + shift) % 26 + b'a').collect();
            assert_eq!(shape(load(&moved, 0), 6), plain, "{shift}");
        }
        assert_ne!(shape(load(b"ignored", 0), 7), plain);
        assert_ne!(shape(load(b"aaaa", 0), 4), shape(load(b"aaa", 0), 3));
    }
}
