//! The run's first process: builds the box from the inside, shuts it, proves that it is shut, starts the command,
//! and buries the dead.
//!
//! It is a copy of the supervisor, so it holds whatever the supervisor held: nobody inside may look at it (it is not
//! dumpable), and it does as little as possible once the box is shut.

use crate::control::{Channel, Command, Failure, Order, Report};
use crate::error::{During, Result, SandboxError};
use crate::fs::placeholder::Guard;
use crate::fs::{landlock, tree};
use crate::landlock_support;
use crate::plan::{Keys, Plan};
use crate::programs;
use crate::seccomp;
use crate::selfcheck;
use crate::sys;
use crate::{egress, limits};
use ringfence_policy::scale::{NetworkMode, Tier};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::process::{DumpableBehavior, Gid, Pid, Signal, Uid, WaitOptions};
use std::collections::HashMap;
use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// What the first process works with.
pub(crate) struct Init<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) channel: Channel,
    pub(crate) limits: &'a limits::Limits,
    /// Whether the supervisor maps the user ids.
    pub(crate) mapped_outside: bool,
}

/// What goes to the supervisor when the box stands.
struct Built {
    egress: Option<(egress::Header, Vec<OwnedFd>)>,
    questions: Option<OwnedFd>,
    terminal: Option<Terminal>,
    refused: Vec<String>,
}

/// Walls that are ready to be put up.
struct Walls {
    landlock: Option<landlock::Prepared>,
    filter: Vec<sys::Instruction>,
}

/// A terminal of the run's own.
struct Terminal {
    controller: OwnedFd,
    user: OwnedFd,
}

/// A command that runs, and who wants to know how it ends.
struct Running {
    listener: Option<Channel>,
}

impl Init<'_> {
    /// Everything from the first instruction inside to the last. Never returns.
    pub(crate) fn run(self) -> ! {
        let built = match self.build() {
            Ok(built) => built,
            Err(e) => {
                let _ = self.channel.send(&Report::Failed(Failure::from(e)), &[]);
                sys::exit_now(1)
            }
        };
        let proxy = built.egress.as_ref().and_then(|(header, _)| header.proxy_port());
        let user = self.hand_over(built);
        match self.channel.receive::<Order>() {
            Ok(Some((Order::Go, _))) => {}
            _ => self.end(),
        }
        if self.plan.session {
            self.serve(None, proxy, None)
        }
        match self.start(&self.plan.command, proxy, user.as_ref(), &[], &self.channel) {
            Ok(first) => self.serve(Some(first), proxy, user),
            Err(_) => sys::exit_now(127),
        }
    }

    fn build(&self) -> Result<Built> {
        let plan = self.plan;
        let namespaces = plan.tier == Tier::A;
        let (mut egress, mut aside) = (None, None);
        if namespaces {
            let request = egress::namespace::request(plan.network);
            let helper = aside.insert(sys::Aside::start(request).during("start a helper")?);
            self.become_owner()?;
            let options = tree::Options {
                scratch_bytes: plan.scratch_bytes,
                processes: self.limits.processes,
                names: plan.network == NetworkMode::Allowlist,
                masked_programs: plan.masked_programs.clone(),
            };
            let ground = tree::Ground::new(&plan.layout, &options)?;
            let owner = (Uid::from_raw(plan.owner.uid), Gid::from_raw(plan.owner.gid));
            helper.give(sys::Work { copies: ground.copies(&options)?, root: ground.root()?, owner });
            tree::build(ground, &plan.layout, &options, helper, || self.protected_paths())?;
            rustix::system::sethostname(b"sandbox").during("name the box")?;
            if plan.network != NetworkMode::Host {
                let asked = helper.enter().during("make namespaces")?;
                egress = network(plan, asked.as_ref())?;
            }
        }
        let _ = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable);
        let _ = rustix::process::set_parent_process_death_signal(Some(if namespaces {
            Signal::KILL
        } else {
            Signal::TERM
        }));
        self.limits.apply(namespaces)?;
        // What can be made ready while the old root goes. The layout's own paths have no `..` that could lead there.
        let walls = Walls { landlock: self.rules()?, filter: seccomp::program(seccomp::rules(plan.profile)) };
        narrow_capabilities();
        if let Some(helper) = aside {
            // Nobody else is inside when the box is shut; and no foreign path is followed before the old root is gone.
            helper.bury().during("let go of the old root")?;
        }
        let terminal = if plan.terminal { Some(open_terminal()?) } else { None };
        rustix::process::chdir(&plan.command.cwd)
            .or_else(|_| rustix::process::chdir("/"))
            .during_at("enter", &plan.command.cwd)?;
        sys::close_on_exec_from(3).during("close descriptors")?;
        let (questions, refused) = self.shut(walls)?;
        Ok(Built { egress, questions, terminal, refused })
    }

    /// What to mount over protected paths, once the supervisor has put something on the names that are absent.
    fn protected_paths(&self) -> Result<Vec<(&Path, Guard)>> {
        let protections = &self.plan.protections;
        let dropped = match protections.absent.as_slice() {
            [] => Vec::new(),
            _ => match self.channel.receive::<Order>() {
                Ok(Some((Order::Placed(dropped), _))) => dropped,
                _ => return Err(SandboxError::step("hear from the supervisor", Errno::PIPE)),
            },
        };
        Ok(protections.guards(&dropped))
    }

    /// Takes the identity of the repo's owner inside the new user namespace.
    fn become_owner(&self) -> Result<()> {
        let owner = self.plan.owner;
        if self.mapped_outside {
            match self.channel.receive::<Order>() {
                Ok(Some((Order::Mapped, _))) => {}
                _ => return Err(SandboxError::step("hear from the supervisor", Errno::PIPE)),
            }
        } else {
            let write =
                |file: &str, text: String| std::fs::write(format!("/proc/self/{file}"), text).during("map user ids");
            write("setgroups", "deny".into())?;
            write("uid_map", format!("{0} {0} 1", owner.uid))?;
            write("gid_map", format!("{0} {0} 1", owner.gid))?;
        }
        let (uid, gid) = (Uid::from_raw(owner.uid), Gid::from_raw(owner.gid));
        if self.mapped_outside {
            let _ = rustix::thread::set_thread_groups(&[]);
        }
        rustix::thread::set_thread_res_gid(gid, gid, gid).during("take the owner's group")?;
        rustix::thread::set_thread_res_uid(uid, uid, uid).during("take the owner's id")
    }

    /// The layout in Landlock's terms; none where the kernel has no Landlock and the mounts do without.
    fn rules(&self) -> Result<Option<landlock::Prepared>> {
        let plan = self.plan;
        let wall = if plan.tier == Tier::A { landlock::Wall::Second } else { landlock::Wall::Only };
        match landlock_support::support() {
            Some(support) => landlock::prepare(&plan.layout, &plan.programs, wall, support).map(Some),
            None if plan.tier == Tier::A && matches!(plan.programs, landlock::Programs::Any) => Ok(None),
            None => Err(SandboxError::Unavailable {
                what: "the policy's file and exec rules".into(),
                why: "this kernel has no Landlock, or it is off".into(),
                help: "run a kernel with Landlock (5.13 or newer, `landlock` in its list of security modules)".into(),
            }),
        }
    }

    /// The last walls: Landlock, capabilities, the filter. After this nothing can be undone.
    fn shut(&self, walls: Walls) -> Result<(Option<OwnedFd>, Vec<String>)> {
        let plan = self.plan;
        rustix::thread::set_no_new_privs(true).during("give up new privileges")?;
        if let Some(rules) = walls.landlock {
            rules.restrict()?;
        }
        drop_capabilities()?;
        let mut refused = selfcheck::files(plan)?;
        let during = "load the system call filter";
        let questions = match plan.profile.asks() {
            true => Some(sys::load_filter_with_listener(&walls.filter).during(during)?),
            false => sys::load_filter(&walls.filter).during(during).map(|()| None)?,
        };
        refused.extend(selfcheck::sockets(plan)?);
        Ok((questions, refused))
    }

    /// Sends what belongs to the supervisor, and keeps the run's side of the terminal.
    fn hand_over(&self, built: Built) -> Option<OwnedFd> {
        let mut fds = Vec::new();
        fds.extend(built.questions.as_ref().map(AsFd::as_fd));
        fds.extend(built.terminal.as_ref().map(|t| t.controller.as_fd()));
        let header = built.egress.as_ref().map(|(header, sockets)| {
            fds.extend(sockets.iter().map(AsFd::as_fd));
            hex(&header.to_bytes())
        });
        let ready = Report::Ready {
            refused: built.refused,
            questions: built.questions.is_some(),
            terminal: built.terminal.is_some(),
            egress: header,
        };
        if self.channel.send(&ready, &fds).is_err() {
            sys::exit_now(1);
        }
        built.terminal.map(|t| t.user)
    }

    /// Starts a command in a session of its own.
    fn start(
        &self,
        command: &Command,
        proxy: Option<u16>,
        terminal: Option<&OwnedFd>,
        streams: &[OwnedFd],
        tell: &Channel,
    ) -> rustix::io::Result<Pid> {
        let image = match image(command, proxy.filter(|_| self.plan.proxy_variables)) {
            Ok(image) => image,
            Err(errno) => {
                let name = command.args.first().map(|a| String::from_utf8_lossy(a).into_owned()).unwrap_or_default();
                let _ = tell.send(&Report::NotStarted { command: name, errno: errno.raw_os_error() }, &[]);
                return Err(errno);
            }
        };
        let Some(terminal) = terminal else { return self.spawn(&image, command, streams, tell) };
        if let Some(pid) = sys::fork()? {
            return Ok(pid);
        }
        // A group of its own in the first process's session: stopping it by key works only so.
        let _ = rustix::process::setpgid(None, None);
        if self.plan.keys == Keys::AtOnce {
            let _ = rustix::termios::tcsetpgrp(terminal, rustix::process::getpid());
        }
        let on_terminal = |fd| rustix::termios::isatty(fd);
        if on_terminal(rustix::stdio::stdin()) {
            let _ = rustix::stdio::dup2_stdin(terminal);
        }
        if on_terminal(rustix::stdio::stdout()) {
            let _ = rustix::stdio::dup2_stdout(terminal);
        }
        if on_terminal(rustix::stdio::stderr()) {
            let _ = rustix::stdio::dup2_stderr(terminal);
        }
        sys::reset_signals();
        let errno = match sys::exec(&image) {
            Errno::NOEXEC => sys::exec(&image.by_shell()),
            errno => errno,
        };
        let name = image.path().to_string_lossy().into_owned();
        let _ = self.channel.send(&Report::NotStarted { command: name, errno: errno.raw_os_error() }, &[]);
        sys::exit_now(if errno == Errno::NOENT { 127 } else { 126 })
    }

    /// Starts a command that has no terminal.
    fn spawn(
        &self,
        image: &sys::Image,
        command: &Command,
        streams: &[OwnedFd],
        tell: &Channel,
    ) -> rustix::io::Result<Pid> {
        let streams = match streams {
            [stdin, stdout, stderr] => {
                // A further command starts where it says; this process has no other use for a folder.
                rustix::process::chdir(&command.cwd)?;
                Some([stdin.as_fd(), stdout.as_fd(), stderr.as_fd()])
            }
            _ => None,
        };
        let started = match sys::spawn(image, streams) {
            // A script that does not say what runs it: a shell does, as from any other place.
            Err(Errno::NOEXEC) => sys::spawn(&image.by_shell(), streams),
            started => started,
        };
        started.inspect_err(|errno| {
            let command = image.path().to_string_lossy().into_owned();
            let _ = tell.send(&Report::NotStarted { command, errno: errno.raw_os_error() }, &[]);
        })
    }

    /// Waits for children and orders until the command has ended, or until the supervisor is gone.
    fn serve(&self, first: Option<Pid>, proxy: Option<u16>, terminal: Option<OwnedFd>) -> ! {
        let mut running: HashMap<Pid, Running> =
            first.map(|pid| (pid, Running { listener: None })).into_iter().collect();
        let Ok(children) = sys::SignalFd::new(&[libc::SIGCHLD, libc::SIGTERM]) else { sys::exit_now(1) };
        loop {
            let callers: Vec<Pid> = running.iter().filter(|(_, r)| r.listener.is_some()).map(|(p, _)| *p).collect();
            let mut fds = vec![PollFd::new(&children, PollFlags::IN), PollFd::new(&self.channel, PollFlags::IN)];
            let listeners = callers.iter().filter_map(|p| running.get(p)?.listener.as_ref());
            fds.extend(listeners.map(|l| PollFd::new(l, PollFlags::IN)));
            match poll(&mut fds, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => sys::exit_now(1),
            }
            let woken: Vec<bool> = fds.iter().map(|f| !f.revents().is_empty()).collect();
            drop(fds);
            // A caller has nothing more to say: it speaks by going away.
            for (caller, _) in callers.iter().zip(woken.iter().skip(2)).filter(|(_, woken)| **woken) {
                let _ = rustix::process::kill_process_group(*caller, Signal::KILL);
            }
            let [of_children, of_channel] = [0, 1].map(|n| woken.get(n).copied().unwrap_or(false));
            if of_children {
                while let Some(signal) = children.next() {
                    if signal == libc::SIGTERM {
                        self.end();
                    }
                }
                self.bury(&mut running, first, terminal.as_ref());
            }
            if of_channel {
                match self.channel.receive::<Order>() {
                    Ok(Some((order, fds))) => self.obey(order, fds, &mut running, first, proxy),
                    Ok(None) | Err(_) => self.end(),
                }
            }
        }
    }

    /// The supervisor is gone, or says so: nothing of the run stays. In a pid namespace the kernel sees to it.
    fn end(&self) -> ! {
        if self.plan.tier != Tier::A {
            crate::descendants::end_all();
        }
        sys::exit_now(0)
    }

    fn bury(&self, running: &mut HashMap<Pid, Running>, first: Option<Pid>, terminal: Option<&OwnedFd>) {
        let options = WaitOptions::NOHANG | WaitOptions::UNTRACED;
        while let Ok(Some((pid, status))) = rustix::process::wait(options) {
            if let Some(signal) = status.stopping_signal() {
                if Some(pid) == first {
                    self.stopped(pid, signal, terminal);
                }
                continue;
            }
            let Some(ended) = running.remove(&pid) else { continue };
            let report = Report::Ended(status.as_raw());
            if let Some(listener) = ended.listener {
                let _ = listener.send(&report, &[]);
            } else if Some(pid) == first {
                let _ = self.channel.send(&report, &[]);
                if !self.plan.session {
                    self.end();
                }
            }
        }
    }

    /// The command was stopped: because it wants the keys, or because somebody wants it to wait.
    fn stopped(&self, first: Pid, signal: i32, terminal: Option<&OwnedFd>) {
        let wants_keys = matches!(signal, libc::SIGTTIN | libc::SIGTTOU);
        if let (true, Some(terminal)) = (wants_keys, terminal) {
            let _ = rustix::termios::tcsetpgrp(terminal, first);
            let _ = self.channel.send(&Report::WantsKeys, &[]);
            let _ = rustix::process::kill_process_group(first, Signal::CONT);
        } else {
            let _ = self.channel.send(&Report::Stopped(signal), &[]);
        }
    }

    fn obey(
        &self,
        order: Order,
        fds: Vec<OwnedFd>,
        running: &mut HashMap<Pid, Running>,
        first: Option<Pid>,
        proxy: Option<u16>,
    ) {
        match order {
            Order::Mapped | Order::Placed(_) | Order::Go => {}
            Order::Signal(signal) => {
                let (Some(signal), Some(first)) = (Signal::from_named_raw(signal), first) else { return };
                let _ = rustix::process::kill_process_group(first, signal);
            }
            Order::Run(command) => {
                let Ok([stdin, stdout, stderr, listener]) = <[OwnedFd; 4]>::try_from(fds) else { return };
                let listener = Channel::from_fd(listener);
                if let Ok(pid) = self.start(&command, proxy, None, &[stdin, stdout, stderr], &listener) {
                    running.insert(pid, Running { listener: Some(listener) });
                }
            }
        }
    }
}

fn network(plan: &Plan, asked: Option<&OwnedFd>) -> Result<Option<(egress::Header, Vec<OwnedFd>)>> {
    let unavailable = |e: egress::namespace::PrepareError| SandboxError::Unavailable {
        what: "the network".into(),
        why: e.to_string(),
        help: "run `ringfence doctor`".into(),
    };
    match plan.network {
        NetworkMode::Host => Ok(None),
        NetworkMode::None => egress::namespace::isolated(asked).map(|()| None).map_err(unavailable),
        NetworkMode::Allowlist => {
            let options = egress::namespace::Options::default();
            let sockets = egress::namespace::transparent(&plan.rules.ports(), options, asked).map_err(unavailable)?;
            Ok(Some(sockets.into_fds()))
        }
    }
}

/// Every capability, in every set, for good.
/// No program that is started has more capabilities than it was given, whoever owns it.
fn narrow_capabilities() {
    use rustix::thread::{CapabilitiesSecureBits, CapabilitySet};
    let bits = CapabilitiesSecureBits::NO_ROOT | CapabilitiesSecureBits::NO_ROOT_LOCKED;
    // Without the capability to set them there is none to guard against either.
    let _ = rustix::thread::set_capabilities_secure_bits(bits);
    for capability in CapabilitySet::all().iter() {
        let _ = rustix::thread::remove_capability_from_bounding_set(capability);
    }
}

fn drop_capabilities() -> Result<()> {
    use rustix::thread::{CapabilitySet, CapabilitySets};
    let _ = rustix::thread::clear_ambient_capability_set();
    let none = CapabilitySet::empty();
    rustix::thread::set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
        .during("drop capabilities")
}

fn open_terminal() -> Result<Terminal> {
    use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, unlockpt};
    let during = "make a terminal";
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let controller = rustix::pty::openpt(flags).during(during)?;
    unlockpt(&controller).during(during)?;
    let user = ioctl_tiocgptpeer(&controller, flags).during(during)?;
    rustix::process::setsid().during(during)?;
    rustix::process::ioctl_tiocsctty(&user).during(during)?;
    let real = crate::terminal::keyboard();
    if let (Ok(mut modes), Ok(size)) = (rustix::termios::tcgetattr(real), rustix::termios::tcgetwinsize(real)) {
        // In a pipeline the real terminal goes on ending lines by itself.
        if !crate::terminal::all_streams() {
            modes.output_modes.remove(rustix::termios::OutputModes::OPOST);
        }
        let _ = rustix::termios::tcsetattr(&user, rustix::termios::OptionalActions::Now, &modes);
        let _ = rustix::termios::tcsetwinsize(&user, size);
    }
    Ok(Terminal { controller, user })
}

/// Finds the program as it is seen inside, and lays out what `execve` takes.
fn image(command: &Command, proxy: Option<u16>) -> std::result::Result<sys::Image, Errno> {
    let strings = |items: &[Vec<u8>]| -> std::result::Result<Vec<CString>, Errno> {
        items.iter().map(|i| CString::new(i.clone()).map_err(|_| Errno::INVAL)).collect()
    };
    let name = command.args.first().map(|a| OsStr::from_bytes(a)).ok_or(Errno::NOENT)?;
    let pairs = command.env.iter().filter_map(|line| {
        let at = line.iter().position(|b| *b == b'=')?;
        let (name, value) = (line.get(..at)?, line.get(at + 1..)?);
        Some((OsStr::from_bytes(name).to_owned(), OsStr::from_bytes(value).to_owned()))
    });
    let env: Vec<(OsString, OsString)> = pairs.collect();
    let path = programs::search_path(&env);
    let file = programs::find(name, &path, &command.cwd).ok_or(Errno::NOENT)?;
    let mut lines = command.env.clone();
    if let Some(port) = proxy {
        for (name, value) in egress::proxy_env(port) {
            lines.push(format!("{name}={value}").into_bytes());
        }
    }
    let file = CString::new(file.as_os_str().as_bytes()).map_err(|_| Errno::INVAL)?;
    Ok(sys::Image::new(file, strings(&command.args)?, strings(&lines)?))
}

/// Bytes as text for a JSON message.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
