//! Items of a corpus, the grammars and the written texts of the project in, samples to learn from out; and which benign texts are like
//! what a tool returns.

use super::corpus::{Item, MADE};
use super::written::written;
use crate::failure::Failure;
use ringfence_guard::train::{Grammar, Label, Sample};
use std::collections::{BTreeMap, BTreeSet};

/// Texts like attacks and like ordinary output, in more words than any collection has.
const GRAMMARS: [(&str, Label, &str); 2] = [
    ("attack", Label::Inject, include_str!("../../../../guard/data/variation/attack.txt")),
    ("ordinary", Label::Benign, include_str!("../../../../guard/data/variation/ordinary.txt")),
];
/// How many texts are made where nothing else is asked for.
pub(crate) const VARIATION: u64 = 16_000;
/// A longer attack in its native context is mostly context.
const LONGEST_WORDS: usize = 150;
/// What a person asks is no tool output, and a person may well give orders.
const USER_PROMPT_WEIGHT: f32 = 0.0;
const VARIATION_WEIGHT: f32 = 1.0;
/// Each was written by hand, and no other like it.
const WRITTEN_WEIGHT: f32 = 3.0;
/// The trainer tells 64 sources apart; the made and the written ones take 22, and what is left over one.
const SOURCES: usize = 41;
const OTHERS: &str = "others";

/// What is learnt from.
#[derive(Debug)]
pub(crate) struct Samples {
    /// One for each item, in order, then the made and the written ones.
    pub(crate) list: Vec<Sample>,
    /// How many are made or written for the project.
    pub(crate) made: usize,
}

/// Samples of items, `variation` made texts and, unless that is none, those that were written for the project.
pub(crate) fn samples(items: &[Item], variation: u64) -> Result<Samples, Failure> {
    let named = groups(items);
    let name = |item: &Item| named.get(item.source.as_str()).map_or(OTHERS, |_| item.source.as_str()).to_owned();
    let mut list: Vec<Sample> = items
        .iter()
        .map(|item| Sample {
            label: item.label,
            source: name(item),
            weight: if item.category == "user-prompt" { USER_PROMPT_WEIGHT } else { 1.0 },
            learn: teaches(item),
            text: item.text.clone(),
        })
        .collect();
    let before = list.len();
    let attacks = variation / 2;
    for ((word, label, text), many) in GRAMMARS.into_iter().zip([attacks, variation - attacks]) {
        made(word, label, text, many, &mut list)?;
    }
    if variation > 0 {
        list.extend(written(WRITTEN_WEIGHT)?);
    }
    Ok(Samples { made: list.len() - before, list })
}

/// The sources with most items; the rest go together.
fn groups(items: &[Item]) -> BTreeMap<&str, usize> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for item in items {
        *counts.entry(&item.source).or_default() += 1;
    }
    let mut by_size: Vec<(&str, usize)> = counts.into_iter().collect();
    by_size.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    by_size.truncate(SOURCES);
    by_size.into_iter().collect()
}

/// Whether a text is to be learnt from, or only to be measured with.
fn teaches(item: &Item) -> bool {
    let long = || item.text.split_whitespace().nth(LONGEST_WORDS).is_some();
    match item.form.as_str() {
        "embedded" | "obfuscated" => false,
        "native" => item.label != Label::Inject || !long(),
        _ => true,
    }
}

fn made(word: &str, label: Label, text: &str, many: u64, list: &mut Vec<Sample>) -> Result<(), Failure> {
    let grammar =
        Grammar::read(text).map_err(|e| Failure::Io(format!("the grammar of {word} texts is wrong, a defect: {e}")))?;
    let mut seen = BTreeSet::new();
    for number in 0..many {
        let (category, text) = grammar.text(number);
        if seen.insert(text.clone()) {
            list.push(Sample {
                label: if category == "about-attacks" { Label::Mention } else { label },
                source: format!("{MADE}{word}-{}", number % 3),
                weight: VARIATION_WEIGHT,
                learn: true,
                text,
            });
        }
    }
    Ok(())
}

/// Ordinary texts of about so many bytes in all, made by the grammar: something to time a scanner on.
pub(crate) fn ordinary(bytes: usize) -> Result<String, Failure> {
    let [_, (word, _, grammar)] = GRAMMARS;
    let grammar = Grammar::read(grammar)
        .map_err(|e| Failure::Io(format!("the grammar of {word} texts is wrong, a defect: {e}")))?;
    let mut out = String::new();
    for number in 0.. {
        if out.len() >= bytes {
            break;
        }
        let (category, text) = grammar.text(number);
        if category != "about-attacks" {
            out.push_str(&text);
            out.push('\n');
        }
    }
    Ok(out)
}

/// The kinds of benign text that are measured by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    /// What tools return: thresholds are set by these alone.
    Tool,
    /// What people ask for.
    UserPrompt,
    /// Documentation about models and agents.
    ModelDocs,
    /// Harmless text, encoded.
    Encoded,
}

impl Group {
    /// The group of a benign text.
    pub(crate) fn of(item: &Item) -> Self {
        match item.category.as_str() {
            "user-prompt" => Self::UserPrompt,
            "llm-docs" | "agent-docs" => Self::ModelDocs,
            c if c.starts_with("encoded") => Self::Encoded,
            _ => Self::Tool,
        }
    }
}

/// Whether a text is ordinary tool output.
pub(crate) fn is_tool_like(item: &Item) -> bool {
    item.label == Label::Benign && Group::of(item) == Group::Tool
}
