//! Each encoding, alone and inside a document: the sentence is read, and the way back leads to the encoded run.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot go on should say why and stop"
)]

use ringfence_guard::{Budget, Decoding, View, decode, fold};

const SENTENCE: &str = "Kindly forward your notes about the garden to the baker before the rain.";

fn open(text: &str) -> Vec<Decoding> {
    decode(&View::plain(text, 0), &mut Budget::for_input(text.len()))
}

fn base64(text: &[u8], alphabet: &[u8; 64]) -> String {
    let mut out = String::new();
    for chunk in text.chunks(3) {
        let bits = chunk.iter().fold(0_u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for i in 0..=chunk.len() {
            out.push(char::from(alphabet[(bits >> (18 - 6 * i) & 63) as usize]));
        }
    }
    out
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const FOR_URLS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn each(text: &str, form: impl Fn(u8) -> String) -> String {
    text.bytes().map(form).collect()
}

fn rotate(text: &str, by: u8) -> String {
    let turn = |c: char| match c {
        'a'..='z' => char::from((c as u8 - b'a' + by) % 26 + b'a'),
        'A'..='Z' => char::from((c as u8 - b'A' + by) % 26 + b'A'),
        c => c,
    };
    text.chars().map(turn).collect()
}

fn leet(text: &str) -> String {
    let swap = |c: char| match c {
        'e' => '3',
        'o' => '0',
        'a' => '4',
        't' => '7',
        'i' => '1',
        c => c,
    };
    text.chars().map(swap).collect()
}

fn selectors(text: &str) -> String {
    text.bytes().map(|b| char::from_u32(0xe0100 + u32::from(b) - 16).unwrap()).collect()
}

fn zero_width_bits(text: &str) -> String {
    let bit = |b: u8, i: u8| if b >> i & 1 == 1 { '\u{200c}' } else { '\u{200b}' };
    text.bytes().flat_map(|b| (0..8).rev().map(move |i| bit(b, i))).collect()
}

fn spaced(text: &str, within: &str, between: &str) -> String {
    let word = |w: &str| w.chars().map(String::from).collect::<Vec<_>>().join(within);
    text.split(' ').map(word).collect::<Vec<_>>().join(between)
}

fn wrap(text: &str, width: usize) -> String {
    text.as_bytes().chunks(width).map(|c| std::str::from_utf8(c).unwrap()).collect::<Vec<_>>().join("\n")
}

fn morse(text: &str) -> String {
    let codes =
        ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..";
    let codes: Vec<&str> = codes.split(' ').collect();
    let word =
        |w: &str| w.bytes().map(|b| codes[usize::from(b.to_ascii_lowercase() - b'a')]).collect::<Vec<_>>().join(" ");
    text.split(' ').map(word).collect::<Vec<_>>().join(" / ")
}

fn encodings() -> Vec<(&'static str, &'static str, String)> {
    let s = SENTENCE;
    let code = |b: u8| format!("{b:02x}");
    let reversed: String = s.chars().rev().collect();
    let reversed_words = s.split(' ').map(|w| w.chars().rev().collect()).collect::<Vec<String>>().join(" ");
    let wide: Vec<u8> = s.bytes().flat_map(|b| [b, 0]).collect();
    vec![
        ("base64", "base64", base64(s.as_bytes(), STANDARD) + "=="),
        ("unpadded", "base64", base64(s.as_bytes(), STANDARD)),
        ("for urls", "base64", base64(s.as_bytes(), FOR_URLS)),
        ("wrapped", "base64", wrap(&base64(s.as_bytes(), STANDARD), 40)),
        ("wide", "base64", base64(&wide, STANDARD)),
        ("data", "base64", format!("data:text/plain;base64,{}", base64(s.as_bytes(), STANDARD))),
        ("hex", "hex", each(s, code)),
        ("hex upper", "hex", each(s, code).to_uppercase()),
        ("hex wrapped", "hex", wrap(&each(s, code), 64)),
        ("hex spaced", "hex", s.bytes().map(code).collect::<Vec<_>>().join(" ")),
        ("hex colons", "hex", s.bytes().map(code).collect::<Vec<_>>().join(":")),
        ("hex 0x", "hex", s.bytes().map(|b| format!("0x{b:02x}")).collect::<Vec<_>>().join(", ")),
        ("decimal", "decimal", s.bytes().map(|b| b.to_string()).collect::<Vec<_>>().join(", ")),
        ("binary", "binary", each(s, |b| format!("{b:08b}"))),
        ("binary spaced", "binary", s.bytes().map(|b| format!("{b:08b}")).collect::<Vec<_>>().join(" ")),
        ("x escapes", "escapes", each(s, |b| format!("\\x{b:02x}"))),
        ("u escapes", "escapes", each(s, |b| format!("\\u{b:04x}"))),
        ("brace escapes", "escapes", each(s, |b| format!("\\u{{{b:x}}}"))),
        ("octal escapes", "escapes", each(s, |b| format!("\\{b:03o}"))),
        ("entities", "html-entities", each(s, |b| format!("&#{b};"))),
        ("hex entities", "html-entities", each(s, |b| format!("&#x{b:x};"))),
        ("percent", "percent", each(s, |b| format!("%{b:02X}"))),
        ("percent spaces", "percent", s.replace(' ', "%20")),
        ("quoted", "quoted-printable", each(s, |b| format!("={b:02X}"))),
        ("rot13", "rot13", rotate(s, 13)),
        ("shift", "caesar", rotate(s, 5)),
        ("reversed", "reversed", reversed.clone()),
        ("reversed words", "reversed-words", reversed_words),
        ("override", "bidi-override", format!("\u{202e}{reversed}\u{202c}")),
        ("leet", "leetspeak", leet(s)),
        ("spaced", "spaced-letters", spaced(s, " ", "   ")),
        ("dotted", "spaced-letters", spaced(s, ".", " ")),
        ("dotted after a letter", "spaced-letters", format!("I {}", spaced(s, ".", " "))),
        ("dashed", "spaced-letters", spaced(s, "-", " ")),
        ("tags", "unicode-tags", s.bytes().map(|b| char::from_u32(0xe0000 + u32::from(b)).unwrap()).collect()),
        ("selectors", "variation-selectors", format!("🌱{}", selectors(s))),
        ("bits", "zero-width", zero_width_bits(s)),
        ("morse", "morse", morse(s.trim_end_matches('.'))),
    ]
}

fn normal(text: &str) -> String {
    let text = fold(&View::plain(text, 0)).view.text().replace(['.', '/'], " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Checks that `text`, which has `run` at `at`, opens to the sentence, and that it leads back into the run.
fn check(name: &str, via: &str, text: &str, run: std::ops::Range<usize>) {
    let found = open(text);
    let wanted = normal(SENTENCE);
    let hit = found.iter().find(|d| d.via == via && normal(d.view.text()).contains(&wanted));
    let hit =
        hit.unwrap_or_else(|| panic!("{name}: {:?}", found.iter().map(|d| (d.via, d.view.text())).collect::<Vec<_>>()));
    let (decoded, word) = (hit.view.text(), "garden");
    let at = decoded.to_lowercase().find(word).unwrap();
    let span = hit.view.origin(at..at + word.len());
    assert!(run.start <= span.start && span.end <= run.end && span.start < span.end, "{name}: {span:?} in {run:?}");
    assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end), "{name}");
    if via != "zero-width" {
        assert!(span.end - span.start <= run.len() / 2, "{name}: {span:?} is not narrow in {run:?}");
    }
}

#[test]
fn every_encoding_is_opened_standing_alone() {
    for (name, via, run) in encodings() {
        check(name, via, &run, 0..run.len());
    }
}

#[test]
fn every_encoding_is_opened_inside_a_page() {
    for (name, via, run) in encodings() {
        let head =
            "<html><body><h1>Opening hours</h1>\n<p>We are open on Tuesdays, and the museum café has soup.</p>\n<!-- ";
        let text = format!("{head}{run} -->\n<p>Tickets cost 12 € at the door (ages 6 to 99).</p></body></html>");
        check(name, via, &text, head.len()..head.len() + run.len());
    }
}

#[test]
fn every_encoding_is_opened_inside_json() {
    for (name, via, run) in encodings().into_iter().filter(|(name, ..)| !name.contains("wrapped")) {
        let head = "{\"id\": 4711, \"hash\": \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b\", \"note\": \"";
        let text = format!("{head}{run}\", \"next\": [\"alpha\", \"beta\"]}}");
        check(name, via, &text, head.len()..head.len() + run.len());
    }
}

#[test]
fn what_is_wrapped_twice_is_opened_twice() {
    let inner: String = SENTENCE.bytes().map(|b| format!("{b:02x}")).collect();
    let outer = format!("note: {}", base64(inner.as_bytes(), STANDARD));
    let first = open(&outer);
    let first = first.iter().find(|d| d.via == "base64").unwrap();
    let second = decode(&first.view, &mut Budget::of_bytes(1000));
    let second = second.iter().find(|d| d.via == "hex").unwrap();
    assert_eq!(second.view.text(), SENTENCE);
    let at = SENTENCE.find("garden").unwrap();
    let span = second.view.origin(at..at + 6);
    assert!(span.start >= 6 && span.end <= outer.len() && span.end - span.start < 24, "{span:?}");
}

#[test]
fn letters_apart_without_gaps_between_words_are_cut_at_words() {
    let words = "please show the data before you write the story";
    let letters = words.replace(' ', "").chars().map(String::from).collect::<Vec<_>>();
    let text = format!("-> {} <-", letters.join(" "));
    let found = open(&text);
    let hit = found.iter().find(|d| d.via == "spaced-letters").unwrap();
    assert_eq!(hit.view.text().trim_end(), words);
    let at = hit.view.text().find("before").unwrap();
    let span = hit.view.origin(at..at + 6);
    assert_eq!(&text[span.start..span.end], "b e f o r e");
}

#[test]
fn look_alikes_escaped_one_by_one_are_opened() {
    let found = open(r#"{"text": "Cl\u043es\u0435 th\u0435 g\u0430t\u0435 n\u043ew"}"#);
    assert!(found.iter().any(|d| d.via == "escapes" && d.view.text().contains("Clоsе thе gаtе")), "{found:?}");
    // Accents of ordinary words are not.
    assert!(open(r#"{"text": "caf\u00e9, na\u00efve, r\u00e9sum\u00e9, d\u00e9j\u00e0"}"#).is_empty());
}

#[test]
fn turned_text_is_opened() {
    let text = "note: ˙uɐɹ ǝɥʇ ǝɹoɟǝq ǝɯoɥ oƃ";
    let found = open(text);
    let turned = found.iter().find(|d| d.via == "upside-down").unwrap();
    assert!(turned.view.text().starts_with("go home before the ran."), "{}", turned.view.text());
}

#[test]
fn ordinary_text_has_nothing_to_open() {
    let benign = [
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 (HEAD -> main)",
        "id: 123e4567-e89b-12d3-a456-426614174000, 0c2f7e52-8b1c-4b3f-9d56-9f0c9f6f0c11",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "src=\"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==\"",
        "-----BEGIN CERTIFICATE-----\nMIIBkTCB+wIJAKHHIG11HoVeMA0GCSqGSIb3DQEBBQUAMA0xCzAJBgNVBAYTAlVT\nMB4XDTE3MDEwMTAwMDAwMFoXDTE4MDEwMTAwMDAwMFowDTELMAkGA1UEBhMCVVMw\n-----END CERTIFICATE-----",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGx1b3V2Y8Zr0o6Qm8pX1f9wq3k2Lr7vQ5x8c0dJ4T9z host",
        "!function(e,t){\"object\"==typeof exports?module.exports=t():e.lib=t()}(this,function(){var n={},r=0x1f;return n})",
        "getElementsByTagNameNS(document.querySelectorAll('input[type=checkbox]'))",
        "Die Straße über den Fluss ist wegen Bauarbeiten gesperrt, fahren Sie bitte über die Brücke.",
        "Завтра мы поедем на дачу, а вечером будем пить чай с вареньем.",
        "明日は友達と公園で桜を見ながらお弁当を食べる予定です。",
        "Αύριο θα πάμε στη θάλασσα με τα παιδιά και θα φάμε ψάρι.",
        "The U.S. and the U.K. met at 9 a.m.; e.g. the i.e. of it, or A, B, C and D.",
        "x = a + b * c - d / e; y = f(g, h); 3rd try, 1st place, 2nd row, h264, utf8, base64, x86",
        "100% of 3 & 4 are <= 7, see C:\\new\\table\\users or \\alpha, \\beta and \\gamma",
        "10 20 30 40 50 60 70 80 90 100 110 120",
        "https://example.org/a%2Fb/c?d=e&f=g%20h",
    ];
    for text in benign {
        let found: Vec<_> = open(text).into_iter().map(|d| (d.via, d.view.text().to_owned())).collect();
        assert!(found.is_empty(), "{text}: {found:?}");
    }
}

#[test]
fn the_budget_holds_and_says_so() {
    let one = base64(SENTENCE.as_bytes(), STANDARD);
    let text = vec![one; 400].join(" ");
    let mut all = Budget::for_input(text.len());
    let found = decode(&View::plain(&text, 0), &mut all);
    let total: usize = found.iter().map(|d| d.view.text().matches("garden").count()).sum();
    assert_eq!(total, 400, "past the first views the rest comes in one");
    assert!(found.len() < 200 && !all.is_spent());
    let mut little = Budget::of_bytes(200);
    let found = decode(&View::plain(&text, 0), &mut little);
    assert_eq!(found.len(), 2);
    assert!(little.is_spent());
}
