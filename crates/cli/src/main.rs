//! `ringfence`: reads the command line, runs one command, and turns what it hands back into text and an exit code.

mod cli;
mod clock;
mod command;
mod exit;
mod failure;
mod input;
mod output;
mod quote;
mod report;

use clap::Parser;
use cli::{Cli, Command};
use exit::Exit;
use failure::Failure;
use output::{Color, Format, Output, shown};
use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = cli::arguments(std::env::args_os().collect());
    let cli = match cli::parse(&args) {
        Ok(cli) => cli,
        Err(e) => return usage(&e, &args).into(),
    };
    // A run asks for names only where its policy has some, and sees to it then.
    if !matches!(cli.command, Command::Run(_)) {
        names_without_libraries();
    }
    let output = Output::new(cli.global.format, cli.global.color);
    match run(&cli.command, &output) {
        Ok(code) => code,
        Err(failure) => report::failure(&output, &failure).into(),
    }
}

/// A statically linked program must load nothing to look up a name.
fn names_without_libraries() {
    #[cfg(static_link)]
    ringfence_sandbox::names_by_files_and_dns();
}

fn run(command: &Command, output: &Output) -> Result<ExitCode, Failure> {
    let exit = match command {
        Command::Run(args) => return command::run::run(args, output),
        Command::Demo(args) => return command::demo::run(args, output),
        Command::Learn(args) => return command::learn::run(args, output),
        Command::Allow(args) => command::allow::run(args, output),
        Command::Probe(args) => return command::doctor::probe::run(args),
        Command::Init(args) => command::init::run(args, output),
        Command::Check(args) => command::check::run(args, output),
        Command::Derive(args) => command::derive::run(args, output),
        Command::Explain(args) => command::explain::run(args, output),
        Command::Diff(args) => command::diff::run(args, output),
        Command::Scan(args) => command::scan::run(args, output),
        Command::Guard(args) => command::guard::run(args, output),
        Command::Test(args) => command::test::run(args, output),
        Command::Log(args) => command::log::run(args, output),
        Command::Undo(args) => command::undo::run(args, output),
        Command::Doctor(args) => command::doctor::run(args, output),
        Command::Bench(args) => command::bench::run(args, output),
        Command::Train(args) => command::train::run(args, output),
        Command::Schema(args) => command::schema::run(args, output),
        Command::Completions(args) => command::completions::run(args, output),
        Command::Man(args) => command::man::run(args, output),
    };
    exit.map(ExitCode::from)
}

/// Help and version are results; anything else is bad usage, which scripts get as JSON where they asked for it.
fn usage(e: &clap::Error, args: &[OsString]) -> Exit {
    if !e.use_stderr() {
        // Buffered text that cannot be written shows only when it is flushed.
        let printed = e.print().and_then(|()| std::io::stdout().flush());
        return match printed {
            Err(e) if e.kind() != ErrorKind::BrokenPipe => {
                let failure = Failure::Io(format!("cannot write to stdout: {e}"));
                report::failure(&Output::new(Format::Human, Color::Auto), &failure)
            }
            _ => Exit::Done,
        };
    }
    if asks_for_json(args.iter().skip(1).map(|a| a.to_string_lossy().into_owned())) {
        let text = e.to_string();
        let message = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        return report::failure(&Output::new(Format::Json, Color::Never), &Failure::Usage(message));
    }
    // The message quotes arguments as they are, so it is made again from arguments that may be shown.
    let safe: Vec<String> = args.iter().map(|a| shown(&a.to_string_lossy())).collect();
    let again = Cli::try_parse_from(&safe).err().filter(clap::Error::use_stderr);
    let _ = match (again, args.iter().zip(&safe).all(|(a, s)| a == s.as_str())) {
        (_, true) => e.print(),
        (Some(again), false) => again.print(),
        (None, false) => {
            output_plain(&e.to_string());
            Ok(())
        }
    };
    Exit::Internal
}

/// A message whose parts cannot be told apart: the lines stay, everything else is escaped.
fn output_plain(text: &str) {
    let lines: String = text.lines().map(|l| shown(l) + "\n").collect();
    Output::new(Format::Human, Color::Never).note(&lines);
}

fn asks_for_json(args: impl Iterator<Item = String>) -> bool {
    let args: Vec<String> = args.collect();
    args.iter().any(|a| a == "--format=json")
        || args.windows(2).any(|pair| matches!(pair, [flag, value] if flag == "--format" && value == "json"))
}
