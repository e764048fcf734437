//! What was found → text: for people, as JSON, as SARIF, as JUnit.

pub(crate) mod human;
pub(crate) mod json;
pub(crate) mod junit;
pub(crate) mod sarif;

use crate::exit::Exit;
use crate::failure::{Failure, Problems};
use crate::output::{Format, Output};

/// Shows why a command gave no result.
pub(crate) fn failure(output: &Output, failure: &Failure) -> Exit {
    match failure {
        Failure::Invalid(problems) => {
            invalid(output, problems);
            Exit::Invalid
        }
        Failure::Usage(message) => plain(output, "usage", message, None),
        Failure::Io(message) => plain(output, "internal", message, None),
        Failure::Unavailable(message, help) => {
            plain(output, "kernel.unavailable", message, Some(help));
            Exit::Unavailable
        }
        Failure::NotFound(message) => {
            plain(output, "kernel.command_not_found", message, None);
            Exit::NotFound
        }
    }
}

/// Errors for people go to stderr; a script that asked for a format gets it on stdout.
fn invalid(output: &Output, problems: &Problems) {
    let written = match output.format {
        Format::Human => {
            output.note(&human::problems(problems));
            Ok(())
        }
        Format::Json => output.json(&json::problems(problems)),
        Format::Sarif => output.json(&sarif::problems(problems)),
        Format::Junit => output.raw(&junit::problems(problems)),
    };
    if let Err(Failure::Io(message)) = written {
        output.note(&human::line("error", &message));
    }
}

fn plain(output: &Output, code: &'static str, message: &str, help: Option<&str>) -> Exit {
    if output.format == Format::Json {
        // Where stdout itself is the trouble there is no better place left.
        let _ = output.json(&json::plain(code, message, help));
    } else {
        output.note(&human::line("error", message));
        if let Some(help) = help {
            output.note(&human::line("help", help));
        }
    }
    Exit::Internal
}

/// Shows warnings to people; a format that carries warnings itself needs none of this.
pub(crate) fn warnings(output: &Output, problems: &Problems) {
    if !problems.warnings.is_empty() {
        output.note(&human::diagnostics(&problems.warnings, &problems.sources));
    }
}
