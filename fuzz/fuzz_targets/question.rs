//! Any text as a question: never a panic, and what is shown reads as the same question.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ringfence_policy::question::Question;

fuzz_target!(|text: &str| {
    match Question::parse(text) {
        Ok(question) => {
            let shown = question.to_string();
            if outer_space(&question) {
                return;
            }
            assert_eq!(Question::parse(&shown).as_ref(), Ok(&question), "{shown:?}");
        }
        Err(why) => assert!(why.len() < 4096 && !why.contains(char::is_control), "{why:?}"),
    }
});

/// A question is one line of words, so a path cannot start or end with a space in it.
fn outer_space(question: &Question) -> bool {
    let (Question::Read(path) | Question::Write(path)) = question else { return false };
    let text = path.to_string();
    text.trim() != text
}
