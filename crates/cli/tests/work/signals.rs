//! Signals to the supervisor reach the command, and the end of a run is the end of all of it.

use crate::world::{World, everybody};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdout, Stdio};

/// Starts a shell line and waits until it says that it is ready.
fn ready(world: &World, line: &str) -> (Child, BufReader<ChildStdout>) {
    let mut command = world.boxed(["bash", "-c", line]);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("it starts");
    let mut said = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut first = String::new();
    said.read_line(&mut first).expect("a line");
    assert_eq!(first, "ready\n");
    (child, said)
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("a signal");
}

#[test]
fn a_signal_is_passed_on() {
    everybody(|world| {
        for (signal, name) in [
            (Signal::TERM, "TERM"),
            (Signal::INT, "INT"),
            (Signal::HUP, "HUP"),
            (Signal::QUIT, "QUIT"),
            (Signal::USR1, "USR1"),
            (Signal::USR2, "USR2"),
        ] {
            let line = format!("trap 'echo caught; exit 7' {name}; echo ready; while :; do sleep 0.02; done");
            let (mut child, mut said) = ready(&world, &line);
            send(&child, signal);
            let mut rest = String::new();
            said.read_line(&mut rest).expect("a line");
            let status = child.wait().expect("an end");
            assert_eq!((rest.as_str(), status.code()), ("caught\n", Some(7)), "{name}");
        }
    });
}

#[test]
fn a_command_that_does_not_catch_dies_of_it() {
    everybody(|world| {
        for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
            let (mut child, _said) = ready(&world, "echo ready; exec sleep 1000");
            send(&child, signal);
            assert_eq!(child.wait().expect("an end").signal(), Some(signal.as_raw()));
        }
    });
}

/// A command may take its time to end, and is let finish.
#[test]
fn the_last_words_are_heard() {
    everybody(|world| {
        let line = "trap 'sleep 0.3; echo cleaned > done; exit 0' TERM; echo ready; while :; do sleep 0.02; done";
        let (mut child, _said) = ready(&world, line);
        send(&child, Signal::TERM);
        assert!(child.wait().expect("an end").success());
        assert_eq!(world.read("done"), "cleaned\n");
    });
}

/// What the command leaves in the background ends with it; so does what left its session.
#[test]
fn nothing_stays_behind() {
    everybody(|world| {
        let mark = format!("{}.{}", 5000 + std::process::id() % 1000, world.user.uid);
        let line = format!(
            "sleep {mark} >/dev/null 2>&1 & setsid -f sleep {mark} >/dev/null 2>&1; (nohup sleep {mark} >/dev/null 2>&1 &); echo started"
        );
        assert_eq!(world.work(&line), "started\n");
        let left = processes_with(&mark);
        assert!(left.is_empty(), "{left:?}");
    });
}

fn processes_with(mark: &str) -> Vec<String> {
    let lines = std::fs::read_dir("/proc").expect("/proc").flatten();
    let lines = lines.filter_map(|e| std::fs::read(e.path().join("cmdline")).ok());
    let lines = lines.map(|l| String::from_utf8_lossy(&l).replace('\0', " "));
    lines.filter(|l| l.starts_with("sleep ") && l.contains(mark)).collect()
}

/// Stopping and continuing the supervisor stops and continues what it runs.
#[test]
fn a_stopped_command_stops_the_run() {
    everybody(|world| {
        let (mut child, mut said) = ready(&world, "echo ready; kill -STOP $$; echo on again; exit 3");
        let pid = Pid::from_child(&child);
        let stopped = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::UNTRACED);
        assert!(stopped.expect("news").is_some_and(|(_, s)| s.stopped()));
        send(&child, Signal::CONT);
        let mut rest = String::new();
        said.read_line(&mut rest).expect("a line");
        assert_eq!((rest.as_str(), child.wait().expect("an end").code()), ("on again\n", Some(3)));
    });
}
