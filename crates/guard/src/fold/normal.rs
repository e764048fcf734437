//! First pass: lower case, compatibility forms, plain Latin letters, one kind of space, nothing invisible.
//!
//! ASCII goes by in blocks; only what is not ASCII is looked at character by character.

use unicode_normalization::char::{compose, decompose_compatible, is_combining_mark};

use super::hidden::{self, Log};
use super::{table, traits};
use crate::view::Builder;

const BLOCK: usize = 256;
/// A character that would grow to more than this many times its bytes stays as it is.
const GROWTH: usize = 4;

/// The first pass over one text.
pub(super) struct Pass<'t> {
    text: &'t str,
    /// What was left out.
    pub(super) hidden: Log,
    /// Whether a letter of another script that looks Latin went by.
    pub(super) foreign: bool,
    cluster: String,
}

impl<'t> Pass<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, hidden: Log::default(), foreign: false, cluster: String::new() }
    }

    pub(super) fn run(&mut self, out: &mut Builder) {
        let mut at = 0;
        while at < self.text.len() {
            let rest = self.text.get(at..).unwrap_or_default();
            let ascii = ascii_prefix(rest.as_bytes());
            if ascii > 0 {
                let run = rest.get(..ascii).unwrap_or_default();
                out.copy_with(at, |to| lower(run.as_bytes(), to));
                at += ascii;
            } else {
                at = self.beyond_ascii(at, out).max(at + 1);
            }
        }
    }

    /// Takes what stands at `at`, a character beyond ASCII, and perhaps more of its kind. Gives the place after it.
    fn beyond_ascii(&mut self, at: usize, out: &mut Builder) -> usize {
        let (end, next) = self.unchanged(at);
        if end > at {
            out.copy(self.text.get(at..end).unwrap_or_default(), at);
            return end;
        }
        let Some(c) = next else { return self.text.len() };
        let end = at + c.len_utf8();
        let traits = traits::of(c);
        if let Some(folded) = traits.folded
            && !self.joined(end)
        {
            self.foreign |= traits::of(folded).look.is_some();
            out.unit(folded, at..end);
            return end;
        }
        if traits.is_mark && !traits.is_hidden && out.text().as_bytes().last().is_none_or(u8::is_ascii) {
            return end;
        }
        if hidden::kind(c).is_some() {
            return self.invisible(at);
        }
        if let Some(space) = space(c) {
            out.whole(space, at..end);
            return end;
        }
        let latin_before = out.text().chars().next_back().is_none_or(is_latin);
        self.cluster.clear();
        match traits.folded {
            Some(folded) => {
                self.foreign |= traits::of(folded).look.is_some();
                self.cluster.push(folded);
            }
            None => self.decompose(c, latin_before),
        }
        if self.cluster.is_empty() {
            return end;
        }
        let end = self.marks(end);
        let source = self.text.get(at..end).unwrap_or_default();
        match self.cluster == source {
            true => out.copy(source, at),
            false => out.whole(&self.cluster, at..end),
        }
        end
    }

    /// The end of the run of characters at `at` that fold to themselves, and the first one.
    fn unchanged(&mut self, at: usize) -> (usize, Option<char>) {
        let mut chars = self.text.get(at..).unwrap_or_default().chars();
        let first = chars.next();
        let (mut end, mut now) = (at, first);
        while let Some(c) = now.filter(|c| !c.is_ascii()) {
            let traits = traits::of(c);
            now = chars.next();
            if traits.folded != Some(c) || now.is_some_and(|n| !n.is_ascii() && traits::of(n).joins) {
                break;
            }
            self.foreign |= traits.look.is_some();
            end += c.len_utf8();
        }
        (end, first)
    }

    /// Whether what stands at `at` belongs to the character before it.
    fn joined(&self, at: usize) -> bool {
        let is_ascii = self.text.as_bytes().get(at).is_none_or(u8::is_ascii);
        !is_ascii && self.text.get(at..).and_then(|t| t.chars().next()).is_some_and(|c| traits::of(c).joins)
    }

    /// A run of invisible characters of one kind.
    fn invisible(&mut self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        let Some(kind) = rest.chars().next().and_then(hidden::kind) else { return at };
        let (mut end, mut count) = (at, 0);
        for c in rest.chars().take_while(|c| hidden::kind(*c) == Some(kind)) {
            end += c.len_utf8();
            count += 1;
        }
        self.hidden.note(kind, count, at..end, self.text);
        end
    }

    /// Puts the folded form of `c` into the cluster, without a mark that would fall on Latin text before it.
    fn decompose(&mut self, c: char, latin_before: bool) {
        let (mut bytes, most) = (0, c.len_utf8() * GROWTH);
        decompose_compatible(c, |d| bytes += d.len_utf8());
        if bytes > most {
            self.cluster.push(c);
            return;
        }
        let Self { cluster, foreign, .. } = self;
        decompose_compatible(c, |d| {
            if !(latin_before && cluster.is_empty() && is_combining_mark(d)) {
                add(d, cluster, foreign);
            }
        });
    }

    /// Takes the marks after a cluster, and what is invisible between them.
    fn marks(&mut self, mut at: usize) -> usize {
        while let Some(c) = self.text.get(at..).and_then(|t| t.chars().next()).filter(|c| !c.is_ascii()) {
            if hidden::kind(c).is_some() {
                match self.mark_after_invisible(at) {
                    Some(mark) => at = mark,
                    None => break,
                }
            } else if is_mark(c) {
                at += c.len_utf8();
                let Self { cluster, foreign, .. } = self;
                decompose_compatible(c, |d| add(d, cluster, foreign));
            } else {
                break;
            }
        }
        at
    }

    /// The place of the mark after what is invisible at `at`, if that is what follows.
    fn mark_after_invisible(&mut self, at: usize) -> Option<usize> {
        let rest = self.text.get(at..)?;
        let visible = at + rest.find(|c| hidden::kind(c).is_none())?;
        let mark = self.text.get(visible..)?.chars().next().filter(|c| is_mark(*c));
        mark?;
        let mut next = at;
        while next < visible {
            next = self.invisible(next);
        }
        Some(visible)
    }
}

/// Whether a character is a mark on the one before it. Half-width voicing marks are not, until they are folded.
pub(super) fn is_mark(c: char) -> bool {
    is_combining_mark(c) || matches!(c, '\u{ff9e}' | '\u{ff9f}')
}

/// Adds one decomposed character: lower case, plain if Latin, composed with the letter before it where that is how
/// it is written.
fn add(c: char, out: &mut String, foreign: &mut bool) {
    if is_combining_mark(c) {
        match out.chars().next_back() {
            Some(last) if is_latin(last) => {}
            Some(last) => match compose(last, c) {
                Some(both) => {
                    out.pop();
                    out.push(both);
                }
                None => out.push(c),
            },
            None => out.push(c),
        }
        return;
    }
    if let Some(last) = out.chars().next_back()
        && let Some(both) = compose(last, c)
    {
        out.pop();
        out.push(both);
        return;
    }
    for lower in c.to_lowercase() {
        match table::look(c).or_else(|| table::look(lower)) {
            Some((letter, table::Likeness::Latin)) => out.push(letter),
            look => {
                *foreign |= look.is_some();
                if !(is_combining_mark(lower) && out.chars().next_back().is_none_or(is_latin)) {
                    out.push(lower);
                }
            }
        }
    }
}

/// The one character that `c` folds to wherever it stands, if there is one.
pub(super) fn fold_one(c: char) -> Option<char> {
    if space(c).is_some() {
        return None;
    }
    let mut pass = Pass::new("");
    pass.decompose(c, false);
    let mut folded = pass.cluster.chars();
    let one = folded.next().filter(|c| !is_combining_mark(*c))?;
    folded.next().is_none().then_some(one)
}

/// Whether a folded character is ASCII or a Latin letter: marks on it are left out.
pub(super) fn is_latin(c: char) -> bool {
    c.is_ascii()
        || matches!(c, '\u{c0}'..='\u{2af}' | '\u{1d00}'..='\u{1dbf}' | '\u{1e00}'..='\u{1eff}'
            | '\u{2c60}'..='\u{2c7f}' | '\u{a720}'..='\u{a7ff}' | '\u{ab30}'..='\u{ab6f}')
            && c != '\u{d7}'
            && c != '\u{f7}'
}

fn space(c: char) -> Option<&'static str> {
    match c {
        '\u{85}' | '\u{2028}' | '\u{2029}' => Some("\n"),
        '\u{80}'..='\u{9f}' | '\u{2800}' => Some(" "),
        c if c.is_whitespace() => Some(" "),
        _ => None,
    }
}

/// How many bytes at the start are ASCII.
pub(crate) fn ascii_prefix(bytes: &[u8]) -> usize {
    let short = bytes.iter().take(16).take_while(|b| b.is_ascii()).count();
    if short < 16 {
        return short;
    }
    let mut done = 0;
    for block in bytes.chunks(64) {
        if !block.is_ascii() {
            return done + block.iter().take_while(|b| b.is_ascii()).count();
        }
        done += block.len();
    }
    done
}

/// Adds ASCII in lower case, with control characters other than the line feed as spaces.
fn lower(ascii: &[u8], to: &mut String) {
    if ascii.len() < 16 {
        to.extend(ascii.iter().map(|b| char::from(lower_byte(*b))));
        return;
    }
    let mut block = [0_u8; BLOCK];
    for part in ascii.chunks(BLOCK) {
        for (to, from) in block.iter_mut().zip(part) {
            *to = lower_byte(*from);
        }
        let done = block.get(..part.len()).unwrap_or_default();
        to.push_str(std::str::from_utf8(done).unwrap_or_default());
    }
}

#[inline]
fn lower_byte(b: u8) -> u8 {
    let letter = b.wrapping_sub(b'A') < 26;
    let control = b < b' ' && b != b'\n' || b == 0x7f;
    if control { b' ' } else { b | (u8::from(letter) << 5) }
}
