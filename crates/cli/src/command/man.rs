//! `man`: prints the manual page, or writes one page per command.

use crate::cli::Cli;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Format, Output, count, shown_path};
use clap::CommandFactory;
use clap_mangen::Man;
use std::path::PathBuf;

/// Where to.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder to write all pages to; prints ringfence.1 when absent
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Prints or writes pages.
pub(crate) fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    output.only(&[Format::Human])?;
    let Some(dir) = &args.dir else {
        let mut page = Vec::new();
        Man::new(Cli::command()).render(&mut page).map_err(|e| Failure::Io(format!("cannot print the page: {e}")))?;
        output.raw(&String::from_utf8_lossy(&page))?;
        return Ok(Exit::Done);
    };
    std::fs::create_dir_all(dir).map_err(|e| Failure::io("make the folder", dir, e))?;
    clap_mangen::generate_to(Cli::command(), dir).map_err(|e| Failure::io("write to", dir, e))?;
    let pages = 1 + Cli::command().get_subcommands().count();
    output.result(&format!("wrote {} to {}\n", count(pages, "page"), shown_path(dir)))?;
    Ok(Exit::Done)
}
