//! A command as the log keeps it: word by word, clipped, with what looks like a secret masked.

use std::ffi::OsStr;

/// The most words that are kept.
const WORDS: usize = 256;
/// The most bytes of one word.
const BYTES: usize = 1024;
/// A run of letters and digits this long that mixes both may be a secret.
const SUSPECT: usize = 16;

/// The words of a command.
pub(super) fn words<S: AsRef<OsStr>>(command: &[S]) -> Vec<String> {
    let mut words: Vec<String> = command.iter().take(WORDS).map(|word| kept(word.as_ref())).collect();
    if command.len() > WORDS {
        words.push(format!("… and {} more", command.len() - WORDS));
    }
    words
}

fn kept(word: &OsStr) -> String {
    let text = word.to_string_lossy();
    // The masks' tables take longer to make than most commands to log; few words are worth it.
    let mut text = match is_suspect(&text) {
        true => ringfence_guard::inspect::mask_secrets(&text),
        false => text.into_owned(),
    };
    if text.len() > BYTES {
        text.truncate(text.floor_char_boundary(BYTES));
        text.push('…');
    }
    text
}

/// Whether a word could hold a key, a token, or a password in an address.
fn is_suspect(word: &str) -> bool {
    let runs = word.split(|c: char| !c.is_ascii_alphanumeric());
    let mixed = |run: &str| run.bytes().any(|b| b.is_ascii_digit()) && run.bytes().any(|b| b.is_ascii_alphabetic());
    let names = ["secret", "passw", "token", "apikey", "api_key", "api-key", "bearer", "private key"];
    let lower = word.to_ascii_lowercase();
    runs.into_iter().any(|run| run.len() >= SUSPECT && (mixed(run) || run.len() >= 2 * SUSPECT))
        || (lower.contains("://") && lower.contains('@'))
        || names.iter().any(|name| lower.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked_and_everything_else_stays() {
        let command = ["curl", "-H", "Authorization: Bearer q7Xk29LmPz81RtYv4Bd0", "/usr/lib/x86_64-linux-gnu", "-la"];
        let kept = words(&command);
        assert!(!kept.concat().contains("q7Xk29LmPz81RtYv4Bd0"), "{kept:?}");
        assert_eq!(kept.iter().filter(|w| command.contains(&w.as_str())).count(), 4, "{kept:?}");
    }

    #[test]
    fn a_long_command_is_clipped() {
        let long = "ä".repeat(5000);
        let kept = words(&vec![long.as_str(); 1000]);
        assert_eq!(kept.len(), WORDS + 1);
        assert!(kept.iter().all(|w| w.len() <= BYTES + 4));
        assert_eq!(kept.last().map(String::as_str), Some("… and 744 more"));
    }
}
