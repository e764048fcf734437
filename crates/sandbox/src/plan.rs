//! What a run will be: the slice, the machine and the command, worked out before anything is made.
//!
//! In: a [`Request`]. Out: a `Plan` that the first process carries out step by step. Nothing here changes the machine
//! but the empty folder that a report goes into.

use crate::control::Command;
use crate::egress::Rules;
use crate::env;
use crate::error::{During, Result, SandboxError};
use crate::fs::landlock::Programs;
use crate::fs::layout::{Access, Bind, Layout, Place, layout};
use crate::fs::placeholder::{self, Protections};
use crate::programs;
use crate::questions::Broker;
use crate::seccomp::{Ask, Profile};
use crate::streams;
use ringfence_policy::http::HttpRules;
use ringfence_policy::scale::{ExecMode, NetworkMode, Tier};
use ringfence_policy::slice::KernelSlice;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::net::IpAddr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// What to run, under which rules, where.
#[derive(Debug, Clone)]
pub struct Request {
    /// The rules.
    pub slice: KernelSlice,
    /// Where.
    pub place: Place,
    /// Program and arguments.
    pub command: Vec<OsString>,
    /// The outer environment, not yet scrubbed.
    pub environment: Vec<env::Variable>,
    /// Variables to add after scrubbing.
    pub extra_environment: Vec<env::Variable>,
    /// Addresses of names that the operator states, like `curl --resolve`.
    pub resolve: Vec<(String, Vec<IpAddr>)>,
    /// Whether proxy variables are set for programs that insist on them.
    pub proxy_variables: bool,
    /// The strongest tier to try; for tests and for machines whose namespaces are known not to work.
    pub strongest: Tier,
    /// What may be given up, named by the operator.
    pub degraded: BTreeSet<String>,
    /// Whether file and exec denials are watched for.
    pub observe: bool,
    /// Whether the box stays for further commands.
    pub session: bool,
}

/// What the first process does.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) tier: Tier,
    pub(crate) layout: Layout,
    pub(crate) protections: Protections,
    pub(crate) network: NetworkMode,
    pub(crate) rules: Rules,
    /// Writes where endings count.
    pub(crate) broker: Option<Broker>,
    pub(crate) programs: Programs,
    pub(crate) masked_programs: Vec<PathBuf>,
    pub(crate) profile: Profile,
    pub(crate) scratch_bytes: u64,
    pub(crate) command: Command,
    pub(crate) proxy_variables: bool,
    pub(crate) owner: Owner,
    pub(crate) terminal: bool,
    pub(crate) keys: Keys,
    pub(crate) session: bool,
    /// A folder for temporary files where `/tmp` is the host's; it goes with the run.
    pub(crate) temporary: Option<PathBuf>,
    /// What this tier cannot enforce of the policy, and the operator gave up by name.
    pub(crate) given_up: Vec<String>,
}

/// When keys go to the command. In a pipe (`ringfence run … | less`) somebody else may be reading them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keys {
    AtOnce,
    WhenAsked,
}

/// Whose rights a run has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
}

/// Works out a run in one tier.
pub(crate) fn plan(request: &Request, tier: Tier) -> Result<Plan> {
    let slice = &request.slice;
    streams::check()?;
    if request.session && slice.exec.mode == ExecMode::None {
        let why = "a session starts programs, and the policy lets none be started (`exec: { mode: none }`)";
        return Err(SandboxError::Refused(why.into()));
    }
    let environment = env::scrubbed(slice, request.environment.iter().cloned());
    let variable = |name: &str| {
        let found = request.environment.iter().find(|(n, _)| n == name);
        found.map(|(_, v)| PathBuf::from(v))
    };
    let mut layout = layout(&slice.fs, &request.place, variable)?;
    let temporary = if tier != Tier::A && layout.scratch { Some(temporary_folder()?) } else { None };
    if let Some(folder) = &temporary {
        layout.binds.push(Bind { path: folder.clone(), access: Access::Write });
    }
    let protections =
        placeholder::plan(layout.protected.iter().filter_map(|p| Some((root_of(&layout, p)?, p.as_path()))))?;
    let mut given_up = Vec::new();
    if tier != Tier::A {
        degrade(request, tier, &layout, &mut given_up)?;
    }
    let path = programs::search_path(&environment);
    let programs = allowed_programs(request, &path);
    let masked_programs = slice.exec.denied.iter().flat_map(|p| programs::named(p, &path)).collect();
    let rules = rules(request)?;
    let broker = Broker::new(&layout);
    let layout = if broker.is_some() { layout.read_only() } else { layout };
    let ask_files = match (&layout.extensions, request.observe) {
        (Some(_), _) => Ask::Writes,
        (None, true) => Ask::All,
        (None, false) => Ask::Nothing,
    };
    let profile = Profile {
        tier,
        network: slice.network_mode,
        ask_exec: slice.exec.mode == ExecMode::None || request.observe,
        ask_files,
    };
    Ok(Plan {
        tier,
        owner: owner(&request.place.repo),
        network: slice.network_mode,
        scratch_bytes: slice.limits.memory_bytes.unwrap_or(4 << 30).max(1 << 20),
        command: command(request, tier, environment, &layout, temporary.as_deref()),
        temporary,
        proxy_variables: request.proxy_variables,
        terminal: !request.session && crate::terminal::real().is_some(),
        session: request.session,
        keys: if [rustix::stdio::stdin(), rustix::stdio::stdout()].into_iter().all(rustix::termios::isatty) {
            Keys::AtOnce
        } else {
            Keys::WhenAsked
        },
        layout,
        protections,
        rules,
        broker,
        programs,
        masked_programs,
        profile,
        given_up,
    })
}

/// The writable place that a protected path lies in.
fn root_of<'a>(layout: &'a Layout, path: &Path) -> Option<&'a Path> {
    if layout.full {
        return Some(Path::new("/"));
    }
    let within = layout.binds.iter().filter(|b| b.access == Access::Write && path.starts_with(&b.path));
    within.max_by_key(|b| b.path.components().count()).map(|b| b.path.as_path())
}

/// Without namespaces some rules have no enforcement. Each must be given up by name, or the run is refused.
fn degrade(request: &Request, tier: Tier, layout: &Layout, given_up: &mut Vec<String>) -> Result<()> {
    let slice = &request.slice;
    let mut missing: Vec<(&str, String)> = Vec::new();
    if tier == Tier::C && slice.network_mode == NetworkMode::Allowlist {
        missing.push(("network", "an allowlist of names".into()));
    }
    if !slice.exec.denied.is_empty() && slice.exec.mode == ExecMode::Any {
        missing.push(("exec", format!("the denied programs ({})", slice.exec.denied.join(", "))));
    }
    if layout.extensions.is_some() && tier == Tier::C {
        missing.push(("extensions", "the endings of written files".into()));
    }
    for (name, what) in missing {
        if !request.degraded.contains(name) {
            return Err(SandboxError::Unavailable {
                what,
                why: format!("tier {tier} has no namespaces"),
                help: format!(
                    "run `ringfence doctor` for what is missing, or give it up with `--allow-degraded {name}`"
                ),
            });
        }
        given_up.push(name.to_owned());
    }
    Ok(())
}

fn allowed_programs(request: &Request, path: &[PathBuf]) -> Programs {
    let rules = &request.slice.exec;
    let command = request.command.first().and_then(|c| programs::find(c, path, &request.place.cwd));
    let files: Vec<PathBuf> = match rules.mode {
        ExecMode::Any => return Programs::Any,
        ExecMode::None => command.into_iter().collect(),
        ExecMode::Allowlist => {
            let named = rules.allowlist.iter().flatten().flat_map(|p| programs::named(p, path));
            named.collect()
        }
    };
    Programs::Only(programs::needed(&files))
}

fn rules(request: &Request) -> Result<Rules> {
    let refused = |e: crate::egress::RuleError| SandboxError::Refused(e.to_string());
    let http = HttpRules::parse(&request.slice.network_http).map_err(SandboxError::Refused)?;
    let mut rules = Rules::parse(&request.slice.network_egress_allowlist).map_err(refused)?.with_http(http);
    for (name, addresses) in &request.resolve {
        rules = rules.with_addresses(name, addresses.clone()).map_err(refused)?;
    }
    Ok(rules)
}

/// A name for a folder that does not exist yet; whoever outlives the run makes it, and takes it away.
fn temporary_folder() -> Result<PathBuf> {
    let mut random = [0u8; 8];
    rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty()).during("name a temporary folder")?;
    Ok(PathBuf::from(format!("/tmp/ringfence-{:016x}", u64::from_ne_bytes(random))))
}

/// Root runs as whoever owns the repo, since it would have no way round permissions inside anyway.
fn owner(repo: &Path) -> Owner {
    let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    match rustix::fs::stat(repo) {
        Ok(stat) if uid == 0 => Owner { uid: stat.st_uid, gid: stat.st_gid },
        _ => Owner { uid, gid },
    }
}

fn command(
    request: &Request,
    tier: Tier,
    environment: Vec<env::Variable>,
    layout: &Layout,
    temporary: Option<&Path>,
) -> Command {
    let mut env: Vec<env::Variable> = environment;
    if tier == Tier::B && request.slice.network_mode == NetworkMode::Allowlist {
        // Datagrams carry their address along, so only streams can be looked after; the C library can ask names so.
        env.push(("RES_OPTIONS".into(), "use-vc".into()));
    }
    for (name, value) in &request.extra_environment {
        env.retain(|(n, _)| n != name);
        env.push((name.clone(), value.clone()));
    }
    let line = |(name, value): env::Variable| {
        let mut line = name.into_vec();
        line.push(b'=');
        line.extend(value.as_bytes());
        line
    };
    if let Some(folder) = temporary {
        env.push(("TMPDIR".into(), folder.into()));
    }
    let visible = layout.full || layout.access(&request.place.cwd).is_some();
    Command {
        args: request.command.iter().map(|a| a.as_bytes().to_vec()).collect(),
        env: env.into_iter().map(line).collect(),
        cwd: if visible { request.place.cwd.clone() } else { PathBuf::from("/") },
    }
}
