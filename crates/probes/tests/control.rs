//! The control: every forbidden thing, tried where no fence stands, must work. A probe that fails here as well would
//! pass behind any fence, and so proves nothing. What cannot be tried, or needs what this machine lacks, says why.
#![expect(clippy::expect_used, reason = "a set-up that fails is a test that fails")]

use ringfence_probes::fixture::{Fixture, Plan, User, own_network};
use ringfence_probes::outcome::Outcome;
use ringfence_probes::probe::{Control, Network, Probe};
use ringfence_probes::report::{self, Report};
use ringfence_probes::table::GROUPS;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

fn probes() -> impl Iterator<Item = &'static Probe> {
    GROUPS.iter().flat_map(|g| g.probes)
}

fn attack(user: User) -> Option<Report> {
    let net = own_network().expect("a network");
    let probe = Path::new(env!("CARGO_BIN_EXE_ringfence-probe")).to_path_buf();
    let plan = Plan { user, tier: None, net, probe, ringfence: None };
    let mut fixture = Fixture::new(&plan).expect("a fixture");
    let report =
        report::run(fixture.unfenced().expect("a command"), Duration::from_secs(300)).expect("the attack runs");
    assert!(report.whole, "the attack stopped early: {report:?}");
    assert!(fixture.signals().expect("the victim is alive") > 0, "signals reach the victim where no fence stands");
    Some(report)
}

/// On a thread of its own, because it takes its thread to another network.
fn apart<T: Send + 'static>(act: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::spawn(act).join().expect("the thread ends well")
}

#[test]
fn every_probe_works_where_no_fence_stands() {
    let root = User::current() == User::ROOT;
    let as_root = if root { apart(|| attack(User::ROOT)) } else { None };
    let as_user = if root { apart(|| attack(User::NOBODY)) } else { apart(|| attack(User::current())) };
    if !root {
        println!("not root: what takes root, and what takes a network of its own, is not controlled here");
    }
    let mut wrong = Vec::new();
    for (group, probe) in GROUPS.iter().flat_map(|g| g.probes.iter().map(move |p| (g.name, p))) {
        let outcome = |report: &Option<Report>| report.as_ref().and_then(|r| r.of(probe.name, "forbidden")).cloned();
        let (by_root, by_user) = (outcome(&as_root), outcome(&as_user));
        let worked = [&by_root, &by_user].into_iter().flatten().any(Outcome::worked);
        let absent = [&by_root, &by_user].into_iter().flatten().all(|o| missing(group, o));
        println!("{:<28} root {by_root:?}  user {by_user:?}", probe.name);
        let expected = match probe.control {
            Control::Unproven(_) => true,
            Control::WorksAsRoot => !root || absent || by_root.as_ref().is_some_and(Outcome::worked),
            Control::Works if !root => absent || worked || probe.needs.network == Network::Allowlist,
            Control::Works => absent || (worked && by_user.as_ref().is_some_and(Outcome::worked)),
        };
        if !expected {
            wrong.push(format!("{}: root {by_root:?}, user {by_user:?}, said to be {:?}", probe.name, probe.control));
        }
        for (who, report) in [("root", &as_root), ("user", &as_user)] {
            let Some(report) = report else { continue };
            match report.of(probe.name, "twin") {
                None if !root && probe.twin.needs.network == Network::Allowlist => {}
                Some(Outcome::Did(_) | Outcome::Absent(_)) => {}
                other => wrong.push(format!("the twin of {} as {who}: {other:?}", probe.name)),
            }
        }
    }
    assert!(wrong.is_empty(), "{} probes prove nothing as they are:\n{}", wrong.len(), wrong.join("\n"));
}

/// Whether this machine has no such thing: its kernel, or the file that the kernel would show it in.
fn missing(group: &str, outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Absent(_) => true,
        Outcome::Refused(detail) => ["procfs", "devices"].contains(&group) && detail == "ENOENT",
        _ => false,
    }
}

#[test]
fn the_table_is_sound() {
    let names: Vec<&str> = probes().map(|p| p.name).collect();
    let different: BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(names.len(), different.len(), "two probes share a name");
    assert!(names.len() >= 80, "only {} probes", names.len());
    for probe in probes() {
        for needs in [probe.needs, probe.twin.needs] {
            assert!(!needs.tiers.is_empty(), "{} applies nowhere", probe.name);
            let everywhere = needs.tiers.len() == 3;
            assert_eq!(everywhere, needs.because.is_empty(), "{} must say why it does not apply in a tier", probe.name);
        }
    }
}
