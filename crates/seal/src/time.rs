//! RFC 3339 times in UTC ↔ seconds since 1970. The clock itself is never read here.

/// Reads `2026-01-31T09:00:00Z` (fractions are accepted and dropped).
pub fn parse_utc(text: &str) -> Option<i64> {
    let (date, time) = text.split_once('T')?;
    let time = time.strip_suffix('Z').or_else(|| time.strip_suffix("+00:00"))?;
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let (clock, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let [hour, minute, second] = numbers(clock, ':', [2, 2, 2])?;
    let sound = !fraction.is_empty()
        && fraction.bytes().all(|b| b.is_ascii_digit())
        && (1..=12).contains(&month)
        && (1..=days_in(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    sound.then(|| days_from_civil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second)
}

/// Writes `2026-01-31T09:00:00Z`.
pub fn format_utc(seconds: i64) -> String {
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil_from_days(days);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

/// Writes `2026-01-31T09:00:00.125Z` from milliseconds since 1970.
pub fn format_utc_millis(millis: u64) -> String {
    let seconds = i64::try_from(millis / 1000).unwrap_or(i64::MAX);
    let mut text = format_utc(seconds.min(LATEST));
    text.truncate(text.len() - 1);
    text + &format!(".{:03}Z", millis % 1000)
}

/// The last second of the year 9999: a broken clock must not make a time that nobody can read back.
const LATEST: i64 = 253_402_300_799;

fn numbers(text: &str, separator: char, widths: [usize; 3]) -> Option<[i64; 3]> {
    let mut out = [0; 3];
    let mut parts = text.split(separator);
    for (slot, width) in out.iter_mut().zip(widths) {
        let part = parts.next().filter(|p| p.len() == width && p.bytes().all(|b| b.is_ascii_digit()))?;
        *slot = part.parse().ok()?;
    }
    parts.next().is_none().then_some(out)
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days since 1970-01-01 in the proleptic Gregorian calendar: years start in March, so that the leap day
/// is the last one, and 400 years always have 146,097 days.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_times_both_ways() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T12:30:45Z", 951_827_445),
            ("2026-11-15T00:00:00Z", 1_794_700_800),
            ("1969-12-31T23:59:59Z", -1),
        ] {
            assert_eq!(parse_utc(text), Some(seconds), "{text}");
            assert_eq!(format_utc(seconds), text);
        }
    }

    #[test]
    fn milliseconds_have_three_digits() {
        assert_eq!(format_utc_millis(1_794_700_800_007), "2026-11-15T00:00:00.007Z");
        assert_eq!(parse_utc(&format_utc_millis(u64::MAX)), Some(LATEST));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "now",
            "2026-02-30T00:00:00Z",
            "2026-1-1T00:00:00Z",
            "2026-01-01",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:00:00",
        ] {
            assert_eq!(parse_utc(text), None, "{text}");
        }
    }
}
