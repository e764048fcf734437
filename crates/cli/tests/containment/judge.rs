//! What a report must say.

use crate::fence::Setting;
use ringfence_probes::context::Context;
use ringfence_probes::outcome::Outcome;
use ringfence_probes::probe::Probe;
use ringfence_probes::report::Report;
use ringfence_probes::table::GROUPS;

/// Attacks, prints what came of it, and fails on every escape and every twin that does not work.
pub(crate) fn judge(mut setting: Setting) {
    let report = setting.attack();
    print(&setting.title, &report);
    let context = setting.fixture.context.clone();
    let mut wrong = Vec::new();
    if !report.whole {
        let end: String = report.stderr.chars().take(2000).collect();
        wrong.push(format!("the attack did not come to its end (exit {:?}, late {}): {end}", report.code, report.late));
    }
    for (group, probe) in GROUPS.iter().flat_map(|g| g.probes.iter().map(move |p| (g.name, p))) {
        wrong.extend(sides(group, probe, &report, &context));
    }
    wrong.extend(setting.fixture.harm().expect("the fixture can be looked at").iter().map(|h| format!("HARM {h}")));
    match setting.fixture.signals() {
        Ok(0) => {}
        other => wrong.push(format!("SIGNALS that reached the victim: {other:?}")),
    }
    let denied = context.network.as_ref().map_or("denied.example.org", |n| n.denied.as_str());
    wrong.extend(setting.fixture.arrivals.escapes(denied).iter().map(|a| format!("ARRIVED {a}")));
    wrong.extend(setting.fixture.left_behind().iter().map(|p| format!("LEFT BEHIND {p}")));
    assert!(wrong.is_empty(), "{}: {} wrong\n{}", setting.title, wrong.len(), wrong.join("\n"));
}

fn sides(group: &str, probe: &Probe, report: &Report, context: &Context) -> Vec<String> {
    let mut wrong = Vec::new();
    if probe.needs.met(context) {
        match report.of(probe.name, "forbidden") {
            Some(Outcome::Refused(_)) => {}
            Some(Outcome::Absent(_)) if may_be_absent(group, probe, context) => {}
            Some(Outcome::Did(detail)) => {
                wrong.push(format!("ESCAPE {group}/{}: {} ({detail})", probe.name, probe.what))
            }
            other => wrong.push(format!("{group}/{}: {other:?}", probe.name)),
        }
    }
    if probe.twin.needs.met(context) {
        match report.of(probe.name, "twin") {
            Some(Outcome::Did(_)) => {}
            Some(Outcome::Absent(_)) if may_be_absent(group, probe, context) => {}
            other => wrong.push(format!("TWIN {group}/{}: {}: {other:?}", probe.name, probe.twin.what)),
        }
    }
    wrong
}

/// Where a probe may say that there is nothing to try: no proxy is offered, no program with special bits could be
/// made, the disk knows no handles, the processor has no such entry.
fn may_be_absent(group: &str, probe: &Probe, context: &Context) -> bool {
    match (group, probe.name) {
        ("proxy", _) | (_, "set-uid-system" | "kill-everybody") => true,
        (_, "set-uid" | "set-gid" | "file-capabilities" | "preload-into-set-uid") => {
            !context.repo.join("suid-probe").exists()
        }
        (_, "open-by-handle") => context.handle.is_none(),
        (_, "entry-i386") => cfg!(not(target_arch = "x86_64")),
        _ => false,
    }
}

/// A table of counts, by group.
pub(crate) fn print(title: &str, report: &Report) {
    println!(
        "{title}\n{:<12} {:>9} {:>7} {:>7} {:>6} | {:>6} {:>6}",
        "", "forbidden", "escaped", "refused", "absent", "twins", "work"
    );
    let twins = report.counts("twin");
    for (group, [did, refused, absent, broken]) in report.counts("forbidden") {
        let [worked, rest @ ..] = twins.get(&group).copied().unwrap_or_default();
        let tried = worked + rest.iter().sum::<usize>();
        println!(
            "{group:<12} {:>9} {did:>7} {refused:>7} {absent:>6} | {tried:>6} {worked:>6}",
            did + refused + absent + broken
        );
    }
}
