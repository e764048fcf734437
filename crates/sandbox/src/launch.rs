//! Starting a box: the strongest tier that works here, its first process, and a cleaner that outlives everybody.

use crate::control::{Channel, Order, Report};
use crate::error::{During, Result, SandboxError};
use crate::event::Witness;
use crate::fs::placeholder::Protections;
use crate::init::Init;
use crate::limits::Limits;
use crate::plan::{Plan, Request, plan};
use crate::sys::{self, Forked};
use ringfence_policy::scale::Tier;
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
pub(crate) fn launch(request: &Request, witness: &dyn Witness) -> Result<Launched> {
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
        match attempt(request, tier, witness) {
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

fn attempt(request: &Request, tier: Tier, witness: &dyn Witness) -> Result<Launched> {
    if tier == Tier::B && !sys::reaches_others() {
        return Err(SandboxError::Unavailable {
            what: "tier B".into(),
            why:
                "the supervisor may not take descriptors and memory of other processes (pidfd_getfd, process_vm_readv)"
                    .into(),
            help: "run `ringfence doctor`".into(),
        });
    }
    let plan = plan(request, tier)?;
    let limits = Limits::from(&request.slice.limits);
    let (ours, theirs) = Channel::pair().during("make a socket")?;
    // A process may map itself; only root outside can map somebody else.
    let mapped_outside = rustix::process::geteuid().is_root() && tier == Tier::A && plan.owner.uid != 0;
    let flags = if tier == Tier::A { NAMESPACES } else { 0 };
    let Forked::Parent { pid, pidfd } = sys::clone_with(flags).during("make namespaces")? else {
        drop(ours);
        let init = Init { plan: &plan, channel: theirs, limits: &limits, mapped_outside };
        if tier == Tier::A { init.run() } else { guarded(init) }
    };
    drop(theirs);
    // The box takes longest. Where the kernel has put it on this processor, it should not wait for what follows.
    std::thread::yield_now();
    let held = Held { channel: ours, pidfd };
    Building { plan, pid, held, cleaner: Cleaner::default() }.finish(mapped_outside, witness)
}

/// What the supervisor holds of a box, and nobody else may.
#[derive(Debug)]
struct Held {
    channel: Channel,
    pidfd: OwnedFd,
}

/// A box that builds itself, and what the supervisor does meanwhile.
struct Building {
    plan: Plan,
    pid: Pid,
    held: Held,
    cleaner: Cleaner,
}

impl Building {
    fn finish(mut self, mapped_outside: bool, witness: &dyn Witness) -> Result<Launched> {
        let ready = self.prepare(mapped_outside, witness).and_then(|()| wait_ready(&self.held.channel));
        let Self { plan, pid, held: Held { channel, pidfd }, cleaner } = self;
        match ready {
            Ok(ready) => Ok(Launched { plan, channel, pid, pidfd, not: Vec::new(), ready, cleaner }),
            Err(e) => {
                let _ = rustix::process::pidfd_send_signal(&pidfd, Signal::KILL);
                let _ = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::empty());
                cleaner.finish(&plan.protections);
                Err(e)
            }
        }
    }

    /// A box that does not listen any more has said why, and that is what counts.
    fn prepare(&mut self, mapped_outside: bool, witness: &dyn Witness) -> Result<()> {
        if mapped_outside {
            map_ids(self.pid, &self.plan)?;
            let _ = self.held.channel.send(&Order::Mapped, &[]);
        }
        if self.plan.tier == Tier::A && !self.plan.protections.absent.is_empty() {
            self.cleaner = Cleaner::start(&mut self.plan.protections, &mut self.held)?;
            let dropped = self.plan.protections.occupy()?;
            let _ = self.held.channel.send(&Order::Placed(dropped), &[]);
        }
        witness.building().map_err(SandboxError::Refused)?;
        let _ = self.held.channel.send(&Order::Go, &[]);
        Ok(())
    }
}

/// All but the network's, which takes longest to make and is made beside the rest.
const NAMESPACES: i32 = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP;

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

/// A process that clears placeholders away when the run is over, however the supervisor ends.
#[derive(Debug, Default)]
pub(crate) struct Cleaner {
    /// Closed when the supervisor dies.
    _word: Option<OwnedFd>,
    pid: Option<Pid>,
}

impl Cleaner {
    /// Starts it where there is something to keep clean, before there is: whenever the supervisor dies, there is
    /// somebody who knows the names.
    fn start(protections: &mut Protections, held: &mut Held) -> Result<Self> {
        protections.lock_folders()?;
        let (read, write) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).during("make a pipe")?;
        let Some(pid) = sys::fork().during("start the cleaner")? else {
            drop(write);
            // The box must see the supervisor go: this copy keeps nothing of it.
            let _ = rustix::io::dup2(&read, &mut held.pidfd);
            let _ = held.channel.replace(&read);
            let _ = rustix::process::setsid();
            let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
            // A reader of our output must not wait for this process.
            if let Ok(null) = rustix::fs::open("/dev/null", rustix::fs::OFlags::RDWR, rustix::fs::Mode::empty()) {
                let _ = rustix::stdio::dup2_stdin(&null);
                let _ = rustix::stdio::dup2_stdout(&null);
                let _ = rustix::stdio::dup2_stderr(&null);
            }
            // The other end is closed: the supervisor is gone.
            while rustix::io::read(&read, &mut [0u8; 1]) == Err(rustix::io::Errno::INTR) {}
            protections.clear();
            sys::exit_now(0)
        };
        Ok(Self { _word: Some(write), pid: Some(pid) })
    }

    /// Clears everything away: whoever is here still is quicker than whoever has to wake up first. The cleaner is let
    /// go when nothing is left that it could be needed for.
    pub(crate) fn finish(self, protections: &Protections) {
        let Some(pid) = self.pid else { return };
        protections.clear();
        let _ = rustix::process::kill_process(pid, Signal::KILL);
        let _ = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::empty());
    }
}
