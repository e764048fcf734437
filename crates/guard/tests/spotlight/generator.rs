//! Contents made to be mistaken for marks: pieces of marks, true and false tokens, every look-alike there is, things
//! that are not seen, and any character at all. Fixed seeds: the same contents each time.

use crate::judge::{self, Judge};

/// SplitMix64.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

const BETWEEN: [&str; 22] = [
    "\u{200b}",
    "\u{200d}",
    "\u{feff}",
    "\u{ad}",
    "\u{301}",
    "\u{20dd}",
    "\u{fe0f}",
    "\u{202e}",
    "\u{3164}",
    "\u{e0041}",
    " ",
    "\n",
    "\r\n> ",
    "\t",
    "-",
    "_",
    "|",
    "/",
    "\u{a0}",
    "\u{2028}",
    "\u{e000}",
    "**",
];

const PLAIN: [&str; 14] = [
    "<<<",
    ">>>",
    "<<<BEGIN ",
    "<<<END ",
    " token=",
    " from=x as=plain>>>",
    "[false mark]",
    "RINGFENCE",
    "UNTRUSTED",
    "the quick brown fox ",
    "中文字",
    "ring",
    "d",
    "\n",
];

/// One content of up to a dozen pieces.
pub(crate) fn content(dice: &mut Dice, judge: &Judge, token: &str, datamark: char, out: &mut String) {
    out.clear();
    for _ in 0..dice.below(6) {
        match dice.below(12) {
            0 => out.push_str(&judge::open(token)),
            1 => out.push_str(&judge::close(token)),
            2 => out.push_str(&judge::close(&"0f".repeat(dice.below(20)))),
            3 => cut(dice, &judge::close(token), out),
            4 | 5 => words(dice, judge, judge::WORDS, out),
            6 => {
                // A mark inside a mark: taking out the inner one must not leave the outer one.
                let at = dice.below(judge::WORDS.len());
                words(dice, judge, &judge::WORDS[..at], out);
                words(dice, judge, judge::WORDS, out);
                words(dice, judge, &judge::WORDS[at..], out);
            }
            7 => out.push(datamark),
            8 => (0..dice.below(8)).for_each(|_| out.push(any(dice))),
            9 => out.extend(judge::WORDS.chars().rev()),
            _ => out.push_str(dice.pick(&PLAIN[..])),
        }
    }
}

/// The words with look-alike letters and things between them.
fn words(dice: &mut Dice, judge: &Judge, words: &str, out: &mut String) {
    let (alike, between) = (dice.below(4), dice.below(4));
    for letter in words.chars() {
        match dice.below(4) < alike {
            true => out.push(dice.pick(&judge.alike[&letter])),
            false if dice.below(2) == 0 => out.push(letter.to_ascii_uppercase()),
            false => out.push(letter),
        }
        while dice.below(4) < between {
            out.push_str(dice.pick(&BETWEEN[..]));
        }
    }
}

/// A piece of a text.
fn cut(dice: &mut Dice, text: &str, out: &mut String) {
    let start = dice.below(text.len());
    let end = start + dice.below(text.len() - start);
    out.push_str(&text[start..end]);
}

fn any(dice: &mut Dice) -> char {
    let top = dice.pick(&[0x80, 0x800, 0x1_0000, 0x2_0000, 0x11_0000]);
    char::from_u32(dice.below(top) as u32).unwrap_or('\u{fffd}')
}
