//! Starting a box: the strongest tier that works here, its first process, and a cleaner that outlives everybody.

use crate::control::{Channel, Order, Report};
use crate::error::{During, Result, SandboxError};
use crate::fs::placeholder::Protections;
use crate::init::Init;
use crate::limits::Limits;
use crate::plan::{Plan, Request, plan};
use crate::sys::{self, Forked};
use ringfence_policy::scale::{NetworkMode, Tier};
use rustix::fd::OwnedFd;
use rustix::process::{Pid, Signal};

/// A box whose command has started.
#[derive(Debug)]
pub(crate) struct Launched {
    pub(crate) plan: Plan,
    pub(crate) channel: Channel,
    pub(crate) pid: Pid,
    pub(crate) pidfd: OwnedFd,
    /// Why stronger tiers were not used.
    pub(crate) not: Vec<(Tier, String)>,
    pub(crate) ready: Ready,
    pub(crate) cleaner: Cleaner,
}

/// What came with the word that the box stands.
#[derive(Debug, Default)]
pub(crate) struct Ready {
    pub(crate) refused: Vec<String>,
    pub(crate) questions: Option<OwnedFd>,
    pub(crate) terminal: Option<OwnedFd>,
    pub(crate) egress: Option<(String, Vec<OwnedFd>)>,
}

/// Signals that the supervisor reads instead of dying of them.
pub(crate) const SIGNALS: &[i32] = &[
    libc::SIGCHLD,
    libc::SIGTERM,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGHUP,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGWINCH,
    libc::SIGTSTP,
    libc::SIGCONT,
    libc::SIGALRM,
    libc::SIGVTALRM,
    libc::SIGPROF,
    libc::SIGIO,
    libc::SIGPWR,
    libc::SIGXCPU,
    libc::SIGURG,
];

/// Builds the strongest box that this machine and the policy allow.
pub(crate) fn launch(request: &Request) -> Result<Launched> {
    sys::block_signals(SIGNALS);
    sys::ignore(libc::SIGPIPE);
    sys::ignore(libc::SIGTTOU);
    let mut not = Vec::new();
    for tier in [Tier::A, Tier::B, Tier::C].into_iter().filter(|t| *t <= request.strongest) {
        if request.slice.minimum_tier.is_some_and(|least| tier < least) {
            let least = request.slice.minimum_tier.map(|t| t.to_string()).unwrap_or_default();
            return Err(SandboxError::Unavailable {
                what: format!("tier {least}, which the policy asks for"),
                why: not.iter().map(|(t, why)| format!("tier {t}: {why}")).collect::<Vec<_>>().join("; "),
                help: "run `ringfence doctor` for what is missing".into(),
            });
        }
        match attempt(request, tier) {
            Ok(launched) => return Ok(Launched { not, ..launched }),
            // A tier that this machine does not have; anything else is the same in every tier.
            Err(SandboxError::Unavailable { why, .. }) if tier != Tier::C => not.push((tier, why)),
            Err(SandboxError::Setup { step, errno, path }) if tier == Tier::A && is_missing(errno) => {
                let at = path.map(|p| format!(" `{}`", p.display())).unwrap_or_default();
                not.push((tier, format!("cannot {step}{at}: {errno}")));
            }
            Err(e) => return Err(e),
        }
    }
    Err(SandboxError::Unavailable {
        what: "a box".into(),
        why: not.iter().map(|(t, why)| format!("tier {t}: {why}")).collect::<Vec<_>>().join("; "),
        help: "run `ringfence doctor` for what is missing".into(),
    })
}

/// What a kernel or a container says when it does not let users have namespaces.
fn is_missing(errno: rustix::io::Errno) -> bool {
    use rustix::io::Errno;
    matches!(
        errno,
        Errno::PERM | Errno::NOSYS | Errno::INVAL | Errno::NOSPC | Errno::USERS | Errno::ACCESS | Errno::OPNOTSUPP
    )
}

fn attempt(request: &Request, tier: Tier) -> Result<Launched> {
    if tier == Tier::B && !sys::reaches_others() {
        return Err(SandboxError::Unavailable {
            what: "tier B".into(),
            why:
                "the supervisor may not take descriptors and memory of other processes (pidfd_getfd, process_vm_readv)"
                    .into(),
            help: "run `ringfence doctor`".into(),
        });
    }
    let mut plan = plan(request, tier)?;
    let limits = Limits::from(&request.slice.limits);
    let cleaner = if tier == Tier::A { Cleaner::start(&mut plan.protections)? } else { Cleaner::default() };
    match build(plan, &limits, tier) {
        Ok(launched) => Ok(Launched { cleaner, ..launched }),
        Err((plan, e)) => {
            cleaner.finish(&plan.protections);
            Err(e)
        }
    }
}

fn build(plan: Plan, limits: &Limits, tier: Tier) -> std::result::Result<Launched, (Box<Plan>, SandboxError)> {
    let (ours, theirs) = match Channel::pair() {
        Ok(pair) => pair,
        Err(e) => return Err((Box::new(plan), SandboxError::step("make a socket", e))),
    };
    let root = rustix::process::geteuid().is_root();
    // A process may map itself; only root outside can map somebody else.
    let mapped_outside = root && tier == Tier::A && plan.owner.uid != 0;
    let flags = if tier == Tier::A { namespaces(plan.network) } else { 0 };
    let forked = match sys::clone_with(flags) {
        Ok(forked) => forked,
        Err(e) => return Err((Box::new(plan), SandboxError::step("make namespaces", e))),
    };
    let Forked::Parent { pid, pidfd } = forked else {
        drop(ours);
        let init = Init { plan: &plan, channel: theirs, limits, mapped_outside };
        if tier == Tier::A { init.run() } else { guarded(init) }
    };
    drop(theirs);
    if mapped_outside
        && let Err(e) = map_ids(pid, &plan).and_then(|()| ours.send(&Order::Mapped, &[]).during("speak to the box"))
    {
        let _ = rustix::process::pidfd_send_signal(&pidfd, Signal::KILL);
        let _ = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::empty());
        return Err((Box::new(plan), e));
    }
    match wait_ready(&ours) {
        Ok(ready) => {
            Ok(Launched { plan, channel: ours, pid, pidfd, not: Vec::new(), ready, cleaner: Cleaner::default() })
        }
        Err(e) => {
            let _ = rustix::process::pidfd_send_signal(&pidfd, Signal::KILL);
            let _ = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::empty());
            Err((Box::new(plan), e))
        }
    }
}

fn namespaces(network: NetworkMode) -> i32 {
    let own = if network == NetworkMode::Host { 0 } else { libc::CLONE_NEWNET };
    own | libc::CLONE_NEWUSER
        | libc::CLONE_NEWNS
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUTS
        | libc::CLONE_NEWCGROUP
}

/// Maps the repo's owner, and nobody else, into the box. Only root outside can map another than itself.
fn map_ids(pid: Pid, plan: &Plan) -> Result<()> {
    let pid = pid.as_raw_nonzero();
    let write = |file: &str, text: String| std::fs::write(format!("/proc/{pid}/{file}"), text).during("map user ids");
    write("uid_map", format!("{0} {0} 1", plan.owner.uid))?;
    write("gid_map", format!("{0} {0} 1", plan.owner.gid))
}

fn wait_ready(channel: &Channel) -> Result<Ready> {
    match channel.receive::<Report>() {
        Ok(Some((Report::Ready { refused, questions, terminal, egress }, fds))) => {
            let mut fds = fds.into_iter();
            let questions = if questions { fds.next() } else { None };
            let terminal = if terminal { fds.next() } else { None };
            Ok(Ready { refused, questions, terminal, egress: egress.map(|header| (header, fds.collect())) })
        }
        Ok(Some((Report::Failed(failure), _))) => Err(failure.into()),
        Ok(Some((Report::NotStarted { command, errno }, _))) => Err(not_started(command, errno)),
        Ok(Some(_)) => Err(SandboxError::step("hear from the box", rustix::io::Errno::PROTO)),
        Ok(None) => Err(SandboxError::step("hear from the box", rustix::io::Errno::PIPE)),
        Err(e) => Err(SandboxError::step("hear from the box", e)),
    }
}

/// A command that could not be started.
pub(crate) fn not_started(command: String, errno: i32) -> SandboxError {
    let errno = rustix::io::Errno::from_raw_os_error(errno);
    let why = match errno {
        rustix::io::Errno::NOENT => "was not found, or is not visible inside the box".to_owned(),
        rustix::io::Errno::ACCESS => "cannot be executed inside the box".to_owned(),
        e => format!("cannot be started: {e}"),
    };
    SandboxError::NotFound { command, why }
}

/// Without a pid namespace: a process outside the box that ends what is left of it, whoever dies first. It has no part
/// in Landlock's domain, so nobody inside can end it.
fn guarded(init: Init<'_>) -> ! {
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::TERM));
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
    let temporary = init.plan.temporary.clone();
    if let Some(folder) = &temporary {
        // A name that is taken makes the run fail later, when it cannot write there.
        let _ = rustix::fs::mkdir(folder, rustix::fs::Mode::RWXU);
    }
    let inside = match sys::fork() {
        Ok(Some(pid)) => pid,
        Ok(None) => init.run(),
        Err(_) => sys::exit_now(1),
    };
    drop(init);
    let Ok(signals) = sys::SignalFd::new(&[libc::SIGCHLD, libc::SIGTERM]) else { sys::exit_now(1) };
    loop {
        let mut fds = [rustix::event::PollFd::new(&signals, rustix::event::PollFlags::IN)];
        let _ = rustix::event::poll(&mut fds, None);
        let mut over = false;
        while let Some(signal) = signals.next() {
            over |= signal == libc::SIGTERM;
        }
        while let Ok(Some((pid, status))) = rustix::process::wait(rustix::process::WaitOptions::NOHANG) {
            over |= pid == inside && !status.stopped();
        }
        if over {
            crate::descendants::end_all();
            if let Some(folder) = temporary {
                // Follows no link, whatever the run left there.
                let _ = std::fs::remove_dir_all(folder);
            }
            sys::exit_now(0);
        }
    }
}

/// A process that clears placeholders away if the supervisor does not get to it.
#[derive(Debug, Default)]
pub(crate) struct Cleaner {
    /// Closed without a word when the supervisor dies.
    word: Option<OwnedFd>,
    pid: Option<Pid>,
}

impl Cleaner {
    /// Starts it where there is something to keep clean, and only then makes the placeholders: whenever the supervisor
    /// dies, there is somebody who knows their names.
    fn start(protections: &mut Protections) -> Result<Self> {
        if protections.absent.is_empty() {
            return Ok(Self::default());
        }
        let (read, write) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).during("make a pipe")?;
        let Some(pid) = sys::fork().during("start the cleaner")? else {
            drop(write);
            let _ = rustix::process::setsid();
            let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
            // A reader of our output must not wait for this process.
            if let Ok(null) = rustix::fs::open("/dev/null", rustix::fs::OFlags::RDWR, rustix::fs::Mode::empty()) {
                let _ = rustix::stdio::dup2_stdin(&null);
                let _ = rustix::stdio::dup2_stdout(&null);
                let _ = rustix::stdio::dup2_stderr(&null);
            }
            let mut word = [0u8; 1];
            let said = loop {
                match rustix::io::read(&read, &mut word) {
                    Err(rustix::io::Errno::INTR) => {}
                    said => break said,
                }
            };
            if said != Ok(1) {
                protections.clear_for_another();
            }
            sys::exit_now(0)
        };
        let cleaner = Self { word: Some(write), pid: Some(pid) };
        match protections.occupy() {
            Ok(()) => Ok(cleaner),
            Err(e) => {
                cleaner.finish(protections);
                Err(e)
            }
        }
    }

    /// Clears up and sends the cleaner home.
    pub(crate) fn finish(mut self, protections: &Protections) {
        protections.clear();
        if let Some(word) = self.word.take() {
            let _ = rustix::io::write(&word, b"d");
        }
        if let Some(pid) = self.pid.take() {
            let _ = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::empty());
        }
    }
}
