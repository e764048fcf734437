//! `bench`: measures what Ringfence costs on the machine it runs on, one subject a subcommand.

mod command;
mod derive;
mod guards;
mod installed;
mod measure;
mod sandbox;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// What to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    subject: Subject,
}

/// What can be measured.
#[derive(Debug, clap::Subcommand)]
enum Subject {
    /// Derivations, decisions and the whole derive command, on policies made for it
    Derive(derive::Args),
    /// The output scanner: what it finds in texts of sources it never saw, what it costs, beside other scanners
    Guards(guards::Args),
    /// Starting a box, calling a session and working inside, beside bare and other tools
    Sandbox(sandbox::Args),
}

/// Measures one subject.
pub(crate) fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    match &args.subject {
        Subject::Derive(args) => derive::run(args, output),
        Subject::Guards(args) => guards::run(args, output),
        Subject::Sandbox(args) => sandbox::run(args, output),
    }
}
