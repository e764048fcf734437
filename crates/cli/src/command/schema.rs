//! `schema`: prints the published JSON Schemas and the field reference, keeps the files in step with the code.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Format, Output, shown_path};
use crate::quote;
use ringfence_policy::fields::FIELDS;
use ringfence_policy::schema::all;
use serde_json::{Value as Json, json};
use std::fs;
use std::path::{Path, PathBuf};

/// What to print, write or compare.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Schema to print; lists the names when absent
    #[arg(value_parser = ["policy", "sandbox-config", "sandbox-spec", "tools"], conflicts_with = "files")]
    name: Option<String>,
    #[command(flatten)]
    files: Files,
}

/// At most one of these.
#[derive(Debug, clap::Args)]
#[group(id = "files", multiple = false)]
struct Files {
    /// Write every schema to DIR/NAME.schema.json
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,
    /// Compare the schemas in DIR, exit code 121 where one is stale
    #[arg(long, value_name = "DIR")]
    check: Option<PathBuf>,
    /// Print the reference of all fields as Markdown
    #[arg(long)]
    fields: bool,
    /// Write the reference of all fields to FILE
    #[arg(long, value_name = "FILE")]
    write_docs: Option<PathBuf>,
    /// Compare the reference in FILE, exit code 121 where it is stale
    #[arg(long, value_name = "FILE")]
    check_docs: Option<PathBuf>,
}

/// Prints, writes or compares.
pub(crate) fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let files = &args.files;
    if let Some(dir) = &files.write {
        return write(&schemas(dir)?, output);
    }
    if let Some(dir) = &files.check {
        return compare(&schemas(dir)?, "--write", dir, output);
    }
    if let Some(file) = &files.write_docs {
        return write(&[(file.clone(), reference())], output);
    }
    if let Some(file) = &files.check_docs {
        return compare(&[(file.clone(), reference())], "--write-docs", file, output);
    }
    let json = output.format == Format::Json;
    match &args.name {
        _ if files.fields && json => output.json(&json!({ "fields": fields() }))?,
        _ if files.fields => output.result(&reference())?,
        Some(name) => all().into_iter().filter(|(n, _)| n == name).try_for_each(|(_, s)| output.json(&s))?,
        None if json => {
            let names: Vec<_> = all().into_iter().map(|(name, _)| name).collect();
            output.json(&json!({ "schemas": names }))?;
        }
        None => all().iter().try_for_each(|(name, _)| output.result(&format!("{name}\n")))?,
    }
    Ok(Exit::Done)
}

/// Each schema with the file it belongs in.
fn schemas(dir: &Path) -> Result<Vec<(PathBuf, String)>, Failure> {
    let text = |(name, schema)| {
        let text = serde_json::to_string_pretty(&schema).map_err(|e| Failure::Io(format!("cannot write JSON: {e}")))?;
        Ok((dir.join(format!("{name}.schema.json")), text + "\n"))
    };
    all().into_iter().map(text).collect()
}

/// One object for each field of the table.
fn fields() -> Vec<Json> {
    let rows = FIELDS.iter().map(|f| (f.path, f.doc.trim(), f.merge.words(), f.silence.trim()));
    rows.map(|(path, doc, merge, silence)| json!({ "path": path, "doc": doc, "merge": merge, "silence": silence }))
        .collect()
}

/// One row for each field of the table.
fn reference() -> String {
    let mut out = String::from(
        "# Fields\n\nPrinted by `ringfence schema --fields` from the table in `crates/policy/src/fields.rs`. \
         A field that is absent has no opinion.\n\n\
         | field | what it says | how levels merge | silence means |\n|---|---|---|---|\n",
    );
    let cell = |text: &str| text.trim().replace('|', "\\|");
    for field in FIELDS {
        let row = [&cell(field.doc), field.merge.words(), &cell(field.silence)].join(" | ");
        out.push_str(&format!("| `{}` | {row} |\n", field.path));
    }
    out
}

fn write(files: &[(PathBuf, String)], output: &Output) -> Result<Exit, Failure> {
    for (path, text) in files {
        replace(path, text)?;
        if output.format == Format::Human {
            output.result(&format!("wrote {}\n", shown_path(path)))?;
        }
    }
    if output.format == Format::Json {
        let written: Vec<String> = files.iter().map(|(path, _)| path.display().to_string()).collect();
        output.json(&json!({ "written": written }))?;
    }
    Ok(Exit::Done)
}

/// Readers see the old file or the new one, never half of one.
fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|e| Failure::io("make the folder", parent, e))?;
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let next = path.with_file_name(format!(".{name}.{}.new", std::process::id()));
    // The name of the temporary file would tell nobody anything.
    fs::write(&next, text).and_then(|()| fs::rename(&next, path)).map_err(|e| {
        let _ = fs::remove_file(&next);
        Failure::io("write", path, e)
    })
}

fn compare(files: &[(PathBuf, String)], flag: &str, at: &Path, output: &Output) -> Result<Exit, Failure> {
    let stale = |(path, text): &&(PathBuf, String)| fs::read(path).ok().as_deref() != Some(text.as_bytes());
    let stale: Vec<&PathBuf> = files.iter().filter(stale).map(|(path, _)| path).collect();
    if output.format == Format::Json {
        let names: Vec<String> = stale.iter().map(|path| path.display().to_string()).collect();
        output.json(&json!({ "stale": names }))?;
        return Ok(if stale.is_empty() { Exit::Done } else { Exit::Findings });
    }
    if stale.is_empty() {
        output.result("ok: up to date\n")?;
        return Ok(Exit::Done);
    }
    let lines: String = stale.iter().map(|path| format!("stale: {}\n", shown_path(path))).collect();
    output.result(&format!("{lines}write them again with `ringfence schema {flag} {}`\n", quote::path(at)))?;
    Ok(Exit::Findings)
}
