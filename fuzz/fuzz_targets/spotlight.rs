//! Spotlighting on any text: one opening and one closing mark, at the ends; datamark and encode come back exactly.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ringfence_guard::spotlight::{Mode, Session, Token};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let session = Session::new(Token::from_bytes([0x5a; 16]));
    for mode in [Mode::Delimit, Mode::Datamark, Mode::Encode] {
        let marked = session.mark(mode, "tool", &text);
        assert_eq!(marked.matches("<<<BEGIN RINGFENCE-UNTRUSTED").count(), 1);
        assert_eq!(marked.matches("<<<END RINGFENCE-UNTRUSTED").count(), 1);
        assert!(marked.trim_end().ends_with(">>>"));
        if mode != Mode::Delimit {
            assert_eq!(session.unmark(&marked).map(|b| b.content), Some(text.to_string()));
        }
    }
});
