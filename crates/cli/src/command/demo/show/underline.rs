//! A place in a hostile text, shown: the line it stands in, made safe for a terminal, and a line of tildes under it.

use crate::output::shown;
use ringfence_guard::Span;

/// How much of the line is kept before the place.
const BEFORE: usize = 8;

/// The line and what goes under it, neither wider than `width`.
pub(super) fn lines(text: &str, span: Span, width: usize) -> (String, String) {
    let start = text.get(..span.start).and_then(|t| t.rfind('\n')).map_or(0, |at| at + 1);
    let line = text.get(start..).unwrap_or_default().split('\n').next().unwrap_or_default();
    // What is shown for each character, and whether it belongs to the place.
    let mut cells: Vec<(char, bool)> = Vec::new();
    for (at, c) in line.char_indices() {
        let within = (span.start..span.end).contains(&(start + at));
        cells.extend(shown(c.encode_utf8(&mut [0; 4])).chars().map(|shown| (shown, within)));
    }
    let first = cells.iter().position(|(_, within)| *within).unwrap_or(0);
    let skipped = if cells.len() > width { first.saturating_sub(BEFORE) } else { 0 };
    let mut kept: Vec<(char, bool)> = cells.iter().skip(skipped).copied().collect();
    if skipped > 0
        && let Some(cell) = kept.first_mut()
    {
        *cell = ('…', false);
    }
    if kept.len() > width {
        kept.truncate(width);
        if let Some(cell) = kept.last_mut() {
            cell.0 = '…';
        }
    }
    let text = kept.iter().map(|(c, _)| *c).collect();
    let under: String = kept.iter().map(|(_, within)| if *within { '~' } else { ' ' }).collect();
    (text, under.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_under_lined_and_nothing_else() {
        let text = "one\ntwo three\nfour";
        assert_eq!(lines(text, Span { start: 8, end: 13 }, 40), ("two three".into(), "    ~~~~~".into()));
    }

    #[test]
    fn what_a_terminal_would_hide_is_spelt_out_and_under_lined() {
        let text = "a\u{200b}b";
        assert_eq!(lines(text, Span { start: 1, end: 4 }, 40), ("a\\u{200b}b".into(), " ~~~~~~~~".into()));
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let text = format!("{}HERE{}", "x".repeat(100), "y".repeat(100));
        let (line, under) = lines(&text, Span { start: 100, end: 104 }, 20);
        assert_eq!(line, "…xxxxxxxHEREyyyyyyy…");
        assert_eq!(under, "        ~~~~");
    }

    #[test]
    fn a_span_over_several_lines_is_shown_where_it_begins() {
        let text = "ab\ncd\nef";
        assert_eq!(lines(text, Span { start: 4, end: 8 }, 40), ("cd".into(), " ~".into()));
    }
}
