//! The one place that reads the clock, and the flag that stands in for it.

use crate::failure::Failure;
use ringfence_policy::time::parse_utc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Reads the value of `--at`, in seconds since 1970.
pub(crate) fn parse(text: &str) -> Result<i64, String> {
    parse_utc(text).ok_or_else(|| "not a time in UTC such as `2026-01-31T09:00:00Z`".to_owned())
}

/// The given time, or now.
pub(crate) fn at(given: Option<i64>) -> Result<i64, Failure> {
    if let Some(time) = given {
        return Ok(time);
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok();
    let seconds = since.and_then(|d| i64::try_from(d.as_secs()).ok());
    seconds.ok_or_else(|| Failure::Io("the clock stands before 1970; give the time with `--at`".into()))
}
