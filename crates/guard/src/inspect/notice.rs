//! What Ringfence itself says to the model in place of a text: short, neutral, and without a word of the text.

/// The most characters of a tool's name that are repeated.
const NAME_MAX: usize = 64;

/// A tool's name as it may stand in a notice.
pub(super) fn name(tool: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "_-.:/".contains(c) { c } else { '_' };
    match tool.chars().take(NAME_MAX).map(plain).collect::<String>() {
        empty if empty.is_empty() => "unnamed".to_owned(),
        name => name,
    }
}

/// Says that an output was withheld, and by which rule.
pub(super) fn withheld(tool: &str, rule: &str, bytes: usize) -> String {
    let tool = name(tool);
    format!("[ringfence: the output of `{tool}` was withheld by rule `{rule}`; its {bytes} bytes are not shown]\n")
}

/// Says that a summary follows, of how much.
pub(super) fn summarised(tool: &str, bytes: usize, read: usize) -> String {
    let tool = name(tool);
    let part = if read < bytes { format!(" of its first {read} bytes") } else { String::new() };
    format!("[ringfence: the output of `{tool}`, {bytes} bytes, is not shown whole; a summary{part} follows]\n")
}
