//! The command line: every command, and the flags that all of them share.

use crate::command::{
    allow, bench, check, completions, demo, derive, diff, doctor, explain, guard, init, learn, log, man, run, scan,
    schema, test, train, undo,
};
use crate::output::{Color, Format};
use clap::{Args, CommandFactory, Parser, Subcommand};
use std::ffi::OsString;

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
  121  findings at or above the threshold
  122  the run had denials, and was to fail for them
  124  what the policy demands cannot be enforced here
  125  tampering found: a log that is broken or cut short
  126  the run was aborted
  127  the command to run was not found";

/// Flags of every command.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// How to write results and errors; sarif is for check, diff and scan, junit for test
    #[arg(long, global = true, value_enum, default_value_t = Format::Human, value_name = "FORMAT")]
    pub(crate) format: Format,
    /// When to colour; auto means on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show what Ringfence stops, here and now, with nothing set up
    Demo(demo::Args),
    /// Write a first policy for this folder
    Init(init::Args),
    /// Run a command inside the rings
    Run(run::Args),
    /// Run a command, record what it needs, and propose narrow rules
    Learn(learn::Args),
    /// Open something for a while, inside the ceiling
    Allow(allow::Args),
    /// Validate every policy document and derive every sandbox, writing nothing
    Check(check::Args),
    /// Print the config of one sandbox
    Derive(derive::Args),
    /// Say what would happen and why, layer by layer
    Explain(explain::Args),
    /// Show which answers change between two policies
    Diff(diff::Args),
    /// Look for instructions to the model in files, tool output or a corpus
    Scan(scan::Args),
    /// Turn a tool's output on stdin into what the model should see
    Guard(guard::Args),
    /// Run the tests that policy documents carry
    Test(test::Args),
    /// List runs, show what happened in one, check its record
    Log(log::Args),
    /// Put the files of a repo back to what they were before a run
    Undo(undo::Args),
    /// Try what the kernel ring must refuse, and say how each mechanism does
    Doctor(doctor::Args),
    /// Measure what Ringfence costs on this machine
    Bench(bench::Args),
    /// Learn a model from texts of your own
    Train(train::Args),
    /// Print or write the JSON Schemas and the field reference
    Schema(schema::Args),
    /// Print a completion script for a shell
    Completions(completions::Args),
    /// Print the manual page, or write all of them
    Man(man::Args),
    /// The doctor's other halves
    #[command(name = "__probe", hide = true)]
    Probe(doctor::probe::Args),
}

/// `run` by itself. Building the other commands takes longer than a box does.
#[derive(Debug, Parser)]
#[command(name = "ringfence", version, propagate_version = true)]
struct RunCli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: RunCommand,
}

#[derive(Debug, Subcommand)]
enum RunCommand {
    Run(run::Args),
}

/// Reads the command line: the plainest first, then `run` by itself, then all of it.
pub(crate) fn parse(args: &[OsString]) -> Result<Cli, clap::Error> {
    match run::plain::read(args) {
        Some(run) => {
            let global = Global { format: Format::Human, color: Color::Auto };
            Ok(Cli { global, command: Command::Run(run) })
        }
        None => parse_all(args),
    }
}

/// Reads the command line. Whatever is wrong with it is told by the whole of it.
pub(crate) fn parse_all(args: &[OsString]) -> Result<Cli, clap::Error> {
    if args.get(1).is_some_and(|word| word == "run")
        && let Ok(RunCli { global, command: RunCommand::Run(run) }) = RunCli::try_parse_from(args)
    {
        return Ok(Cli { global, command: Command::Run(run) });
    }
    Cli::try_parse_from(args)
}

/// The arguments with what follows `explain exec` marked as values: `-C` of `make -C build` is not a flag of ours.
pub(crate) fn arguments(mut args: Vec<OsString>) -> Vec<OsString> {
    if let Some(at) = command_to_explain(&args) {
        args.insert(at, OsString::from("--"));
    }
    args
}

/// Where the word `exec` of `explain [flags] exec CMD` stands.
fn command_to_explain(args: &[OsString]) -> Option<usize> {
    // Building every command takes a while, and most command lines ask nothing.
    if !args.iter().any(|a| a == "explain") {
        return None;
    }
    let mut root = Cli::command();
    root.build();
    let explain = root.find_subcommand("explain")?;
    let mut words = args.iter().enumerate().skip(1);
    let mut asked = false;
    while let Some((at, word)) = words.next() {
        let word = word.to_str()?;
        match word {
            "--" => return None,
            flag if flag.starts_with('-') => {
                if takes_next(explain, flag) {
                    words.next();
                }
            }
            "explain" if !asked => asked = true,
            word => return (asked && word == "exec").then_some(at),
        }
    }
    None
}

/// Whether the value of a flag is the argument after it.
fn takes_next(command: &clap::Command, flag: &str) -> bool {
    let is = |arg: &&clap::Arg| match flag.strip_prefix("--") {
        Some(long) => arg.get_long() == Some(long),
        None => arg.get_short().is_some_and(|s| flag.strip_prefix('-') == Some(s.to_string().as_str())),
    };
    command.get_arguments().find(is).is_some_and(|arg| arg.get_action().takes_values())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(line: &str) -> String {
        let args = arguments(line.split(' ').map(OsString::from).collect());
        args.iter().map(|a| a.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn only_the_command_of_a_question_is_marked() {
        assert_eq!(marked("ringfence explain exec rm -rf /"), "ringfence explain -- exec rm -rf /");
        assert_eq!(
            marked("r --format json explain -C d exec make -C b"),
            "r --format json explain -C d -- exec make -C b"
        );
        assert_eq!(
            marked("r explain --exit-code --format=json exec a"),
            "r explain --exit-code --format=json -- exec a"
        );
        for same in [
            "r explain -C exec net x --format json",
            "r explain -- exec rm -rf",
            "r check -C exec",
            "r explain read exec",
        ] {
            assert_eq!(marked(same), same);
        }
    }
}
