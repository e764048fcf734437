//! The command line: every command, and the flags that all of them share.

use crate::command::{check, completions, derive, diff, explain, init, man, schema, test};
use crate::output::{Color, Format};
use clap::{Args, Parser, Subcommand};

/// One policy, five rings, a reason for every rule
#[derive(Debug, Parser)]
#[command(name = "ringfence", version, propagate_version = true, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    /// Flags of every command.
    #[command(flatten)]
    pub(crate) global: Global,
    /// The command.
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0    done, nothing found
  119  internal or I/O error, or bad usage
  120  policy invalid, or a level relaxes a level above
  121  findings at or above the threshold";

/// Flags of every command.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// How to write results and errors; sarif is for check and diff, junit for test
    #[arg(long, global = true, value_enum, default_value_t = Format::Human, value_name = "FORMAT")]
    pub(crate) format: Format,
    /// When to colour; auto means on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a first policy for this folder
    Init(init::Args),
    /// Validate every policy document and derive every sandbox, writing nothing
    Check(check::Args),
    /// Print the config of one sandbox
    Derive(derive::Args),
    /// Say what would happen and why, layer by layer
    Explain(explain::Args),
    /// Show which answers change between two policies
    Diff(diff::Args),
    /// Run the tests that policy documents carry
    Test(test::Args),
    /// Print or write the JSON Schemas and the field reference
    Schema(schema::Args),
    /// Print a completion script for a shell
    Completions(completions::Args),
    /// Print the manual page, or write all of them
    Man(man::Args),
}
