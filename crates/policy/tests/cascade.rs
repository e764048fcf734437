//! The cascade, told by example: every case in `testdata/cascade/*.md` gives what it says it gives.
//!
//! A file is prose with fenced blocks. `yaml org`, `yaml project`, `yaml agent`, `yaml session`, `yaml spec`,
//! `yaml tools` and `yaml host` are the files of one folder; the `expect` block after them closes the case. Its
//! lines say:
//!
//! - `error CODE PLACE…`, `warning CODE PLACE…`: every problem there is, with its places as `file:line` (what was
//!   attempted first), or as a file alone where the line is no part of the story;
//! - `allow QUESTION`, `ask QUESTION`, `deny QUESTION`: what is answered;
//! - `config POINTER JSON`: what stands in the config at a JSON pointer.

#![expect(clippy::panic, reason = "a test that cannot go on fails")]

mod policy_folder;

use policy_folder::{Folder, folder};
use ringfence_policy::decide::Index;
use ringfence_policy::diagnostic::{Diagnostic, Severity};
use ringfence_policy::question::Question;
use serde_json::Value as Json;
use std::path::Path;

/// One folder and what is expected of it.
#[derive(Default)]
struct Case {
    files: Vec<(String, String)>,
    expected: Vec<String>,
    /// The line of the `expect` block.
    line: usize,
}

/// The cases of one file, in order.
fn cases(text: &str) -> Vec<Case> {
    let mut out = Vec::new();
    let mut case = Case::default();
    let mut lines = (1..).zip(text.lines());
    while let Some((line, text)) = lines.next() {
        let Some(label) = text.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().map(|(_, l)| l).take_while(|l| *l != "```").collect();
        match label.split_once(' ') {
            Some(("yaml", kind)) => case.files.push((kind.to_owned(), block.join("\n") + "\n")),
            None if label == "expect" => {
                case.expected = block.iter().map(|l| l.trim().to_owned()).filter(|l| !l.is_empty()).collect();
                out.push(Case { line, ..std::mem::take(&mut case) });
            }
            _ => panic!("line {line}: a block labelled `{label}`"),
        }
    }
    assert!(case.files.is_empty(), "the last case expects nothing");
    out
}

/// `error policy.cascade_violation project.yaml:4 org.yaml:3`
fn told(d: &Diagnostic, folder: &Folder) -> String {
    let severity = if d.severity == Severity::Error { "error" } else { "warning" };
    let places = d.labels.iter().map(|l| folder.sources.named(l.place));
    places.fold(format!("{severity} {}", d.code.as_str()), |text, p| format!("{text} {}:{}", p.file, p.line))
}

/// Whether an expected line is what was told; a place without a line is any line of that file.
fn same(expected: &str, told: &str) -> bool {
    let (expected, told): (Vec<&str>, Vec<&str>) = (expected.split(' ').collect(), told.split(' ').collect());
    let word = |(e, t): (&&str, &&str)| e == t || t.rsplit_once(':').is_some_and(|(file, _)| *e == file);
    expected.len() == told.len() && expected.iter().zip(&told).all(word)
}

fn check(case: &Case) -> Result<(), String> {
    let files: Vec<(&str, &str)> = case.files.iter().map(|(k, t)| (k.as_str(), t.as_str())).collect();
    let folder = folder(&files, &[]);
    let derived = folder.derive();
    let mut problems: Vec<String> = folder.problems.iter().map(|d| told(d, &folder)).collect();
    match &derived {
        Ok(d) => problems.extend(d.warnings(folder.set.catalog.as_ref()).iter().map(|d| told(d, &folder))),
        Err(e) => problems.extend(e.errors.iter().chain(&e.warnings).map(|d| told(d, &folder))),
    }
    let (stated, asked): (Vec<&str>, Vec<&str>) =
        case.expected.iter().map(String::as_str).partition(|l| l.starts_with("error ") || l.starts_with("warning "));
    let as_told = stated.len() == problems.len() && stated.iter().zip(&problems).all(|(e, t)| same(e, t));
    if !as_told {
        return Err(format!("expected {stated:#?}\nfound {problems:#?}"));
    }
    let Ok(derivation) = &derived else {
        return if asked.is_empty() { Ok(()) } else { Err("there is no config to ask".into()) };
    };
    let index = Index::new(&derivation.resolved, &folder.set.spec);
    let config = serde_json::to_value(&derivation.config).map_err(|e| e.to_string())?;
    asked.iter().try_for_each(|line| answers(line, &index, &config))
}

fn answers(line: &str, index: &Index, config: &Json) -> Result<(), String> {
    let (word, rest) = line.split_once(' ').ok_or_else(|| format!("`{line}` expects nothing"))?;
    let (expected, found) = if word == "config" {
        let (pointer, value) = rest.split_once(' ').ok_or_else(|| format!("`{line}` has no value"))?;
        let expected: Json = serde_json::from_str(value).map_err(|e| format!("`{value}`: {e}"))?;
        (expected.to_string(), config.pointer(pointer).unwrap_or(&Json::Null).to_string())
    } else {
        (word.to_owned(), index.decide(&Question::parse(rest)?).effect.as_str().to_owned())
    };
    if expected == found { Ok(()) } else { Err(format!("`{line}`: found {found}")) }
}

#[test]
fn every_case_gives_what_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cascade");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let mut failures = Vec::new();
    let mut count = 0;
    for path in &files {
        let name = path.file_name().unwrap().to_string_lossy();
        for case in cases(&std::fs::read_to_string(path).unwrap()) {
            count += 1;
            failures.extend(check(&case).err().map(|why| format!("{name}:{}: {why}", case.line)));
        }
    }
    assert!(files.len() >= 10 && count >= 25, "{} files, {count} cases", files.len());
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}
