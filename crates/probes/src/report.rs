//! What an attack said: a command in, its lines out, within a time that is never exceeded.

use crate::outcome::Outcome;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// One line of an attack.
#[derive(Clone, Debug, Deserialize)]
pub struct Line {
    /// Name of the probe.
    pub probe: String,
    /// Its group.
    pub group: String,
    /// `forbidden` or `twin`.
    pub side: String,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// What a whole attack said.
#[derive(Clone, Debug)]
pub struct Report {
    /// Its lines.
    pub lines: Vec<Line>,
    /// Whether it came to its end.
    pub whole: bool,
    /// The exit code; none after a signal.
    pub code: Option<i32>,
    /// Whether it had to be killed because it took too long.
    pub late: bool,
    /// What was written to stderr.
    pub stderr: String,
    /// What was written to stdout.
    pub stdout: String,
}

impl Report {
    /// The outcome of one side of a probe.
    #[must_use]
    pub fn of(&self, probe: &str, side: &str) -> Option<&Outcome> {
        self.lines.iter().find(|l| l.probe == probe && l.side == side).map(|l| &l.outcome)
    }

    /// How many lines had which outcome, by group.
    #[must_use]
    pub fn counts(&self, side: &str) -> BTreeMap<String, [usize; 4]> {
        let mut counts: BTreeMap<String, [usize; 4]> = BTreeMap::new();
        for line in self.lines.iter().filter(|l| l.side == side) {
            let [did, refused, absent, broken] = counts.entry(line.group.clone()).or_default();
            let slot = match line.outcome {
                Outcome::Did(_) => did,
                Outcome::Refused(_) => refused,
                Outcome::Absent(_) => absent,
                Outcome::Broken(_) => broken,
            };
            *slot += 1;
        }
        counts
    }
}

/// Runs an attack; what is not over in time is killed.
///
/// # Errors
/// When it cannot be started.
pub fn run(mut command: Command, patience: Duration) -> io::Result<Report> {
    let mut child = spawn(command.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    drop(command);
    let (out, err) = (collect(child.stdout.take()), collect(child.stderr.take()));
    let (code, late) = wait(&mut child, patience)?;
    // Whoever still holds the pipes outlived the attack; its words are not waited for.
    let text = |words: mpsc::Receiver<Vec<u8>>| {
        let mut bytes = Vec::new();
        while let Ok(part) = words.recv_timeout(Duration::from_secs(2)) {
            bytes.extend(part);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let (stdout, stderr) = (text(out), text(err));
    let lines = stdout.lines().filter_map(|l| serde_json::from_str(l).ok()).collect();
    let whole = stdout.lines().any(|l| l.trim() == r#"{"end":true}"#);
    Ok(Report { lines, whole, code, late, stderr, stdout })
}

/// Starts a program that was just copied. A child that another thread forks at that moment holds the copy open for
/// writing until it becomes its own program, and for so long the kernel says that the file is busy.
///
/// # Errors
/// When it cannot be started.
pub fn spawn(command: &mut Command) -> io::Result<Child> {
    for _ in 0..100 {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => thread::sleep(Duration::from_millis(20)),
            other => return other,
        }
    }
    command.spawn()
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (send, receive) = mpsc::channel();
    if let Some(mut pipe) = pipe {
        thread::spawn(move || {
            let mut part = vec![0; 65536];
            while let Ok(n) = pipe.read(&mut part) {
                if n == 0 || send.send(part.get(..n).unwrap_or_default().to_vec()).is_err() {
                    break;
                }
            }
        });
    }
    receive
}

fn wait(child: &mut Child, patience: Duration) -> io::Result<(Option<i32>, bool)> {
    let end = Instant::now() + patience;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status.code(), false));
        }
        if Instant::now() >= end {
            child.kill()?;
            child.wait()?;
            return Ok((None, true));
        }
        thread::sleep(Duration::from_millis(10));
    }
}
