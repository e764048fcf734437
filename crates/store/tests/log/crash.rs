//! A writer that is killed at any moment: every event it was told is written is there afterwards.

use crate::support::{append, clock, run_id, state, verify};
use ringfence_seal::kind::EventKind;
use ringfence_seal::verify::Verdict;
use ringfence_store::run_log::{RunLog, SyncPolicy};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

const ROLE: &str = "RINGFENCE_CRASH_TEST_STATE";
const KILLS: u64 = 12;

/// Starts this very test as the writer, after a line of shell.
fn writer(state: &Path, test: &str, first: &str) -> Child {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{first} exec \"$0\" \"$@\"")).arg(std::env::current_exe().expect("this program"));
    command.args(["--exact", test, "--nocapture"]);
    command.env(ROLE, state).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("a child")
}

/// What the writer says it has written.
fn acknowledged(child: &mut Child) -> impl Iterator<Item = u64> + use<> {
    let out = BufReader::new(child.stdout.take().expect("a pipe"));
    out.lines().map_while(Result::ok).filter_map(|l| l.strip_prefix("ack ")?.parse().ok())
}

/// Writes events until it is killed, and says after each one that it is written.
fn write_until_killed(state: &Path) {
    let mut log = match RunLog::open(state, &run_id(), clock(), SyncPolicy::Never) {
        Ok((log, _)) => log,
        Err(_) => RunLog::create(state, &run_id(), clock(), SyncPolicy::Never).expect("a log"),
    };
    let mut out = std::io::stdout();
    loop {
        let n = log.events() + 1;
        let seq = append(&mut log, EventKind::NetAllowed, n);
        writeln!(out, "\nack {seq}").expect("told");
    }
}

#[test]
fn every_acknowledged_event_survives_kill_9() {
    if let Some(state) = std::env::var_os(ROLE) {
        return write_until_killed(Path::new(&state));
    }
    let state = state();
    let mut told = 0;
    for round in 1..=KILLS {
        let mut child = writer(state.path(), "crash::every_acknowledged_event_survives_kill_9", "");
        let mut acks = acknowledged(&mut child);
        // The first acknowledgement says that it is at work; then somewhere in the midst of it.
        let before = told;
        told = acks.by_ref().nth(usize::try_from(round * 173).expect("small")).expect("it writes");
        child.kill().expect("killed");
        told = acks.last().unwrap_or(told);
        child.wait().expect("gone");
        assert!(told > before, "round {round} went on where the last one ended");
        let events = match verify(state.path()) {
            Verdict::Unfinished { summary, .. } => summary.events,
            other => unreachable!("round {round}: {other:?}"),
        };
        assert!(events >= told, "round {round}: {events} events of {told} acknowledged");
    }
    let (log, _) = RunLog::open(state.path(), &run_id(), clock(), SyncPolicy::Never).expect("a log");
    assert!(log.events() >= told);
    log.finish().expect("finished");
    assert!(matches!(verify(state.path()), Verdict::Intact(s) if s.events >= told && s.checkpoints > 1));
}

/// Writes events until a write fails, then fails the same way once more.
fn write_until_full(state: &Path) {
    let mut log = RunLog::create(state, &run_id(), clock(), SyncPolicy::Never).expect("a log");
    let text = serde_json::json!({"text": "x".repeat(700)});
    let mut write = || log.append(EventKind::NetDenied, &Default::default(), None, &text, &[]);
    while let Ok(seq) = write() {
        println!("\nack {seq}");
    }
    let again = write().expect_err("still full");
    assert_eq!(again.code(), "store.io");
    println!("\nack 1000000");
}

#[test]
fn a_write_that_fails_half_way_is_taken_back() {
    if let Some(state) = std::env::var_os(ROLE) {
        return write_until_full(Path::new(&state));
    }
    let state = state();
    // No file may grow beyond some KiB, and to try it is an error instead of a signal.
    let mut child =
        writer(state.path(), "crash::a_write_that_fails_half_way_is_taken_back", "trap '' XFSZ; ulimit -f 16;");
    let acks: Vec<u64> = acknowledged(&mut child).collect();
    assert!(child.wait().expect("gone").success());
    let [.., last, 1_000_000] = acks.as_slice() else { panic!("{acks:?}") };
    let verdict = verify(state.path());
    assert!(
        matches!(&verdict, Verdict::Unfinished { summary, torn_bytes: 0 } if summary.events == *last),
        "{verdict:?}"
    );
}
