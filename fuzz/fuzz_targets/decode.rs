//! Folding and decoding on any text, three deep: no panic, origins on characters inside the text, the budget holds.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ringfence_guard::{Budget, View, decode, fold};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let mut budget = Budget::for_input(text.len());
    let mut waiting = vec![(View::plain(&text, 0), 0)];
    let mut decoded = 0;
    while let Some((view, depth)) = waiting.pop() {
        let folded = fold(&view);
        for part in [&view, &folded.view] {
            for (at, c) in part.text().char_indices().step_by(7) {
                let origin = part.origin(at..at + c.len_utf8());
                assert!(text.get(origin.start..origin.end).is_some(), "{origin:?}");
            }
        }
        if depth < 3 {
            for found in decode(&view, &mut budget) {
                decoded += found.view.text().len();
                waiting.push((found.view, depth + 1));
            }
        }
    }
    assert!(decoded <= 2 * text.len() + 4096, "{decoded} bytes from {}", text.len());
});
