//! What kind of text it is, by its first lines: enough to know where its headings are.

use serde::{Deserialize, Serialize};

/// The kind of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An object or a list.
    Json,
    /// A page.
    Html,
    /// Lines with times or levels.
    Log,
    /// A program.
    Code,
    /// Anything else.
    #[default]
    Prose,
}

/// How much of a text decides.
const SAMPLE_LINES: usize = 200;
const SAMPLE_BYTES: usize = 64 * 1024;

impl Kind {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Html => "html",
            Self::Log => "log",
            Self::Code => "code",
            Self::Prose => "prose",
        }
    }

    /// The kind of `text`.
    ///
    /// ```
    /// use ringfence_guard::quarantine::Kind;
    /// assert_eq!(Kind::of("{\"a\": [1, 2]}"), Kind::Json);
    /// assert_eq!(Kind::of("<!doctype html><p>Hello"), Kind::Html);
    /// assert_eq!(Kind::of("2026-01-02 10:00:00 INFO up\n2026-01-02 10:00:01 WARN hot"), Kind::Log);
    /// assert_eq!(Kind::of("fn main() {\n    let x = 1;\n}"), Kind::Code);
    /// assert_eq!(Kind::of("It rains."), Kind::Prose);
    /// ```
    #[must_use]
    pub fn of(text: &str) -> Self {
        let text = text.trim_start();
        let sample = text.get(..text.floor_char_boundary(SAMPLE_BYTES)).unwrap_or(text);
        let start: String = sample.chars().take(64).collect::<String>().to_ascii_lowercase();
        let object = start.strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with(['"', '}']));
        let list = start.strip_prefix('[').is_some_and(|rest| {
            rest.trim_start().starts_with(|c: char| "{[\"]-".contains(c) || c.is_ascii_digit())
                || ["true", "false", "null"].iter().any(|word| rest.trim_start().starts_with(word))
        });
        if object || (list && !is_stamp(&start)) {
            return Self::Json;
        }
        if ["<!doctype html", "<html", "<head", "<body"].iter().any(|tag| start.starts_with(tag)) {
            return Self::Html;
        }
        let lines: Vec<&str> = sample.lines().filter(|line| !line.trim().is_empty()).take(SAMPLE_LINES).collect();
        let share = |test: fn(&str) -> bool| lines.iter().filter(|line| test(line)).count() * 2 > lines.len();
        match () {
            () if start.starts_with('<') && sample.matches("</").count() > 2 => Self::Html,
            () if share(is_stamp) => Self::Log,
            () if share(is_code) => Self::Code,
            () => Self::Prose,
        }
    }
}

/// A line that begins with a time, or has a level near its start.
fn is_stamp(line: &str) -> bool {
    let start: String = line.chars().take(40).collect::<String>().to_ascii_lowercase();
    let digits = start.chars().take(20).filter(char::is_ascii_digit).count();
    let level = ["info", "warn", "error", "debug", "trace", "fatal"].iter().any(|level| start.contains(level));
    let time = start.chars().take(20).filter(|c| ":-./".contains(*c)).count();
    (digits >= 6 && time >= 2) || (level && (digits >= 2 || start.starts_with('[')))
}

/// A line that ends or begins as programs do.
fn is_code(line: &str) -> bool {
    let line = line.trim();
    line.ends_with([';', '{', '}', ')', ':'])
        || ["//", "#include", "import ", "from ", "def ", "let ", "const ", "return", "if (", "use ", "@"]
            .iter()
            .any(|start| line.starts_with(start))
}
