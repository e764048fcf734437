//! Bytes ↔ lower-case hex. Upper case is refused: one value has one spelling.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Writes each byte as two digits.
pub(crate) fn push(bytes: &[u8], out: &mut String) {
    for byte in bytes {
        for nibble in [byte >> 4, byte & 15] {
            out.push(char::from(DIGITS.get(usize::from(nibble)).copied().unwrap_or(b'0')));
        }
    }
}

/// Reads exactly `N` bytes.
pub(crate) fn read<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digit = |b: u8| DIGITS.iter().position(|d| *d == b).and_then(|d| u8::try_from(d).ok());
    let mut out = [0; N];
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return None };
    if pairs.len() != N {
        return None;
    }
    for (slot, [high, low]) in out.iter_mut().zip(pairs) {
        *slot = digit(*high)? << 4 | digit(*low)?;
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_has_one_spelling() {
        let mut text = String::new();
        push(&[0, 15, 255], &mut text);
        assert_eq!(text, "000fff");
        assert_eq!(read(&text), Some([0, 15, 255]));
        for bad in ["000fFF", "000ff", "000fff00", "000f f", "000fä"] {
            assert_eq!(read::<3>(bad), None, "{bad}");
        }
    }
}
