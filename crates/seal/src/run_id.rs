//! Names of runs: `r-20260131T090000Z-0a1b2c3d`. They sort by time and are safe as names of folders.

use crate::hex;
use crate::time::{format_utc, parse_utc};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The name of one run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct RunId(String);

/// A text that names no run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no run id such as `r-20260131T090000Z-0a1b2c3d`")]
pub struct BadRunId(String);

impl RunId {
    /// The id of a run that starts at a second since 1970, told apart by random bytes.
    pub fn new(seconds: u64, random: [u8; 4]) -> Self {
        let latest = parse_utc("9999-12-31T23:59:59Z").unwrap_or_default();
        let seconds = i64::try_from(seconds).unwrap_or(latest).min(latest);
        let mut id = String::from("r-");
        id.extend(format_utc(seconds).chars().filter(|c| !matches!(c, '-' | ':')));
        id.push('-');
        hex::push(&random, &mut id);
        Self(id)
    }

    /// Reads an id; nothing else passes, so an id can name a folder.
    pub fn parse(text: &str) -> Result<Self, BadRunId> {
        let read = || {
            let (time, random) = text.strip_prefix("r-")?.split_once('-')?;
            let seconds = u64::try_from(seconds_of(time)?).ok()?;
            Some(Self::new(seconds, hex::read(random)?))
        };
        read().filter(|id| id.0 == text).ok_or_else(|| BadRunId(text.chars().take(64).collect()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// When the run started, as the id says.
    pub fn started_at(&self) -> String {
        let time = self.0.get(2..18).and_then(seconds_of);
        format_utc(time.unwrap_or_default())
    }
}

/// `20260131T090000Z` in seconds.
fn seconds_of(time: &str) -> Option<i64> {
    let part = |range: std::ops::Range<usize>| time.get(range);
    let [y, mo, d, h, mi, s] = [part(0..4)?, part(4..6)?, part(6..8)?, part(9..11)?, part(11..13)?, part(13..15)?];
    parse_utc(&format!("{y}-{mo}-{d}T{h}:{mi}:{s}Z"))
}

impl TryFrom<String> for RunId {
    type Error = BadRunId;
    fn try_from(text: String) -> Result<Self, BadRunId> {
        Self::parse(&text)
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back() {
        let id = RunId::new(1_794_700_800, [0, 1, 171, 255]);
        assert_eq!(id.as_str(), "r-20261115T000000Z-0001abff");
        assert_eq!(RunId::parse(id.as_str()), Ok(id.clone()));
        assert_eq!(id.started_at(), "2026-11-15T00:00:00Z");
        assert!(RunId::parse(RunId::new(u64::MAX, [0; 4]).as_str()).is_ok());
    }

    #[test]
    fn nothing_else_is_an_id() {
        for bad in [
            "",
            "last",
            "../../etc",
            "r-20261115T000000Z-0001ABFF",
            "r-20261115T000000Z-0001abf",
            "r-20261315T000000Z-0001abff",
            "r-20261115X000000Z-0001abff",
            "r-20261115T000000Z-0001abff/",
            "r-2026ä15T000000Z-0001abff",
        ] {
            assert!(RunId::parse(bad).is_err(), "{bad}");
        }
    }
}
