//! `train`: learns what Ringfence can learn from texts, one subject a subcommand.
//!
//! What is read and how it is cut into folds serves `bench guards` as well.

pub(crate) mod corpus;
pub(crate) mod folds;
mod guards;
pub(crate) mod samples;
pub(crate) mod threshold;
mod written;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// What to learn.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    subject: Subject,
}

/// What can be learnt.
#[derive(Debug, clap::Subcommand)]
enum Subject {
    /// The linear model of the output scanner, from labelled texts; the same texts give the same bytes
    Guards(guards::Args),
}

/// Learns one subject.
pub(crate) fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    match &args.subject {
        Subject::Guards(args) => guards::run(args, output),
    }
}
