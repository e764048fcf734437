//! What a box costs: starting `/bin/true` in one, in turn with starting it bare and with other tools where they are
//! installed; a call to a session; work inside, beside the same bare and behind nothing but a filter; the supervisor's
//! memory.

use super::installed::installed;
use super::measure::{Spread, progress, timed};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Format, Output};
use ringfence_sandbox::Session;
use serde::Serialize;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// How long to measure.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A fifth of the rounds: for a first look
    #[arg(long)]
    quick: bool,
}

/// One line of the table.
#[derive(Debug, Serialize)]
struct Row {
    what: String,
    time: Spread,
    /// The minimum beyond that of the bare command.
    over_bare_ns: u64,
    /// For work inside: the same without the start of the box, in thousandths of the bare minimum.
    #[serde(skip_serializing_if = "Option::is_none")]
    beyond_start_permille: Option<i64>,
}

#[derive(Debug, Serialize)]
struct Report {
    /// Starting `/bin/true`.
    start: Vec<Row>,
    /// Work that makes many system calls: bare, behind a filter that lets everything pass, and inside.
    work: Vec<Row>,
    /// Resident memory of a supervisor with egress on, in bytes.
    supervisor_bytes: Option<u64>,
    /// Tools that were looked for and are not installed.
    absent: Vec<String>,
}

const TRUE: &str = "/bin/true";

/// Measures.
pub(super) fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    output.only(&[Format::Human, Format::Json])?;
    let bench = Bench::new(if args.quick { 40 } else { 200 })?;
    let mut absent = Vec::new();
    let start = bench.start(&mut absent)?;
    let work = bench.work(&mut absent)?;
    let report = Report { start, work, supervisor_bytes: bench.memory()?, absent };
    match output.format {
        Format::Json => output.json(&report)?,
        _ => output.result(&human(&report))?,
    }
    Ok(Exit::Done)
}

struct Bench {
    rounds: usize,
    program: PathBuf,
    folder: tempfile::TempDir,
}

/// A command under a name.
struct Contender {
    what: String,
    words: Vec<OsString>,
    around: Around,
}

/// What is put around a command before it starts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Nothing,
    /// A filter that lets everything pass: no box with a filter can cost less.
    OpenFilter,
}

impl Contender {
    fn new(what: impl Into<String>, words: Vec<OsString>) -> Self {
        Self { what: what.into(), words, around: Around::Nothing }
    }
}

impl Bench {
    fn new(rounds: usize) -> Result<Self, Failure> {
        let folder = tempfile::tempdir().map_err(|e| Failure::Io(format!("cannot make a folder: {e}")))?;
        let program = installed(folder.path())?;
        let bench = Self { rounds, program, folder };
        std::fs::create_dir(bench.repo()).map_err(|e| Failure::io("make", &bench.repo(), e))?;
        bench.fill()?;
        for (name, network, permission) in [
            ("read-only", "{ mode: none }", "repo-readonly"),
            ("read-write", "{ mode: none }", "repo-readwrite"),
            ("allowlist", "{ mode: allowlist, allowlist: [example.com] }", "repo-readonly"),
        ] {
            let text = format!(
                "policy: bench\nlevel: project\nsandbox:\n  network: {network}\n  filesystem: {{ permission: {permission}, toolchains: [git] }}\n"
            );
            let path = bench.policy(name);
            std::fs::write(&path, text).map_err(|e| Failure::io("write", &path, e))?;
        }
        Ok(bench)
    }

    /// A repo of 700 files, all of them committed. Without git it is a folder of files.
    fn fill(&self) -> Result<(), Failure> {
        for folder in (0..35).map(|n| self.repo().join(format!("part{n}"))) {
            std::fs::create_dir(&folder).map_err(|e| Failure::io("make", &folder, e))?;
            for file in (0..20).map(|n| folder.join(format!("file{n}.txt"))) {
                let text = format!("{}\n", file.display());
                std::fs::write(&file, text).map_err(|e| Failure::io("write", &file, e))?;
            }
        }
        let who = ["-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false"];
        for words in [&["init", "-q"][..], &["add", "-A"], &["commit", "-q", "-m", "files"]] {
            let _ = Command::new("git").args(who).args(words).current_dir(self.repo()).status();
        }
        Ok(())
    }

    fn repo(&self) -> PathBuf {
        self.folder.path().join("repo")
    }

    fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    fn policy(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.yaml"))
    }

    /// `ringfence run` under a policy.
    fn boxed(&self, policy: &str, command: &[&str]) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec![self.program.clone().into(), "run".into(), "-q".into(), "--project".into()];
        words.push(self.policy(policy).into());
        words.push("--".into());
        words.extend(command.iter().map(OsString::from));
        words
    }

    fn start(&self, absent: &mut Vec<String>) -> Result<Vec<Row>, Failure> {
        progress("the start of a box");
        let mut contenders = vec![Contender::new("bare", vec![TRUE.into()])];
        for policy in ["read-only", "read-write", "allowlist"] {
            contenders.push(Contender::new(format!("ringfence, {policy}"), self.boxed(policy, &[TRUE])));
        }
        match found("bwrap") {
            Some(_) => contenders.push(Contender::new("bubblewrap, hardened", self.bubblewrap())),
            None => absent.push("bubblewrap".into()),
        }
        match found("srt") {
            Some(srt) => contenders.push(Contender::new("sandbox-runtime", vec![srt.into(), TRUE.into()])),
            None => absent.push("sandbox-runtime (`srt`)".into()),
        }
        let mut rows = self.compete(&contenders, self.rounds)?;
        let bare = rows.first().map_or(0, |r| r.time.min_ns);
        rows.extend(self.session(bare)?);
        Ok(rows)
    }

    /// What bubblewrap needs for walls of about the same height.
    fn bubblewrap(&self) -> Vec<OsString> {
        let flags = "bwrap --unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-uts --unshare-cgroup \
            --new-session --die-with-parent --cap-drop ALL --clearenv --disable-userns --hostname sandbox \
            --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 \
            --ro-bind /etc/ssl /etc/ssl --ro-bind /etc/alternatives /etc/alternatives \
            --ro-bind /etc/passwd /etc/passwd --ro-bind /etc/ld.so.cache /etc/ld.so.cache \
            --proc /proc --dev /dev --tmpfs /tmp";
        let mut words: Vec<OsString> = flags.split_whitespace().map(OsString::from).collect();
        words.push("--bind".into());
        words.extend([self.repo().into_os_string(), self.repo().into_os_string(), TRUE.into()]);
        words
    }

    /// A command in the bench's repo. Runs are recorded in a folder that goes with the bench.
    fn command(&self, program: &OsString, words: &[OsString]) -> Command {
        let mut command = Command::new(program);
        command.args(words).current_dir(self.repo()).env("RINGFENCE_STATE", self.state());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Everybody in turn, so that what disturbs the machine disturbs all alike; and each round begins with another, so
    /// that nobody always comes after the one that leaves the caches coldest.
    fn compete(&self, contenders: &[Contender], rounds: usize) -> Result<Vec<Row>, Failure> {
        let mut times: Vec<Vec<u64>> = contenders.iter().map(|_| Vec::new()).collect();
        for round in 0..rounds {
            for turn in 0..contenders.len() {
                let who = (round + turn) % contenders.len();
                if let (Some(contender), Some(times)) = (contenders.get(who), times.get_mut(who)) {
                    times.push(self.once(contender)?);
                }
            }
        }
        let spreads: Vec<Spread> = times.into_iter().map(Spread::of).collect();
        let bare = spreads.first().map_or(0, |s| s.min_ns);
        let row = |(c, time): (&Contender, Spread)| Row {
            what: c.what.clone(),
            time,
            over_bare_ns: time.min_ns.saturating_sub(bare),
            beyond_start_permille: None,
        };
        Ok(contenders.iter().zip(spreads).map(row).collect())
    }

    fn once(&self, contender: &Contender) -> Result<u64, Failure> {
        let Some((program, words)) = contender.words.split_first() else { return Ok(0) };
        let mut command = self.command(program, words);
        if contender.around == Around::OpenFilter {
            ringfence_sandbox::behind_open_filter(&mut command);
        }
        let (ns, status) =
            timed(|| command.status()).map_err(|e| Failure::Io(format!("cannot start a process: {e}")))?;
        match status.success() {
            true => Ok(ns),
            false => Err(Failure::Io(format!("`{}` ended with {status}", contender.what))),
        }
    }

    /// Calls to a box that is there already: over its socket, and by the command.
    fn session(&self, bare: u64) -> Result<Vec<Row>, Failure> {
        let name = format!("bench-{}", std::process::id());
        let mut words = self.boxed("read-write", &[TRUE]);
        words.splice(2..2, ["--session".into(), OsString::from(&name)]);
        let contender = Contender::new("session, by the command", words);
        self.once(&contender)?;
        let session = Session::at(&crate::command::run::session_path_in(&self.state(), &name)?);
        let null = std::fs::File::open("/dev/null").map_err(|e| Failure::Io(format!("cannot open /dev/null: {e}")))?;
        let (mut socket, mut command) = (Vec::new(), Vec::new());
        for _ in 0..self.rounds {
            let streams = [&null, &null, &null].map(std::os::fd::AsFd::as_fd);
            let call = || session.run(&[TRUE.into()], std::env::vars_os(), &self.repo(), streams);
            socket.push(timed(call).map_err(|e| Failure::Io(e.to_string()))?.0);
            command.push(self.once(&contender)?);
        }
        session.end().map_err(|e| Failure::Io(e.to_string()))?;
        let row = |what: &str, times: Vec<u64>| {
            let time = Spread::of(times);
            Row { what: what.into(), time, over_bare_ns: time.min_ns.saturating_sub(bare), beyond_start_permille: None }
        };
        Ok(vec![row("session, over its socket", socket), row("session, by the command", command)])
    }

    fn work(&self, absent: &mut Vec<String>) -> Result<Vec<Row>, Failure> {
        let mut jobs = vec![
            ("find /usr/lib", "find /usr/lib -type f", self.rounds / 10),
            ("sh with 200 programs", "for i in $(seq 200); do /bin/true; done", self.rounds / 10),
        ];
        match found("git") {
            // So short that only many rounds tell it from the noise of starting.
            Some(_) => jobs.insert(1, ("git status", "git status", self.rounds)),
            None => absent.push("git".into()),
        }
        match found("cc") {
            Some(_) => {
                let path = self.repo().join("work.c");
                std::fs::write(&path, source()).map_err(|e| Failure::io("write", &path, e))?;
                jobs.push(("a compile", "cc -O1 -c work.c -o /dev/null", self.rounds / 10));
            }
            None => absent.push("a C compiler (`cc`)".into()),
        }
        let mut rows = Vec::new();
        for (what, line, rounds) in jobs {
            progress(what);
            let shell = |line: &str| -> Vec<OsString> { ["/bin/sh", "-c", line].map(Into::into).into() };
            let boxed = |line: &str| self.boxed("read-write", &["/bin/sh", "-c", line]);
            let around = Around::OpenFilter;
            // What starting costs is measured in the same rounds, as often: the least of many is less than that of few.
            let contenders = [
                Contender::new(format!("{what}, bare"), shell(line)),
                Contender { around, ..Contender::new(format!("{what}, open filter"), shell(line)) },
                Contender::new(format!("{what}, boxed"), boxed(line)),
                Contender::new("nothing, bare", shell(":")),
                Contender::new("nothing, boxed", boxed(":")),
            ];
            let five: [Row; 5] = self
                .compete(&contenders, rounds.max(5))?
                .try_into()
                .map_err(|_| Failure::Io("a contender was lost".into()))?;
            let [bare, mut filtered, mut boxed, nothing, nothing_boxed] = five;
            let start = nothing_boxed.time.min_ns.saturating_sub(nothing.time.min_ns);
            filtered.beyond_start_permille = beyond(&bare, &filtered, 0);
            boxed.beyond_start_permille = beyond(&bare, &boxed, start);
            rows.extend([bare, filtered, boxed]);
        }
        Ok(rows)
    }

    /// Looks at a supervisor that has egress on and nothing to do.
    fn memory(&self) -> Result<Option<u64>, Failure> {
        let words = self.boxed("allowlist", &["/bin/sleep", "1"]);
        let Some((program, words)) = words.split_first() else { return Ok(None) };
        let mut command = self.command(program, words);
        let mut child = command.spawn().map_err(|e| Failure::Io(format!("cannot start a process: {e}")))?;
        std::thread::sleep(Duration::from_millis(500));
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let _ = child.wait();
        let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"));
        let kib = line.and_then(|l| l.split_whitespace().next()?.parse::<u64>().ok());
        Ok(kib.map(|k| k * 1024))
    }
}

/// What a command takes beyond the bare one and the start of its box, in thousandths of the bare one.
fn beyond(bare: &Row, row: &Row, start_ns: u64) -> Option<i64> {
    let beyond = i128::from(row.time.min_ns) - i128::from(bare.time.min_ns) - i128::from(start_ns);
    i64::try_from(beyond * 1000 / i128::from(bare.time.min_ns.max(1))).ok()
}

fn found(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|d| d.join(program)).find(|p| Path::is_file(p))
}

/// Something for a compiler to do.
fn source() -> String {
    let function = |n: u32| format!("int f{n}(int a) {{ int s = {n}; while (a > s) a -= s % 7 + 1; return a ^ s; }}\n");
    format!("#include <stdio.h>\n{}", (1..400).map(function).collect::<String>())
}

fn human(report: &Report) -> String {
    let ms = |ns: u64| ns as f64 / 1e6;
    let mut out = String::from("starting /bin/true                     min ms   median ms   + over bare\n");
    for row in &report.start {
        let (min, median) = (ms(row.time.min_ns), ms(row.time.p50_ns));
        out.push_str(&format!("  {:<34} {min:>8.2} {median:>11.2} {:>13.2}\n", row.what, ms(row.over_bare_ns)));
    }
    out.push_str("\nwork                                   min ms   median ms   + over bare   beyond the start\n");
    for row in &report.work {
        let (min, median) = (ms(row.time.min_ns), ms(row.time.p50_ns));
        let beyond = row.beyond_start_permille.map(|p| format!("{:>+16.1} %", p as f64 / 10.0)).unwrap_or_default();
        let over = ms(row.over_bare_ns);
        out.push_str(&format!("  {:<34} {min:>8.2} {median:>11.2} {over:>13.2} {beyond}\n", row.what));
    }
    if let Some(bytes) = report.supervisor_bytes {
        out.push_str(&format!("\nsupervisor with egress on: {:.1} MiB resident\n", bytes as f64 / 1_048_576.0));
    }
    if !report.absent.is_empty() {
        out.push_str(&format!("not installed: {}\n", report.absent.join(", ")));
    }
    out
}
