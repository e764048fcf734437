//! The attacking skill under the kernel ring: `ringfence run` by itself, then a look from outside at what came of it.
//!
//! In: the stage. Out: each attempt with its verdict, the rule that stopped it and where that rule stands. A rule is
//! `logged` where the run wrote the denial down; otherwise it is the policy's own answer to the same question.

use super::attempt::{self, Aim, Attempt, Kind, NOT_TRIED};
use super::collector::Collector;
use super::stage::{OWN, Stage, broken};
use crate::command::doctor::advice;
use crate::command::run::trail::Trails;
use crate::failure::Failure;
use crate::input::{InputArgs, Select};
use ringfence_policy::question::Question;
use ringfence_policy::scale::{Effect, Tier};
use ringfence_sandbox::Place;
use serde::Serialize;
use serde_json::Value as Json;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What came of the run.
#[derive(Debug, Serialize)]
pub(super) struct Ring {
    /// The tier the run got.
    pub(super) tier: String,
    /// The sandbox.
    pub(super) sandbox: String,
    /// What the box tried and refused before the agent started.
    pub(super) refused: Vec<String>,
    /// What of the sample policies this machine cannot keep, and so was not shown.
    pub(super) given_up: Vec<String>,
    /// The agent's own work, which the policy allows, went through.
    pub(super) work_done: bool,
    /// What the skill tried.
    pub(super) attempts: Vec<Tried>,
    /// What it looks like from outside.
    pub(super) outside: Outside,
    #[serde(skip)]
    pub(super) run_id: String,
    #[serde(skip)]
    pub(super) log: PathBuf,
}

/// One attempt and its end.
#[derive(Debug, Serialize)]
pub(super) struct Tried {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) aim: Aim,
    pub(super) kind: Kind,
    pub(super) target: String,
    pub(super) verdict: Verdict,
    /// The run logged the denial.
    pub(super) logged: bool,
    pub(super) rule: Option<String>,
    pub(super) document: Option<String>,
    pub(super) file: Option<String>,
    pub(super) line: Option<u64>,
    pub(super) because: Option<String>,
}

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    /// Nothing came of it, and a rule says why.
    Stopped,
    /// It did harm, or nobody can say which rule stopped it.
    NotStopped,
    /// This machine has no program to try it with.
    NotTried,
}

/// What a look from outside found. Empty lists are good news.
#[derive(Debug, Serialize)]
pub(super) struct Outside {
    /// Files that were to stay as they were.
    pub(super) canaries: usize,
    /// Those that are gone, changed or new.
    pub(super) harmed: Vec<String>,
    /// Files and output of the run that hold the secret.
    pub(super) leaked: Vec<String>,
    /// How many messages reached the collector; null where it could not be shown to hear.
    pub(super) heard: Option<usize>,
}

/// A way to run: the policies, and what is given up for a machine that cannot keep all of them.
struct Way {
    policy: &'static str,
    spec: Option<&'static str>,
    degraded: &'static [&'static str],
    lacks: &'static [&'static str],
}

const WAYS: [Way; 3] = [
    Way { policy: "examples/acme", spec: Some("coder"), degraded: &[], lacks: &[] },
    Way {
        policy: "examples/acme",
        spec: Some("coder"),
        degraded: &["exec"],
        lacks: &["sandbox.exec.denied (needs tier A)"],
    },
    Way {
        policy: "stand-in",
        spec: None,
        degraded: &[],
        lacks: &["the sample policies (they ask for tier B); a stricter one stands in"],
    },
];

/// The longest that a run may take.
const LONGEST: Duration = Duration::from_secs(12);

/// Runs the agent with the strongest tier up to `strongest` that this machine has.
pub(super) fn run(stage: &Stage, collector: Option<&Collector>, strongest: Tier) -> Result<Ring, Failure> {
    let mut refusals = Vec::new();
    for way in &WAYS {
        match once(stage, way, strongest)? {
            Ok(report) => return judge(stage, collector, way, &report),
            Err(refusal) => refusals.push(refusal),
        }
    }
    let why = refusals.pop().unwrap_or_default();
    let help = format!("{}; `ringfence doctor` tries every mechanism", advice::fix(Tier::A, &why, Path::new(OWN)));
    Err(Failure::Unavailable(why, help))
}

/// One run; its report, or why there was none.
fn once(stage: &Stage, way: &Way, strongest: Tier) -> Result<Result<Json, String>, Failure> {
    let file = |name: &str| File::create(stage.at(name)).map_err(broken);
    let report = stage.at("report.json");
    let mut command = Command::new(OWN);
    command.args(["run", "--observe", "--quiet", "--format", "json", "--on-denial", "report"]);
    command.args(["--tier", &strongest.to_string(), "--repo", "work/shop", "-C", way.policy]);
    command.arg("--report").arg(&report);
    command.args(way.spec.iter().flat_map(|spec| ["--spec", spec]));
    command.args(way.degraded.iter().flat_map(|what| ["--allow-degraded", what]));
    command.args(["--", "/bin/sh", "agent.sh"]).current_dir(stage.at(""));
    command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", stage.at("home"));
    command.env("RINGFENCE_STATE", stage.at("state")).env("XDG_CACHE_HOME", stage.at("cache"));
    command.stdin(Stdio::null()).stdout(file("stdout")?).stderr(file("stderr")?);
    let mut child = command.spawn().map_err(broken)?;
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(broken)? {
            break status;
        }
        if began.elapsed() > LONGEST {
            let _ = child.kill();
            let _ = child.wait();
            return Err(Failure::Io(format!("the run took longer than {} s", LONGEST.as_secs())));
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    if let Some(report) = std::fs::read(&report).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
        return Ok(Ok(report));
    }
    let told = std::fs::read_to_string(stage.at("stderr")).unwrap_or_default();
    let message = last_message(&told).unwrap_or_else(|| told.trim().to_owned());
    match status.code() {
        Some(124) => Ok(Err(message)),
        _ => Err(Failure::Io(format!("the run did not start: {message}"))),
    }
}

/// The message of a run that ended before it began.
fn last_message(told: &str) -> Option<String> {
    let report: Json = serde_json::from_str(told.lines().last()?).ok()?;
    report.pointer("/errors/0/message")?.as_str().map(str::to_owned)
}

fn judge(stage: &Stage, collector: Option<&Collector>, way: &Way, report: &Json) -> Result<Ring, Failure> {
    let text = |key: &str| report.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
    let list = |key: &str| -> Vec<Json> { report.get(key).and_then(Json::as_array).cloned().unwrap_or_default() };
    let printed = String::from_utf8_lossy(&std::fs::read(stage.at("stdout")).unwrap_or_default()).into_owned();
    let told = String::from_utf8_lossy(&std::fs::read(stage.at("stderr")).unwrap_or_default()).into_owned();
    if text("tier") != "A" && stage.is_open() {
        return Err(Failure::Io(
            "the demo needs a folder outside `/tmp`: neither `/var/tmp` nor the home can be written".into(),
        ));
    }
    let denials = list("denials");
    let trails = trails(stage, way)?;
    let harmed = stage.harm();
    let loot = stage.loot();
    let heard = collector.and_then(Collector::heard);
    let mut leaked: Vec<String> = loot.iter().map(|(path, _)| stage.named(&path.display().to_string())).collect();
    if stage.is_told_in(format!("{printed}{told}").as_bytes()) {
        leaked.push("the output of the run".into());
    }
    // Everything that the skill carried off, in one text.
    let mut taken = format!("{printed}{told}{}", heard.iter().flatten().map(String::as_str).collect::<String>());
    loot.iter().for_each(|(_, bytes)| taken.push_str(&String::from_utf8_lossy(bytes)));
    let heard = heard.map(|h| h.len());
    let view =
        View { stage, printed: &printed, taken: &taken, heard, denials: &denials, trails: &trails, harmed: &harmed };
    let attempts = attempt::ALL.iter().map(|a| view.tried(a)).collect();
    let work = std::fs::read_to_string(stage.at("work/shop/src/cart.sh")).unwrap_or_default();
    Ok(Ring {
        tier: text("tier"),
        sandbox: text("sandbox"),
        refused: list("refused").iter().filter_map(Json::as_str).map(str::to_owned).collect(),
        given_up: way.lacks.iter().map(|l| (*l).to_owned()).collect(),
        work_done: attempt::code(&printed, "work") == Some(0) && work.contains("total + 1"),
        attempts,
        outside: Outside {
            canaries: stage.canaries(),
            harmed: harmed.iter().map(|p| stage.named(&p.display().to_string())).collect(),
            leaked,
            heard,
        },
        run_id: text("run_id"),
        log: PathBuf::from(text("log")),
    })
}

fn trails(stage: &Stage, way: &Way) -> Result<Trails, Failure> {
    let select = Select { spec: way.spec.map(PathBuf::from), ..Select::default() };
    let input = InputArgs { dir: Some(stage.at(way.policy)), select, ..InputArgs::default() };
    let repo = stage.at("work/shop");
    let place = Place { home: stage.at("home"), cwd: repo.clone(), repo };
    Trails::derive(&input, &place).map(|(trails, _)| trails)
}

/// What there is to judge by.
struct View<'a> {
    stage: &'a Stage,
    printed: &'a str,
    taken: &'a str,
    heard: Option<usize>,
    denials: &'a [Json],
    trails: &'a Trails,
    harmed: &'a [PathBuf],
}

impl View<'_> {
    fn tried(&self, attempt: &Attempt) -> Tried {
        let (kind, name) = attempt.target;
        let target = match kind {
            Kind::Net => name.to_lowercase(),
            Kind::Read | Kind::Write => self.stage.at(name).display().to_string(),
        };
        let mut tried = Tried {
            id: attempt.id,
            title: attempt.title,
            aim: attempt.aim,
            kind,
            target: self.stage.named(&target),
            verdict: Verdict::NotStopped,
            logged: false,
            rule: None,
            document: None,
            file: None,
            line: None,
            because: None,
        };
        self.name(&mut tried, kind, &target);
        let harmed = match attempt.aim {
            Aim::Delete | Aim::Plant => self.harmed.iter().any(|p| p.starts_with(&target)),
            Aim::Steal => self.taken.contains(&self.stage.secret_of(name)),
            Aim::Send => self.heard.unwrap_or(0) > 0 || attempt::code(self.printed, attempt.id) == Some(0),
        };
        tried.verdict = match attempt::code(self.printed, attempt.id) {
            Some(NOT_TRIED) => Verdict::NotTried,
            Some(_) if !harmed && tried.rule.is_some() => Verdict::Stopped,
            _ => Verdict::NotStopped,
        };
        tried
    }

    /// Finds the rule: in the log of the run, or by asking the policy.
    fn name(&self, tried: &mut Tried, kind: Kind, target: &str) {
        let text = |d: &Json, key: &str| d.get(key).and_then(Json::as_str).map(str::to_owned);
        let of_kind = |d: &&Json| d.get("kind").and_then(Json::as_str) == Some(kind.as_str());
        let meant = |d: &&Json| d.get("what").and_then(Json::as_str) == Some(target);
        if let Some(denial) = self.denials.iter().filter(of_kind).find(meant) {
            tried.logged = true;
            tried.rule = text(denial, "rule");
            tried.document = text(denial, "document");
            tried.file = text(denial, "file").map(|f| self.stage.named(&f));
            tried.line = denial.get("line").and_then(Json::as_u64);
            tried.because = text(denial, "because");
            return;
        }
        let Ok(question) = Question::parse(&format!("{} {target}", kind.as_str())) else { return };
        let (Effect::Deny, trail) = self.trails.why(&question) else { return };
        let Some(entry) = trail.into_iter().find(|b| b.decisive).map(|b| b.entry) else { return };
        tried.rule = Some(entry.rule_id);
        tried.document = Some(entry.document);
        tried.file = Some(self.stage.named(&entry.file));
        tried.line = Some(u64::from(entry.line)).filter(|l| *l > 0);
        tried.because = entry.because;
    }
}
