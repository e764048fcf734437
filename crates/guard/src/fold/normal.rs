//! First pass: lower case, compatibility forms, plain Latin letters, one kind of space, nothing invisible.
//!
//! ASCII goes by in blocks; only what is not ASCII is looked at character by character.

use unicode_normalization::char::{compose, decompose_compatible, is_combining_mark};

use super::hidden::{self, Log};
use super::table;
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
            if let Some(run) = rest.get(..ascii).filter(|r| !r.is_empty()) {
                out.copy_with(at, |to| lower(run.as_bytes(), to));
                at += ascii;
            } else {
                at = self.beyond_ascii(at, out).max(at + 1);
            }
        }
    }

    /// Takes what stands at `at`, a character beyond ASCII, and gives the place after it.
    fn beyond_ascii(&mut self, at: usize, out: &mut Builder) -> usize {
        let Some(c) = self.text.get(at..).and_then(|t| t.chars().next()) else { return self.text.len() };
        let end = at + c.len_utf8();
        if is_itself(c) {
            self.foreign |= c < '\u{450}' && table::look(c).is_some();
            out.copy(self.text.get(at..end).unwrap_or_default(), at);
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
        self.decompose(c, latin_before);
        if self.cluster.is_empty() {
            return end;
        }
        let end = self.marks(end);
        let source = self.text.get(at..end).unwrap_or_default();
        match self.cluster.len() == source.len() && self.cluster.chars().count() == 1 && source.chars().count() == 1 {
            true => out.copy(&self.cluster, at),
            false => out.whole(&self.cluster, at..end),
        }
        end
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
            } else if is_combining_mark(c) {
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
        let mark = self.text.get(visible..)?.chars().next().filter(|c| is_combining_mark(*c));
        mark?;
        let mut next = at;
        while next < visible {
            next = self.invisible(next);
        }
        Some(visible)
    }
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

/// Letters of scripts that fold to themselves, for speed.
fn is_itself(c: char) -> bool {
    matches!(c, '\u{430}'..='\u{438}' | '\u{43a}'..='\u{44f}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{3041}'..='\u{3094}' | '\u{30a1}'..='\u{30fa}' | '\u{2010}' | '\u{2012}'..='\u{2015}' | '\u{2018}'..='\u{201f}' | '\u{2500}'..='\u{257f}')
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
    let mut block = [0_u8; BLOCK];
    for part in ascii.chunks(BLOCK) {
        for (to, from) in block.iter_mut().zip(part) {
            let letter = from.wrapping_sub(b'A') < 26;
            let control = *from < b' ' && *from != b'\n' || *from == 0x7f;
            *to = if control { b' ' } else { *from | (u8::from(letter) << 5) };
        }
        let done = block.get(..part.len()).unwrap_or_default();
        to.push_str(std::str::from_utf8(done).unwrap_or_default());
    }
}
