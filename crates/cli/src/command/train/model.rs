//! What was learnt in, the bytes of a model file out.

use super::threshold::Thresholds;
use ringfence_guard::train::{Fitted, Prepared, Settings};

/// The bytes that are compiled in.
pub(super) static COMPILED_IN: &[u8] = include_bytes!("../../../../guard/data/model.bin");

const MAGIC: &[u8; 8] = b"RFGUARD1";

/// The bytes of a model, and how many weights found no room in its table.
pub(super) fn bytes(fitted: &Fitted, prepared: &Prepared, settings: &Settings, at: Thresholds) -> (Vec<u8>, usize) {
    let (table, step, dropped) = fitted.pack(prepared);
    let floor = (settings.floor / step).round().min(1e6);
    let mut bytes = MAGIC.to_vec();
    for number in [step, fitted.bias(), floor, at.warn, at.error, at.critical, at.slope] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.extend_from_slice(&table);
    (bytes, dropped)
}
