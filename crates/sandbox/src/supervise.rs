//! The supervisor: outside the box, until the command has ended. It passes signals and keys in, answers the questions
//! of the filter, keeps the limits, and cleans up.

use crate::control::{Channel, Order, Report};
use crate::egress::{self, EventSink, LiveRules, NetEvent, Origin, OriginTable, Sockets};
use crate::error::{During, Result, SandboxError};
use crate::event::{Ending, Event, Started, Witness};
use crate::launch::{self, Launched, SIGNALS, not_started};
use crate::limits::{Limits, Watch};
use crate::plan::{Plan, Request};
use crate::questions::{Connector, Doors, Programs, Questions};
use crate::session::{Called, Door};
use crate::sys::{self, SignalFd};
use crate::terminal::Relay;
use ringfence_policy::scale::{ExecMode, NetworkMode, Tier};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::AsFd;
use rustix::io::Errno;
use rustix::process::Signal;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// Rules that change while a run goes on.
pub trait Changes {
    /// A descriptor that becomes readable when there may be a change.
    fn watch(&self) -> Option<rustix::fd::BorrowedFd<'_>>;
    /// How long until the rules change by themselves.
    fn next(&self) -> Option<Duration>;
    /// The allowlist as it is now; nothing where it has not changed.
    fn allowlist(&mut self) -> Option<Vec<String>>;
}

/// Rules that stay as they are.
#[derive(Debug, Default)]
pub struct Unchanged;

impl Changes for Unchanged {
    fn watch(&self) -> Option<rustix::fd::BorrowedFd<'_>> {
        None
    }

    fn next(&self) -> Option<Duration> {
        None
    }

    fn allowlist(&mut self) -> Option<Vec<String>> {
        None
    }
}

/// Runs a command in a box, and waits for it.
pub fn run(request: &Request, witness: Arc<dyn Witness>, changes: &mut dyn Changes) -> Result<Ending> {
    let launched = launch::launch(request, witness.as_ref())?;
    Supervisor::new(request, launched, witness)?.supervise(changes)
}

pub(crate) struct Supervisor {
    plan: Plan,
    channel: Channel,
    pid: rustix::process::Pid,
    pidfd: rustix::fd::OwnedFd,
    signals: SignalFd,
    relay: Option<Relay>,
    questions: Option<Questions>,
    egress: Option<egress::Handle>,
    rules: Arc<LiveRules>,
    resolve: Vec<(String, Vec<std::net::IpAddr>)>,
    watch: Watch,
    cleaner: launch::Cleaner,
    witness: Arc<dyn Witness>,
    /// Further commands arrive here.
    door: Option<Door>,
}

/// Hands events of the network thread on.
struct Sink(Arc<dyn Witness>);

impl EventSink for Sink {
    fn net(&self, event: NetEvent) {
        self.0.event(Event::Net(event));
    }
}

impl Supervisor {
    pub(crate) fn new(request: &Request, launched: Launched, witness: Arc<dyn Witness>) -> Result<Self> {
        let Launched { mut plan, channel, pid, pidfd, not, ready, cleaner } = launched;
        // From here on the supervisor has something to hide: names, connections, what the run was told no to.
        let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
        let started = Started {
            tier: plan.tier,
            not,
            refused: ready.refused,
            given_up: plan.given_up.clone(),
            landlock: sys::landlock_version(),
            limits: "rlimits and the supervisor's count",
            pid: pid.as_raw_nonzero().get(),
        };
        witness.started(&started);
        let rules = LiveRules::new(plan.rules.clone());
        let (egress, doors) = start_egress(&plan, ready.egress, &rules, &witness)?;
        let questions = ready.questions.map(|fd| {
            let programs = match request.slice.exec.mode {
                ExecMode::None => Programs::First,
                _ => Programs::Watched,
            };
            let connector = (plan.tier == Tier::B).then(|| Connector {
                egress: doors,
                folders: Connector::folders(&plan.layout),
                first: pid,
            });
            let watched = request.observe.then(|| plan.layout.clone());
            Questions::new(fd, witness.clone(), programs)
                .with_broker(plan.broker.take())
                .with_connector(connector)
                .watching(watched)
        });
        Ok(Self {
            signals: SignalFd::new(SIGNALS).during("read signals")?,
            relay: ready.terminal.map(|controller| Relay::new(controller, plan.keys)),
            watch: Watch::new(&Limits::from(&request.slice.limits)),
            resolve: request.resolve.clone(),
            plan,
            channel,
            pid,
            pidfd,
            questions,
            egress,
            rules,
            cleaner,
            witness,
            door: None,
        })
    }

    /// The box stays, and takes further commands.
    pub(crate) fn with_door(mut self, door: Door) -> Self {
        self.door = Some(door);
        self
    }

    pub(crate) fn supervise(mut self, changes: &mut dyn Changes) -> Result<Ending> {
        self.witness.idle();
        let ended = self.wait(changes);
        let _ = rustix::process::pidfd_send_signal(
            &self.pidfd,
            if self.plan.tier == Tier::A { Signal::KILL } else { Signal::TERM },
        );
        if let (Ok(ending), true) = (&ended, self.plan.protections.absent.is_empty()) {
            self.stop_egress();
            self.witness.ending(*ending);
        }
        let _ = rustix::process::waitpid(Some(self.pid), rustix::process::WaitOptions::empty());
        let broken = self.plan.protections.broken();
        if let Some(relay) = &mut self.relay {
            relay.drain();
            relay.give_back();
        }
        self.stop_egress();
        self.cleaner.finish(&self.plan.protections);
        for path in broken {
            self.witness.event(Event::ProtectedBroken(path));
        }
        ended
    }

    /// Says the last of the network, too.
    fn stop_egress(&mut self) {
        if let Some(egress) = self.egress.take() {
            let _ = egress.stop();
        }
    }

    fn wait(&mut self, changes: &mut dyn Changes) -> Result<Ending> {
        let mut keys = true;
        loop {
            let patience = self.door.as_ref().map(Door::patience);
            let wait = [self.watch.next(), changes.next(), patience].into_iter().flatten().min();
            let woken = self.sleep(wait, keys, changes);
            if woken.signals {
                while let Some(signal) = self.signals.next() {
                    self.signal(signal);
                }
            }
            if woken.questions && self.questions.as_mut().is_some_and(|q| !q.answer()) {
                self.questions = None;
            }
            if woken.screen && self.relay.as_ref().is_some_and(|r| !r.show()) {
                // The run has closed its terminal; only its end is left to wait for.
                keys = false;
            }
            if woken.keys {
                keys = self.relay.as_ref().is_some_and(Relay::keys);
            }
            if let Some(door) = &mut self.door {
                let over = woken.door && matches!(door.take(&self.channel, self.witness.as_ref()), Called::Over);
                if over || door.patience().is_zero() {
                    return Ok(Ending::Exited(0));
                }
            }
            if woken.changes || changes.next().is_some_and(|d| d.is_zero()) {
                self.change(changes);
            }
            if woken.channel
                && let Some(ending) = self.hear()?
            {
                return Ok(ending);
            }
            if let Some(exceeded) = self.watch.look(self.pid) {
                self.witness.event(Event::Limit(exceeded));
                return Ok(Ending::Aborted(exceeded));
            }
        }
    }

    fn sleep(&self, wait: Option<Duration>, keys: bool, changes: &dyn Changes) -> Woken {
        let keyboard = crate::terminal::keyboard();
        let mut fds = vec![PollFd::new(&self.channel, PollFlags::IN), PollFd::new(&self.signals, PollFlags::IN)];
        let questions = add(&mut fds, self.questions.as_ref().map(AsFd::as_fd));
        let screen = add(&mut fds, self.relay.as_ref().filter(|_| keys).map(AsFd::as_fd));
        let typed = add(&mut fds, self.relay.as_ref().filter(|r| keys && r.listens()).map(|_| keyboard));
        let changed = add(&mut fds, changes.watch());
        let door = add(&mut fds, self.door.as_ref().map(AsFd::as_fd));
        let wait = wait.map(|d| Timespec { tv_sec: d.as_secs() as i64, tv_nsec: i64::from(d.subsec_nanos()) });
        match poll(&mut fds, wait.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            // Nothing is known then; the next round looks again.
            Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
        let is = |n: Option<usize>| n.and_then(|n| fds.get(n)).is_some_and(|f| !f.revents().is_empty());
        Woken {
            channel: is(Some(0)),
            signals: is(Some(1)),
            questions: is(questions),
            screen: is(screen),
            keys: is(typed),
            changes: is(changed),
            door: is(door),
        }
    }

    /// What the first process says.
    fn hear(&mut self) -> Result<Option<Ending>> {
        match self.channel.receive::<Report>() {
            Ok(Some((Report::Ended(status), _))) => Ok(Some(ending(status))),
            Ok(Some((Report::NotStarted { command, errno }, _))) => Err(not_started(command, errno)),
            Ok(Some((Report::Stopped(_), _))) => {
                self.stop_too();
                Ok(None)
            }
            Ok(Some((Report::Failed(failure), _))) => Err(failure.into()),
            Ok(Some((Report::WantsKeys, _))) => {
                if let Some(relay) = &mut self.relay {
                    relay.want();
                }
                Ok(None)
            }
            Ok(Some((Report::Ready { .. }, _))) => Ok(None),
            Ok(None) => Ok(Some(Ending::Lost)),
            Err(e) => Err(SandboxError::step("hear from the box", e)),
        }
    }

    fn signal(&mut self, signal: i32) {
        match signal {
            libc::SIGCHLD => {}
            libc::SIGWINCH => {
                if let Some(relay) = &self.relay {
                    relay.resize();
                }
                self.pass(signal);
            }
            libc::SIGCONT => {
                if let Some(relay) = &mut self.relay {
                    relay.take();
                }
                self.pass(signal);
            }
            signal => self.pass(signal),
        }
    }

    fn pass(&self, signal: i32) {
        let _ = self.channel.send(&Order::Signal(signal), &[]);
    }

    /// The command was stopped: whoever started the supervisor must see it stopped too.
    fn stop_too(&mut self) {
        if let Some(relay) = &mut self.relay {
            relay.drain();
            relay.give_back();
        }
        let _ = rustix::process::kill_process(rustix::process::getpid(), Signal::STOP);
        // Here again after somebody continued us.
        if let Some(relay) = &mut self.relay {
            relay.take();
        }
        self.pass(libc::SIGCONT);
    }

    fn change(&mut self, changes: &mut dyn Changes) {
        let Some(allowlist) = changes.allowlist() else { return };
        let mut rules = match egress::Rules::parse(&allowlist) {
            Ok(rules) => rules.with_http(self.rules.current().http().clone()),
            // What cannot be read changes nothing.
            Err(_) => return,
        };
        for (name, addresses) in &self.resolve {
            if let Ok(with) = rules.clone().with_addresses(name, addresses.clone()) {
                rules = with;
            }
        }
        let change = self.rules.replace(rules);
        self.witness.event(Event::RulesChanged { next_run: change.without_listener });
    }
}

/// Adds a descriptor to wait for, and says where it stands.
fn add<'a>(fds: &mut Vec<PollFd<'a>>, fd: Option<rustix::fd::BorrowedFd<'a>>) -> Option<usize> {
    let fd = fd?;
    fds.push(PollFd::from_borrowed_fd(fd, PollFlags::IN));
    Some(fds.len() - 1)
}

/// What there is to do.
struct Woken {
    channel: bool,
    signals: bool,
    questions: bool,
    screen: bool,
    keys: bool,
    changes: bool,
    door: bool,
}

/// What a status of `waitpid` means.
pub(crate) fn ending(status: i32) -> Ending {
    match status & 0x7f {
        0 => Ending::Exited((status >> 8) & 0xff),
        signal => Ending::Signaled(signal),
    }
}

/// Starts the network thread, with sockets from inside the box or, without a namespace, on the host's loopback.
fn start_egress(
    plan: &Plan,
    from_box: Option<(String, Vec<rustix::fd::OwnedFd>)>,
    rules: &Arc<LiveRules>,
    witness: &Arc<dyn Witness>,
) -> Result<(Option<egress::Handle>, Option<Doors>)> {
    let broken = |e: String| SandboxError::Unavailable {
        what: "the network".into(),
        why: e,
        help: "run `ringfence doctor`".into(),
    };
    let sink: Arc<dyn EventSink> = Arc::new(Sink(witness.clone()));
    // Each connection takes four descriptors here; the run itself has its own limit since before.
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let more = rustix::process::Rlimit { current: files.maximum, maximum: files.maximum };
    let _ = rustix::process::setrlimit(rustix::process::Resource::Nofile, more);
    if let Some((header, fds)) = from_box {
        let header = unhex(&header).ok_or_else(|| broken("the box's sockets cannot be read".into()))?;
        let header = egress::Header::from_bytes(&header).map_err(|e| broken(e.to_string()))?;
        let sockets = Sockets::from_fds(&header, fds).map_err(|e| broken(e.to_string()))?;
        let handle = egress::spawn_thread(sockets, rules.clone(), Origin::LocalAddress, sink);
        return Ok((Some(handle.map_err(|e| broken(e.to_string()))?), None));
    }
    if plan.tier != Tier::B || plan.network != NetworkMode::Allowlist {
        return Ok((None, None));
    }
    let sockets = egress::namespace::prepare_on_host().map_err(|e| broken(e.to_string()))?;
    let table = Arc::new(OriginTable::default());
    let (header, fds) = sockets.into_fds();
    let address = |n: usize| -> Option<SocketAddr> { rustix::net::getsockname(fds.get(n)?).ok()?.try_into().ok() };
    let missing = || broken("the egress sockets have no address".into());
    // In the order that `prepare_on_host` makes them: names over UDP, names over TCP, connections.
    let (names, connections) = (address(1).ok_or_else(missing)?, address(2).ok_or_else(missing)?);
    let sockets = Sockets::from_fds(&header, fds).map_err(|e| broken(e.to_string()))?;
    let handle = egress::spawn_thread(sockets, rules.clone(), Origin::Table(table.clone()), sink);
    Ok((Some(handle.map_err(|e| broken(e.to_string()))?), Some(Doors { table, connections, names })))
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let pair = |n: usize| u8::from_str_radix(text.get(n..n + 2)?, 16).ok();
    (0..text.len()).step_by(2).map(pair).collect()
}
