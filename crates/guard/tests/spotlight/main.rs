//! No text, however made, closes or forges a mark: a million contents, judged by a reader that shares no code with the
//! marks. Datamark and encode come back exactly, on half a million each.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a set-up that fails is a test that fails"
)]

mod fields;
mod generator;
mod judge;

use generator::Dice;
use judge::{BACKWARDS, Judge, WORDS};
use ringfence_guard::spotlight::{Mode, Session, Token};

const EACH: usize = 250_000;

fn draw(dice: &mut Dice) -> Token {
    let mut bytes = [0; 16];
    for byte in &mut bytes {
        *byte = (dice.next() >> 32) as u8;
    }
    Token::from_bytes(bytes)
}

/// A block is one open mark, a body without any, one close mark: the marks stand at both ends, and whoever reads on from
/// the first to the last sees no other.
fn assert_closed(judge: &Judge, block: &str, token: &str, solid: Option<char>, folded: &mut String) {
    let (open, rest) = block.split_once('\n').expect("an open mark on its own line");
    let (body, close) = rest.rsplit_once('\n').expect("a close mark on its own line");
    assert!(open.starts_with(&judge::open(token)) && open.ends_with(">>>"), "{open:?}");
    assert_eq!(close, judge::close(token));
    // All that stands between the words of the one mark and the words of the other.
    let between = &block[judge::open("").len()..block.len() - close.len() + "<<<END RINGFENCE-".len()];
    judge.fold(between, solid, folded);
    assert!(!folded.contains(WORDS) && !folded.contains(BACKWARDS), "{block:?}");
    assert!(solid.is_some() || !body.contains(token), "{block:?}");
}

fn attack(judge: &Judge, seed: u64) {
    let mut dice = Dice(seed);
    let (mut content, mut source, mut folded) = (String::new(), String::new(), String::new());
    let mut session = Session::new(Token::from_bytes([0; 16]));
    let (mut token, mut mark) = (String::new(), ' ');
    let mut attacks = 0;
    for n in 0..EACH {
        if n % 500 == 0 {
            let fresh = draw(&mut dice);
            token = fresh.hex();
            session.rotate(fresh);
            mark = session.mark(Mode::Datamark, "x", "y").lines().nth(1).unwrap().chars().next().unwrap();
        }
        generator::content(&mut dice, judge, &token, mark, &mut content);
        if n % 8 == 0 {
            generator::content(&mut dice, judge, &token, mark, &mut source);
        }
        judge.fold(&content, None, &mut folded);
        attacks += usize::from(folded.contains(WORDS));
        if n % 256 == 0 {
            assert_eq!(judge::fold(&content), folded, "the two ways of folding differ on {content:?}");
        }
        assert_closed(judge, &session.mark(Mode::Delimit, &source, &content), &token, None, &mut folded);
        let (mode, solid) = if n % 2 == 0 { (Mode::Datamark, Some(mark)) } else { (Mode::Encode, None) };
        let block = session.mark(mode, "tool", &content);
        assert_closed(judge, &block, &token, solid, &mut folded);
        assert_eq!(session.unmark(&block).expect("a block").content, content);
    }
    assert!(attacks > EACH / 3, "only {attacks} of {EACH} contents try to forge a mark");
}

#[test]
fn a_million_contents_close_nothing_and_come_back() {
    let judge = Judge::new();
    std::thread::scope(|scope| {
        for seed in 1..=4 {
            scope.spawn({
                let judge = &judge;
                move || attack(judge, seed)
            });
        }
    });
}

#[test]
fn every_look_alike_of_every_letter_is_seen() {
    let judge = Judge::new();
    let session = Session::new(Token::from_bytes([0xA5; 16]));
    let mut missed = Vec::new();
    let mut tried = 0;
    for (at, letter) in WORDS.char_indices() {
        for alike in &judge.alike[&letter] {
            tried += 1;
            let forged = format!("{}{alike}{}", &WORDS[..at], &WORDS[at + 1..]);
            if session.neutralise(&forged) != "[false mark]" {
                missed.push(format!("{alike} U+{:04X} as {letter}", *alike as u32));
            }
        }
    }
    missed.sort();
    missed.dedup();
    assert!(missed.is_empty(), "{missed:?}");
    assert!(tried > 2000, "only {tried} look-alikes");
}
