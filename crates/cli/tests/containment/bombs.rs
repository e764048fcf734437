//! Attempts to use up the machine: each is run alone under limits, and ends the run, not the host.

use crate::fence::{self, Setting, Wanted};
use ringfence_probes::fixture::User;
use ringfence_probes::report;
use ringfence_probes::table::bombs::{BOMBS, Bomb};
use std::time::Duration;

const LIMITS: &str = "{ memory: 256MiB, processes: 100, cpu: 5s, wall: 10s, fileSize: 16MiB, openFiles: 256 }";

fn bombs(user: User) {
    let wrong: Vec<String> = BOMBS.iter().flat_map(|bomb| fence::apart(move || explode(bomb, user))).collect();
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

fn explode(bomb: &Bomb, user: User) -> Vec<String> {
    let Some(setting) = Setting::new(user, Wanted::Nothing, None) else { return Vec::new() };
    setting.policy(LIMITS);
    let repo = &setting.fixture.context.repo;
    let mut command = setting.fenced();
    command.arg(repo.join("probe")).args(["bomb", bomb.name, "--context"]).arg(repo.join("context.json"));
    let report = report::run(command, Duration::from_secs(60)).expect("ringfence starts");
    println!("{:<14} exit {:?} {}", bomb.name, report.code, report.stdout.trim());
    let mut wrong = Vec::new();
    // It is held back and says so, or it is ended. Codes of Ringfence itself mean that it never started.
    let held = report.stdout.contains(r#""refused""#);
    let failed = report.code.is_some_and(|c| [0, 119, 120, 124, 125, 127].contains(&c));
    if report.late || !held && (failed || !report.stdout.trim().is_empty()) {
        wrong.push(format!("{}: {}: {report:?}", bomb.name, bomb.what));
    }
    wrong.extend(setting.fixture.left_behind().iter().map(|p| format!("{}: left behind {p}", bomb.name)));
    wrong
}

#[test]
fn bombs_of_root_end_the_run_alone() {
    bombs(User::ROOT);
}

#[test]
fn bombs_of_a_user_end_the_run_alone() {
    bombs(User::NOBODY);
}
