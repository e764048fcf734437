//! `completions`: prints a completion script.

use crate::cli::Cli;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Format, Output};
use clap::CommandFactory;
use clap_complete::Shell;

/// Which shell.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Shell to complete in
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script of one shell.
pub(crate) fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    output.only(&[Format::Human])?;
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "ringfence", &mut script);
    output.raw(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}
