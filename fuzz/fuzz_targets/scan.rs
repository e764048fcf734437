//! The scanner on any text: no panic, spans on characters inside the text, the score between 0 and 1, and the same
//! report however the text is cut into pieces.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ringfence_guard::{Report, Scanner};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let Ok(scanner) = Scanner::new(Default::default()) else { panic!("the compiled-in model is damaged") };
    let whole = scanner.scan(&text);
    assert!((0.0..=1.0).contains(&whole.score));
    for finding in &whole.findings {
        assert!(text.get(finding.span.start..finding.span.end).is_some(), "{finding:?}");
        assert!(finding.evidence.chars().count() <= 200 && !finding.evidence.contains('\n'));
    }
    let mut stream = scanner.stream();
    for (at, c) in text.char_indices() {
        stream.push(&text[at..at + c.len_utf8()]);
    }
    assert_eq!(shape(&whole), shape(&stream.finish()));
});

fn shape(report: &Report) -> (u64, Vec<(&str, usize, usize)>) {
    let list = report.findings.iter().map(|f| (f.rule.id, f.span.start, f.span.end));
    (report.score.to_bits(), list.collect())
}
