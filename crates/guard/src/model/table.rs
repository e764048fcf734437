//! The weights, packed: buckets of four entries, each a mark of 24 bits and a weight of 8.
//!
//! A key that is not in the table weighs nothing; that another key is taken for one that is happens about once in four
//! million lookups.

/// Entries of a bucket.
pub(crate) const BUCKET: usize = 4;
const ENTRY_BYTES: usize = 4;
const BUCKET_BYTES: usize = BUCKET * ENTRY_BYTES;

/// Where a key belongs among `1 << bits` buckets.
#[inline]
pub(crate) fn bucket_of(key: u64, bits: u32) -> usize {
    usize::try_from(key >> (64 - bits)).unwrap_or(0)
}

/// What marks a key inside its bucket; never zero, which marks an empty entry.
#[inline]
pub(crate) fn mark_of(key: u64) -> u32 {
    ((key >> 24) as u32 & 0x00FF_FFFF).max(1)
}

/// The weights of a model.
#[derive(Debug, Clone)]
pub(crate) struct Table<'a> {
    buckets: &'a [[u8; BUCKET_BYTES]],
    bits: u32,
    /// One bit for each sixteenth of a bucket: most keys of ordinary text are unknown, and a table an eighth as large
    /// stays near the processor.
    seen: Vec<u64>,
}

/// Which bit of `seen` a key sets.
#[inline]
fn bit_of(bucket: usize, mark: u32) -> usize {
    bucket << 4 | (mark >> 20) as usize
}

impl<'a> Table<'a> {
    /// The table in `bytes`, if their number is a power of two of buckets.
    pub(crate) fn new(bytes: &'a [u8]) -> Option<Self> {
        let (buckets, rest) = bytes.as_chunks::<BUCKET_BYTES>();
        if !rest.is_empty() || !buckets.len().is_power_of_two() || buckets.len() < 4 {
            return None;
        }
        let mut seen = vec![0; buckets.len() << 4 >> 6];
        for (number, bucket) in buckets.iter().enumerate() {
            for entry in bucket.as_chunks::<ENTRY_BYTES>().0 {
                let mark = u32::from_le_bytes(*entry) >> 8;
                let bit = bit_of(number, mark);
                if let Some(word) = seen.get_mut(bit >> 6).filter(|_| mark != 0) {
                    *word |= 1 << (bit & 63);
                }
            }
        }
        Some(Self { buckets, bits: buckets.len().trailing_zeros(), seen })
    }

    /// The weight of a key.
    #[inline]
    pub(crate) fn weight(&self, key: u64) -> i32 {
        if key == 0 {
            return 0;
        }
        let (number, mark) = (bucket_of(key, self.bits), mark_of(key));
        let bit = bit_of(number, mark);
        match self.seen.get(bit >> 6) {
            Some(word) if word >> (bit & 63) & 1 != 0 => self.look_up(number, mark),
            _ => 0,
        }
    }

    #[inline]
    fn look_up(&self, number: usize, mark: u32) -> i32 {
        let Some(bucket) = self.buckets.get(number) else { return 0 };
        let mut weight = 0;
        for entry in bucket.as_chunks::<ENTRY_BYTES>().0 {
            let entry = u32::from_le_bytes(*entry);
            if entry >> 8 == mark {
                weight = i32::from((entry & 0xFF) as u8 as i8);
            }
        }
        weight
    }
}

/// Packs weights into a table of `1 << bits` buckets. Where a bucket is full, the weakest entry gives way.
/// Returns the bytes and how many entries gave way.
pub(crate) fn pack(weights: &[(u64, i8)], bits: u32) -> (Vec<u8>, usize) {
    let mut buckets: Vec<Vec<(u32, i8)>> = vec![Vec::new(); 1 << bits];
    for (key, weight) in weights {
        if let Some(bucket) = buckets.get_mut(bucket_of(*key, bits)) {
            bucket.push((mark_of(*key), *weight));
        }
    }
    let mut bytes = Vec::with_capacity(buckets.len() * BUCKET_BYTES);
    let mut dropped = 0;
    for mut bucket in buckets {
        bucket.sort_unstable_by_key(|(mark, weight)| (std::cmp::Reverse(weight.unsigned_abs()), *mark, *weight));
        bucket.dedup_by_key(|(mark, _)| *mark);
        dropped += bucket.len().saturating_sub(BUCKET);
        bucket.resize(BUCKET, (0, 0));
        for (mark, weight) in bucket {
            bytes.extend_from_slice(&(mark << 8 | u32::from(weight as u8)).to_le_bytes());
        }
    }
    (bytes, dropped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_is_found_and_nothing_else() {
        let key = |n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(7);
        let weights: Vec<(u64, i8)> = (1..2000).map(|n| (key(n), (n % 255) as i8)).collect();
        let (bytes, dropped) = pack(&weights, 11);
        let table = Table::new(&bytes).expect("a table");
        let lost = weights.iter().filter(|(k, w)| table.weight(*k) != i32::from(*w)).count();
        assert_eq!(lost, dropped);
        assert!(dropped < 20, "{dropped}");
        assert_eq!((5000..9000).filter(|n| table.weight(key(*n)) != 0).count(), 0);
    }

    #[test]
    fn bytes_of_another_length_are_no_table() {
        assert!(Table::new(&[0; 48]).is_none());
        assert!(Table::new(&[0; 33]).is_none());
        assert!(Table::new(&[]).is_none());
    }
}
