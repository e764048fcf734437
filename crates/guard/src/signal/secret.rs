//! Keys and tokens: exact shapes of known services, private keys, and assignments whose value looks random.
//!
//! Evidence never shows a secret: the beginning that names its kind, and the last four characters.

use super::catalogue::{SECRET_EXAMPLE, SECRET_GENERIC, SECRET_KEY, SECRET_TOKEN};
use super::finder::Anchor;
use super::marks::Scan;
use crate::finding::Severity;

pub(super) const TOKENS: &[&str] = &[
    "AKIA",
    "ASIA",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xoxr-",
    "xoxs-",
    "xapp-",
    "sk-proj-",
    "sk-ant-",
    "sk-svcacct-",
    "sk-or-",
    "AIza",
    "sk_live_",
    "rk_live_",
    "npm_",
    "pypi-",
    "eyJh",
    "eyJ0",
    "eyJr",
    "PRIVATE KEY-----",
    "dop_v1_",
    "AccountKey=",
    "ya29.",
];

/// Beginnings that are too short to search for: they count after a blank, a sign or a quotation mark.
pub(super) const SHORT: &[&str] = &[
    " sk-", "\"sk-", "'sk-", "=sk-", "`sk-", "\nsk-", " hf_", "\"hf_", "'hf_", "=hf_", "`hf_", "\nhf_", " SG.",
    "\"SG.", "'SG.", "=SG.", "`SG.", "\nSG.",
];

pub(super) const NAMES: &[&str] = &[
    "assword",
    "ASSWORD",
    "asswd",
    "pi_key",
    "pi-key",
    "PI_KEY",
    "piKey",
    "pikey",
    "ecret",
    "ECRET",
    "ccess_token",
    "CCESS_TOKEN",
    "uth_token",
    "UTH_TOKEN",
];

/// A shape: how a token begins, how much follows, of what.
struct Shape {
    prefix: &'static str,
    length: std::ops::RangeInclusive<usize>,
    alphabet: fn(u8) -> bool,
    /// A digit must be in it: words are not tokens.
    digits: usize,
}

const fn shape(
    prefix: &'static str,
    length: std::ops::RangeInclusive<usize>,
    alphabet: fn(u8) -> bool,
    digits: usize,
) -> Shape {
    Shape { prefix, length, alphabet, digits }
}

const SHAPES: &[Shape] = &[
    shape("AKIA", 16..=16, upper, 0),
    shape("ASIA", 16..=16, upper, 1),
    shape("ghp_", 36..=40, alnum, 1),
    shape("gho_", 36..=40, alnum, 1),
    shape("ghu_", 36..=40, alnum, 1),
    shape("ghs_", 36..=40, alnum, 1),
    shape("ghr_", 36..=80, alnum, 1),
    shape("github_pat_", 60..=100, word, 1),
    shape("glpat-", 20..=60, dashed, 1),
    shape("xoxb-", 20..=120, dashed, 4),
    shape("xoxp-", 20..=120, dashed, 4),
    shape("xoxa-", 20..=120, dashed, 4),
    shape("xoxr-", 20..=120, dashed, 4),
    shape("xoxs-", 20..=120, dashed, 4),
    shape("xapp-", 20..=120, dashed, 4),
    shape("sk-proj-", 40..=220, dashed, 3),
    shape("sk-ant-", 40..=220, dashed, 3),
    shape("sk-svcacct-", 40..=220, dashed, 3),
    shape("sk-or-", 40..=220, dashed, 3),
    shape("sk-", 32..=64, alnum, 3),
    shape("AIza", 35..=35, dashed, 1),
    shape("sk_live_", 20..=120, alnum, 1),
    shape("rk_live_", 20..=120, alnum, 1),
    shape("npm_", 36..=36, alnum, 1),
    shape("pypi-", 60..=300, dashed, 3),
    shape("SG.", 60..=80, dotted, 2),
    shape("hf_", 30..=45, alnum, 1),
    shape("dop_v1_", 64..=64, hex, 1),
    shape("AccountKey=", 80..=100, base64, 1),
    shape("ya29.", 40..=400, dashed, 2),
];

/// Reads a token of a known shape.
pub(super) fn token(scan: &mut Scan<'_>, anchor: Anchor) -> usize {
    let prefix = scan.raw.get(anchor.start..anchor.end).unwrap_or_default();
    if scan.raw.get(..anchor.start).is_some_and(|b| b.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
        && !prefix.starts_with("PRIV")
    {
        return anchor.end;
    }
    match prefix {
        "eyJh" | "eyJ0" | "eyJr" => jwt(scan, anchor),
        "PRIVATE KEY-----" => private_key(scan, anchor),
        _ => {
            let Some(shape) = SHAPES.iter().find(|s| s.prefix == prefix) else { return anchor.end };
            let rest = scan.raw.as_bytes().get(anchor.end..).unwrap_or_default();
            let body = rest.iter().take(shape.length.end() + 1).take_while(|b| (shape.alphabet)(**b)).count();
            let paid = scan.pay(body);
            let text = scan.raw.get(anchor.end..anchor.end + body).unwrap_or_default();
            let digits = text.bytes().filter(u8::is_ascii_digit).count();
            if paid == body && shape.length.contains(&body) && digits >= shape.digits && varied(text) {
                report(scan, anchor.start, anchor.end + body, prefix.len());
            }
            anchor.end + body
        }
    }
}

/// Reads a token whose beginning is short: the anchor holds one character more.
pub(super) fn short(scan: &mut Scan<'_>, anchor: Anchor) -> usize {
    let rest = scan.raw.get(anchor.start + 1..).unwrap_or_default();
    let longest = SHAPES.iter().map(|s| s.prefix).filter(|p| rest.starts_with(p)).max_by_key(|p| p.len());
    let length = longest.map_or(anchor.end - anchor.start - 1, str::len);
    token(scan, Anchor { start: anchor.start + 1, end: anchor.start + 1 + length, ..anchor })
}

/// Three parts of base64url, the first a header.
fn jwt(scan: &mut Scan<'_>, anchor: Anchor) -> usize {
    let rest = scan.after(anchor.start, 2048);
    let body = rest.bytes().take_while(|b| dotted(*b)).count();
    let text = rest.get(..body).unwrap_or_default();
    let mut parts = text.split('.');
    let lengths = [parts.next(), parts.next(), parts.next()].map(|p| p.map_or(0, str::len));
    let second = text.split('.').nth(1).is_some_and(|p| p.starts_with("eyJ"));
    if lengths.iter().all(|length| *length >= 16) && second {
        report(scan, anchor.start, anchor.start + body, 3);
    }
    anchor.start + body
}

/// A private key in its armour, with a body: the header alone is talk about keys.
fn private_key(scan: &mut Scan<'_>, anchor: Anchor) -> usize {
    let before = scan.before(anchor.start, 40);
    let Some(begin) = before.rfind("-----BEGIN ") else { return anchor.end };
    let rest = scan.after(anchor.end, 600);
    let body = rest.trim_start_matches(['\\', 'n', 'r', '\n', '\r', ' ', '"']);
    let run =
        body.bytes().filter(|b| !b.is_ascii_whitespace()).take(300).take_while(|b| base64(*b) || *b == b'\\').count();
    let start = anchor.start - (before.len() - begin);
    if run >= 64 && entropy(body.get(..run.min(body.len())).unwrap_or_default()) > 3.5 {
        let words = format!("{}…", super::evidence(super::slice(scan.raw, start..anchor.end)));
        let example = is_sample(scan.before(start, 200));
        let severity = if example { Severity::Warn } else { SECRET_KEY.severity };
        scan.hit_with(&SECRET_KEY, severity, start..anchor.end, words, example);
    }
    anchor.end
}

/// `password = …`, `"api_key": "…"`: a name, a sign and a value that looks random.
pub(super) fn assignment(scan: &mut Scan<'_>, anchor: Anchor) -> usize {
    let rest = scan.after(anchor.end, 120);
    // The name may go on: `secret_key`, `SECRET_ACCESS_KEY`.
    let name = rest.bytes().take(24).take_while(|b| word(*b)).count();
    let value = rest.get(name..).unwrap_or_default().trim_start_matches(['"', '\'', ' ', ']', '`', '*']);
    let Some(value) = value.strip_prefix([':', '=']) else { return anchor.end };
    let value = value.trim_start_matches(['=', ':', '>', ' ', '"', '\'', '`', '*']);
    let length = value
        .bytes()
        .take_while(|b| {
            b.is_ascii_graphic()
                && !matches!(
                    b,
                    b'"' | b'\'' | b'`' | b',' | b';' | b'<' | b'>' | b'(' | b')' | b'{' | b'}' | b'[' | b']'
                )
        })
        .count();
    let text = value.get(..length).unwrap_or_default();
    if looks_random(text) {
        let start = anchor.end + (rest.len() - value.len());
        report_generic(scan, anchor.start, start, length);
        return start + length;
    }
    anchor.end
}

/// A value of a password or key rather than a word, a path, a call or a variable.
fn looks_random(text: &str) -> bool {
    let count = |test: fn(&u8) -> bool| text.as_bytes().iter().filter(|b| test(b)).count();
    let (digits, letters) = (count(u8::is_ascii_digit), count(u8::is_ascii_alphabetic));
    let code = text.contains("://")
        || text.contains("::")
        || text.contains('.') && text.bytes().filter(|b| *b == b'.').count() > 1
        || text.starts_with(['/', '.', '~', '&', '%', '-', '$'])
        || text.contains('\\');
    let words =
        text.split(['_', '-', '.', '/']).filter(|w| w.len() > 2 && w.bytes().all(|b| b.is_ascii_lowercase())).count();
    (12..=100).contains(&text.len())
        && digits >= 2
        && letters >= 4
        && !code
        && words < 2
        && entropy(text) >= 3.3
        && !is_placeholder(text)
}

/// Whether the text before a key says that it is one of a test or of documentation.
fn is_sample(before: &str) -> bool {
    let lower = before.to_ascii_lowercase();
    ["test", "example", "sample", "dummy", "mock", "fixture", "```", "look like"].iter().any(|p| lower.contains(p))
}

fn is_placeholder(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    [
        "your",
        "example",
        "xxxx",
        "1234",
        "changeme",
        "placeholder",
        "dummy",
        "sample",
        "test",
        "fake",
        "redacted",
        "****",
        "...",
        "sha256",
        "abcdef",
        "password",
        "secret",
    ]
    .iter()
    .any(|p| lower.contains(p))
}

fn report(scan: &mut Scan<'_>, start: usize, end: usize, prefix: usize) {
    let text = super::slice(scan.raw, start..end);
    let example = is_placeholder(text.get(prefix..).unwrap_or_default());
    let rule = if example { &SECRET_EXAMPLE } else { &SECRET_TOKEN };
    let words = mask(text, prefix);
    scan.hit_with(rule, rule.severity, start..end, words, example);
}

fn report_generic(scan: &mut Scan<'_>, name: usize, start: usize, length: usize) {
    let text = super::slice(scan.raw, start..start + length);
    let words = format!(
        "{} {}",
        super::slice(scan.raw, name..name + 12).split(['=', ':', '"']).next().unwrap_or_default(),
        mask(text, 0)
    );
    scan.hit_with(&SECRET_GENERIC, SECRET_GENERIC.severity, name..start + length, words, false);
}

/// How a token begins, and its last four characters.
fn mask(text: &str, prefix: usize) -> String {
    let tail: String = text.chars().rev().take(4).collect::<Vec<_>>().into_iter().rev().collect();
    format!("{}…{tail}", text.get(..prefix).unwrap_or_default())
}

/// Not the same character over and over.
fn varied(text: &str) -> bool {
    entropy(text) >= 2.5
}

/// Shannon entropy, in bits for each byte.
pub(super) fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let total = f64::from(u32::try_from(text.len()).unwrap_or(u32::MAX));
    counts.iter().filter(|c| **c > 0).map(|c| f64::from(*c) / total).map(|p| -p * p.log2()).sum()
}

fn upper(b: u8) -> bool {
    b.is_ascii_uppercase() || b.is_ascii_digit()
}

fn alnum(b: u8) -> bool {
    b.is_ascii_alphanumeric()
}

fn word(b: u8) -> bool {
    alnum(b) || b == b'_'
}

fn dashed(b: u8) -> bool {
    word(b) || b == b'-'
}

fn dotted(b: u8) -> bool {
    dashed(b) || b == b'.'
}

fn hex(b: u8) -> bool {
    b.is_ascii_hexdigit()
}

fn base64(b: u8) -> bool {
    alnum(b) || matches!(b, b'+' | b'/' | b'=')
}
