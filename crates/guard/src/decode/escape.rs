//! Characters written as escapes: `\x41`, `\u0041`, `\101`, `%41`, `&#65;`, `&amp;`, `=41`.

use std::ops::Range;

use crate::view::Builder;

/// The most bytes between two escapes of one region.
const GAP: usize = 24;
/// Letters, digits or spaces that had to be escaped for a region to be worth opening: none of them needs it.
const LEAST: usize = 4;

/// How characters are escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Backslash,
    Percent,
    Entity,
    Quoted,
}

impl Style {
    fn mark(self) -> u8 {
        match self {
            Self::Backslash => b'\\',
            Self::Percent => b'%',
            Self::Entity => b'&',
            Self::Quoted => b'=',
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Backslash => "escapes",
            Self::Percent => "percent",
            Self::Entity => "html-entities",
            Self::Quoted => "quoted-printable",
        }
    }
}

/// What one escape stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    Byte(u8),
    Char(char),
    /// Half of a character beyond the first plane.
    Half(u16),
    Nothing,
}

/// Reads the escape at the start of `bytes`: what it stands for and how long it is.
pub(super) fn read(style: Style, bytes: &[u8]) -> Option<(Value, usize)> {
    let rest = bytes.get(1..)?;
    match style {
        Style::Percent => byte(rest).map(|b| (Value::Byte(b), 3)),
        Style::Quoted => match rest {
            [b'\n', ..] => Some((Value::Nothing, 2)),
            [b'\r', b'\n', ..] => Some((Value::Nothing, 3)),
            _ => byte(rest).map(|b| (Value::Byte(b), 3)),
        },
        Style::Entity => entity(rest),
        Style::Backslash => backslash(rest),
    }
}

fn byte(digits: &[u8]) -> Option<u8> {
    u8::try_from(number(digits.get(..2)?, 16)?).ok()
}

/// A number all of whose bytes are digits.
fn number(digits: &[u8], radix: u32) -> Option<u32> {
    if digits.is_empty() || digits.len() > 8 {
        return None;
    }
    digits.iter().try_fold(0_u32, |n, b| n.checked_mul(radix)?.checked_add(char::from(*b).to_digit(radix)?))
}

fn backslash(rest: &[u8]) -> Option<(Value, usize)> {
    match rest {
        [b'x', b'{', digits @ ..] | [b'u', b'{', digits @ ..] => {
            let len = digits.iter().take(9).position(|b| *b == b'}')?;
            Some((scalar(number(digits.get(..len)?, 16)?)?, len + 4))
        }
        [b'x', digits @ ..] => byte(digits).map(|b| (Value::Byte(b), 4)),
        [b'u', digits @ ..] => Some((scalar(number(digits.get(..4)?, 16)?)?, 6)),
        [b'U', digits @ ..] => Some((scalar(number(digits.get(..8)?, 16)?)?, 10)),
        [b'0'..=b'3', b'0'..=b'7', b'0'..=b'7', ..] => {
            Some((Value::Byte(u8::try_from(number(rest.get(..3)?, 8)?).ok()?), 4))
        }
        [b'n', ..] => Some((Value::Byte(b'\n'), 2)),
        [b't', ..] => Some((Value::Byte(b'\t'), 2)),
        [c @ (b'"' | b'\'' | b'/' | b'\\'), ..] => Some((Value::Byte(*c), 2)),
        _ => None,
    }
}

fn scalar(n: u32) -> Option<Value> {
    match u16::try_from(n) {
        Ok(half @ 0xd800..=0xdfff) => Some(Value::Half(half)),
        _ => char::from_u32(n).map(Value::Char),
    }
}

fn entity(rest: &[u8]) -> Option<(Value, usize)> {
    let body = rest.get(..rest.len().min(12))?;
    let len = body.iter().position(|b| !b.is_ascii_alphanumeric() && *b != b'#').unwrap_or(body.len());
    let name = body.get(..len)?;
    let semicolon = usize::from(body.get(len) == Some(&b';'));
    let value = match name {
        [b'#', b'x' | b'X', digits @ ..] => number(digits, 16)?,
        [b'#', digits @ ..] => number(digits, 10)?,
        _ if semicolon == 0 => return None,
        _ => named(name)? as u32,
    };
    Some((Value::Char(char::from_u32(value).filter(|c| *c != '\0')?), 1 + len + semicolon))
}

fn named(name: &[u8]) -> Option<char> {
    Some(match name {
        b"amp" => '&',
        b"lt" => '<',
        b"gt" => '>',
        b"quot" => '"',
        b"apos" => '\'',
        b"nbsp" | b"ensp" | b"emsp" | b"thinsp" => ' ',
        b"Tab" => '\t',
        b"NewLine" => '\n',
        b"excl" => '!',
        b"num" => '#',
        b"dollar" => '$',
        b"percnt" => '%',
        b"lpar" => '(',
        b"rpar" => ')',
        b"ast" => '*',
        b"plus" => '+',
        b"comma" => ',',
        b"period" => '.',
        b"sol" => '/',
        b"colon" => ':',
        b"semi" => ';',
        b"equals" => '=',
        b"quest" => '?',
        b"commat" => '@',
        b"lsqb" | b"lbrack" => '[',
        b"bsol" => '\\',
        b"rsqb" | b"rbrack" => ']',
        b"lowbar" => '_',
        b"lcub" | b"lbrace" => '{',
        b"rcub" | b"rbrace" => '}',
        b"hyphen" => '-',
        _ => return None,
    })
}

/// Escapes of one style that stand close together.
#[derive(Debug)]
pub(super) struct Run {
    style: Style,
    range: Range<usize>,
    needless: usize,
}

impl Run {
    pub(super) fn new(style: Style) -> Self {
        Self { style, range: 0..0, needless: 0 }
    }

    /// Takes an escape. Gives the region that ended before it, if one did.
    pub(super) fn take(&mut self, value: Value, at: Range<usize>) -> Option<Range<usize>> {
        let adjoins = at.start == self.range.end;
        let ended = match at.start.saturating_sub(self.range.end) <= GAP {
            true => None,
            false => self.end(),
        };
        if self.range.is_empty() {
            self.range = at.clone();
        }
        self.range.end = at.end;
        self.needless += usize::from(is_needless(value, adjoins));
        ended
    }

    /// Ends the region and gives it if it was worth opening.
    pub(super) fn end(&mut self) -> Option<Range<usize>> {
        let range = std::mem::take(&mut self.range);
        let needless = std::mem::take(&mut self.needless);
        let least = if self.style == Style::Percent { LEAST - 1 } else { LEAST };
        (needless >= least).then_some(range)
    }
}

/// Whether the escape hides what could have been written plainly.
fn is_needless(value: Value, adjoins: bool) -> bool {
    match value {
        Value::Byte(b) => b.is_ascii_alphanumeric() || b == b' ' || adjoins && b >= 0x80,
        Value::Char(c) if c.is_ascii() => c.is_ascii_alphanumeric() || c == ' ',
        // Alone among Latin letters, one of these scripts only looks like one.
        Value::Char('\u{370}'..='\u{52f}') => true,
        Value::Char(c) => adjoins && c.is_alphabetic(),
        Value::Half(_) => adjoins,
        Value::Nothing => false,
    }
}

/// Opens a region: escapes become what they stand for, the rest stays.
pub(super) fn open(text: &str, region: Range<usize>, style: Style) -> Builder {
    let bytes = text.as_bytes();
    let mut out = Builder::with_capacity(region.len());
    let mut at = region.start;
    while at < region.end {
        let from = at;
        let mut raw = Vec::new();
        let mut half = None;
        while let Some((value, len)) =
            bytes.get(at..region.end).filter(|b| b.first() == Some(&style.mark())).and_then(|b| read(style, b))
        {
            put(value, &mut half, &mut raw);
            at += len;
        }
        if at > from {
            out.even(&String::from_utf8_lossy(&raw), from..at, 1);
            continue;
        }
        let plain = bytes.get(at + 1..region.end).unwrap_or_default();
        at += 1 + plain.iter().take_while(|b| **b != style.mark()).count();
        out.copy(text.get(from..at).unwrap_or_default(), from);
    }
    out
}

fn put(value: Value, half: &mut Option<u16>, raw: &mut Vec<u8>) {
    match value {
        Value::Byte(b) => raw.push(b),
        Value::Char(c) => raw.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        Value::Half(now @ 0xd800..=0xdbff) => *half = Some(now),
        Value::Half(now) => {
            let pair = half.take().map(|first| [first, now]);
            let both = pair.and_then(|p| char::decode_utf16(p).next()).and_then(Result::ok).unwrap_or('\u{fffd}');
            raw.extend_from_slice(both.encode_utf8(&mut [0; 4]).as_bytes());
        }
        Value::Nothing => {}
    }
}
