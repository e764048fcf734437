//! `ringfence`: reads the command line, runs one command, and turns what it hands back into text and an exit code.

mod cli;
mod clock;
mod command;
mod exit;
mod failure;
mod input;
mod output;
mod report;

use clap::Parser;
use cli::{Cli, Command};
use exit::Exit;
use failure::Failure;
use output::{Color, Format, Output};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => return usage(&e).into(),
    };
    let output = Output::new(cli.global.format, cli.global.color);
    match run(&cli.command, &output) {
        Ok(code) => code,
        Err(failure) => report::failure(&output, &failure).into(),
    }
}

fn run(command: &Command, output: &Output) -> Result<ExitCode, Failure> {
    let exit = match command {
        Command::Init(args) => return command::init::run(args).map_err(Failure::Io),
        Command::Check(args) => command::check::run(args, output),
        Command::Derive(args) => command::derive::run(args, output),
        Command::Explain(args) => command::explain::run(args, output),
        Command::Diff(args) => command::diff::run(args, output),
        Command::Test(args) => command::test::run(args, output),
        Command::Schema(args) => command::schema::run(args, output),
        Command::Completions(args) => command::completions::run(args, output),
        Command::Man(args) => command::man::run(args, output),
    };
    exit.map(ExitCode::from)
}

/// Help and version are results; anything else is bad usage, which scripts get as JSON where they asked for it.
fn usage(e: &clap::Error) -> Exit {
    if !e.use_stderr() {
        let _ = e.print();
        return Exit::Done;
    }
    if asks_for_json(std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned())) {
        let text = e.to_string();
        let message = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        return report::failure(&Output::new(Format::Json, Color::Never), &Failure::Usage(message));
    }
    let _ = e.print();
    Exit::Internal
}

fn asks_for_json(args: impl Iterator<Item = String>) -> bool {
    let args: Vec<String> = args.collect();
    args.iter().any(|a| a == "--format=json")
        || args.windows(2).any(|pair| matches!(pair, [flag, value] if flag == "--format" && value == "json"))
}
