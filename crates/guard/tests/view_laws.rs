//! Laws of views, over any text.

#![expect(clippy::indexing_slicing, reason = "a test that cannot go on stops")]

use proptest::prelude::*;
use ringfence_guard::{Budget, View, decode, fold};

/// Any text, with a leaning towards what folding and decoding look for.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => any::<String>(),
        3 => "[ -~\n]{0,40}",
        2 => "[a-zа-яёїα-ω \u{300}-\u{310}\u{200b}-\u{200f}]{0,20}",
        2 => "[\u{1100}-\u{11ff}\u{3130}-\u{3160}\u{fe00}-\u{fe0f}\u{ff00}-\u{ffef}\u{e0000}-\u{e007f}]{0,12}",
        2 => "([A-Za-z0-9+/]{4}){3,20}={0,2}",
        2 => "([2-7][0-9a-f]){10,40}",
        2 => "(%[2-7][0-9A-F]|&#1[01][0-9];|\\\\x6[0-9a-f]|\\\\u00[67][0-9]|=[67][0-9]){1,20}",
        2 => "((gur|naq|lbh|eht|uoy|htiw|erongi|vtaber|1gn0r3|y0u) ){1,12}",
        1 => "([a-z][ .-]){1,20}",
        1 => "[\u{202a}-\u{202e}\u{2066}-\u{2069}ǝɐɹʇɥ]{0,8}",
        1 => "([.-]{1,4} ){1,20}",
    ];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

/// Every part of the view, on its character boundaries, leads to a part of the original on its own.
fn leads_back(view: &View<'_>, original: &str, offset: usize) -> Result<(), TestCaseError> {
    let text = view.text();
    let bounds: Vec<usize> = (0..=text.len()).filter(|i| text.is_char_boundary(*i)).collect();
    for pair in bounds.windows(2) {
        for end in [pair[1], (pair[1] + 7).min(text.len())] {
            let end = text.floor_char_boundary(end);
            let span = view.origin(pair[0]..end);
            prop_assert!(span.start >= offset && span.start <= span.end, "{:?}", span);
            let (start, end) = (span.start - offset, span.end - offset);
            prop_assert!(end <= original.len(), "{:?}", span);
            prop_assert!(original.is_char_boundary(start) && original.is_char_boundary(end), "{:?} {:?}", span, text);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 3000 }))]

    #[test]
    fn folding_leads_back_and_is_bounded(text in texts(), offset in 0..1000_usize) {
        let folded = fold(&View::plain(&text, offset));
        prop_assert!(folded.view.text().len() <= text.len() * 4);
        leads_back(&folded.view, &text, offset)?;
        for hidden in &folded.hidden {
            let (start, end) = (hidden.span.start - offset, hidden.span.end - offset);
            prop_assert!(text.get(start..end).is_some_and(|t| t.chars().count() >= hidden.chars));
        }
    }

    #[test]
    fn folding_twice_is_folding_once(text in texts()) {
        let once = fold(&View::plain(&text, 0)).view.text().to_owned();
        let twice = fold(&View::plain(&once, 0)).view.text().to_owned();
        prop_assert_eq!(once, twice);
    }

    #[test]
    fn decoding_leads_back_and_keeps_to_its_budget(text in texts(), offset in 0..1000_usize, bytes in 0..600_usize) {
        let mut budget = Budget::of_bytes(bytes);
        let mut open = vec![View::plain(&text, offset)];
        let mut total = 0;
        for _ in 0..3 {
            let mut next = Vec::new();
            for view in &open {
                for decoding in decode(view, &mut budget) {
                    total += decoding.view.text().len();
                    leads_back(&decoding.view, &text, offset)?;
                    leads_back(&fold(&decoding.view).view, &text, offset)?;
                    next.push(decoding.view);
                }
            }
            open = next;
        }
        prop_assert!(total <= bytes);
    }

    #[test]
    fn letters_of_one_script_are_not_mixed(text in "[а-яё ]{0,60}") {
        let folded = fold(&View::plain(&text, 0));
        prop_assert_eq!(folded.view.text(), &text);
    }
}

#[test]
fn every_character_folds_to_what_folds_to_itself() {
    let all = ('\0'..=char::MAX).collect::<Vec<_>>();
    for some in all.chunks(64) {
        for between in ["", " ", "a", "ж ", "\u{301}"] {
            let text: String = some.iter().map(|c| format!("{c}{between}")).collect();
            let once = fold(&View::plain(&text, 0)).view;
            let twice = fold(&View::plain(once.text(), 0)).view;
            assert_eq!(once.text(), twice.text(), "from {:?} with {between:?}", some[0]);
        }
    }
}

#[test]
fn half_width_kana_fold_to_whole_ones() {
    for (text, folded) in [("ｶ\u{ff9e}", "ガ"), ("ﾊ\u{ff9f}", "パ"), ("x\u{ff9e}", "x"), ("ｶ\u{200b}\u{ff9e}", "ガ")]
    {
        assert_eq!(fold(&View::plain(text, 0)).view.text(), folded, "{text}");
    }
}
