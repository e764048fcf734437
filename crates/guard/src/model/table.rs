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

/// Which bits of a key name the pair that it belongs to: the highest of its mark.
const PAIR_BITS: u32 = 19;
const PAIR_SHIFT: u32 = 48 - PAIR_BITS;
/// The lowest bit of a mark says that there is a pair.
const PAIRED: u64 = 1 << 24;

/// The key of something said about a pair of words, so that all keys of the pair have some bits in common.
#[inline]
pub(crate) fn paired(pair: u64, key: u64) -> u64 {
    let name = pair >> (64 - PAIR_BITS);
    key & !(((1 << PAIR_BITS) - 1) << PAIR_SHIFT) | name << PAIR_SHIFT | PAIRED
}

/// Four entries, never split between two lines of a cache.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(16))]
struct Bucket([u32; BUCKET]);

/// The weights of a model.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    buckets: Vec<Bucket>,
    bits: u32,
    /// One bit for each name of a pair: most pairs of ordinary text are unknown, and this stays near the processor.
    pairs: Vec<u64>,
}

impl Table {
    /// The table in `bytes`, if their number is a power of two of buckets.
    pub(crate) fn new(bytes: &[u8]) -> Option<Self> {
        let (buckets, rest) = bytes.as_chunks::<BUCKET_BYTES>();
        if !rest.is_empty() || !buckets.len().is_power_of_two() || buckets.len() < 4 {
            return None;
        }
        let bucket = |bytes: &[u8; BUCKET_BYTES]| {
            let mut bucket = Bucket::default();
            for (entry, bytes) in bucket.0.iter_mut().zip(bytes.as_chunks::<ENTRY_BYTES>().0) {
                *entry = u32::from_le_bytes(*bytes);
            }
            bucket
        };
        let buckets: Vec<Bucket> = buckets.iter().map(bucket).collect();
        let mut pairs = vec![0; 1 << (PAIR_BITS - 6)];
        for entry in buckets.iter().flat_map(|b| b.0).filter(|entry| u64::from(entry >> 8) & (PAIRED >> 24) != 0) {
            let name = entry >> (32 - PAIR_BITS);
            if let Some(word) = pairs.get_mut((name >> 6) as usize) {
                *word |= 1_u64 << (name & 63);
            }
        }
        Some(Self { bits: buckets.len().trailing_zeros(), buckets, pairs })
    }

    /// Whether anything may be known about a pair.
    #[inline]
    pub(crate) fn knows(&self, pair: u64) -> bool {
        let name = pair >> (64 - PAIR_BITS);
        self.pairs.get((name >> 6) as usize).is_some_and(|word| word >> (name & 63) & 1 == 1)
    }

    /// The weights of some keys, summed. Without a branch: whether a key is known is a coin toss that no processor
    /// guesses, and four comparisons at once cost less than a wrong guess.
    #[inline]
    pub(crate) fn sum<const KEYS: usize>(&self, keys: &[u64; KEYS]) -> i32 {
        let mut sums = [0_i32; BUCKET];
        for key in keys {
            let mark = mark_of(*key);
            let bucket = self.buckets.get(bucket_of(*key, self.bits)).copied().unwrap_or_default();
            for (sum, entry) in sums.iter_mut().zip(bucket.0) {
                let weight = (entry << 24) as i32 >> 24;
                *sum += if entry >> 8 == mark { weight } else { 0 };
            }
        }
        sums.iter().sum()
    }

    /// The weight of a key.
    #[inline]
    pub(crate) fn weight(&self, key: u64) -> i32 {
        self.sum(&[key])
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
    fn no_key_of_a_known_pair_is_missed() {
        let hash = |n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(7);
        let key = |pair: u64, n: u64| paired(hash(pair), hash(pair * 31 + n));
        let weights: Vec<(u64, i8)> = (1..600).map(|n| (key(n / 3, n), (n % 100) as i8 + 1)).collect();
        let (bytes, dropped) = pack(&weights, 12);
        let table = Table::new(&bytes).expect("a table");
        assert_eq!(dropped, 0);
        for ((key, weight), n) in weights.iter().zip(1_u64..) {
            assert_eq!((table.knows(hash(n / 3)), table.weight(*key)), (true, i32::from(*weight)));
        }
        assert!((5000..9000).filter(|n| table.knows(hash(*n))).count() < 40);
    }

    #[test]
    fn bytes_of_another_length_are_no_table() {
        assert!(Table::new(&[0; 48]).is_none());
        assert!(Table::new(&[0; 33]).is_none());
        assert!(Table::new(&[]).is_none());
    }
}
