//! Texts that were written for the project, to learn from beside any corpus: attacks in words that no collection has,
//! ordinary text that comes close to them, and text about attacks.
//!
//! Each file is one hand and counts as one source. Nothing is ever measured on them.

use super::corpus::Word;
use crate::failure::Failure;
use ringfence_guard::train::Sample;
use serde::Deserialize;

/// What names of their sources begin with.
pub(super) const WRITTEN: &str = "written-";

/// The files, by subject.
const FILES: [(&str, &str); 16] = [
    ("abroad", include_str!("../../../../guard/data/written/abroad.jsonl")),
    ("actions", include_str!("../../../../guard/data/written/actions.jsonl")),
    ("answers", include_str!("../../../../guard/data/written/answers.jsonl")),
    ("chat", include_str!("../../../../guard/data/written/chat.jsonl")),
    ("code", include_str!("../../../../guard/data/written/code.jsonl")),
    ("documents", include_str!("../../../../guard/data/written/documents.jsonl")),
    ("games", include_str!("../../../../guard/data/written/games.jsonl")),
    ("languages", include_str!("../../../../guard/data/written/languages.jsonl")),
    ("letters", include_str!("../../../../guard/data/written/letters.jsonl")),
    ("neighbours", include_str!("../../../../guard/data/written/neighbours.jsonl")),
    ("office", include_str!("../../../../guard/data/written/office.jsonl")),
    ("ordinary", include_str!("../../../../guard/data/written/ordinary.jsonl")),
    ("records", include_str!("../../../../guard/data/written/records.jsonl")),
    ("short", include_str!("../../../../guard/data/written/short.jsonl")),
    ("tools", include_str!("../../../../guard/data/written/tools.jsonl")),
    ("web", include_str!("../../../../guard/data/written/web.jsonl")),
];

#[derive(Debug, Deserialize)]
struct Line {
    label: Word,
    text: String,
}

/// All of them, each with the weight that it has in learning.
pub(super) fn written(weight: f32) -> Result<Vec<Sample>, Failure> {
    let mut list = Vec::new();
    for (subject, text) in FILES {
        for (at, line) in text.lines().enumerate() {
            let Line { label, text } = serde_json::from_str(line).map_err(|e| {
                Failure::Io(format!("line {} of the texts about {subject} is wrong, a defect: {e}", at + 1))
            })?;
            list.push(Sample { label: label.into(), source: format!("{WRITTEN}{subject}"), weight, learn: true, text });
        }
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringfence_guard::train::Label;
    use std::collections::BTreeSet;

    #[test]
    fn every_text_can_be_read_and_stands_once() {
        let list = written(1.0).unwrap_or_default();
        assert!(list.len() > 1000, "{}", list.len());
        let texts: BTreeSet<&str> = list.iter().map(|s| s.text.as_str()).collect();
        assert_eq!(texts.len(), list.len());
        for label in [Label::Inject, Label::Benign, Label::Mention] {
            assert!(list.iter().filter(|s| s.label == label).count() > 100);
        }
    }
}
