//! One setting: who attacks, under which policy, in which tier; and the command that puts the fence around it.

use ringfence_probes::context::Tier;
use ringfence_probes::fixture::{Fixture, Net, Plan, User, own_network};
use ringfence_probes::report::{self, Report};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Longer than all probes together take when each one is waited for.
const PATIENCE: Duration = Duration::from_secs(240);

/// Which network the policy gives.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Wanted {
    Nothing,
    Allowlist,
}

/// Who attacks what.
pub(crate) struct Setting {
    pub(crate) fixture: Fixture,
    pub(crate) net: Option<Net>,
    pub(crate) title: String,
    tier: Option<Tier>,
}

impl Setting {
    /// None where this machine's user cannot make it; what is left out is said.
    pub(crate) fn new(user: User, wanted: Wanted, tier: Option<Tier>) -> Option<Self> {
        let root = User::current() == User::ROOT;
        let user = if root || user == User::ROOT { user } else { User::current() };
        let title = format!("uid {} network {wanted:?} tier {tier:?}", user.uid);
        if !root && user == User::ROOT {
            println!("SKIPPED {title}: this test run is not root");
            return None;
        }
        // Also without a network inside, the host has one of its own here, so that what leaks out arrives.
        let outside = own_network().expect("a network");
        if wanted == Wanted::Allowlist && outside.is_none() {
            println!("SKIPPED {title}: a network of its own takes root");
            return None;
        }
        let net = outside.filter(|_| wanted == Wanted::Allowlist);
        let plan = Plan { user, tier, net: net.clone(), probe: attacker(), ringfence: Some(program()) };
        let fixture = Fixture::new(&plan).expect("a fixture");
        fs::create_dir_all(fixture.folder().join("bin")).expect("a folder");
        fs::copy(program(), fixture.folder().join("bin/ringfence")).expect("a copy that every user may start");
        let setting = Self { fixture, net, title, tier };
        setting.policy("");
        Some(setting)
    }

    /// Writes the policy, with limits where they are wanted.
    pub(crate) fn policy(&self, limits: &str) {
        let network = self.net.as_ref().map_or("{ mode: none }".to_owned(), |net| {
            format!("{{ mode: allowlist, allowlist: [{}] }}", quoted(&net.allowlist()))
        });
        let limits = if limits.is_empty() { String::new() } else { format!("  limits: {limits}\n") };
        let text = format!(
            "policy: containment\nlevel: project\nbecause: What the attacker may touch.\nsandbox:\n  \
             network: {network}\n  filesystem: {{ permission: repo-readwrite, hidden: [\"**/.env\"] }}\n  \
             env: {{ scrub: true, keep: [PATH, HOME, LANG, TERM] }}\n{limits}"
        );
        fs::create_dir_all(self.folder()).expect("a folder");
        fs::write(self.folder().join("ringfence.yaml"), text).expect("a policy");
    }

    fn folder(&self) -> PathBuf {
        self.fixture.folder().join("policy")
    }

    /// `ringfence run` up to and with the two dashes.
    pub(crate) fn fenced(&self) -> Command {
        let mut command = self.fixture.command(&self.fixture.folder().join("bin/ringfence")).expect("a command");
        command.arg("run").arg("-C").arg(self.folder()).arg("--repo").arg(&self.fixture.context.repo);
        if let Some(tier) = self.tier {
            command.arg("--tier").arg(format!("{tier:?}"));
        }
        if self.net.is_some() {
            command.arg("--proxy-env");
        }
        for (name, address) in self.net.iter().flat_map(|net| &net.names) {
            command.arg("--resolve").arg(format!("{name}={address}"));
        }
        command.arg("--");
        command
    }

    /// The whole attack behind the fence.
    pub(crate) fn attack(&self) -> Report {
        let mut command = self.fenced();
        command.args(self.fixture.attack());
        report::run(command, PATIENCE).expect("ringfence starts")
    }
}

/// On a thread of its own, because a setting takes its thread to another network.
pub(crate) fn apart<T: Send + 'static>(act: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::spawn(act).join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(", ")
}

fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_ringfence"))
}

/// The attacker's program, built with what it is built from now.
fn attacker() -> PathBuf {
    let program = program();
    let folder = program.parent().expect("a folder of programs");
    let target = folder.parent().expect("a target folder");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into());
    let mut build = Command::new(cargo);
    build.args(["build", "--quiet", "-p", "ringfence-probes", "--target-dir"]).arg(target);
    if folder.ends_with("release") {
        build.arg("--release");
    }
    let built = build.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).status();
    assert!(built.expect("cargo runs").success(), "the attacker is built");
    folder.join("ringfence-probe")
}
