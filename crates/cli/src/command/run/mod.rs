//! `run`: derives the sandbox, builds the box, runs the command in it, and says at the end what was denied and why.
//!
//! ```text
//! flags, policies, grants → prepare → own → log → box → record → summary
//! ```
//!
//! The log is made while the box builds itself.
//!
//! INVARIANT: the log exists before the command starts, and no thread exists before the box is made.

mod banner;
mod cache;
pub(crate) mod denial;
mod events;
pub(crate) mod fact;
mod live;
mod own;
pub(crate) mod place;
pub(crate) mod plain;
pub(crate) mod prepare;
pub(crate) mod record;
mod report;
mod session;
mod snapshot;
pub(crate) mod trail;
mod words;

use crate::clock;
use crate::command::allow::grants::Grants;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::InputArgs;
use crate::output::{Format, Output, shown};
use banner::Banner;
use cache::Cache;
use events::Events;
use prepare::{Preparation, Prepared, prepare};
use record::{Opening, Record, Source, Teller};
use ringfence_policy::scale::{NetworkMode, Tier};
use ringfence_sandbox::{Ending, Place, Request, SandboxError, Started};
use ringfence_seal::event::Actor;
use ringfence_seal::kind::EventKind;
use ringfence_seal::run_id::RunId;
use ringfence_store::edge::{new_run_id, system_clock};
use ringfence_store::run_log::{RunLog, SyncPolicy};
use ringfence_store::state::state_dir;
use serde_json::json;
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

pub(crate) use session::path_in as session_path_in;

const EXAMPLES: &str = "\
Examples:
  ringfence run -- make test
  ringfence run --preset read-only -- ./review.sh
  ringfence run --snapshot --observe -- npm install

Exit codes: the command's own, and
  119  there was no run, or its log could not be written
  120  the policy is invalid
  122  the command ended well, but something was denied (see --on-denial)
  124  what the policy demands cannot be enforced here
  126  a limit ended the run
  127  the command was not found";

/// What to run.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The working repo; the current folder when absent
    #[arg(long, value_name = "DIR")]
    pub(crate) repo: Option<PathBuf>,
    /// The strongest tier to try
    #[arg(long, value_name = "TIER", value_parser = tier, default_value = "A")]
    pub(crate) tier: Tier,
    /// Give up what this machine cannot enforce: network, exec, extensions; repeatable
    #[arg(long, value_name = "WHAT", value_parser = ["network", "exec", "extensions"])]
    pub(crate) allow_degraded: Vec<String>,
    /// What to do when something was denied; fail where stderr is no terminal or CI is set
    #[arg(long, value_name = "WHAT", value_enum)]
    pub(crate) on_denial: Option<OnDenial>,
    /// Watch for file and exec denials; costs time on every file call
    #[arg(long)]
    pub(crate) observe: bool,
    /// Address of a name, as NAME=ADDRESS; the policy still has to allow it; repeatable
    #[arg(long, value_name = "NAME=ADDRESS", value_parser = resolved)]
    pub(crate) resolve: Vec<(String, IpAddr)>,
    /// Set proxy variables for programs that insist on them
    #[arg(long)]
    pub(crate) proxy_env: bool,
    /// Show the banner even where stderr is no terminal
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) banner: bool,
    /// No banner and no summary
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Write events as lines of JSON while they happen; - for stderr
    #[arg(long, value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,
    /// Write what happened as one JSON object
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Keep the box under this name, and run further commands in it at no cost
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// End the session
    #[arg(long, requires = "session")]
    pub(crate) session_end: bool,
    /// Serve the session; what the first call starts in the background
    #[arg(long, hide = true, requires = "session")]
    pub(crate) session_serve: bool,
    #[command(flatten)]
    pub(crate) snapshot: snapshot::SnapshotArgs,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// The command
    #[arg(last = true, required_unless_present = "session_end", value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}

/// What a denial means for the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum OnDenial {
    Fail,
    Report,
}

impl Args {
    /// A watched run of a command, with nothing else asked for.
    pub(crate) fn watched(command: Vec<OsString>, repo: Option<PathBuf>, input: InputArgs) -> Self {
        Self { repo, on_denial: Some(OnDenial::Report), observe: true, quiet: true, input, ..Self::plain(command) }
    }
}

pub(crate) fn tier(text: &str) -> Result<Tier, String> {
    match text {
        "A" | "a" => Ok(Tier::A),
        "B" | "b" => Ok(Tier::B),
        "C" | "c" => Ok(Tier::C),
        _ => Err("one of A, B and C".into()),
    }
}

/// Reads `NAME=ADDRESS`.
pub(crate) fn resolved(text: &str) -> Result<(String, IpAddr), String> {
    let (name, address) = text.split_once('=').ok_or("write it as NAME=ADDRESS")?;
    Ok((name.to_owned(), address.parse().map_err(|_| format!("`{address}` is not an address"))?))
}

/// A run that has ended.
pub(crate) struct Ended {
    pub(crate) ending: Ending,
    pub(crate) record: Arc<Record>,
    pub(crate) run_id: RunId,
    pub(crate) log: PathBuf,
    pub(crate) prepared: Prepared,
}

/// Runs one command.
pub(crate) fn run(args: &Args, output: &Output) -> Result<ExitCode, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    if let Some(name) = args.session.as_ref().filter(|_| !args.session_serve) {
        return session::call(name, args);
    }
    let ended = match execute(args, output, &|_| Ok(())) {
        Err(e) if output.format == Format::Json => return Ok(report::failure(&e).into()),
        ended => ended?,
    };
    let denials = denial::denials(&ended.record);
    let run_id = ended.run_id.as_str();
    let started = ended.record.started();
    let report = report::Report {
        sandbox: &ended.prepared.sandbox,
        content_hash: &ended.prepared.content_hash,
        ..report::Report::new(run_id, ended.log.clone(), ended.ending, started, &denials)
    };
    if let Some(path) = &args.report {
        report.save(path)?;
    }
    match output.format {
        Format::Json => report.print(),
        _ if args.quiet => {}
        _ => output.note(&summary(args, &ended, &denials)),
    }
    let fails = args.on_denial.unwrap_or_else(default_on_denial) == OnDenial::Fail;
    match ended.ending {
        Ending::Exited(0) if fails && !denials.is_empty() => Ok(Exit::Denied.into()),
        Ending::Exited(code) => {
            // Everything is written; taking this process apart piece by piece would only cost time.
            let _ = std::io::stdout().flush();
            ringfence_sandbox::leave(u8::try_from(code).unwrap_or(u8::MAX))
        }
        Ending::Signaled(signal) => ringfence_sandbox::die_by(signal),
        Ending::Aborted(_) | Ending::Lost => Ok(Exit::Aborted.into()),
    }
}

fn default_on_denial() -> OnDenial {
    let watched = std::io::stderr().is_terminal() && std::env::var_os("CI").is_none_or(|v| v.is_empty());
    if watched { OnDenial::Report } else { OnDenial::Fail }
}

/// What a person is told at the end: nothing where nothing happened.
fn summary(args: &Args, ended: &Ended, denials: &[denial::Denial]) -> String {
    let mut out = String::new();
    match ended.ending {
        Ending::Aborted(limit) => {
            let field = limit.field();
            out.push_str(&format!("\nringfence: the run was ended: it exceeded `sandbox.limits.{field}`\n"));
        }
        Ending::Lost => out.push_str("\nringfence: the run's first process is gone without a word\n"),
        _ => {}
    }
    if !denials.is_empty() {
        out.push_str(&denial::summary(denials, ended.run_id.as_str()));
    }
    let failed = matches!(ended.ending, Ending::Exited(1..));
    if failed && !args.observe && denials.is_empty() && std::io::stderr().is_terminal() {
        out.push_str("ringfence: if a file or a program was missing, `--observe` shows what was denied\n");
    }
    out
}

/// Prepares, runs and records one command. What a caller changes in the sandbox is changed before anything is made.
pub(crate) fn execute(
    args: &Args,
    output: &Output,
    change: &dyn Fn(&mut Prepared) -> Result<(), Failure>,
) -> Result<Ended, Failure> {
    let place = place::find(args.repo.as_deref())?;
    let state = state_dir(|name| std::env::var_os(name)).map_err(|e| Failure::Io(e.to_string()))?;
    let now = clock::at(None)?;
    let grants = Grants::open(&state);
    let granted = grants.as_ref().map(|g| g.in_force(&place.repo, now)).unwrap_or_default();
    let mut preparation = prepare(&args.input, &place, &granted, output)?;
    change(&mut preparation.prepared)?;
    let run_id = new_run_id().map_err(|e| Failure::Io(e.to_string()))?;
    own::keep(&mut preparation, &place, &state)?;
    let Preparation { prepared, fresh, cache, .. } = preparation;
    let folder = RunLog::folder_of(&state, &run_id);
    let log_path = folder.join("log.jsonl");
    let make = {
        let (state, run_id) = (state.clone(), run_id.clone());
        let has_names = prepared.slice.network_mode != NetworkMode::None;
        move || {
            if has_names {
                crate::names_without_libraries();
            }
            RunLog::create(&state, &run_id, system_clock(), SyncPolicy::Never).map_err(|e| e.to_string())
        }
    };
    let beside = {
        let (folder, about) = (folder.clone(), about(&run_id, args, &place));
        move || write_beside(&folder, &about, cache)
    };
    let began = began(args, &place, &prepared, fresh);
    let opening = Opening { make: Box::new(make), began, beside: Box::new(beside) };
    let record = record(args, output, opening, &prepared, &place, &log_path)?;
    if args.snapshot.is_wanted() {
        record.open().map_err(Failure::Io)?;
    }
    if let Err(e) = snapshot::take(&args.snapshot, &place.repo, &folder, output) {
        // The log says why there was no run, if it can still say anything.
        let why = json!({ "ending": "not_started", "why": "no snapshot" });
        let _ = record.finish(|| (EventKind::RunAborted, why));
        return Err(e);
    }
    let request = request(args, &prepared, place);
    // Where there was no grant yet, the first one must be noticed too.
    let grants = grants.or_else(|| Grants::open_or_make(&state).ok());
    let mut changes = live::Live::new(grants, &request, &prepared, Arc::clone(&record));
    let teller = Arc::new(Teller(Arc::clone(&record)));
    let ran = match &args.session {
        None => ringfence_sandbox::run(&request, teller, &mut changes),
        Some(name) => {
            let _ = rustix::process::setsid();
            let ready = || println!("{}", session::READY);
            ringfence_sandbox::serve(&request, &session::path(name)?, session::IDLE, teller, &mut changes, ready)
        }
    };
    drop(changes);
    let recorded = record.finish(|| finished(&ran, &record));
    let ending = ran.map_err(failure)?;
    recorded.map_err(|e| Failure::Io(format!("the run has ended, and its log is incomplete: {e}")))?;
    Ok(Ended { ending, record, run_id, log: log_path, prepared })
}

fn request(args: &Args, prepared: &Prepared, place: Place) -> Request {
    Request {
        slice: prepared.slice.clone(),
        place,
        command: args.command.clone(),
        environment: std::env::vars_os().collect(),
        extra_environment: Vec::new(),
        resolve: args.resolve.iter().map(|(name, address)| (name.clone(), vec![*address])).collect(),
        proxy_variables: args.proxy_env,
        strongest: args.tier,
        degraded: args.allow_degraded.iter().cloned().collect(),
        observe: args.observe,
        session: args.session.is_some(),
    }
}

fn record(
    args: &Args,
    output: &Output,
    opening: Opening,
    prepared: &Prepared,
    place: &Place,
    log_path: &Path,
) -> Result<Arc<Record>, Failure> {
    let wanted = output.format == Format::Human && !args.quiet && (args.banner || std::io::stderr().is_terminal());
    let banner = wanted.then(|| Banner::new(prepared, place, log_path));
    let (output, human) = (*output, output.format == Format::Human);
    let on_start = move |started: &Started| match &banner {
        Some(banner) => output.note(&banner.lines(started)),
        // What is weaker than asked for is said even to those who want to hear nothing.
        None if human => output.note(&banner::degraded(started).unwrap_or_default()),
        None => {}
    };
    let source =
        Source { input: args.input.clone(), place: place.clone(), content_hash: prepared.content_hash.clone() };
    let actor = Actor { agent: None, process: args.command.first().map(|c| shown(&c.to_string_lossy())), tool: None };
    let events = Events::open(args.events.as_deref())?;
    Ok(Arc::new(Record::new(opening, actor, events, source, Box::new(on_start))))
}

/// What `run.json` says: whose run a folder is.
fn about(run_id: &RunId, args: &Args, place: &Place) -> serde_json::Value {
    json!({
        "command": words::words(&args.command), "pid": std::process::id(), "repo": place.repo.to_string_lossy(),
        "run_id": run_id, "started_at": run_id.started_at(),
    })
}

/// What lies in the run's folder beside the log: `run.json`, and the config where it is kept.
fn write_beside(folder: &Path, about: &serde_json::Value, cache: Option<(Cache, String)>) -> Result<(), String> {
    use std::os::unix::fs::OpenOptionsExt;
    let path = folder.join("run.json");
    let file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
    let written = file.and_then(|mut f| f.write_all(format!("{about}\n").as_bytes()));
    written.map_err(|e| format!("cannot write `{}`: {e}", path.display()))?;
    if let Some((cache, key)) = cache {
        cache.link_config(&key, &folder.join("config.json"));
    }
    Ok(())
}

fn began(args: &Args, place: &Place, prepared: &Prepared, fresh: bool) -> serde_json::Value {
    let grants: Vec<&str> = prepared.grants.iter().map(|g| g.id.as_str()).collect();
    json!({
        "command": words::words(&args.command), "content_hash": prepared.content_hash, "derived_now": fresh,
        "documents": prepared.documents, "grants": grants, "observed": args.observe,
        "repo": place.repo.to_string_lossy(), "sandbox": prepared.sandbox,
        "user": rustix::process::geteuid().as_raw(),
    })
}

/// The last event of a run.
fn finished(ran: &Result<Ending, SandboxError>, record: &Record) -> (EventKind, serde_json::Value) {
    let denied: u64 = record.told().iter().filter(|(f, _)| f.kind().is_denial()).map(|(_, n)| n).sum();
    match ran {
        Ok(ending) => {
            let (word, code, signal, limit) = report::words(*ending);
            let kind =
                if limit.is_some() || *ending == Ending::Lost { EventKind::RunAborted } else { EventKind::RunFinished };
            (kind, json!({ "denials": denied, "ending": word, "exit_code": code, "limit": limit, "signal": signal }))
        }
        Err(e) => (
            EventKind::RunAborted,
            json!({ "code": e.code(), "denials": denied, "ending": "not_started", "why": e.to_string() }),
        ),
    }
}

fn failure(e: SandboxError) -> Failure {
    match e {
        SandboxError::Unavailable { ref help, .. } => Failure::Unavailable(e.to_string(), help.clone()),
        SandboxError::NotFound { .. } => Failure::NotFound(e.to_string()),
        e => Failure::Io(e.to_string()),
    }
}
