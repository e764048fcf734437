//! What flows through stdin, stdout and stderr, and how a run ends.

use crate::world::{User, World, describe, everybody};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

#[test]
fn exit_codes() {
    everybody(|world| {
        for code in (0..=255).step_by(5).chain([1, 2, 126, 127, 128, 129, 130, 254]) {
            let status = world.boxed(["sh", "-c", &format!("exit {code}")]).status().expect("it starts");
            assert_eq!(status.code(), Some(code));
        }
    });
}

/// Whoever waits sees the signal itself, not a number made of it.
#[test]
fn death_by_a_signal() {
    everybody(|world| {
        for (name, number) in
            [("HUP", 1), ("INT", 2), ("QUIT", 3), ("ABRT", 6), ("KILL", 9), ("SEGV", 11), ("PIPE", 13), ("TERM", 15)]
        {
            let status = world.boxed(["sh", "-c", &format!("kill -{name} $$")]).status().expect("it starts");
            assert_eq!((status.signal(), status.code()), (Some(number), None), "{name}");
        }
    });
}

#[test]
fn a_command_that_does_not_start() {
    everybody(|world| {
        world.file("text", "text");
        world.file("script", "echo without a first line; exit 3");
        world.shell("chmod +x script");
        for (word, why) in
            [("no-such-program-anywhere", "not found"), ("./text", "cannot be executed"), ("/", "cannot be executed")]
        {
            let output = world.boxed([word]).output().expect("it starts");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.code() == Some(127) && said.contains(why), "{word}: {}", describe(&output));
        }
        let output = world.boxed(["./script"]).output().expect("it starts");
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(3), b"without a first line\n".as_slice()));
    });
}

#[test]
fn streams_stay_apart() {
    everybody(|world| {
        let output = world.try_to("echo to out; echo to err >&2");
        assert!(output.status.success(), "{}", describe(&output));
        assert_eq!(String::from_utf8_lossy(&output.stdout), "to out\n");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "to err\n");
    });
}

/// A folder of the host as a stream would lead to all the others.
#[test]
fn a_stream_that_is_a_folder_is_refused() {
    everybody(|world| {
        let look = ["sh", "-c", "ls -a /proc/self/fd/0/ /proc/self/fd/2/; echo started"];
        let said = |output: &std::process::Output| String::from_utf8_lossy(&output.stderr).into_owned();
        let output = world.boxed(look).stdin(File::open("/").expect("a folder")).output().expect("it starts");
        assert!(
            !output.status.success() && said(&output).contains("standard stream is a folder"),
            "{}",
            describe(&output)
        );
        assert_eq!(String::from_utf8_lossy(&output.stdout), "");
        let output = world.boxed(look).stderr(File::open("/").expect("a folder")).output().expect("it starts");
        assert!(!output.status.success() && output.stdout.is_empty(), "{}", describe(&output));
    });
}

/// A script may open its own streams by name, pipe or file.
#[test]
fn streams_by_name() {
    everybody(|world| {
        let script = "echo out >> /dev/stdout; echo err >> /dev/stderr; cat /dev/stdin; cat <(echo fd)";
        let words = world.line(["bash", "-euc", script]);
        // The pipes and files are the user's own, as they would be at a prompt.
        for (by, expected) in [
            ("echo in | \"$@\" 2>&1 | cat", "out\nerr\nin\nfd\n"),
            ("echo in > ../in; : > ../log; \"$@\" < ../in >> ../log 2>> ../log; cat ../log", "out\nerr\nin\nfd\n"),
        ] {
            let start = ["bash", "-euo", "pipefail", "-c", by, "bash"].map(std::ffi::OsString::from);
            assert_eq!(world.prepare(start.iter().chain(&words)), expected, "{by}");
        }
    });
}

/// Many times a pipe's size, both ways at once, and then the end of the input is seen.
#[test]
fn a_lot_through_pipes() {
    everybody(|world| {
        let sent: Vec<u8> = (0..8u32 << 20).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let mut child = world.boxed(["cat"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        let copy = sent.clone();
        let writer = std::thread::spawn(move || stdin.write_all(&copy));
        let mut received = Vec::new();
        child.stdout.take().expect("a pipe").read_to_end(&mut received).expect("bytes");
        writer.join().expect("a thread").expect("all of it is taken");
        assert!(child.wait().expect("an end").success());
        assert!(received == sent, "{} bytes of {}", received.len(), sent.len());
    });
}

#[test]
fn files_as_streams() {
    everybody(|world| {
        let outside = world.path().join("input");
        world.write(&outside, "from a file\n");
        let result = world.path().join("result");
        world.write(&result, "before\n");
        let append = File::options().append(true).open(&result).expect("a file");
        let input = File::open(&outside).expect("a file");
        let status = world.boxed(["cat"]).stdin(input).stdout(append).status().expect("it starts");
        assert!(status.success());
        assert_eq!(std::fs::read_to_string(&result).expect("a file"), "before\nfrom a file\n");
    });
}

#[test]
fn nothing_to_read_is_an_end() {
    everybody(|world| {
        let output = world.boxed(["wc", "-c"]).stdin(Stdio::null()).output().expect("it starts");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "0\n");
        let mut child = world.boxed(["sh", "-c", "read line || echo none"]);
        let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        drop(child.stdin.take());
        let output = child.wait_with_output().expect("an end");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "none\n");
    });
}

/// `ringfence run … | head -1`: the writer dies of its broken pipe, and so does the run.
#[test]
fn a_reader_that_leaves() {
    everybody(|world| {
        let mut child = world.boxed(["yes"]).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut pipe = child.stdout.take().expect("a pipe");
        let mut first = [0; 2];
        pipe.read_exact(&mut first).expect("a line");
        drop(pipe);
        let status = child.wait().expect("an end");
        assert_eq!((&first, status.signal()), (b"y\n", Some(13)));
    });
}

/// A line typed later is read later: nothing waits for a full buffer.
#[test]
fn a_conversation() {
    everybody(|world| {
        let mut child = world.boxed(["sh", "-c", "while read l; do echo got $l; done"]);
        let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let (mut to, mut from) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        for line in ["one\n", "two\n"] {
            to.write_all(line.as_bytes()).expect("it reads");
            let mut answer = [0; 8];
            from.read_exact(&mut answer).expect("it answers");
            assert_eq!(String::from_utf8_lossy(&answer), format!("got {line}"));
        }
        drop(to);
        assert!(child.wait().expect("an end").success());
    });
}

/// Root works in somebody else's repo as that somebody.
#[test]
fn root_in_the_repo_of_another() {
    if !crate::world::is_root("root_in_the_repo_of_another") {
        return;
    }
    let mut world = World::of(crate::world::NOBODY);
    world.shell("git init -q .; echo one > one; git add .; git commit -qm first");
    world.user = User { uid: 0, gid: 0 };
    world.own(&world.path().join("state"));
    let said = world.work("id -u; id -g; echo two > two; git add two; git commit -qm second; git log --format=%s");
    assert_eq!(said, "65534\n65534\nsecond\nfirst\n");
    let owner = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(world.repo().join("two")).expect("a file"));
    assert_eq!(owner, 65534);
}
