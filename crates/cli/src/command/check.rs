//! `check`: reads, assembles and derives every sandbox, and writes nothing.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::{InputArgs, Scope, Workspace, evaluation};
use crate::output::{Format, Output, count};
use crate::report;
use crate::report::json::Entry;
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  ringfence check -C examples/acme
  ringfence check --org examples/acme/org.yaml --project examples/acme/projects/support.yaml --format sarif";

/// What to check.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Let warnings fail too, with exit code 121
    #[arg(long)]
    deny_warnings: bool,
    #[command(flatten)]
    input: InputArgs,
}

/// The result as JSON.
#[derive(Debug, Serialize)]
struct Checked {
    errors: Vec<Entry>,
    warnings: Vec<Entry>,
    sandboxes: Vec<Sandbox>,
}

/// One sandbox that can be derived.
#[derive(Debug, Serialize)]
struct Sandbox {
    name: String,
    content_hash: Option<String>,
}

/// Checks everything.
pub(crate) fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    output.only(&[Format::Human, Format::Json, Format::Sarif])?;
    let mut workspace = Workspace::load(&args.input)?;
    let sets = workspace.sandboxes(&args.input.select, Scope::All);
    let derived = workspace.derive(&sets, evaluation);
    let sandboxes: Vec<Sandbox> = derived
        .into_iter()
        .map(|d| Sandbox { name: d.config.sandbox_name, content_hash: d.config.content_hash })
        .collect();
    let documents = workspace.document_count();
    let problems = workspace.settle()?;
    let failed = args.deny_warnings && !problems.warnings.is_empty();
    match output.format {
        Format::Sarif => output.json(&report::sarif::problems(&problems))?,
        Format::Json => {
            let warnings = report::json::entries(&problems.warnings, &problems.sources);
            output.json(&Checked { errors: Vec::new(), warnings, sandboxes })?;
        }
        _ => {
            report::warnings(output, &problems);
            let mut line = format!("{}, {}", count(documents, "document"), sandboxes_in_words(sandboxes.len()));
            if !problems.warnings.is_empty() {
                line.push_str(&format!(", {}", count(problems.warnings.len(), "warning")));
            }
            let word = if failed { "failed" } else { "ok" };
            output.result(&format!("{word}: {line}\n"))?;
        }
    }
    Ok(if failed { Exit::Findings } else { Exit::Done })
}

fn sandboxes_in_words(n: usize) -> String {
    if n == 1 { "1 sandbox".to_owned() } else { format!("{n} sandboxes") }
}
