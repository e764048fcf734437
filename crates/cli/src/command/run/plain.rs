//! The everyday command lines of `run`, read without building the whole description of the command line first: that
//! takes longer than reading them.
//!
//! In: the arguments. Out: what the parser would say of them, or nothing where there is more to say than is known here;
//! the parser is asked then. A test holds the two against each other.

use super::{Args, snapshot};
use crate::input::{InputArgs, Select};
use ringfence_policy::scale::Tier;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

impl Args {
    /// A command, and nothing else asked for.
    pub(crate) fn plain(command: Vec<OsString>) -> Self {
        Self {
            repo: None,
            tier: Tier::A,
            allow_degraded: Vec::new(),
            on_denial: None,
            observe: false,
            resolve: Vec::new(),
            proxy_env: false,
            banner: false,
            quiet: false,
            events: None,
            report: None,
            session: None,
            session_end: false,
            session_serve: false,
            snapshot: snapshot::SnapshotArgs::default(),
            input: InputArgs::default(),
            command,
        }
    }
}

/// Reads `ringfence run [FLAGS] -- CMD…` where every flag is one of a few.
pub(crate) fn read(args: &[OsString]) -> Option<Args> {
    let (own, rest) = args.split_at_checked(2)?;
    if own.last()? != "run" {
        return None;
    }
    let end = rest.iter().position(|word| word == "--")?;
    let (flags, command) = rest.split_at_checked(end)?;
    let command = command.get(1..).filter(|c| !c.is_empty())?;
    let mut read = Args::plain(command.to_vec());
    let Select { project, agent, preset, .. } = &mut read.input.select;
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        match flag.to_str()? {
            "-q" | "--quiet" => once(&mut read.quiet)?,
            "--observe" => once(&mut read.observe)?,
            "--project" => project.push(value(flags.next())?),
            "--agent" => agent.push(value(flags.next())?),
            "--preset" => preset.push(value(flags.next())?.into_os_string().into_string().ok()?),
            "--repo" if read.repo.is_none() => read.repo = Some(value(flags.next())?),
            "-C" if read.input.dir.is_none() => read.input.dir = Some(value(flags.next())?),
            _ => return None,
        }
    }
    Some(read)
}

/// A switch that is not on yet.
fn once(switch: &mut bool) -> Option<()> {
    (!std::mem::replace(switch, true)).then_some(())
}

/// What follows a flag, where it cannot be a flag itself.
fn value(word: Option<&OsString>) -> Option<PathBuf> {
    let is_plain = |word: &&OsString| !word.is_empty() && !OsStr::as_encoded_bytes(word).starts_with(b"-");
    word.filter(is_plain).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Command, parse_all};

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn what_is_read_here_is_what_the_parser_reads() {
        for line in [
            "r run -- true",
            "r run -q -- sh -c -- x",
            "r run --quiet --observe --project a.yaml --project b -- make -C d --quiet",
            "r run --preset read-only --agent a --preset audit --repo d -C e -- x",
        ] {
            let whole = parse_all(&words(line)).unwrap();
            let Command::Run(by_parser) = whole.command else { panic!("{line}") };
            assert_eq!(format!("{:?}", read(&words(line)).unwrap()), format!("{by_parser:?}"), "{line}");
        }
    }

    #[test]
    fn everything_else_is_left_to_the_parser() {
        for line in [
            "r",
            "r run",
            "r run --",
            "r run true",
            "r run -q -q -- x",
            "r run --project -- x",
            "r run --project -q -- x",
            "r run --project  -- x",
            "r run --repo a --repo b -- x",
            "r run --format json -- x",
            "r run --project=a -- x",
            "r run -qC d -- x",
            "r run extra -- x",
            "r check -- x",
            "r run --session s -- x",
        ] {
            assert!(read(&words(line)).is_none(), "{line}");
        }
    }
}
