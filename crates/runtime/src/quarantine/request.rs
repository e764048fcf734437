//! What is sent of a long text.

/// At most about `most` characters of the text: its head and its tail, with a note of what is missing between them.
pub(super) fn cut(text: &str, most: usize) -> String {
    let chars = text.chars().count();
    if chars <= most {
        return text.to_owned();
    }
    let tail = most / 4;
    let head = most - tail;
    let left_out = chars - most;
    let mut out: String = text.chars().take(head).collect();
    out.push_str(&format!("\n[… {left_out} characters left out …]\n"));
    out.extend(text.chars().skip(chars - tail));
    out
}
