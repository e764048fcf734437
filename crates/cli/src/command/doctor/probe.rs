//! `__probe`, the doctor's other halves, each a process of its own: the one that builds a box, the one inside it, and
//! one that does nothing but be there.

use super::attempt::{Attempt, Outcome};
use crate::exit::Exit;
use crate::failure::Failure;
use ringfence_policy::scale::Tier;
use ringfence_policy::slice::KernelSlice;
use ringfence_sandbox::{Ending, Event, Place, Request, SandboxError, Started, Unchanged, Witness};
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

/// The parts that a doctor plays.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    part: Part,
}

#[derive(Debug, clap::Subcommand)]
enum Part {
    /// Build a box and run attempts in it
    Box { order: PathBuf },
    /// Make attempts and tell what came of them
    Attempts { attempts: String, supervisor: i32 },
    /// Be there until stdin ends
    Victim { token: String },
    /// Start and end
    Nothing,
}

/// A box to build.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) slice: KernelSlice,
    pub(super) strongest: Tier,
    pub(super) repo: PathBuf,
    pub(super) home: PathBuf,
    pub(super) program: PathBuf,
    pub(super) resolve: Vec<(String, Vec<IpAddr>)>,
    pub(super) attempts: Vec<Attempt>,
    pub(super) report: PathBuf,
}

/// What the builder tells.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub(super) struct Report {
    /// The tier, where there was a box.
    pub(super) tier: Option<Tier>,
    /// Why no stronger one.
    pub(super) not: Vec<(Tier, String)>,
    /// Why there was no box, and what to do.
    pub(super) failed: Option<(String, String)>,
    /// Landlock's interface version.
    pub(super) landlock: i32,
    /// How limits on the whole run are kept.
    pub(super) limits: String,
    /// The limit that ended the run.
    pub(super) aborted: Option<String>,
    /// How many things were denied and told of.
    pub(super) denials: usize,
}

/// Plays a part.
pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    match &args.part {
        Part::Box { order } => build(order),
        Part::Attempts { attempts, supervisor } => {
            let attempts: Vec<Attempt> = serde_json::from_str(attempts).map_err(internal)?;
            // A line each as it happens: a limit may end this before the last.
            for outcome in attempts.iter().map(|a| a.make(*supervisor)) {
                println!("{}", serde_json::to_string::<Outcome>(&outcome).map_err(internal)?);
            }
            Ok(Exit::Done.into())
        }
        Part::Victim { token: _ } => {
            let _ = std::io::stdin().read_to_end(&mut Vec::new());
            Ok(Exit::Done.into())
        }
        Part::Nothing => Ok(Exit::Done.into()),
    }
}

fn internal(e: impl std::fmt::Display) -> Failure {
    Failure::Io(format!("the doctor cannot speak to itself: {e}"))
}

#[derive(Default)]
struct Listener(Mutex<Report>);

impl Witness for Listener {
    fn started(&self, started: &Started) {
        if let Ok(mut report) = self.0.lock() {
            report.tier = Some(started.tier);
            report.not.clone_from(&started.not);
            report.landlock = started.landlock;
            report.limits = started.limits.to_owned();
        }
    }

    fn event(&self, event: Event) {
        if let Ok(mut report) = self.0.lock()
            && !matches!(event, Event::RulesChanged { .. })
        {
            report.denials += 1;
        }
    }
}

fn build(order: &std::path::Path) -> Result<ExitCode, Failure> {
    let text = std::fs::read_to_string(order).map_err(|e| Failure::io("read", order, e))?;
    let order: Order = serde_json::from_str(&text).map_err(internal)?;
    let attempts = serde_json::to_string(&order.attempts).map_err(internal)?;
    let command: Vec<String> =
        ["__probe", "attempts", &attempts, &std::process::id().to_string()].into_iter().map(str::to_owned).collect();
    let mut environment: Vec<_> = std::env::vars_os().filter(|(name, _)| name != "HOME").collect();
    environment.push(("HOME".into(), order.home.clone().into()));
    let request = Request {
        slice: order.slice,
        place: Place { cwd: order.repo.clone(), repo: order.repo, home: order.home },
        command: [order.program.into_os_string()].into_iter().chain(command.into_iter().map(Into::into)).collect(),
        environment,
        extra_environment: Vec::new(),
        resolve: order.resolve,
        proxy_variables: false,
        strongest: order.strongest,
        degraded: std::collections::BTreeSet::new(),
        observe: false,
        session: false,
    };
    let listener = Arc::new(Listener::default());
    let ending = ringfence_sandbox::run(&request, listener.clone(), &mut Unchanged);
    let mut report = listener.0.lock().map(|r| r.clone()).unwrap_or_default();
    match ending {
        Ok(Ending::Aborted(limit)) => report.aborted = Some(limit.field().to_owned()),
        Ok(_) => {}
        Err(SandboxError::Unavailable { what, why, help }) => {
            report.failed = Some((format!("{what} cannot be enforced here: {why}"), help));
        }
        Err(e) => report.failed = Some((e.to_string(), String::new())),
    }
    let text = serde_json::to_string(&report).map_err(internal)?;
    std::fs::write(&order.report, text).map_err(|e| Failure::io("write", &order.report, e))?;
    Ok(Exit::Done.into())
}
