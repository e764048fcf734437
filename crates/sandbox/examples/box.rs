//! Runs a command in a box made from a kernel slice alone: `box SLICE.json REPO CMD…`. What the `ringfence` binary does
//! beside this is policy, log and messages.

use ringfence_policy::scale::Tier;
use ringfence_sandbox::{Ending, Event, Place, Request, Started, Unchanged, Witness};
use std::process::ExitCode;
use std::sync::Arc;

struct Stderr;

impl Witness for Stderr {
    fn started(&self, started: &Started) {
        if std::env::var_os("BOX_VERBOSE").is_some() {
            eprintln!("{started:?}");
        }
    }

    fn event(&self, event: Event) {
        eprintln!("{event:?}");
    }
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut args = std::env::args_os().skip(1);
    let (Some(slice), Some(repo)) = (args.next(), args.next()) else {
        return Err("usage: box SLICE.json REPO CMD…".into());
    };
    let repo = std::path::PathBuf::from(repo).canonicalize()?;
    let request = Request {
        slice: serde_json::from_slice(&std::fs::read(slice)?)?,
        place: Place { cwd: repo.clone(), repo, home: std::env::home_dir().unwrap_or_else(|| "/root".into()) },
        command: args.collect(),
        environment: std::env::vars_os().collect(),
        extra_environment: Vec::new(),
        resolve: Vec::new(),
        proxy_variables: false,
        strongest: Tier::A,
        degraded: Default::default(),
        observe: false,
        session: false,
    };
    match ringfence_sandbox::run(&request, Arc::new(Stderr), &mut Unchanged)? {
        Ending::Exited(code) => Ok(ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX))),
        Ending::Signaled(signal) => ringfence_sandbox::die_by(signal),
        Ending::Aborted(_) | Ending::Lost => Ok(ExitCode::FAILURE),
    }
}
