//! `diff`: which answers change between two policies, not which lines.

mod show;

use crate::exit::Exit;
use crate::failure::{Failure, Problems};
use crate::input::{Scope, Select, Workspace, evaluation};
use crate::output::{Format, Output};
use crate::report;
use clap::ValueEnum;
use ringfence_policy::diagnostic::{Code, Diagnostic};
use ringfence_policy::diff::{Diff, Direction, diff};
use ringfence_policy::policy_set::PolicySet;
use ringfence_policy::span::Sources;
use serde::Serialize;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  ringfence diff examples/acme/agents/researcher.yaml examples/acme/agents/coder.yaml
  ringfence diff examples/acme examples/acme --spec coder --fail-on widened";

/// What to compare.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Policy folder or file as it was
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// Policy folder or file as it is to be
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// Exit with 121 where something changes in this direction
    #[arg(long, value_enum, value_name = "DIRECTION")]
    fail_on: Option<FailOn>,
    #[command(flatten)]
    select: Select,
}

/// Which changes fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    Widened,
    Narrowed,
    Any,
}

/// The difference, sandbox by sandbox.
#[derive(Debug, Serialize)]
struct Differences {
    sandboxes: Vec<Compared>,
    added: Vec<String>,
    removed: Vec<String>,
}

/// A sandbox that both sides have.
#[derive(Debug, Serialize)]
struct Compared {
    name: String,
    #[serde(flatten)]
    diff: Diff,
}

/// Compares two policies.
pub(crate) fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    output.only(&[Format::Human, Format::Json, Format::Sarif])?;
    if args.select.names_files() {
        return Err(Failure::Usage(
            "`--spec`, `--agent` and `--project` take names here; OLD and NEW hold the files".into(),
        ));
    }
    let (old, sources, mut found) = side(&args.old, &args.select, Sources::default());
    let (new, sources, also) = side(&args.new, &args.select, sources);
    found.extend(also);
    if old.is_empty() && new.is_empty() && found.is_empty() {
        found.push(nothing_selected());
    }
    let problems = Problems::new(found, sources);
    if !problems.errors.is_empty() {
        return Err(Failure::Invalid(Box::new(problems)));
    }
    let differences = compare(&old, &new);
    match output.format {
        Format::Json => output.json(&differences)?,
        Format::Sarif => output.json(&show::sarif(&differences))?,
        _ => {
            report::warnings(output, &problems);
            output.result(&show::human(&differences))?;
        }
    }
    let failed = args.fail_on.is_some_and(|on| fails(&differences, on));
    Ok(if failed { Exit::Findings } else { Exit::Done })
}

fn nothing_selected() -> Diagnostic {
    Diagnostic::error(Code::Layout, "neither side has such a sandbox")
        .help("`--spec`, `--agent` and `--project` take the names of documents in OLD or NEW")
}

type Side = (Vec<PolicySet>, Sources, Vec<Diagnostic>);

/// Both sides share one list of texts, so that their problems can be shown together.
fn side(path: &Path, select: &Select, sources: Sources) -> Side {
    let mut workspace = Workspace::load_path(path, sources);
    let sets = workspace.sandboxes(select, Scope::Sandboxes);
    let _ = workspace.derive(&sets, evaluation);
    let (sources, problems) = workspace.into_parts();
    (sets, sources, problems)
}

/// A sandbox by itself on each side is the same one, whatever its document is called.
fn compare(old: &[PolicySet], new: &[PolicySet]) -> Differences {
    let name = |set: &PolicySet| set.spec.name.name.to_string();
    let pair = |b: &PolicySet, a: &PolicySet| Compared { name: name(a), diff: diff(b, a) };
    if let ([before], [after]) = (old, new) {
        return Differences { sandboxes: vec![pair(before, after)], added: Vec::new(), removed: Vec::new() };
    }
    let missing = |from: &[PolicySet], set: &PolicySet| !from.iter().any(|o| name(o) == name(set));
    let before = |after: &PolicySet| old.iter().find(|o| name(o) == name(after));
    Differences {
        sandboxes: new.iter().filter_map(|after| Some(pair(before(after)?, after))).collect(),
        added: new.iter().filter(|s| missing(old, s)).map(name).collect(),
        removed: old.iter().filter(|s| missing(new, s)).map(name).collect(),
    }
}

/// A new sandbox allows what was not there; what is neither stricter nor looser is both somewhere.
fn fails(differences: &Differences, on: FailOn) -> bool {
    let has = |d: Direction| differences.sandboxes.iter().flat_map(|s| &s.diff.changes).any(|c| c.direction == d);
    let widened = has(Direction::Widened) || has(Direction::Changed) || !differences.added.is_empty();
    let narrowed = has(Direction::Narrowed) || has(Direction::Changed) || !differences.removed.is_empty();
    match on {
        FailOn::Widened => widened,
        FailOn::Narrowed => narrowed,
        FailOn::Any => widened || narrowed,
    }
}
