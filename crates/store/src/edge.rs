//! The clock and the dice, for callers that bring none of their own.

use crate::StoreError;
use ringfence_seal::run_id::RunId;
use rustix::rand::{GetRandomFlags, getrandom};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Says what time it is, in milliseconds since 1970.
pub type Clock = Box<dyn Fn() -> u64 + Send>;

/// The clock of the machine. Before 1970 it stands still.
pub fn system_clock() -> Clock {
    Box::new(now_ms)
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// An id for a run that starts now.
pub fn new_run_id() -> Result<RunId, StoreError> {
    Ok(RunId::new(now_ms() / 1000, random()?))
}

/// Random bytes of the kernel.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], StoreError> {
    let failed = StoreError::io("take random bytes from", Path::new("getrandom"));
    let mut out = [0; N];
    match getrandom(&mut out, GetRandomFlags::empty()) {
        Ok(n) if n == N => Ok(out),
        // Up to 256 bytes come whole or not at all.
        Ok(_) => Err(failed(std::io::ErrorKind::UnexpectedEof.into())),
        Err(e) => Err(failed(e.into())),
    }
}
