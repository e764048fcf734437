//! The same attack behind bubblewrap, for comparison: `RINGFENCE_COMPARE=bwrap`. Nothing is asserted of it but that
//! the attack comes to its end; what escapes there is printed.

use crate::fence::{self, Setting, Wanted};
use crate::judge;
use ringfence_probes::context::Tier;
use ringfence_probes::fixture::User;
use ringfence_probes::outcome::Outcome;
use ringfence_probes::report;
use std::path::Path;
use std::time::Duration;

#[test]
fn bubblewrap_for_comparison() {
    if std::env::var("RINGFENCE_COMPARE").as_deref() != Ok("bwrap") {
        println!("SKIPPED: set RINGFENCE_COMPARE=bwrap, with bubblewrap installed, to compare");
        return;
    }
    for user in [User::ROOT, User::NOBODY] {
        fence::apart(move || compare(user));
    }
}

fn compare(user: User) {
    let Some(setting) = Setting::new(user, Wanted::Nothing, Some(Tier::A)) else { return };
    let repo = &setting.fixture.context.repo;
    let mut command = setting.fixture.command(Path::new("/usr/bin/bwrap")).expect("a command");
    command.args(["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"]);
    command.args([
        "--setenv",
        "PATH",
        "/usr/bin:/bin",
        "--ro-bind",
        "/usr",
        "/usr",
        "--ro-bind",
        "/etc/passwd",
        "/etc/passwd",
    ]);
    for folder in ["bin", "lib", "lib64", "sbin"] {
        command.args(["--symlink", &format!("usr/{folder}"), &format!("/{folder}")]);
    }
    command.args(["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]).arg("--bind").arg(repo).arg(repo);
    command.arg("--ro-bind").arg(repo.join(".git/hooks")).arg(repo.join(".git/hooks"));
    command.arg("--chdir").arg(repo).args(setting.fixture.attack());
    let report = report::run(command, Duration::from_secs(240)).expect("bubblewrap starts");
    judge::print(&format!("bubblewrap, uid {}", user.uid), &report);
    for line in report.lines.iter().filter(|l| l.side == "forbidden" && l.outcome.worked()) {
        println!("escaped  {}/{}: {:?}", line.group, line.probe, line.outcome);
    }
    for line in report.lines.iter().filter(|l| l.side == "twin" && !matches!(l.outcome, Outcome::Did(_))) {
        println!("twin     {}/{}: {:?}", line.group, line.probe, line.outcome);
    }
    for harm in setting.fixture.harm().expect("the fixture can be looked at") {
        println!("harm     {harm}");
    }
    assert!(report.whole, "the attack comes to its end: {}", report.stderr);
}
