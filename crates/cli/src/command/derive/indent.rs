//! JSON on one line → the same JSON indented by two spaces. The text is JSON already; only white space is added.

use std::iter::Peekable;
use std::str::Chars;

/// Indents a JSON text.
pub(crate) fn indent(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut depth = 0usize;
    let mut in_text = false;
    let mut escaped = false;
    let mut chars = json.chars().peekable();
    while let Some(c) = chars.next() {
        out.push(c);
        if in_text {
            in_text = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else {
            open_or_separate(c, &mut chars, &mut out, &mut depth, &mut in_text);
        }
        // A closing bracket stands on a line of its own, one step further out.
        if !in_text && matches!(chars.peek(), Some('}' | ']')) {
            depth = depth.saturating_sub(1);
            line(&mut out, depth);
        }
    }
    out
}

fn open_or_separate(c: char, chars: &mut Peekable<Chars<'_>>, out: &mut String, depth: &mut usize, in_text: &mut bool) {
    match c {
        '"' => *in_text = true,
        ':' => out.push(' '),
        ',' => line(out, *depth),
        '{' | '[' => match chars.peek() {
            Some('}' | ']') => out.extend(chars.next()),
            _ => {
                *depth += 1;
                line(out, *depth);
            }
        },
        _ => {}
    }
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use super::indent;
    use serde_json::json;

    #[test]
    fn the_same_as_the_pretty_printer() {
        for value in [
            json!({}),
            json!([]),
            json!([[], {}, [1]]),
            json!({ "a": [1, 2, { "b\\\"": "x,y:{}[]\\" }], "c": null, "d": {}, "e": { "f": [] } }),
            json!("text"),
        ] {
            assert_eq!(indent(&value.to_string()), serde_json::to_string_pretty(&value).unwrap());
        }
    }
}
