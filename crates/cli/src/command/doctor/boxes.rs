//! Boxes: a slice and a world → a process that builds the box → what came of every attempt in it.

use super::attempt::{Attempt, Outcome, WORD};
use super::check::{self, Check, Part};
use super::fixture::{Fixture, broken};
use super::probe::{Order, Report};
use crate::failure::Failure;
use ringfence_policy::scale::{ExecMode, NetworkMode, Tier};
use ringfence_policy::slice::KernelSlice;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A variable that no policy keeps.
pub(super) const SECRET: &str = "RINGFENCE_DOCTOR_SECRET";

/// No box takes longer than this.
const LONGEST: Duration = Duration::from_secs(10);

/// What the boxes are made of.
pub(super) struct Bench {
    /// This program.
    pub(super) program: PathBuf,
    /// Rules that let a run work in its repo, to build on.
    pub(super) base: KernelSlice,
    /// The policy's rules.
    pub(super) slice: KernelSlice,
}

/// A box that was tried.
pub(super) struct Tried {
    pub(super) tier: Tier,
    pub(super) checks: Vec<(Check, Evidence)>,
    pub(super) report: Report,
}

/// What came of the attempts of a check.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    pub(super) twins: Vec<Option<Outcome>>,
    pub(super) forbidden: Vec<Option<Outcome>>,
    /// The same outside any box.
    pub(super) control: Vec<Option<Outcome>>,
    /// Whether a word of the attempt arrived on the host.
    pub(super) arrived: Vec<bool>,
    /// What is there on the host and should not be.
    pub(super) left: Vec<PathBuf>,
}

impl Bench {
    /// Tries one box and, in a world of its own, the same without a box.
    pub(super) fn tried(&self, part: Part, tier: Tier) -> Result<Tried, Failure> {
        let (at, twin) = (Fixture::new(&self.program)?, Fixture::new(&self.program)?);
        let checks = check::checks(part, tier, &at, &self.program);
        let controls = check::checks(part, tier, &twin, &self.program);
        let attempts = |checks: &[Check]| -> Vec<Attempt> {
            let of = |c: &Check| c.twins.iter().chain(&c.forbidden).map(|t| t.attempt.clone()).collect::<Vec<_>>();
            checks.iter().flat_map(of).collect()
        };
        let wanted = attempts(&checks);
        let (report, inside) = self.boxed(self.slice(part, tier, &at), tier, &at, wanted)?;
        // Limits hold for a box only: without one there is nothing to compare, and a lot of memory to take.
        let outside = if part == Part::Limits { Vec::new() } else { self.bare(&controls, &twin)? };
        let (mut inside, mut outside) = (inside.into_iter(), outside.into_iter());
        let mut aborted = report.aborted.clone();
        let mut next = || {
            // What ended the run refused what was being tried.
            let ended = || {
                aborted
                    .take()
                    .map(|limit| Outcome { done: false, said: format!("the supervisor ended the run for `{limit}`") })
            };
            inside.next().or_else(ended)
        };
        let mut judged = Vec::new();
        for check in checks {
            let mut evidence = Evidence {
                twins: check.twins.iter().map(|_| next()).collect(),
                forbidden: check.forbidden.iter().map(|_| next()).collect(),
                ..Evidence::default()
            };
            evidence.control = check.forbidden.iter().map(|_| outside.next()).collect();
            evidence.arrived = check.forbidden.iter().map(|t| t.on_host.as_deref().is_none_or(was_written)).collect();
            evidence.left = check.absent.iter().filter(|p| holds_something(p)).cloned().collect();
            judged.push((check, evidence));
        }
        Ok(Tried { tier, checks: judged, report })
    }

    /// Builds a box with the policy's own rules and does nothing in it: whether a run would start, and how.
    pub(super) fn own(&self, strongest: Tier) -> Result<Report, Failure> {
        let at = Fixture::new(&self.program)?;
        let mut slice = self.slice.clone();
        self.show_program(&mut slice);
        let (report, _) = self.boxed(slice, strongest, &at, Vec::new())?;
        Ok(report)
    }

    /// The probe must be visible and startable whatever the policy says about programs.
    fn show_program(&self, slice: &mut KernelSlice) {
        let program = self.program.to_string_lossy().into_owned();
        slice.fs.read_roots.push(program.clone());
        if let Some(list) = &mut slice.exec.allowlist {
            list.push(program);
        }
    }

    fn slice(&self, part: Part, tier: Tier, at: &Fixture) -> KernelSlice {
        let mut slice = self.base.clone();
        // This tier or none: a weaker box would only show what is known of that one.
        slice.minimum_tier = Some(tier);
        slice.limits.memory_bytes = None;
        slice.limits.processes = None;
        match part {
            Part::Main => Arc::make_mut(&mut slice.fs.hidden).push(".env".into()),
            Part::Names => {
                if tier != Tier::C {
                    let port = at.tcp.port();
                    slice.network_mode = NetworkMode::Allowlist;
                    slice.network_egress_allowlist =
                        Arc::new(vec![format!("{}:{port}", check::ALLOWED), format!("127.0.0.1:{port}")]);
                }
                slice.exec.mode = ExecMode::Allowlist;
                slice.exec.allowlist = Some(Vec::new());
            }
            Part::Limits => {
                slice.limits.memory_bytes = Some(check::MEMORY);
                slice.limits.processes = Some(check::PROCESSES);
            }
        }
        self.show_program(&mut slice);
        slice
    }

    fn boxed(
        &self,
        slice: KernelSlice,
        strongest: Tier,
        at: &Fixture,
        attempts: Vec<Attempt>,
    ) -> Result<(Report, Vec<Outcome>), Failure> {
        let (order, report) = (at.at("outside/order"), at.at("outside/report"));
        let text = Order {
            slice,
            strongest,
            repo: at.at("repo"),
            home: at.at("home"),
            program: self.program.clone(),
            resolve: vec![(check::ALLOWED.into(), vec![at.tcp.ip()])],
            attempts,
            report: report.clone(),
        };
        std::fs::write(&order, serde_json::to_string(&text).map_err(broken)?).map_err(broken)?;
        let order = order.to_string_lossy().into_owned();
        let (outcomes, complaint) = self.spoken(&["__probe", "box", &order], at)?;
        let report = std::fs::read_to_string(report).ok().and_then(|t| serde_json::from_str(&t).ok());
        let silent = || {
            let complaint = complaint.lines().next().unwrap_or("it said nothing").to_owned();
            Report {
                failed: Some((format!("the box could not be built: {complaint}"), String::new())),
                ..Report::default()
            }
        };
        Ok((report.unwrap_or_else(silent), outcomes))
    }

    /// The forbidden things without a box.
    fn bare(&self, checks: &[Check], at: &Fixture) -> Result<Vec<Outcome>, Failure> {
        let mut attempts: Vec<(usize, Attempt)> =
            checks.iter().flat_map(|c| &c.forbidden).map(|t| t.attempt.clone()).enumerate().collect();
        // What moves things away or changes the process comes last, so that the others find what they expect.
        let drastic = |a: &Attempt| matches!(a, Attempt::Rename { .. } | Attempt::Unshare | Attempt::Chroot { .. });
        attempts.sort_by_key(|(_, a)| drastic(a));
        let (order, list): (Vec<usize>, Vec<Attempt>) = attempts.into_iter().unzip();
        let text = serde_json::to_string(&list).map_err(broken)?;
        let own = std::process::id().to_string();
        let (outcomes, _) = self.spoken(&["__probe", "attempts", &text, &own], at)?;
        let mut sorted: Vec<(usize, Outcome)> = order.into_iter().zip(outcomes).collect();
        sorted.sort_by_key(|(n, _)| *n);
        Ok(sorted.into_iter().map(|(_, o)| o).collect())
    }

    /// Starts this program again and reads what it says.
    fn spoken(&self, args: &[&str], at: &Fixture) -> Result<(Vec<Outcome>, String), Failure> {
        let (out, err) = (at.at("outside/said"), at.at("outside/complained"));
        let file = |p: &Path| std::fs::File::create(p).map_err(broken);
        let mut child = Command::new(&self.program)
            .args(args)
            .env(SECRET, &at.token)
            .stdin(Stdio::null())
            .stdout(file(&out)?)
            .stderr(file(&err)?)
            .spawn()
            .map_err(broken)?;
        let started = Instant::now();
        while child.try_wait().map_err(broken)?.is_none() {
            if started.elapsed() > LONGEST {
                // The box dies with its builder.
                let _ = child.kill();
                let _ = child.wait();
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let said = std::fs::read_to_string(out).unwrap_or_default();
        let outcomes = said.lines().filter_map(|l| serde_json::from_str(l).ok()).collect();
        Ok((outcomes, std::fs::read_to_string(err).unwrap_or_default()))
    }
}

/// Whether an attempt wrote here, or nobody can tell.
fn was_written(path: &Path) -> bool {
    match std::fs::read(path) {
        Ok(bytes) => bytes.windows(WORD.len()).any(|w| w == WORD),
        Err(e) => e.kind() != std::io::ErrorKind::NotFound,
    }
}

/// A name that a run kept free may still have an empty placeholder on it while another run goes on.
fn holds_something(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|m| m.is_dir() || m.len() > 0)
}
