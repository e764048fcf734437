//! No text, however made, closes or forges a mark; datamark and encode come back exactly. A million contents, judged by
//! a reader that shares no code with the marks.

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

/// A block is one open mark, a body without any, one close mark: the marks stand at both ends, and whoever reads the
/// whole sees no third one.
fn assert_closed(judge: &Judge, block: &str, token: &str, solid: Option<char>, folded: &mut String) {
    let (open, rest) = block.split_once('\n').expect("an open mark on its own line");
    let (body, close) = rest.rsplit_once('\n').expect("a close mark on its own line");
    assert!(open.starts_with(&judge::open(token)) && open.ends_with(">>>"), "{open:?}");
    assert_eq!(close, judge::close(token));
    judge.fold(block, solid, folded);
    assert!(folded.starts_with("beginringfenceuntrusted"), "{block:?}");
    assert_eq!(folded.matches(WORDS).count(), 2, "{block:?}");
    assert!(!folded.contains(BACKWARDS), "{block:?}");
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
        generator::content(&mut dice, judge, &token, mark, &mut source);
        judge.fold(&content, None, &mut folded);
        attacks += usize::from(folded.contains(WORDS));
        if n % 64 == 0 {
            assert_eq!(judge::fold(&content), folded, "the two ways of folding differ on {content:?}");
        }
        assert_closed(judge, &session.mark(Mode::Delimit, &source, &content), &token, None, &mut folded);
        let marked = session.mark(Mode::Datamark, "tool", &content);
        assert_closed(judge, &marked, &token, Some(mark), &mut folded);
        assert_eq!(session.unmark(&marked).expect("a block").content, content);
        let encoded = session.mark(Mode::Encode, "tool", &content);
        assert_closed(judge, &encoded, &token, None, &mut folded);
        assert_eq!(session.unmark(&encoded).expect("a block").content, content);
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
