//! Any text as a question: never a panic, and what is shown reads as the same question.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ringfence_policy::question::Question;

fuzz_target!(|text: &str| {
    match Question::parse(text) {
        Ok(question) => {
            let shown = question.to_string();
            assert_eq!(Question::parse(&shown).as_ref(), Ok(&question), "{shown:?}");
        }
        Err(why) => assert!(why.len() < 4096 && !why.contains(char::is_control), "{why:?}"),
    }
});
