//! A folder of labelled texts in, items in one fixed order out: neither the names of files nor the order of lines
//! changes what is learnt.
//!
//! Lines, texts and the whole corpus are bounded, before and after decompression. A line that cannot be read stops the
//! work: what is learnt from half a corpus is not what was asked for.

use super::written::WRITTEN;
use crate::failure::Failure;
use crate::output::{Format, Output, count, shown, shown_path};
use flate2::bufread::MultiGzDecoder;
use ringfence_guard::train::Label;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The longest line, in bytes.
const LINE: usize = 16 << 20;
/// The largest corpus, in bytes of lines.
const CORPUS: usize = 2 << 30;
/// How many bad lines are shown.
const SHOWN: usize = 20;
/// What names of made sources begin with.
pub(super) const MADE: &str = "variation-";

/// One labelled text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Item {
    pub(crate) source: String,
    pub(crate) id: String,
    pub(crate) label: Label,
    pub(crate) category: String,
    pub(crate) form: String,
    pub(crate) text: String,
}

/// A line as it is written.
#[derive(Debug, Deserialize)]
struct Line {
    id: String,
    source: String,
    label: Word,
    category: String,
    #[serde(default)]
    form: Option<String>,
    text: String,
}

/// A label as it is written.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Word {
    Inject,
    Benign,
    Mention,
}

impl From<Word> for Label {
    fn from(word: Word) -> Self {
        match word {
            Word::Inject => Self::Inject,
            Word::Benign => Self::Benign,
            Word::Mention => Self::Mention,
        }
    }
}

/// A line that cannot be used.
#[derive(Debug)]
struct Bad {
    file: PathBuf,
    line: usize,
    why: String,
}

impl Bad {
    fn shown(&self) -> String {
        format!("{}:{}: {}", shown_path(&self.file), self.line, shown(&self.why))
    }
}

/// Everything that was read.
#[derive(Debug)]
pub(crate) struct Corpus {
    /// Sorted, each once.
    pub(crate) items: Vec<Item>,
    pub(crate) files: usize,
    /// How many lines said what another line had said.
    pub(crate) repeated: usize,
}

/// Reads every `*.jsonl` and `*.jsonl.gz` of a folder.
pub(crate) fn read(dir: &Path, output: &Output) -> Result<Corpus, Failure> {
    let files = files(dir)?;
    if files.is_empty() {
        return Err(Failure::Usage(format!("no `*.jsonl` or `*.jsonl.gz` in `{}`", dir.display())));
    }
    let mut reader = Reader { items: Vec::new(), bad: Vec::new(), bytes: 0 };
    for file in &files {
        reader.file(file)?;
    }
    refuse(&reader.bad, output)?;
    let mut items = reader.items;
    items.sort_unstable();
    let before = items.len();
    items.dedup();
    Ok(Corpus { repeated: before - items.len(), files: files.len(), items })
}

fn files(dir: &Path) -> Result<BTreeSet<PathBuf>, Failure> {
    let failed = |e| Failure::io("read the corpus", dir, e);
    let mut files = BTreeSet::new();
    for entry in std::fs::read_dir(dir).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        if (name.ends_with(".jsonl") || name.ends_with(".jsonl.gz")) && path.is_file() {
            files.insert(path);
        }
    }
    Ok(files)
}

fn refuse(bad: &[Bad], output: &Output) -> Result<(), Failure> {
    let Some(first) = bad.first() else { return Ok(()) };
    if output.format == Format::Human {
        for bad in bad.iter().take(SHOWN) {
            output.note(&format!("{}\n", bad.shown()));
        }
    }
    let many = count(bad.len(), "bad line");
    Err(Failure::Io(format!("the corpus has {many}, the first at {}; nothing was learnt or measured", first.shown())))
}

struct Reader {
    items: Vec<Item>,
    bad: Vec<Bad>,
    bytes: usize,
}

impl Reader {
    fn file(&mut self, path: &Path) -> Result<(), Failure> {
        let failed = |e| Failure::io("read", path, e);
        let file = BufReader::new(File::open(path).map_err(failed)?);
        let packed = path.extension().is_some_and(|e| e == "gz");
        let mut lines: Box<dyn BufRead> =
            if packed { Box::new(BufReader::new(MultiGzDecoder::new(file))) } else { Box::new(file) };
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            let read = lines.by_ref().take(LINE as u64 + 1).read_until(b'\n', &mut line).map_err(failed)?;
            if read == 0 {
                break;
            }
            self.bytes += read;
            if self.bytes > CORPUS {
                return Err(Failure::Io(format!("the corpus is larger than {} GiB", CORPUS >> 30)));
            }
            let taken = match read > LINE {
                true => {
                    self.bytes += lines.skip_until(b'\n').map_err(failed)?;
                    Err(format!("longer than {} MiB", LINE >> 20))
                }
                false => item(&line),
            };
            match taken {
                Ok(item) => self.items.extend(item),
                Err(why) => self.bad.push(Bad { file: path.to_owned(), line: number, why }),
            }
        }
        Ok(())
    }
}

/// The item of a line; nothing for an empty one.
fn item(line: &[u8]) -> Result<Option<Item>, String> {
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    let Line { id, source, label, category, form, text } = serde_json::from_slice(line).map_err(|e| {
        // The place inside a line of one line is its column.
        e.to_string().replace(" at line 1", " at")
    })?;
    if source.is_empty() || source.starts_with(MADE) || source.starts_with(WRITTEN) {
        return Err(format!("`{source}` cannot be the name of a source"));
    }
    Ok(Some(Item { source, id, label: label.into(), category, form: form.unwrap_or_default(), text }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_is_wrong_with_it() {
        let wrong = |line: &str| item(line.as_bytes()).expect_err("refused");
        assert!(wrong(r#"{"id":"a"}"#).contains("source"));
        assert!(wrong(r#"{"id":"a","source":"s","label":"good","category":"c","text":"t"}"#).contains("good"));
        assert!(
            wrong(r#"{"id":"a","source":"variation-x","label":"benign","category":"c","text":"t"}"#).contains("name")
        );
        assert!(wrong("{\"id\":\"\u{1}").contains("control"));
        assert_eq!(item(b"  \r\n"), Ok(None));
    }

    #[test]
    fn further_fields_are_no_matter() {
        let line = r#"{"id":"a","source":"s","label":"mention","category":"c","lang":"de","text":"t"}"#;
        let item = item(line.as_bytes()).expect("read").expect("an item");
        assert_eq!((item.label, item.form.as_str()), (Label::Mention, ""));
    }
}
