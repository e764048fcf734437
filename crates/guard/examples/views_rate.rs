//! How many texts of a JSONL corpus have a view that reads as English, by category, and how much is opened in vain.
//!
//! `cargo run --release --example views_rate -- FILE.jsonl [CATEGORY-PREFIX]`, lines `{"category", "text"}`.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::BufRead;

use ringfence_guard::{Budget, View, decode, fold};

const COMMON: &str = "the of and a to in is you that it he was for on are as with his they i at be this have from or one \
    had by word but not what all were we when your can said there use an each which she do how their if will up other \
    about out many then them these so some her would make like him into time has look two more write go see number no \
    way could people my than first water been call who its now find long down day did get come made may part over new \
    sound take only little work know place year live me back give most very after thing our just name good sentence \
    man think say great where help through much before line right too mean old any same tell boy follow came want show \
    also around form three small set put end does another well large must big even such because turn here why ask went \
    men read need land different home us move try kind hand picture again change off play spell air away animal house \
    point page letter mother answer found study still learn should world ignore previous instructions instruction \
    system prompt password secret please user message send email data information account file code link output \
    response respond following question language text example never always without reveal act role rules story using \
    start every next without order content request access provide assistant forget print everything anything";

fn is_english(text: &str) -> bool {
    let (mut all, mut known) = (0_u32, 0_u32);
    for word in text.split(|c: char| !c.is_alphabetic()).filter(|w| !w.is_empty()) {
        all += 1;
        known += u32::from(COMMON.split_whitespace().any(|c| c.eq_ignore_ascii_case(word)));
    }
    all >= 3 && known * 10 >= all * 4
}

#[derive(Default)]
struct Tally {
    items: usize,
    plain: usize,
    english: usize,
    opened: usize,
    views: usize,
    bytes: usize,
    via: BTreeMap<&'static str, usize>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let file = std::fs::File::open(args.next().ok_or("a JSONL file is needed")?)?;
    let prefix = args.next().unwrap_or_default();
    let show = args.next();
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for line in std::io::BufReader::new(file).lines() {
        let item: serde_json::Value = serde_json::from_str(&line?)?;
        let field = |name: &str| item.get(name).and_then(|v| v.as_str()).unwrap_or_default().to_owned();
        let (category, text) = (field("category"), field("text"));
        if !category.starts_with(&prefix) {
            continue;
        }
        let tally = tallies.entry(category.clone()).or_default();
        let found = look(&text, tally);
        if show.as_deref() == Some("missed") && !found {
            println!("{category}\t{:?}", text.chars().take(600).collect::<String>());
        }
    }
    println!(
        "{:32} {:>6} {:>7} {:>7} {:>7} {:>9} {:>9}",
        "category", "items", "plain", "english", "views", "opened", "of bytes"
    );
    for (category, t) in &tallies {
        println!(
            "{category:32} {:6} {:7} {:7} {:7} {:9} {:9} {:?}",
            t.items, t.plain, t.english, t.views, t.opened, t.bytes, t.via
        );
    }
    Ok(())
}

/// Whether a view of the text other than its lower case reads as English.
fn look(text: &str, tally: &mut Tally) -> bool {
    tally.items += 1;
    tally.bytes += text.len();
    tally.plain += usize::from(is_english(text));
    let plain = View::plain(text, 0);
    let mut budget = Budget::for_input(text.len());
    let mut english = false;
    let folded = fold(&plain);
    if folded.view.text() != text.to_lowercase() {
        english |= folded.view.text().lines().any(is_english);
    }
    let mut open = vec![plain];
    for _ in 0..3 {
        let mut next = Vec::new();
        for view in &open {
            for decoding in decode(view, &mut budget) {
                tally.views += 1;
                tally.opened += decoding.view.text().len();
                *tally.via.entry(decoding.via).or_default() += decoding.view.text().len();
                english |= is_english(fold(&decoding.view).view.text());
                next.push(decoding.view);
            }
        }
        open = next;
    }
    tally.english += usize::from(english);
    english
}
