//! JUnit XML, for test reports.

use super::json::placed;
use crate::failure::Problems;
use std::fmt::Write as _;

/// One test case.
#[derive(Debug)]
pub(crate) struct Case {
    /// The suite: the document.
    pub(crate) suite: String,
    /// The test in words.
    pub(crate) name: String,
    /// Where it stands.
    pub(crate) file: String,
    /// Its line.
    pub(crate) line: u32,
    /// What went wrong, if anything.
    pub(crate) outcome: Outcome,
}

/// How a case ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// As expected.
    Passed,
    /// Another answer than the expected one.
    Failed(String),
    /// It could not be asked.
    Error(String),
}

/// A report of cases, grouped by suite in the order given.
pub(crate) fn report(cases: &[Case]) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let (failures, errors) = tally(cases.iter());
    let _ = writeln!(
        out,
        r#"<testsuites name="ringfence" tests="{}" failures="{failures}" errors="{errors}">"#,
        cases.len()
    );
    for group in cases.chunk_by(|a, b| a.suite == b.suite) {
        let (failures, errors) = tally(group.iter());
        let name = group.first().map(|c| escape(&c.suite)).unwrap_or_default();
        let _ = writeln!(
            out,
            r#"  <testsuite name="{name}" tests="{}" failures="{failures}" errors="{errors}">"#,
            group.len()
        );
        group.iter().for_each(|c| case(&mut out, c));
        out.push_str("  </testsuite>\n");
    }
    out + "</testsuites>\n"
}

/// Invalid policies: nothing could be tested.
pub(crate) fn problems(problems: &Problems) -> String {
    let cases = problems.errors.iter().map(|d| {
        let place = placed(d).first().map(|l| problems.sources.named(l.place));
        let (file, line) = place.map(|p| (p.file.to_string(), p.line)).unwrap_or_default();
        let outcome = Outcome::Error(d.message.clone());
        Case { suite: "policy".into(), name: d.code.as_str().into(), file, line, outcome }
    });
    report(&cases.collect::<Vec<_>>())
}

fn tally<'a>(cases: impl Iterator<Item = &'a Case>) -> (usize, usize) {
    cases.fold((0, 0), |(failures, errors), c| match c.outcome {
        Outcome::Passed => (failures, errors),
        Outcome::Failed(_) => (failures + 1, errors),
        Outcome::Error(_) => (failures, errors + 1),
    })
}

/// Writing to a String cannot fail, so results are dropped.
fn case(out: &mut String, case: &Case) {
    let (suite, name, file) = (escape(&case.suite), escape(&case.name), escape(&case.file));
    let _ = write!(out, r#"    <testcase classname="{suite}" name="{name}" file="{file}" line="{}""#, case.line);
    let _ = match &case.outcome {
        Outcome::Passed => writeln!(out, "/>"),
        Outcome::Failed(why) => writeln!(out, ">\n      <failure message=\"{}\"/>\n    </testcase>", escape(why)),
        Outcome::Error(why) => writeln!(out, ">\n      <error message=\"{}\"/>\n    </testcase>", escape(why)),
    };
}

/// Text as it may stand in an attribute. Characters that XML 1.0 cannot hold at all become a replacement.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\t' | '\n' | '\r' => _ = write!(out, "&#{};", u32::from(c)),
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_stays_inside_its_attribute() {
        assert_eq!(escape("<a b=\"c\">&'\u{1b}\n"), "&lt;a b=&quot;c&quot;&gt;&amp;&apos;\u{fffd}&#10;");
    }
}
