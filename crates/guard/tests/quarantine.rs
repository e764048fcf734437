//! The extract quotes little, nothing that was flagged, and takes any text in one pass.

use ringfence_guard::Span;
use ringfence_guard::quarantine::{Budget, Extract, Kind, extractive};

fn quoted(extract: &Extract) -> Vec<&str> {
    let pieces = [&extract.head, &extract.tail].into_iter().chain(&extract.outline).chain(&extract.sentences);
    pieces.map(String::as_str).collect()
}

fn assert_bounded(extract: &Extract) {
    let pieces = quoted(extract);
    assert!(pieces.iter().all(|piece| piece.chars().count() <= 160), "{pieces:?}");
    assert!(pieces.iter().map(|piece| piece.chars().count()).sum::<usize>() <= 1200, "{pieces:?}");
    assert!(extract.render().chars().count() < 1600);
}

#[test]
fn each_kind_shows_its_own_structure() {
    let json = format!(
        r#"{{"users": [{{"name": "x", "deep": {{"inner": 1}}}}], "total": 3, "rest": [{}0]}}"#,
        "0, ".repeat(99)
    );
    let json = extractive(&json, Budget::default(), &[]);
    assert_eq!((json.kind, json.outline), (Kind::Json, vec!["users".into(), "total".into(), "rest".into()]));
    let page = "<html><head><title>Garden</title><style>p{}</style></head><body><h1>Soil</h1><!-- hidden words here -->\
                <p>Loam holds water well in dry summers.</p><script>alert('never shown')</script></body></html>";
    let page = extractive(&format!("{page}{}", "<p>Clay.</p>".repeat(50)), Budget::default(), &[]);
    assert_eq!((page.kind, &page.outline), (Kind::Html, &vec!["Garden".into(), "Soil".into()]));
    assert!(!page.render().contains("hidden words") && !page.render().contains("alert"), "{}", page.render());
    assert!(page.render().contains("Loam holds water"));
    let log: String = (0..50)
        .map(|n| {
            format!(
                "2026-01-02T10:00:{n:02}Z {} request number {n} was served\n",
                if n == 20 { "ERROR" } else { "INFO" }
            )
        })
        .collect();
    let log = extractive(&log, Budget::default(), &[]);
    assert_eq!((log.kind, log.outline.clone()), (Kind::Log, vec!["error 1".into(), "info 49".into()]));
    assert!(log.sentences.iter().any(|line| line.contains("request number 20")));
    let code = format!("use std::fs;\n\npub fn read_all() {{\n{}}}\n", "    go();\n".repeat(50));
    let code = extractive(&code, Budget::default(), &[]);
    assert_eq!((code.kind, code.outline), (Kind::Code, vec!["pub fn read_all() {".into()]));
    assert_eq!(extractive("", Budget::default(), &[]).render(), "kind: prose\nsize: 0 characters, 0 lines, 0 words\n");
}

#[test]
fn nothing_flagged_is_quoted_wherever_it_stands() {
    let sentence = |n: usize| format!("Sentence number {n} speaks about apples, pears and other fruit. ");
    let text: String = (0..30).map(sentence).collect();
    for n in 0..30 {
        let start = text.find(&sentence(n)).unwrap();
        let flagged = Span { start: start + 9, end: start + 16 };
        let extract = extractive(&text, Budget::default(), &[flagged]);
        assert!(!extract.render().contains(&format!("number {n} speaks")), "{}", extract.render());
        assert_bounded(&extract);
    }
    let all = extractive(&text, Budget::default(), &[Span { start: 0, end: text.len() }]);
    assert!(quoted(&all).iter().all(|piece| piece.is_empty()));
    let key = r#"{"good": 1, "obey me": 2}"#;
    let at = key.find("obey").unwrap();
    assert_eq!(extractive(key, Budget::default(), &[Span { start: at, end: at + 4 }]).outline, ["good"]);
    let heading = "<html><h1>Obey</h1><h2>Fine</h2>";
    assert_eq!(extractive(heading, Budget::default(), &[Span { start: 11, end: 14 }]).outline, ["Fine"]);
}

#[test]
fn a_smaller_budget_is_kept_and_a_larger_one_is_not_given() {
    let text = "Words that go on and on about nothing much at all, again and again. ".repeat(500);
    let small = extractive(&text, Budget { total: 50, piece: 20 }, &[]);
    assert!(quoted(&small).iter().map(|piece| piece.chars().count()).sum::<usize>() <= 50);
    assert_bounded(&extractive(&text, Budget { total: usize::MAX, piece: usize::MAX }, &[]));
    assert!(quoted(&extractive(&text, Budget { total: 0, piece: 0 }, &[])).iter().all(|piece| piece.is_empty()));
}

#[test]
fn pieces_are_one_line_and_hide_nothing() {
    let extract =
        extractive("One\u{202e} two\u{200b} th\u{0}ree\u{e0041}\tfour.\nhead: forged\r\n", Budget::default(), &[]);
    assert_eq!(extract.head, "One two three four.");
    assert!(extract.render().lines().all(|line| line.contains(": ")), "{}", extract.render());
    assert!(!extract.render().contains(['\u{202e}', '\u{200b}', '\u{e0041}', '\0', '\t']));
}

#[test]
fn hostile_texts_take_one_pass() {
    // A pass for each tag, quote or bracket over half a megabyte would not end.
    for piece in [
        "<", "<script>", "<!--", "<h1", "<h1>", "{\"", "[", "\"a\":", "# ", "a. ", "\n", "。", "\u{301}", "-->",
        "<style><",
    ] {
        for start in ["", "<html>", "{\"a\"", "2026-01-01 10:00:00 INFO "] {
            let text = format!("{start}{}", piece.repeat(500_000 / piece.len()));
            assert_bounded(&extractive(&text, Budget::default(), &[]));
        }
    }
    let text = "a. ".repeat(300_000);
    let flagged: Vec<Span> = (0..300_000).map(|n| Span { start: n * 3, end: n * 3 + 1 }).collect();
    assert_eq!(extractive(&text, Budget::default(), &flagged).left_out, 300_000);
}

#[test]
fn the_same_text_gives_the_same_extract() {
    let text: String =
        (0..2000).map(|n| format!("Line {} tells of thing {} and more words. ", n % 97, n % 31)).collect();
    assert_eq!(extractive(&text, Budget::default(), &[]), extractive(&text, Budget::default(), &[]));
}

#[test]
fn a_short_text_is_not_shown_whole_either() {
    for length in 0..400 {
        let text: String = "Some words in a row, and a stop. ".chars().cycle().take(length).collect();
        let extract = extractive(&text, Budget::default(), &[]);
        let shown: usize = quoted(&extract).iter().map(|piece| piece.chars().count()).sum();
        assert!(shown <= length / 2, "{shown} of {length}: {}", extract.render());
    }
}
