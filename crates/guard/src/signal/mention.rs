//! Whether words are said or only talked about: quotation marks, code, words about attacks, and who is spoken of.
//!
//! It looks at a bounded stretch around a hit. An attacker can write these signs too, so they only lower a severity;
//! they never remove a hit.

use std::ops::Range;
use std::sync::LazyLock;

use super::finder::Finder;
use super::slice;
use crate::finding::Severity;

/// How far around a hit is read, in bytes.
const AROUND: usize = 220;

/// The longest quotation that counts as one: a whole message in quotation marks is a field, not a quotation.
const MAX_QUOTED: usize = 110;

/// Words that show that attacks are the subject.
const STRONG: &[&str] = &[
    "prompt injection",
    "prompt-injection",
    "prompt_injection",
    "promptinjection",
    "injection attack",
    "injection attempt",
    "injection detect",
    "jailbreak attempt",
    "jailbreak attack",
    "jailbreak detect",
    "jailbreaks",
    "attacker",
    "adversar",
    "malicious",
    "red team",
    "red-team",
    "redteam",
    "guardrail",
    "attack vector",
    "untrusted",
    "vulnerab",
    "sanitiz",
    "sanitis",
    "owasp",
];

/// Words that often stand in such text, and elsewhere: two of them count.
const WEAK: &[&str] = &[
    "attack",
    "inject",
    "jailbreak",
    "detect",
    "example",
    "e.g.",
    "such as",
    "payload",
    "classif",
    "pattern",
    "filter",
    "regex",
    "phrases like",
    "test",
    "assert",
    "suspicious",
    "threat",
    "defen",
    "security",
    "heuristic",
    "tries to",
    "attempt",
    "scanner",
    "benchmark",
    "curl ",
    "```",
    "verdict",
    "blocked",
    "refusal",
    "import ",
    "print(",
    "await ",
    "similarity",
    "signals",
    "safety polic",
    "hijack",
];

/// Words before a request that make it a statement about someone, a possibility or a condition.
const REPORTED: &[&str] = &[
    "can ",
    "may ",
    "might ",
    "could ",
    "would ",
    "will ",
    "cannot ",
    "can't ",
    "won't ",
    "doesn't ",
    "didn't ",
    "should not ",
    "shouldn't ",
    "must not ",
    "not ",
    "never ",
    "safely ",
    "tries to ",
    "trying to ",
    "attempts to ",
    "attempt to ",
    "option to ",
    "used to ",
    "how to ",
    "able to ",
    "want to ",
    "wish to ",
    "users ",
    "they ",
    "we ",
    "i ",
    "he ",
    "she ",
    "it ",
    "which ",
    "who ",
    "if you ",
    "simply ",
    "usually ",
    "often ",
    "also ",
];

/// What stands around a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Context {
    quoted: bool,
    subject: bool,
    reported: bool,
}

impl Context {
    pub(super) fn mentioned(self) -> bool {
        self.quoted || self.subject
    }

    /// One step down for each of: quoted, about attacks, reported.
    pub(super) fn lower(self, severity: Severity) -> Severity {
        let steps = [self.quoted, self.subject, self.reported].into_iter().filter(|sign| *sign).count();
        (0..steps).fold(severity, |severity, _| match severity {
            Severity::Critical => Severity::Error,
            Severity::Error => Severity::Warn,
            Severity::Warn | Severity::Info => Severity::Info,
        })
    }
}

/// Reads what stands around a part of a folded text.
pub(super) fn context(text: &str, part: &Range<usize>) -> Context {
    let before = slice(text, part.start.saturating_sub(AROUND)..part.start);
    let after = slice(text, part.end..part.end + AROUND);
    let said = slice(text, part.clone());
    let subject = is_subject([before, after]);
    Context { quoted: quoted(before, after) || is_expression(said), subject, reported: reported(before) }
}

/// All words about attacks, the strong ones first; short ones with what may follow them.
static SUBJECT: LazyLock<Finder> = LazyLock::new(|| {
    let longer = ["test ", "test.", "test,", "test_", "test)", "test:", "test\n", "e.g. ", "e.g.,", "e.g.:"];
    let weak = WEAK.iter().filter(|word| word.len() > 3);
    Finder::new(&STRONG.iter().chain(weak).chain(&longer).copied().collect::<Vec<_>>())
});

/// Whether texts are about attacks: one strong word, or two different weak ones.
fn is_subject(texts: [&str; 2]) -> bool {
    let mut weak: Option<&[u8]> = texts.iter().any(|text| text.contains("```")).then_some(b"```");
    for text in texts {
        let mut search = SUBJECT.search(text);
        let mut from = 0;
        while let Some(found) = search.next(from) {
            let begins = text.as_bytes().get(found.start..found.start + 4).unwrap_or_default();
            if found.which < STRONG.len() || weak.is_some_and(|other| other != begins) {
                return true;
            }
            weak = Some(begins);
            from = found.start + 1;
        }
    }
    false
}

/// Whether a short quotation encloses what stands between two texts.
fn quoted(before: &str, after: &str) -> bool {
    let open = before.char_indices().rev().take_while(|(_, c)| *c != '\n').find(|(_, c)| is_open(*c));
    let Some((at, open)) = open else { return false };
    let close = match open {
        '“' => '”',
        '‘' => '’',
        '«' => '»',
        '「' => '」',
        '『' => '』',
        other => other,
    };
    let inner = before.len() - at;
    // The apostrophe of "don't" opens nothing.
    let opens = before.get(..at).is_none_or(|b| !b.ends_with(char::is_alphanumeric));
    let field = before.get(..at).is_some_and(|b| b.trim_end().ends_with(':')) && open == '"';
    let length =
        after.char_indices().take_while(|(_, c)| *c != '\n').find(|(i, c)| *c == close && ends_here(after, *i, *c));
    opens && !field && length.is_some_and(|(i, _)| inner + i < MAX_QUOTED)
}

fn is_open(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '“' | '‘' | '«' | '「' | '『')
}

/// A single quotation mark inside a word is an apostrophe.
fn ends_here(text: &str, at: usize, mark: char) -> bool {
    mark != '\'' || text.get(at + 1..).is_none_or(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// Whether the words are parts of a regular expression.
fn is_expression(said: &str) -> bool {
    ["\\s", "\\b", "(?:", ".*", ")?", "|"].iter().any(|sign| said.contains(sign))
}

/// Whether the words just before make it a report or a possibility.
fn reported(before: &str) -> bool {
    let near = slice(before, before.len().saturating_sub(14)..before.len());
    let wanted =
        ["want you to ", "need you to ", "you to ", "have to ", "need to ", "must "].iter().any(|w| near.ends_with(w));
    !wanted && REPORTED.iter().any(|word| ends_with_word(near, word))
}

fn ends_with_word(text: &str, word: &str) -> bool {
    let Some(rest) = text.strip_suffix(word) else { return false };
    !rest.ends_with(char::is_alphanumeric)
}

/// Reads what stands around a mark of a text as it came: quotation marks and words about attacks or templates.
pub(super) fn around(raw: &str, part: &Range<usize>) -> Context {
    let before = slice(raw, part.start.saturating_sub(AROUND)..part.start).to_ascii_lowercase();
    let after = slice(raw, part.end..part.end + AROUND).to_ascii_lowercase();
    let holds = |needle: &&&str| before.contains(**needle) || after.contains(**needle);
    let subject =
        STRONG.iter().chain(TEMPLATES).any(|needle| holds(&needle)) || WEAK.iter().filter(holds).take(2).count() == 2;
    Context { quoted: quoted(&before, &after), subject, reported: false }
}

/// Words of text about chat templates and tokenizers.
const TEMPLATES: &[&str] = &[
    "template",
    "tokeniz",
    "special token",
    "chatml",
    "stop sequence",
    "stop_token",
    "eos_token",
    "bos_token",
    "parser",
    "def ",
    "const ",
    "import ",
    "return ",
    "```",
];
